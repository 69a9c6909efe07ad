package watch

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/wire/mad"
)

// forced brings up a network whose links are to use other speeds, with a minute of time before.
func forced(t *testing.T, formula, rules string, opt emulator.Options, set func(w *terms.Watch)) *virtual {
	t.Helper()
	racing.SkipLong(t)
	v, err := newVirtual(smtest.Formula(t, formula), opt, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Moves, watch.Rebalance = 0, 0
	if set != nil {
		set(&watch)
	}
	v.manager = NewManager(terms.Config{Elect: true, Tuning: &tuning.Settings{Links: linkRules(t, rules)}}, watch)
	return v
}

// linkRules reads rules of links.
func linkRules(t *testing.T, text string) tuning.Rules {
	t.Helper()
	rules, err := tuning.ReadRules("rules", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// begin starts the manager and lets time pass.
func (v *virtual) begin(d time.Duration) *virtual {
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + d)
	return v
}

// speeds counts the links by their speed as the manager knows them, and returns that of our own.
func (v *virtual) speeds() (count map[int]int, own int) {
	count = map[int]int{}
	c := v.manager.inForce
	for slot, there := range c.Peer {
		if int32(slot) < there {
			count[mad.LinkSpeed(c.Info[slot][:])]++
		}
	}
	return count, mad.LinkSpeed(c.Info[c.OwnPort()][:])
}

// TestSpeedForced: every link but our own gets the speed: one is tried first, and of two switches'
// links each is drained before it trains, so that no path crosses it. The recording replays.
func TestSpeedForced(t *testing.T) {
	v := forced(t, "rlft(4,2)", "*: speed=..DDR", emulator.Options{Training: 2 * time.Second}, nil)
	var b bytes.Buffer
	v.recorder = recording.NewRecorder(&b, &v.manager.cfg, &v.manager.watch, &v.routing)
	most := 0
	v.onAction = func(a *terms.Action) {
		if a.Kind != terms.Send || a.Tag>>56 != terms.SpeedTag || a.Method != mad.Set || mad.PortInfoPhysicalState.Get(a.Data) != mad.PhysPolling {
			return
		}
		most = max(most, len(v.manager.forcing.Report().Trying))
		c := v.manager.inForce
		slot := c.Nodes[0].First // of our own node: replaced below
		for id := range c.Nodes {
			if bytes.Equal(c.Nodes[id].Path, a.Path) && c.Nodes[id].Typ == fabric.Switch {
				slot = c.Nodes[id].First + int32(a.Modifier&0xFF)
			}
		}
		if there := c.Peer[slot]; there >= 0 && c.IsSwitch(there) {
			s := c.Prog.Sw[c.Owner[slot]]
			for lid := fabric.LID(1); lid <= c.Plan.Tables.Top(); lid++ {
				if c.Plan.Tables.Port(s, lid) == c.PortNumber(slot) {
					t.Fatalf("LID %d crosses %s as it trains", lid, c.LinkName(slot))
				}
			}
		}
	}
	v.begin(10 * time.Minute)
	if count, own := v.speeds(); own != mad.SpeedEDR || count[mad.SpeedEDR] != 1 || count[mad.SpeedDDR] != len(v.sub.Fabric().Links)-1 {
		t.Errorf("links by speed: %v, ours %v: %v", count, own, v.entries)
	}
	if r := v.manager.forcing.Report(); r != nil || most < 2 {
		t.Errorf("%+v is left; %d at once", r, most)
	}
	if n := v.told(terms.Quarantined) + v.told(terms.SpeedUndone) + v.told(terms.NotTaken); n > 0 {
		t.Errorf("%d events of faults: %v", n, v.entries)
	}
	v.verify(t)
	if err := v.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	replayed(t, &b)
}

// TestSpeedUndone: the first link does not return: it gets back what it had, and no other is tried,
// until a reload. Then the others are; one more that does not return is taken back alone.
func TestSpeedUndone(t *testing.T) {
	v := forced(t, "rlft(4,2)", "*: speed=DDR", emulator.Options{Training: 2 * time.Second}, nil)
	bad := func(link fabric.LinkID, speeds ...fabric.Speed) {
		if err := v.sub.LimitLink(link, speeds); err != nil {
			t.Fatal(err)
		}
	}
	for id := range v.sub.Fabric().Links {
		bad(fabric.LinkID(id), fabric.EDR)
	}
	v.begin(500 * time.Millisecond)
	lids := v.lidsOf()
	v.runUntil(v.now + 10*time.Minute)
	if count, _ := v.speeds(); count[mad.SpeedEDR] != 16 || v.told(terms.SpeedUndone) != 1 || v.told(terms.SpeedForced) != 1 {
		t.Fatalf("links by speed: %v, %d taken back: %v", count, v.told(terms.SpeedUndone), v.entries)
	}
	s := v.manager.Snapshot(v.now)
	if r := s.Routed.Forcing; r == nil || !r.Stopped || len(r.Failed) != 1 || r.Waiting != 14 {
		t.Errorf("shown: %+v", r)
	}
	for id := range v.sub.Fabric().Links {
		bad(fabric.LinkID(id))
	}
	bad(switchLinks(v.sub.Fabric())[3], fabric.EDR)
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, Routing: v.routing, What: "again"}})
	v.runUntil(v.now + 10*time.Minute)
	if count, own := v.speeds(); count[mad.SpeedEDR] != 2 || count[mad.SpeedDDR] != 14 || own != mad.SpeedEDR || v.told(terms.SpeedUndone) != 2 {
		t.Errorf("links by speed: %v, %d taken back: %v", count, v.told(terms.SpeedUndone), v.entries)
	}
	for guid, lid := range v.lidsOf() {
		if lids[guid] != lid {
			t.Errorf("%s has LID %d, had %d", guid, lid, lids[guid])
		}
	}
	v.verify(t)
}

