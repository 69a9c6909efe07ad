package watch

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/route/levels"
	simcongestion "weft/sim/congestion"
	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// flap takes a cable out and puts it back so often that it is put in quarantine, and once less
// where often is false.
func (m *market) flap(id fabric.LinkID, often bool) {
	n := terms.UsualWatch.Flaps.Times
	if often {
		n++
	}
	for range n {
		if err := m.sub.Flap(id, 300*time.Millisecond); err != nil {
			m.t.Fatal(err)
		}
		m.run(3*time.Second, false)
	}
}

// uplink returns the n-th cable between switches.
func (m *market) uplink(n int) fabric.LinkID {
	for id := range m.f.Links {
		if m.f.IsSwitchLink(fabric.LinkID(id)) {
			if n--; n < 0 {
				return fabric.LinkID(id)
			}
		}
	}
	m.t.Fatal("there are too few cables")
	return 0
}

// isHeld reports whether the Manager has put a cable of the emulated subnet in quarantine.
func (m *market) isHeld(v *virtual, id fabric.LinkID) bool {
	a := m.f.Links[id].A
	l := v.manager.unsteady.at(ledger.PortKey{Node: m.f.Nodes[a.Node].GUID, Port: a.Port})
	return l != nil && l.state == succession.LinkHeld
}

