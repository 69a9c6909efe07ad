package watch

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// switchLink returns the n-th link between switches of the fabric in force, and its number in the
// emulated subnet.
func (v *virtual) switchLink(t smtest.Fataler, n int) (fabric.Link, fabric.LinkID) {
	t.Helper()
	f := v.manager.inForce.Fabric
	for i := range f.Links {
		if id := fabric.LinkID(i); f.IsSwitchLink(id) {
			if n--; n < 0 {
				return f.Links[i], v.linkOf(t, f, id)
			}
		}
	}
	t.Fatalf("there are too few links")
	return fabric.Link{}, 0
}

// flapFor takes a link down for a while again and again.
func (v *virtual) flapFor(t smtest.Fataler, id fabric.LinkID, every, long time.Duration) {
	t.Helper()
	for end := v.now + long; v.now < end; {
		if err := v.sub.Flap(id, every/2); err != nil {
			t.Fatalf("%v", err)
		}
		v.runUntil(v.now + every)
	}
}

// TestFlapping: a link that goes down and comes back again and again is left out, told with the
// reason, and begins no rounds any more; it is used again when it has been up for long enough, and
// left out for twice as long when it comes back after that.
func TestFlapping(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{}).still()
		lids, whole := v.lidsOf(), v.manager.inForce.Fabric
		_, id := v.switchLink(t, 3)
		v.deaf = deaf
		v.flapFor(t, id, 30*time.Second, 5*time.Minute)
		rule, rounds := terms.UsualWatch.Flaps, v.told(terms.RoundBegun)
		if v.told(terms.Quarantined) != 1 || rounds > 2*rule.Times+6 {
			t.Fatalf("deaf %v: %d quarantines, %d rounds: %v", deaf, v.told(terms.Quarantined), rounds, v.entries)
		}
		v.flapFor(t, id, 10*time.Second, time.Hour)
		if n := v.told(terms.RoundBegun) - rounds; n > 1 || v.told(terms.Released) > 0 { // one that routes afresh
			t.Fatalf("deaf %v: %d rounds in an hour of one link in quarantine: %v", deaf, n, v.entries[len(v.entries)-10:])
		}
		if s := v.manager.Result().Report.State; s != terms.Up || len(v.manager.inForce.Fabric.Links) != len(whole.Links)-1 {
			t.Errorf("deaf %v: %s", deaf, s)
		}
		v.isClosed(t, id)
		v.runUntil(v.now + rule.Hold + 5*time.Second)
		if v.told(terms.Released) != 1 || len(v.manager.inForce.Fabric.Links) != len(whole.Links) || !maps.Equal(lids, v.lidsOf()) {
			t.Fatalf("deaf %v: it is not used again: %v", deaf, v.entries[len(v.entries)-10:])
		}
		v.verify(t)
		v.flapFor(t, id, 20*time.Second, 20*time.Second)
		v.runUntil(v.now + 2*rule.Hold - 30*time.Second)
		if v.told(terms.Quarantined) != 2 || v.told(terms.Released) != 1 {
			t.Fatalf("deaf %v: %v", deaf, v.entries[len(v.entries)-10:])
		}
		v.runUntil(v.now + time.Minute)
		if v.told(terms.Released) != 2 || v.manager.Result().Report.State != terms.Up {
			t.Errorf("deaf %v: %v", deaf, v.entries[len(v.entries)-10:])
		}
		v.verify(t)
	}
}

// isClosed checks that both ends of a link are not Active, and that no table leads over it.
func (v *virtual) isClosed(t smtest.Fataler, id fabric.LinkID) {
	t.Helper()
	f := v.sub.Fabric()
	for _, e := range []fabric.End{f.Links[id].A, f.Links[id].B} {
		info, err := v.sub.PortInfo(e)
		if err != nil || mad.PortInfoPortState.Get(info) > mad.PortInit {
			t.Fatalf("%s is in state %d", f.EndName(e), mad.PortInfoPortState.Get(info))
		}
		for _, sw := range v.sub.Tables().Switches {
			if sw.GUID == f.Nodes[e.Node].GUID && slices.Contains(sw.Ports, e.Port) {
				t.Fatalf("a table leads to %s", f.EndName(e))
			}
		}
	}
}