// TestSpeedOnlyWay: no link trains without which a switch has no way to us, and none of two that
// are so together.
func TestSpeedOnlyWay(t *testing.T) {
	for formula, forcedLinks := range map[string]int{"torus(5,hosts=1)": 9, "mesh(4,hosts=1)": 3} {
		v := forced(t, formula, "*: speed=..DDR", emulator.Options{Training: 2 * time.Second}, nil)
		v.begin(5 * time.Second)
		missing := 0
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.Note && a.Incident.Kind == terms.NodeMissing && a.Incident.Text[:2] != "CA" {
				missing++
			}
		}
		v.runUntil(v.now + 20*time.Minute)
		count, _ := v.speeds()
		if r := v.manager.forcing.Report(); count[mad.SpeedDDR] != forcedLinks || missing > 0 || formula[:4] == "mesh" && (r == nil || r.Bound != 3 || r.Waiting > 0) {
			t.Errorf("%s: links by speed %v, %d switches missing, %+v: %v", formula, count, missing, r, v.entries)
		}
		v.verify(t)
	}
}

// TestSpeedBesideDrain: while a switch is drained, no link trains that is the last way for the
// traffic of another switch. Once the switch is used again, all get the speed.
func TestSpeedBesideDrain(t *testing.T) {
	v := forced(t, "rlft(4,2)", "spine *: speed=..DDR", emulator.Options{Training: 2 * time.Second}, nil)
	v.manager.cfg.Drain = []string{"spine 1"}
	spine := map[string]fabric.GUID{}
	for _, n := range v.sub.Fabric().Nodes {
		spine[n.Desc] = n.GUID
	}
	trained := map[fabric.GUID]int{}
	v.onAction = func(a *terms.Action) {
		if a.Kind != terms.Send || a.Tag>>56 != terms.SpeedTag || a.Method != mad.Set || mad.PortInfoPhysicalState.Get(a.Data) != mad.PhysPolling {
			return
		}
		c, port := v.manager.inForce, uint8(a.Modifier)
		for id := range c.Nodes {
			if n := &c.Nodes[id]; bytes.Equal(n.Path, a.Path) && n.Typ == fabric.Switch {
				trained[n.GUID]++
				trained[c.Nodes[c.Owner[c.Peer[n.First+int32(port)]]].GUID]++
			}
		}
	}
	v.begin(10 * time.Minute)
	r := v.manager.forcing.Report()
	if trained[spine["spine 0"]] > 0 || trained[spine["spine 1"]] == 0 || r == nil || r.Bound == 0 || len(r.Failed) > 0 {
		t.Fatalf("trained %v, %+v: %v", trained, r, v.entries)
	}
	rounds := v.manager.round.Number
	v.runUntil(v.now + 10*time.Minute)
	if v.manager.round.Number > rounds {
		t.Errorf("%d rounds for links that cannot train: %v", v.manager.round.Number-rounds, v.entries)
	}
	v.onAction = nil
	settings := terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, Routing: v.routing, What: "no drains"}
	settings.Config.Drain = nil
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &settings})
	v.runUntil(v.now + 10*time.Minute)
	if count, _ := v.speeds(); count[mad.SpeedDDR] != len(switchLinks(v.sub.Fabric())) || v.told(terms.SpeedUndone) > 0 {
		t.Errorf("links by speed: %v: %v", count, v.entries)
	}
	v.verify(t)
}