// TestQuarantineOutlivesTakeovers: a cable in quarantine stays there through two takeovers, and no
// table is written. It is used again after the usual time without a change. If a cable came back
// just not too often, one more return under the next manager puts it in quarantine.
func TestQuarantineOutlivesTakeovers(t *testing.T) {
	m, master, _ := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	held, nearly := m.uplink(0), m.uplink(7)
	m.flap(held, true)
	m.flap(nearly, false)
	m.run(3*time.Second, false)
	if !m.isHeld(master, held) || m.isHeld(master, nearly) {
		t.Fatal(journals(m.living()))
	}
	for range 2 {
		m.wrote = func(_ *virtual, a *terms.Action) {
			if isTable(a) {
				t.Errorf("%s is written", ledger.AttrName(a.Attr))
			}
		}
		v := m.kill(master)
		if !m.isHeld(v, held) || m.isHeld(v, nearly) || v.told(terms.Quarantined) == 0 || len(v.manager.Snapshot(v.now).Held) != 1 {
			t.Fatal(journals(m.living()))
		}
		for _, e := range []fabric.End{m.f.Links[held].A, m.f.Links[held].B} {
			if n := v.over(m.f.Nodes[e.Node].GUID, e.Port); n > 0 {
				t.Errorf("%d entries lead over it", n)
			}
		}
		m.wrote = func(*virtual, *terms.Action) {}
		m.start(slices.Index(m.managers, nil))
		m.run(20*time.Second, false)
		master = m.only("again")
		if !m.isHeld(master, held) {
			t.Fatal(journals(m.living()))
		}
	}
	if err := m.sub.Flap(nearly, 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	m.run(3*time.Second, false)
	if !m.isHeld(master, nearly) {
		t.Error("it is used still", journals(m.living()))
	}
	m.run(terms.UsualWatch.Flaps.Hold-8*time.Second, false)
	if m.isHeld(master, held) || !m.isHeld(master, nearly) || master.told(terms.Released) != 1 {
		t.Error("it is in quarantine still", journals(m.living()))
	}
	if next := m.kill(master); next.manager.unsteady.at(ledger.PortKey{Node: m.f.Nodes[m.f.Links[held].A.Node].GUID, Port: m.f.Links[held].A.Port}).trial == 0 {
		t.Error("it is forgotten that it was in quarantine")
	}
}

// TestInheritedOnlyWay: a cable in quarantine is used again by a manager that takes over when the
// others to a switch are lost as the master dies.
func TestInheritedOnlyWay(t *testing.T) {
	m, master, _ := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	id := m.uplink(0)
	m.flap(id, true)
	if !m.isHeld(master, id) {
		t.Fatal(journals(m.living()))
	}
	switches := master.manager.inForce.Graph.NumSwitches
	leaf := m.f.Links[id].A.Node
	if strings.Contains(m.f.NodeName(leaf), "spine") {
		leaf = m.f.Links[id].B.Node
	}
	for _, l := range m.f.Cabled(leaf, m.f.IsSwitchLink) {
		if l != id {
			if err := m.sub.SetLinkDown(l, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	v := m.kill(master)
	m.run(3*time.Second, false)
	fewer := func(s string) bool {
		return strings.HasPrefix(s, "SUBNET UP") && !strings.Contains(s, fmt.Sprintf("%d switches", switches))
	}
	if v.told(terms.OnlyWay) != 1 || slices.ContainsFunc(v.texts(0, terms.RoundEnds), fewer) {
		t.Error(journals(m.living()))
	}
	v.verify(t)
}

// TestLevelsOutliveTakeovers: a manager with other levels of service in its file, or none, takes
// over. It writes no lane table, and hosts get the same answers. It logs the difference as a
// standby and after the takeover, and applies its file on a reload. A manager with the same levels
// logs nothing.
func TestLevelsOutliveTakeovers(t *testing.T) {
	const same, other = "default\nstorage share=3 class=7", "default\nstorage share=9 sl=4\nthird class=7"
	for name, texts := range map[string][2]string{"the same": {same, same}, "others": {same, other}, "none": {same, ""}, "the master has none": {"", same}} {
		t.Run(name, func(t *testing.T) {
			has := [2]levels.Levels{}
			for i, text := range texts {
				if text != "" {
					has[i] = readLevels(t, text)
				}
			}
			m, master, standby := pair(t, "rlft(6,2)", func(i int, c *terms.Config) { c.Levels = has[i] })
			differ := texts[0] != texts[1]
			if n := len(standby.texts(0, terms.OtherRules)); (n == 1) != differ || (len(standby.manager.Snapshot(0).Differs) == 1) != differ {
				t.Errorf("as it stands by: %d times told %s", n, journals(m.living()))
			}
			class := func(v *virtual) uint8 {
				sl, ok := v.askPath(0, 9, func(rec []byte) uint64 {
					mad.PathRecordQoSClass.Put(rec, 7)
					return mad.PathRecord.Mask(mad.PathRecordQoSClass)
				})
				if !ok {
					t.Error("no path")
				}
				return sl
			}
			paths, sl := m.paths(master), class(master)
			m.wrote = func(_ *virtual, a *terms.Action) {
				if isTable(a) {
					t.Errorf("%s is written", ledger.AttrName(a.Attr))
				}
			}
			v := m.kill(master)
			if told := v.told(terms.OtherRules) > 1; told != differ {
				t.Errorf("that they differ is told: %t %s", told, journals(m.living()))
			}
			if !slices.Equal(m.paths(v), paths) || class(v) != sl || !v.manager.Snapshot(v.now).Routed.Levels.Equal(has[0]) {
				t.Error("others are in force")
			}
			v.verify(t)
			v.verifyTurns(t)
			m.wrote = func(*virtual, *terms.Action) {}
			m.reload(v, func(c *terms.Config) { c.Levels = has[1] })
			want := has[1]
			if want == nil { // no file was ever named
				want = has[0]
			}
			if !v.manager.cfg.Levels.Equal(want) || len(v.manager.inForce.Plan.Levels) != len(want) {
				t.Errorf("after a reload %d levels are in force", len(v.manager.inForce.Plan.Levels))
			}
			v.verify(t)
			v.verifyTurns(t)
		})
	}
}

// TestSettingsOutliveTakeovers: what the master tells devices of congestion control, and how ports
// protect their M_Keys, stays when a manager with other settings takes over, and is that of its
// files after a reload.
func TestSettingsOutliveTakeovers(t *testing.T) {
	set := func(threshold uint8) *congestion.Settings {
		c := simcongestion.Usual()
		c.Threshold = threshold
		return &congestion.Settings{Control: c}
	}
	has := [2]*congestion.Settings{set(3), set(9)}
	keys := [2]terms.Keys{{One: 7, Protect: 1, Lease: 60}, {One: 7, Lease: 30}}
	m, master, _ := pair(t, "rlft(6,2)", func(i int, c *terms.Config) {
		c.Congestion, c.Keys, c.Options = has[i], keys[i], map[string]string{"engine": []string{"updn", "ftree"}[i]}
	})
	protects := func() (protect, lease uint64) {
		info, err := m.sub.PortInfo(m.customers[0].at)
		if err != nil {
			t.Fatal(err)
		}
		return mad.PortInfoMKeyProtectBits.Get(info), mad.PortInfoMKeyLeasePeriod.Get(info)
	}
	v := m.kill(master)
	m.run(3*time.Second, false)
	if p, l := protects(); p != 1 || l != 60 || !reflect.DeepEqual(v.manager.cfg.Congestion, has[0]) {
		t.Errorf("protection %d, lease %d, %+v", p, l, v.manager.cfg.Congestion)
	}
	for _, what := range []string{"congestion control", "mkey-protect 1", "engine is updn at the master and ftree here"} {
		if !slices.ContainsFunc(v.texts(0, terms.OtherRules), func(s string) bool { return strings.Contains(s, what) }) {
			t.Errorf("nothing is told of %s %s", what, journals(m.living()))
		}
	}
	m.reload(v, func(c *terms.Config) { c.Congestion, c.Keys = has[1], keys[1] })
	if p, l := protects(); p != 0 || l != 30 || !reflect.DeepEqual(v.manager.cfg.Congestion, has[1]) || len(v.manager.Snapshot(v.now).Differs) > 0 {
		t.Errorf("after a reload: protection %d, lease %d, %+v", p, l, v.manager.cfg.Congestion)
	}
}

// TestRulesOfOlderWeft: if a master does not send its levels, links and the like, our own files
// apply, and nothing is logged.
func TestRulesOfOlderWeft(t *testing.T) {
	own := readLevels(t, "default\nstorage share=3")
	m := NewManager(terms.Config{Levels: own, Congestion: &congestion.Settings{}, Succession: terms.Succession{Options: map[string]string{"engine": "updn"}}, Keys: terms.Keys{One: 1, Lease: 5}}, terms.UsualWatch)
	for _, text := range []string{`{"Partitions":null,"Drained":["spine 1"],"Rebalance":true}`, `{"Drained":null}`} {
		m.learnRules([]byte(text))
		m.inherit()
		if len(m.out) > 0 || len(m.differences) > 0 || !m.cfg.Levels.Equal(own) || m.cfg.Congestion == nil || m.cfg.Keys.Lease != 5 {
			t.Errorf("%s: %+v, %q", text, m.cfg, m.differences)
		}
	}
}

// TestReregisterOutlivesTakeovers: a master that is to ask clients to register again, and dies
// before it has, leaves that to the next one.
func TestReregisterOutlivesTakeovers(t *testing.T) {
	m, master, _ := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	asked := 0
	m.wrote = func(_ *virtual, a *terms.Action) {
		if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPortInfo && mad.PortInfoClientReregister.Is(a.Data) {
			asked++
		}
	}
	master.planTime = time.Hour // it comes no further
	master.step(terms.NewsEvent(&terms.News{Reregister: true}))
	for wait := 0; !m.managers[1].manager.learned.rules.Reregister; wait++ {
		if m.run(10*time.Millisecond, false); wait == 100 {
			t.Fatal("it is not told")
		}
	}
	if asked > 0 {
		t.Fatal("the master has asked them")
	}
	if m.kill(master); asked == 0 {
		t.Error("nobody is asked", journals(m.living()))
	}
}

// TestOlderRules: rules that were made earlier do not take the place of later ones, whichever come
// first.
func TestOlderRules(t *testing.T) {
	m, master, standby := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	older := master.manager.RulesToTell()
	later := master.manager.RulesToTell()
	for i, told := range []*terms.RulesToTell{&later, &older} {
		data, err := json.Marshal(succession.Rules{Levels: levels.Levels{}, Drained: []string{[]string{"later", "older"}[i]}})
		if err != nil {
			t.Fatal(err)
		}
		told.Data = data
		master.keeper.perform(master.keeper.r.CommitRules(master.now, told, func(error) {}))
	}
	m.run(time.Second, false)
	if r := standby.manager.learned.rules; r == nil || !slices.Equal(r.Drained, []string{"later"}) {
		t.Errorf("%+v", r)
	}
}

// TestStrangersOutliveTakeovers: a manager that expects other nodes takes over. The nodes that the
// master left out stay out, and managed nodes stay managed. After a reload its own files decide.
func TestStrangersOutliveTakeovers(t *testing.T) {
	f := smtest.Formula(t, "rlft(6,2)")
	without := func(host int) *fabric.Fabric {
		e := f.Clone()
		e.Nodes[smtest.Find(f, fabric.CA, host)].Down = true
		return e
	}
	for name, expected := range map[string][2]*fabric.Fabric{"others": {without(14), without(16)}, "none": {without(14), nil}, "the master takes all": {nil, without(16)}} {
		t.Run(name, func(t *testing.T) {
			m, master, standby := pair(t, "rlft(6,2)", func(i int, c *terms.Config) { c.Expected, c.QuarantineStrangers = expected[i], expected[i] != nil })
			lids := master.lidsOf()
			if len(standby.texts(0, terms.OtherRules)) != 1 {
				t.Error(journals(m.living()))
			}
			m.wrote = func(_ *virtual, a *terms.Action) {
				if isTable(a) {
					t.Errorf("%s is written", ledger.AttrName(a.Attr))
				}
			}
			v := m.kill(master)
			if !maps.Equal(v.lidsOf(), lids) {
				t.Errorf("%d ports have LIDs, %d had %s", len(v.lidsOf()), len(lids), journals(m.living()))
			}
			m.wrote = func(*virtual, *terms.Action) {}
			m.reload(v, func(c *terms.Config) { c.QuarantineStrangers = expected[1] != nil })
			v.step(&terms.Event{Kind: terms.Resweep})
			m.run(5*time.Second, false)
			want := 18
			if expected[1] != nil {
				want--
			}
			if hosts := v.manager.inForce.Graph.NumHosts; hosts != want {
				t.Errorf("after a reload there are %d hosts, want %d", hosts, want)
			}
		})
	}
}

// TestFreshLIDsOnce: a manager that is to give fresh LIDs gives none to a subnet that it takes
// over, neither then nor after faults.
func TestFreshLIDsOnce(t *testing.T) {
	guid := smtest.Formula(t, "rlft(6,2)").Compile().EndGUID[12]
	m, master, standby := pair(t, "rlft(6,2)", func(_ int, c *terms.Config) { c.Stored = terms.LIDMap{guid: {Base: 500}} })
	standby.routing.LIDs.Fresh = true
	lids := master.lidsOf()
	if lids[guid] != 500 {
		t.Fatalf("LID %d", lids[guid])
	}
	v := m.kill(master)
	for _, down := range []bool{false, true} {
		if err := m.sub.SetLinkDown(m.uplink(4), down); err != nil {
			t.Fatal(err)
		}
		m.run(3*time.Second, false)
		if !maps.Equal(v.lidsOf(), lids) || v.told(terms.NotRepaired) > 0 {
			t.Fatalf("down %t: LIDs have moved %s", down, journals(m.living()))
		}
	}
}

// TestSlowTakeover: a manager whose first round as the master takes minutes, as in a large subnet,
// still has all registrations and asks nobody to register again.
func TestSlowTakeover(t *testing.T) {
	m, master, standby := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	m.run(5*time.Second, true)
	m.rest()
	standby.planTime = 3 * time.Minute
	m.sub.Detach(master.id)
	m.managers[0] = nil
	m.run(time.Minute, false)
	standby.planTime = 10 * time.Millisecond // of the next one
	m.run(3*time.Minute, false)
	v := m.only("after its end")
	if m.check(v, "after minutes"); v.told(terms.Reregistration) > 0 || m.acks == 0 {
		t.Error("clients are asked to register again", journals(m.living()))
	}
}