// TestFlappingHost: the cable of a host too; its LID stays.
func TestFlappingHost(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lids, f := v.lidsOf(), v.manager.inForce.Fabric
	id := v.linkOf(t, f, f.Nodes[smtest.Find(f, fabric.CA, 9)].Ports[1].Link)
	v.flapFor(t, id, 20*time.Second, 10*time.Minute)
	rounds := v.told(terms.RoundBegun)
	v.flapFor(t, id, 20*time.Second, 20*time.Minute)
	if n := v.told(terms.RoundBegun) - rounds; v.told(terms.Quarantined) != 1 || n > 0 {
		t.Fatalf("%d rounds: %v", n, v.entries)
	}
	v.runUntil(v.now + 2*terms.UsualWatch.Flaps.Hold)
	if v.told(terms.Released) != 1 || !maps.Equal(lids, v.lidsOf()) {
		t.Errorf("%v", v.entries)
	}
	v.verify(t)
}

// TestOtherChangeBesideQuarantine: what else happens at a switch with a port in quarantine is seen
// as soon as ever.
func TestOtherChangeBesideQuarantine(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	link, id := v.switchLink(t, 3)
	f := v.manager.inForce.Fabric
	host := fabric.NoLink
	for _, l := range f.Cabled(link.A.Node, nil) {
		if !f.IsSwitchLink(l) {
			host = l
		}
	}
	other := v.linkOf(t, f, host)
	v.flapFor(t, id, 30*time.Second, 5*time.Minute)
	for _, down := range []bool{true, false, true, false} {
		hosts := v.manager.inForce.Graph.NumHosts
		if err := v.sub.SetLinkDown(other, down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 3*time.Second)
		if v.manager.inForce.Graph.NumHosts == hosts {
			t.Fatalf("down %v is not seen: %v", down, v.entries[len(v.entries)-10:])
		}
	}
	if v.told(terms.Quarantined) != 1 || v.told(terms.Released) != 0 {
		t.Errorf("%v", v.entries)
	}
	v.verify(t)
}

// TestFlappingOnlyWay: a link that alone leads to a switch stays in use; and one in quarantine is
// used again when the others are lost.
func TestFlappingOnlyWay(t *testing.T) {
	v := staying(t, "rlft(4,2)|fail(switch=spine 1)", emulator.Options{}, terms.Config{})
	_, id := v.switchLink(t, 0)
	switches := v.manager.inForce.Graph.NumSwitches
	v.flapFor(t, id, 20*time.Second, 20*time.Minute)
	const most = 40 // 60 times it goes down
	if n := v.told(terms.RoundBegun); v.told(terms.Quarantined) > 0 || v.told(terms.OnlyWay) != 1 || n > most {
		t.Fatalf("%d rounds: %v", n, v.entries)
	}
	v.runUntil(v.now + terms.UsualWatch.MostRetry + time.Minute)
	if s := v.manager.Result().Report.State; s != terms.Up || v.manager.inForce.Graph.NumSwitches != switches {
		t.Errorf("%s: %v", s, v.entries[len(v.entries)-10:])
	}
	v.verify(t)

	v = staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	link, id := v.switchLink(t, 0)
	f := v.manager.inForce.Fabric
	leaf := link.A.Node
	if f.Nodes[v.manager.inForce.Fabric.Peer(fabric.End{Node: leaf, Port: 1}).Node].Type == fabric.Switch {
		leaf = link.B.Node
	}
	var other fabric.LinkID
	for _, l := range f.Cabled(leaf, f.IsSwitchLink) {
		if f.Links[l] != link {
			other = v.linkOf(t, f, l)
		}
	}
	v.flapFor(t, id, 30*time.Second, 5*time.Minute)
	if v.told(terms.Quarantined) != 1 {
		t.Fatalf("%v", v.entries)
	}
	if err := v.sub.SetLinkDown(other, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 10*time.Second)
	if v.told(terms.OnlyWay) != 1 || v.manager.inForce.Graph.NumSwitches != f.Compile().NumSwitches || v.told(terms.NodeMissing) > 0 {
		t.Errorf("%d switches: %v", v.manager.inForce.Graph.NumSwitches, v.entries)
	}
	v.verify(t)
}