// TestSpeedFallsBack: a link that returns at SDR, at which each link trains first, has not the
// speed that it is to have.
func TestSpeedFallsBack(t *testing.T) {
	v := forced(t, "rlft(4,2)", "*: speed=QDR", emulator.Options{Training: 2 * time.Second}, nil)
	for id := range v.sub.Fabric().Links {
		if err := v.sub.LimitLink(fabric.LinkID(id), []fabric.Speed{fabric.SDR, fabric.EDR}); err != nil {
			t.Fatal(err)
		}
	}
	v.begin(10 * time.Minute)
	if count, _ := v.speeds(); count[mad.SpeedEDR] != 16 || v.told(terms.SpeedUndone) != 1 {
		t.Errorf("links by speed: %v, %d taken back: %v", count, v.told(terms.SpeedUndone), v.entries)
	}
	v.verify(t)
}

// TestSpeedWaits: speeds wait for a change window, and a restart begins none outside of it. A fault
// is repaired meanwhile.
func TestSpeedWaits(t *testing.T) {
	window, err := terms.ParseWindow("02:00-02:30")
	if err != nil {
		t.Fatal(err)
	}
	v := forced(t, "rlft(4,2)", "*: speed=..DDR", emulator.Options{Training: 2 * time.Second}, func(w *terms.Watch) {
		w.Windows, w.Epoch = []terms.Window{window}, time.Hour
	})
	v.begin(10 * time.Second)
	v.pullAndReturn(t, 5*time.Minute)
	if n := v.told(terms.SpeedForced); n > 0 {
		t.Fatalf("%d links tried before the window: %v", n, v.entries)
	}
	named := false
	for _, d := range v.manager.Snapshot(v.now).Due {
		named = named || d.Window == "the change window 02:00-02:30" && d.At == time.Hour
	}
	if !named {
		t.Errorf("what waits for which window: %+v", v.manager.Snapshot(v.now).Due)
	}
	v.runUntil(80 * time.Minute)
	if count, _ := v.speeds(); count[mad.SpeedDDR] != 15 {
		t.Errorf("links by speed in the window: %v: %v", count, v.entries)
	}
}

// TestClockSet: the clock is wrong at the start, by half a day, and is set later. The change window
// opens by the right time.
func TestClockSet(t *testing.T) {
	window, err := terms.ParseWindow("02:00-02:30")
	if err != nil {
		t.Fatal(err)
	}
	v := forced(t, "rlft(4,2)", "*: speed=..DDR", emulator.Options{Training: 2 * time.Second}, func(w *terms.Watch) {
		w.Windows, w.Epoch = []terms.Window{window}, 13*time.Hour
	})
	v.begin(10 * time.Minute)
	v.step(&terms.Event{Kind: terms.ClockSet, Epoch: time.Hour})
	for _, d := range v.manager.Snapshot(v.now).Due {
		if d.Window != "" && d.At != time.Hour {
			t.Errorf("after the clock was set something waits for %s at %v", d.Window, d.At)
		}
	}
	v.runUntil(80 * time.Minute)
	if count, _ := v.speeds(); count[mad.SpeedDDR] != 15 {
		t.Errorf("links by speed in the window: %v: %v", count, v.entries)
	}
}

