package watch

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// nearCable is the first cable from the switch next to a port to another one: most of the subnet is
// found through it.
func nearCable(t smtest.Fataler, f *fabric.Fabric, at fabric.End) fabric.LinkID {
	t.Helper()
	leaf := &f.Nodes[f.Peer(at).Node]
	for p := range leaf.Ports {
		l := leaf.Ports[p].Link
		if l != fabric.NoLink && f.Nodes[f.Links[l].A.Node].Type == fabric.Switch && f.Nodes[f.Links[l].B.Node].Type == fabric.Switch {
			return l
		}
	}
	t.Fatalf("no cable to another switch")
	return fabric.NoLink
}

// pulledNear has the cable next to our own switch fail at a moment: at rest, in the middle of a
// light sweep, or of a phase of a round: of one for which all is asked, or where it reads or writes
// tables, of the first one. It returns how long it takes from then until the subnet is up without
// it. Every attempt takes 200 ms, 32 SMPs are in flight, a Plan takes no time.
func pulledNear(t testing.TB, text, moment string, deaf bool) time.Duration {
	t.Helper()
	f := smtest.Formula(t, text)
	v, err := newVirtual(f, emulator.Options{Impairment: emulator.Impairment{Delay: time.Microsecond}}, terms.Config{}, smtest.JobOf("updn", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.deaf = deaf
	cold := slices.Contains([]string{"read", "tables", "arm", "activate"}, moment)
	if !cold || moment == "read" {
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 5*time.Second)
	}
	if moment == "read" { // another manager takes its place
		v.sub.Detach(v.id)
		now := v.now
		if v, err = newVirtualAt(v.sub, v.at, terms.Config{}, v.routing); err != nil {
			t.Fatal(err)
		}
		v.manager, v.now = NewManager(terms.Config{}, terms.UsualWatch), now
	}
	v.wire = wire.NewCore(wire.Config{Window: 32, Timeout: 200 * time.Millisecond})
	pulled, phase, ended := terms.Never, "", map[string]int{}
	v.onPhase = func(name string) { phase = name }
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.End {
			ended[endedIn(v.manager, a)]++
		}
	}
	v.onEvent = func() {
		m := v.manager
		is := m.inRound && phase == moment && v.pending > 40
		if moment == "sweep" {
			is = m.sweep.under && m.sweep.next > 5
		}
		if is && pulled == terms.Never {
			pulled = v.now
			if err := v.sub.SetLinkDown(nearCable(t, f, v.at), true); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := len(f.Links) - 1
	switch phase = ""; {
	case cold:
		v.step(&terms.Event{Kind: terms.Start})
	case moment == "rest":
		pulled = v.now
		err = v.sub.SetLinkDown(nearCable(t, f, v.at), true)
	case moment != "sweep" && deaf:
		v.step(&terms.Event{Kind: terms.Resweep})
	case moment != "sweep": // a cable far away begins the round
		err, left = v.sub.SetLinkDown(fabric.LinkID(len(f.Links)-1), true), left-1
	}
	if err != nil {
		t.Fatal(err)
	}
	for v.manager.inRound || pulled == terms.Never || v.manager.Result().Report.State != terms.Up || len(v.manager.inForce.Fabric.Links) > left {
		v.runUntil(v.now + time.Millisecond)
		if pulled != terms.Never && v.now > pulled+2*time.Minute {
			t.Fatalf("%s: %v", moment, v.entries)
		}
	}
	if _, timed := t.(*testing.B); !timed { // of 11,664 hosts it takes minutes
		v.verify(t)
	}
	if !deaf && moment != "rest" && ended[moment] == 0 {
		t.Errorf("nothing is ended in %s: %v", moment, ended)
	}
	if moment == "settle" && !deaf && v.told(terms.RoundBegun) > 2 {
		t.Errorf("a change that a sweep sees begins another round: %v", v.entries)
	}
	return v.now - pulled
}

// endedIn names the phase of a round, or the light sweep, whose SMPs an End ends; "" for other
// work.
func endedIn(m *Manager, a *terms.Action) string {
	switch {
	case m.inRound && m.current.Result().BrokenOff:
		return m.current.Phase()
	case a.Group() == terms.SweepTag:
		return "sweep"
	}
	return ""
}

// pulledMoments lists the moments of pulledNear, with the attempts that a repair may wait for. It
// is one attempt if a trap comes, since SMPs under way then end at once. It is 8, plus the last
// attempt of those under way, if silence must show the fault. A takeover of tables from another
// manager also pauses twice for 100 ms.
var pulledMoments = []struct {
	moment         string
	attempts, deaf int
}{{"sweep", 1, 9}, {"discover", 9, 0}, {"settle", 1, 9}, {"read", 10, 10}, {"tables", 9, 9}, {"arm", 9, 9}, {"activate", 9, 9}, {"verify", 1, 9}}

// TestPulledNear: a cable near the manager fails at any moment of a round or a light sweep. The
// repair waits for one attempt of an SMP, or for all attempts of one SMP if no trap comes or a
// write is under way. It never waits for all SMPs under way to the part that is cut off.
func TestPulledNear(t *testing.T) {
	racing.SkipLong(t)
	for _, c := range pulledMoments {
		if took, most := pulledNear(t, "rlft(8,3)", c.moment, false), time.Duration(c.attempts)*200*time.Millisecond+50*time.Millisecond; took > most {
			t.Errorf("%s: %v, want at most %v", c.moment, took, most)
		}
		if took, most := pulledNear(t, "rlft(8,3)", c.moment, true), time.Duration(c.deaf)*200*time.Millisecond+50*time.Millisecond; took > most && c.deaf > 0 {
			t.Errorf("%s, no trap comes: %v, want at most %v", c.moment, took, most)
		}
	}
}

// BenchmarkPulledNear is the same on a subnet of 11,664 hosts.
func BenchmarkPulledNear(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(pulledNear(b, "rlft(36,3)", "rest", false).Seconds()*1000, "ms-rest")
		for _, c := range pulledMoments {
			b.ReportMetric(pulledNear(b, "rlft(36,3)", c.moment, false).Seconds()*1000, "ms-"+c.moment)
		}
	}
}

// TestBrokenOff: whatever fails in the middle of a light sweep or of a round, whose phases are
// broken off for it or not, with traps or without: the subnet that is left is up in the end,
// proven, switches hold the Plan in force, and no LID has moved.
func TestBrokenOff(t *testing.T) {
	racing.SkipLong(t)
	seen := map[string]int{}
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "rlft(4,3)", "torus(4x4,hosts=1)", "torus(5x3,hosts=1)"}).Draw(t, "fabric")
		f, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		engines := []string{"auto", "updn", "lash", "dfsssp"}
		cfg := terms.Config{
			MaxPending: rapid.SampledFrom([]int{4, 20, 1024}).Draw(t, "at once"),
			Keys:       rapid.SampledFrom([]terms.Keys{{}, {}, smtest.SecretKeys, {One: 5, Protect: 3, Lease: 10}}).Draw(t, "keys"),
		}
		v, err := newVirtual(f, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}, cfg, smtest.JobOf(rapid.SampledFrom(engines).Draw(t, "engine"), 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager, v.planTime = NewManager(cfg, terms.UsualWatch), 5*time.Millisecond
		v.wire = wire.NewCore(wire.Config{Window: rapid.IntRange(1, 16).Draw(t, "window"), Timeout: 20 * time.Millisecond})
		x := &middleFaults{faults: faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}, t: t, near: nearCable(t, f, v.at)}
		v.onPhase = func(name string) {
			x.phase = name
			if r := v.manager.Result(); r.Ledger.HalfWritten {
				seen["half written"]++
			} else if r.BrokenOff && name == "verify" {
				seen["not looked at"]++
			}
		}
		v.onEvent = x.look
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.End {
				seen[endedIn(v.manager, a)]++
			}
		}
		lids := map[fabric.GUID]fabric.LID{}
		if rapid.Bool().Draw(t, "cold") {
			x.arm()
		}
		v.step(&terms.Event{Kind: terms.Start})
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			v.runUntil(v.now + time.Duration(x.rng.IntN(20_000))*time.Millisecond)
			if len(lids) == 0 && v.manager.inForce != nil {
				lids = v.lidsOf()
			}
			x.arm()
			v.deaf = x.rng.IntN(3) == 0
			switch x.rng.IntN(3) {
			case 0:
				v.step(&terms.Event{Kind: terms.Resweep})
			case 1:
				v.routing = smtest.JobOf(engines[x.rng.IntN(len(engines))], 0)
				v.step(&terms.Event{Kind: terms.Rebalance})
			default:
				x.faults.next(t)
			}
			v.runUntil(v.now + time.Duration(x.rng.IntN(3000))*time.Millisecond)
			v.deaf = false
		}
		x.want = "none"
		x.settle(t)
		if !v.isUp(t) {
			t.Fatalf("%v\n%v", v.manager.Result().Report.Incidents, v.entries)
		}
		if cfg.Keys.Given() && verifyKeys(t, v, cfg.Keys) > 0 {
			t.Fatalf("an SMP had a wrong key: %v", v.entries)
		}
		for guid, lid := range v.lidsOf() {
			if had, ok := lids[guid]; ok && had != lid {
				t.Fatalf("port %s has LID %d, and had %d", guid, lid, had)
			}
		}
	}, func() string {
		return draws.Missing(seen, "sweep", "discover", "settle", "tables", "arm", "activate", "verify", "half written", "not looked at")
	})
	t.Log(seen)
}