// TestNeverUp: a link that comes up for moments only, too short for a round to see it up, begins a
// few rounds and no more.
func TestNeverUp(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	_, id := v.switchLink(t, 3)
	for range 300 {
		for _, down := range []bool{false, true} {
			if err := v.sub.SetLinkDown(id, down); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + map[bool]time.Duration{false: 30 * time.Millisecond, true: 2 * time.Second}[down])
		}
	}
	if n := v.told(terms.RoundBegun); n > 8 {
		t.Errorf("%d rounds: %v", n, v.entries[len(v.entries)-10:])
	}
	if err := v.sub.SetLinkDown(id, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 3*time.Second)
	if got := v.manager.inForce.Fabric; len(got.Links) != 64 {
		t.Errorf("%d links: %v", len(got.Links), v.entries[len(v.entries)-10:])
	}
	v.verify(t)
}

// TestStuckChange: a PortStateChange that cannot be cleared begins two rounds, and no more; what
// changes at the switch is seen all the same.
func TestStuckChange(t *testing.T) {
	racing.SkipLong(t)
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	f := v.manager.inForce.Fabric
	link, _ := v.switchLink(t, 0)
	guid := f.Nodes[link.A.Node].GUID
	v.alter = func(ev *terms.Event) {
		k, index, _ := ledger.SplitTag(ev.Tag)
		c := v.manager.current.Result().Ledger
		if k == terms.SweepTag {
			c = v.manager.inForce
		}
		if ev.Kind == terms.Answer && index >= 0 && int(index) < len(c.Nodes) && c.Nodes[index].GUID == guid &&
			(k == terms.SweepTag || k == ledger.GetSwitch || k == ledger.GetChange || k == ledger.ClearChange) {
			mad.SwitchInfoPortStateChange.Put(ev.Data[:], 1)
		}
	}
	v.runUntil(v.now + 24*time.Hour)
	if n := v.told(terms.RoundBegun); n > 5 || v.told(terms.StuckChange) != 1 || v.manager.Result().Report.State != terms.Up {
		t.Fatalf("%d rounds in a day, %s: %v", n, v.manager.Result().Report.State, v.entries)
	}
	v.deaf = true
	if err := v.sub.SetLinkDown(v.linkOf(t, f, f.Nodes[link.A.Node].Ports[link.A.Port].Link), true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + terms.UsualWatch.Interval + 3*time.Second)
	if got := v.manager.inForce.Fabric; len(got.Links) != len(f.Links)-1 {
		t.Errorf("a lost link is not seen: %v", v.entries)
	}
	v.alter = nil
	v.runUntil(v.now + time.Minute)
	if v.manager.unsteady.watches(guid) {
		v.manager.noteChange(v.now, "a test")
		if v.runUntil(v.now + time.Minute); v.manager.unsteady.watches(guid) {
			t.Error("it counts as stuck though it is not")
		}
	}
	if v.told(terms.RoundEnds) < 3 || strings.Contains(v.entries[len(v.entries)-1].Text, "UP IN PART") {
		t.Errorf("%v", v.entries)
	}
}

// TestTooOften compares the counting of a link that comes back with one that looks at all times
// again.
func TestTooOften(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := terms.FlapRule{Times: rapid.IntRange(1, 4).Draw(t, "times"), Within: time.Duration(rapid.IntRange(1, 20).Draw(t, "within"))}
		l := unsteadyLink{trial: time.Duration(rapid.IntRange(0, 5).Draw(t, "trial"))}
		var all []time.Duration
		now := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			now += time.Duration(rapid.IntRange(0, 8).Draw(t, "pause"))
			all = append(all, now)
			lately := 0
			for _, at := range all {
				if at >= now-rule.Within {
					lately++
				}
			}
			if got, want := l.isTooOften(now, rule), lately > rule.Times || now < l.trial; got != want {
				t.Fatalf("%v at %v: %v, %d lately", all, now, got, lately)
			}
		}
	})
}