// TestSpeedSurvives: the manager ends while a link trains that will not return. A restart, which
// knows it from its state, and a standby, which knows it from its master, take it back, and try no
// other link. A link that does return has its speed.
func TestSpeedSurvives(t *testing.T) {
	for _, returns := range []bool{false, true} {
		for _, standby := range []bool{false, true} {
			v := forced(t, "rlft(4,2)", "*: speed=DDR", emulator.Options{Training: 2 * time.Second}, nil)
			for id := range v.sub.Fabric().Links {
				if err := v.sub.LimitLink(fabric.LinkID(id), []fabric.Speed{fabric.EDR, fabric.SDR}[:map[bool]int{true: 0, false: 1}[returns]]); err != nil {
					t.Fatal(err)
				}
			}
			var drains terms.Drains
			trained := false
			v.onAction = func(a *terms.Action) {
				if a.Kind == terms.Decided && a.Drains != nil {
					drains = *a.Drains
				}
				trained = trained || a.Kind == terms.Send && a.Tag>>56 == terms.SpeedTag && a.Method == mad.Set && mad.PortInfoPhysicalState.Get(a.Data) == mad.PhysPolling
			}
			for v.begin(0); !trained; {
				v.runUntil(v.now + 10*time.Millisecond)
			}
			v.onAction = nil
			rules, cfg, watch := v.manager.RulesToTell(), v.manager.cfg, v.manager.watch
			if cfg.Drains = (terms.Drains{}); !standby {
				cfg.Drains = drains
			}
			watch.Windows, watch.Epoch = []terms.Window{{Days: 127, Hours: terms.Hours{From: 2 * time.Hour, To: 3 * time.Hour}}}, 4*time.Hour // closed
			m := NewManager(cfg, watch)
			if v.manager = m; standby {
				m.learnRules(rules.Data)
			}
			v.entries, v.wake = nil, terms.Never
			v.begin(3 * time.Minute)
			count, _ := v.speeds()
			undone := v.told(terms.SpeedUndone)
			if want := map[bool]int{true: 1, false: 0}[returns]; count[mad.SpeedDDR] != want || count[mad.SpeedEDR] != 16-want || undone != 1-want || m.forcing.Report() == nil {
				t.Errorf("returns: %t, standby: %t: links by speed %v, %d taken back: %v", returns, standby, count, undone, v.entries)
			}
			v.verify(t)
		}
	}
}

// TestOnlyWays: the bridges that one search finds are the links without which a switch has no way
// to us, tried one by one.
func TestOnlyWays(t *testing.T) {
	found, spare := 0, 0
	for seed := range 40 {
		formula := fmt.Sprintf("random(switches=%d,hosts=1,links=%d,seed=%d)|fail(links=%d,seed=%d)", 6+seed%9, 8+seed%9+seed%4, seed, 1+seed%3, seed)
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVirtual(f, emulator.Options{}, terms.Config{ReadOnly: true}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.run()
		l := v.manager.Result().Ledger
		only := l.OnlyWays()
		for slot, there := range l.Peer {
			slot := int32(slot)
			want := there >= 0 && l.IsSwitch(slot) && l.IsSwitch(there) && !l.IsJoinedWithout(l.EndsOf(slot), true)
			if only[slot] != want {
				t.Fatalf("%s: %s is the only way: %t, want %t", formula, l.LinkName(slot), only[slot], want)
			}
			if want {
				found++
			} else if there >= 0 && l.IsSwitch(slot) && l.IsSwitch(there) {
				spare++
			}
		}
	}
	if found < 50 || spare < 50 {
		t.Errorf("%d only ways, %d others", found, spare)
	}
}