// middleFaults has things fail in the middle of a phase.
type middleFaults struct {
	faults
	t     *rapid.T
	near  fabric.LinkID
	phase string // that is under way
	want  string // in which something is to fail, or "sweep"
	after int    // so many events of it
}

// arm draws when something is to fail.
func (x *middleFaults) arm() {
	x.want = []string{"sweep", "discover", "settle", "tables", "arm", "activate", "verify"}[x.rng.IntN(7)]
	x.after = x.rng.IntN([]int{3, 30, 300}[x.rng.IntN(3)])
}

// look has it fail when that has come: often the cable next to our own switch, and something else
// as well.
func (x *middleFaults) look() {
	m := x.v.manager
	if is := m.inRound && x.phase == x.want || x.want == "sweep" && m.sweep.under; !is {
		return
	}
	if x.after--; x.after >= 0 {
		return
	}
	x.want = "none"
	if x.rng.IntN(2) == 0 {
		if err := x.v.sub.SetLinkDown(x.near, true); err != nil {
			x.t.Fatal(err)
		}
	}
	for len(m.found().Nodes) > 0 && x.rng.IntN(3) > 0 {
		x.next(x.t)
	}
}

// TestRestartedUnverified: a switch restarts after its tables were written, and gets the rest of
// its settings. If a trap has come meanwhile, so that the round does not verify what it wrote, the
// switch gets its tables again.
func TestRestartedUnverified(t *testing.T) {
	skipped := 0
	for after := range 40 {
		v, err := newVirtual(smtest.Formula(t, "torus(4x4,hosts=1)"), emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager = NewManager(terms.Config{}, terms.UsualWatch)
		far, arming := smtest.Find(v.sub.Fabric(), fabric.Switch, 10), false
		v.onPhase = func(name string) {
			arming = name == "arm"
			if name == "verify" && v.manager.Result().BrokenOff {
				skipped++
			}
		}
		v.onEvent = func() {
			if !arming {
				return
			}
			if after--; after == 0 {
				if err := v.sub.Reboot(far, time.Microsecond); err != nil {
					t.Fatal(err)
				}
			}
		}
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 20*time.Second)
		v.verify(t)
		if s := v.manager.Result().Report.State; s != terms.Up {
			t.Errorf("after %d: %s", after, s)
		}
	}
	if skipped == 0 {
		t.Error("every round looks at what was written")
	}
}

// TestStuckNotAsked: a switch whose PortStateChange was set at the end of a round, and that is not
// asked at the end of the next one, still counts.
func TestStuckNotAsked(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	spine := v.sub.Fabric().Nodes[smtest.Find(v.sub.Fabric(), fabric.Switch, 3)].GUID
	v.manager.unsteady.stuck = []stuckSwitch{{node: spine, rounds: 1}}
	rounds := 0
	v.onPhase = func(name string) {
		switch {
		case name == "route" && rounds == 1:
			v.manager.current.Step(&terms.Event{Kind: terms.LinkChanged}, nil)
		case name == "discover":
			if rounds++; rounds == 2 && len(v.manager.unsteady.stuck) != 1 {
				t.Error("it counts no more")
			}
		}
	}
	v.step(&terms.Event{Kind: terms.Resweep})
	if v.runUntil(v.now + 5*time.Second); rounds != 2 || len(v.manager.unsteady.stuck) != 0 {
		t.Errorf("%d rounds, %v", rounds, v.entries)
	}
}

// TestUnverifiedLook: a look that is the first to see that a port of a switch has changed, which
// was not asked at the end of the round in force, believes nothing of its tables.
func TestUnverifiedLook(t *testing.T) {
	for _, verified := range []bool{true, false} {
		v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
		m, c := v.manager, v.manager.inForce
		id := int32(slices.IndexFunc(c.Nodes, func(n ledger.Node) bool { return n.HasSwitch }))
		c.Prog.Verified[id] = verified
		m.looks.node, m.looks.under = id, true
		ev := terms.Event{Kind: terms.Answer}
		mad.SwitchInfoLinearFDBTop.Put(ev.Data[:], uint64(c.Prog.Top))
		if m.onReadByLook(v.now, &ev); !c.Prog.Holds[id] {
			t.Error("what nothing has changed is doubted")
		}
		mad.SwitchInfoPortStateChange.Put(ev.Data[:], 1)
		if m.onReadByLook(v.now, &ev); c.Prog.Holds[id] != verified || c.Prog.Wrong[id] == verified {
			t.Errorf("verified %v: holds its tables: %v", verified, c.Prog.Holds[id])
		}
	}
}

// TestLanesBrokenOff: lane tables that a round did not get to tell are told by the next one, also
// to switches that have all of their forwarding table.
func TestLanesBrokenOff(t *testing.T) {
	racing.SkipLong(t)
	broken := 0
	for after := 1; after < 240; after += 6 {
		v := staying(t, "torus(4x4,hosts=1)", emulator.Options{}, terms.Config{MaxPending: 8})
		left, phase := after, ""
		v.onPhase = func(name string) { phase = name }
		v.onEvent = func() {
			if phase != "tables" {
				return
			}
			if left--; left == 0 {
				if err := v.sub.SetLinkDown(nearCable(t, v.sub.Fabric(), v.at), true); err != nil {
					t.Fatal(err)
				}
			}
		}
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.RoundEnded && v.manager.found().HalfWritten {
				broken++
			}
		}
		v.routing = smtest.JobOf("lash", 0)
		v.step(&terms.Event{Kind: terms.Rebalance})
		v.runUntil(v.now + 5*time.Second)
		if r := v.manager.Result().Report; r.State != terms.Up || r.Routing.VLs < 2 {
			t.Fatalf("%s, %d lanes", r.State, r.Routing.VLs)
		}
		v.verify(t)
	}
	if broken == 0 {
		t.Error("no round was broken off while it wrote")
	}
}
