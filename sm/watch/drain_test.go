package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/draws"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// order asks a Manager to drain or undrain a part, and returns its decision.
func (v *virtual) order(kind terms.EventKind, name string) (decided terms.Action) {
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Decided {
			decided = *a
		}
	}
	v.step(&terms.Event{Kind: kind, Name: name, Tag: 77})
	v.onAction = nil
	return decided
}

// over counts the entries of the tables that the switches hold which lead out of a port of a
// switch.
func (v *virtual) over(guid fabric.GUID, port uint8) (n int) {
	for _, sw := range v.sub.Tables().Switches {
		for _, p := range sw.Ports {
			if sw.GUID == guid && p == port {
				n++
			}
		}
	}
	return n
}

// transit counts the entries, in the tables that the switches hold, that lead into a switch for
// another target than itself and its hosts.
func (v *virtual) transit(guid fabric.GUID) (n int) {
	c := v.manager.inForce
	for s := range int32(c.Graph.NumSwitches) {
		for lid := fabric.LID(1); lid <= c.Plan.Ends.Top(); lid++ {
			ch, _ := c.Graph.At(s, c.Plan.Tables.Port(s, lid))
			if ch < 0 || c.Graph.SwitchGUID[c.Graph.To[ch]] != guid {
				continue
			}
			if to := c.Plan.Ends.ByLID()[lid]; to >= 0 && c.Graph.SwitchGUID[c.Graph.EndSwitch[to]] != guid {
				n++
			}
		}
	}
	return n
}

// TestDrainSwitch: a switch that is drained lets nothing of others through, serves itself, stays
// up, and no LID moves; a fault meanwhile changes nothing of that, nor a new manager that is told
// of it. When it is so no longer, it is used again.
func TestDrainSwitch(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lids := v.lidsOf()
	f := v.manager.inForce.Fabric
	spine, _ := f.FindSwitch("spine 2")
	guid := f.Nodes[spine].GUID
	if v.transit(guid) == 0 {
		t.Fatal("it is not used at all")
	}
	drained := func(when string) {
		t.Helper()
		v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
		r := v.manager.Result().Report
		if n := v.transit(guid); r.State != terms.Up || n > 0 || len(r.Drained) != 1 || !maps.Equal(lids, v.lidsOf()) || r.Find(terms.NotDrained) != nil {
			t.Fatalf("%s: %s, %d entries lead through it: %v", when, r.State, n, v.entries)
		}
		v.verify(t)
	}
	rounds := v.told(terms.RoundBegun)
	if d := v.order(terms.DrainPart, "spine 2"); d.Err != nil || d.Tag != 77 || !strings.Contains(d.Name, "spine 2") {
		t.Fatalf("%+v", d)
	}
	v.runUntil(v.now + time.Second)
	if r := v.manager.Result().Report; v.told(terms.RoundBegun) != rounds+1 || !strings.HasPrefix(r.Routing.Kept, "repaired") || v.told(terms.DrainTold) != 1 {
		t.Fatalf("%s: %v", r.Routing.Kept, v.entries)
	}
	drained("after the order")
	_, id := v.switchLink(t, 0)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	drained("after a fault")
	if err := v.sub.SetLinkDown(id, false); err != nil {
		t.Fatal(err)
	}
	drained("after its end")
	again := v.manager.Drained()
	v.manager = NewManager(terms.Config{Drain: again}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	drained("in a new manager")
	if d := v.order(terms.UndrainPart, "spine 2"); d.Err != nil || len(v.manager.Drained()) > 0 {
		t.Fatalf("%+v", d)
	}
	v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
	if v.transit(guid) == 0 || !maps.Equal(lids, v.lidsOf()) {
		t.Errorf("it is not used again: %v", v.entries)
	}
	v.verify(t)
}

// TestDrainCable: a cable between switches that is drained stays Active and carries nothing, on a
// fabric with one lane and on one with several.
func TestDrainCable(t *testing.T) {
	for _, text := range []string{"rlft(8,2)", "torus(5x5,hosts=1)"} {
		v := staying(t, text, emulator.Options{}, terms.Config{})
		lids := v.lidsOf()
		f := v.manager.inForce.Fabric
		link, id := v.switchLink(t, 5)
		a, b := f.Nodes[link.A.Node].GUID, f.Nodes[link.B.Node].GUID
		name := f.EndName(link.A)
		if d := v.order(terms.DrainPart, name); d.Err != nil {
			t.Fatalf("%+v", d)
		}
		v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
		if n := v.over(a, link.A.Port) + v.over(b, link.B.Port); n > 0 || v.manager.Result().Report.State != terms.Up || !maps.Equal(lids, v.lidsOf()) {
			t.Fatalf("%s: %d entries lead over it: %v", text, n, v.entries)
		}
		v.verify(t)
		v.flapFor(t, id, time.Second, time.Second) // its ports come back in state Init
		v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
		v.verify(t)
		if d := v.order(terms.UndrainPart, f.LinkName(v.manager.inForce.Fabric.Nodes[link.B.Node].Ports[link.B.Port].Link)); d.Err != nil {
			t.Fatalf("%+v", d)
		}
		v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
		if v.over(a, link.A.Port)+v.over(b, link.B.Port) == 0 {
			t.Errorf("%s: it is not used again: %v", text, v.entries)
		}
		v.verify(t)
	}
}

// TestDrainHost: the cable of a host that is drained stays as it is; the host is routed to no
// longer, and has its LID when that ends.
func TestDrainHost(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lids := v.lidsOf()
	f := v.manager.inForce.Fabric
	host := smtest.Find(f, fabric.CA, 9)
	port := f.Nodes[host].Ports[1].GUID
	if d := v.order(terms.DrainPart, f.EndName(fabric.End{Node: host, Port: 1})); d.Err != nil {
		t.Fatalf("%+v", d)
	}
	for _, restart := range []bool{false, true} {
		if restart {
			v.manager = NewManager(terms.Config{Drain: v.manager.Drained()}, terms.UsualWatch)
			v.step(&terms.Event{Kind: terms.Start})
		}
		v.runUntil(v.now + 2*time.Second)
		now := v.lidsOf()
		if _, has := now[port]; has || v.manager.Result().Report.State != terms.Up || len(v.manager.Result().Report.Incidents) > 0 {
			t.Fatalf("%s: %v", v.manager.Result().Report.State, v.manager.Result().Report.Incidents)
		}
		for guid, lid := range now {
			if lids[guid] != lid || lid == lids[port] {
				t.Fatalf("%s has LID %d", guid, lid)
			}
		}
	}
	node, _ := v.sub.Fabric().NodeByGUID(f.Nodes[host].GUID)
	info, err := v.sub.PortInfo(fabric.End{Node: node, Port: 1})
	if err != nil || mad.PortInfoPortState.Get(info) != mad.PortActive {
		t.Errorf("its port is not Active")
	}
	if d := v.order(terms.UndrainPart, f.EndName(fabric.End{Node: host, Port: 1})); d.Err != nil {
		t.Fatalf("%+v", d)
	}
	if v.runUntil(v.now + 2*time.Second); !maps.Equal(lids, v.lidsOf()) {
		t.Errorf("%v", v.entries)
	}
	v.verify(t)
}

// TestDrainedKeepsLID: a new manager, which finds the cable of a host drained, gives its LID to
// nobody.
func TestDrainedKeepsLID(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lids, f := v.lidsOf(), v.manager.inForce.Fabric
	held, new := smtest.Find(f, fabric.CA, 5), smtest.Find(f, fabric.CA, 12)
	node, _ := v.sub.Fabric().NodeByGUID(f.Nodes[new].GUID)
	if err := v.sub.Reboot(node, time.Millisecond); err != nil { // it has no LID then
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{Drain: []string{f.EndName(fabric.End{Node: held, Port: 1})}}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	if lid := v.lidsOf()[f.Nodes[new].Ports[1].GUID]; lid == 0 || lid == lids[f.Nodes[held].Ports[1].GUID] {
		t.Errorf("LID %d: %v", lid, v.entries)
	}
}

// TestDrainedWithoutLID: on a subnet that no manager has seen, the host of a drained cable has no
// LID to keep, and the others come up.
func TestDrainedWithoutLID(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Drain: []string{"host 5[1]"}})
	r := v.manager.Result()
	if absent := r.Ledger.DrainedHosts(); len(absent) > 0 || r.Report.State != terms.Up {
		t.Errorf("%s, LIDs kept: %+v, %v", r.Report.State, absent, v.entries)
	}
}

// TestDrainRefused: a missing part, a part that is no switch or cable, and the only way are refused
// with a reason, and nothing changes.
func TestDrainRefused(t *testing.T) {
	v := staying(t, "rlft(4,2)|fail(switch=spine 1)", emulator.Options{}, terms.Config{})
	rounds := v.told(terms.RoundBegun)
	for _, c := range []struct {
		kind       terms.EventKind
		name, want string
	}{
		{terms.DrainPart, "spien 0", "spine 0"},
		{terms.DrainPart, "host 3", "is a CA"},
		{terms.DrainPart, "spine 0", "would not reach each other"},
		{terms.DrainPart, "leaf 2 -- spine 0", "would not reach each other"},
		{terms.DrainPart, "host 0[1]", "our own port"},
		{terms.UndrainPart, "leaf 2", "nothing is drained"},
		{terms.UndrainPart, "what", "what"},
	} {
		d := v.order(c.kind, c.name)
		if d.Err == nil || !strings.Contains(d.Err.Error(), c.want) || d.Tag != 77 {
			t.Errorf("%s: %v, want %q", c.name, d.Err, c.want)
		}
	}
	if d := v.order(terms.DrainPart, "leaf 2"); d.Err != nil || d.Incident.Text != "2 of its cables lead to hosts: it keeps serving them, and its removal cuts them off" {
		t.Errorf("%v, %q", d.Err, d.Incident.Text)
	}
	if d := v.order(terms.DrainPart, "0x0200005300000003"); d.Err == nil || !strings.Contains(d.Err.Error(), "drained already") {
		t.Error(d.Err)
	}
	if d := v.order(terms.UndrainPart, "leaf 1"); d.Err == nil || !strings.Contains(d.Err.Error(), `switch "leaf 1" (0x0200005300000002) is not drained; the drained parts are switch "leaf 2" (0x0200005300000003)`) {
		t.Error(d.Err)
	}
	if d := v.order(terms.UndrainPart, "nowhere"); d.Err == nil || !strings.Contains(d.Err.Error(), `the drained parts are switch "leaf 2" (0x0200005300000003)`) {
		t.Error(d.Err)
	}
	if v.runUntil(v.now + time.Minute); v.told(terms.RoundBegun) != rounds+1 || len(v.manager.Drained()) != 1 {
		t.Errorf("%v", v.entries)
	}
	if d := v.order(terms.DrainPart, "leaf 3[2]"); d.Err != nil || !strings.HasSuffix(d.Incident.Text, "[1] is cut off: the drained cable carries nothing") {
		t.Errorf("%v, %q", d.Err, d.Incident.Text)
	}
	fresh := NewManager(terms.Config{}, terms.UsualWatch)
	out := fresh.Step(0, &terms.Event{Kind: terms.DrainPart, Name: "x"}, nil)
	if i := slices.IndexFunc(out, func(a terms.Action) bool { return a.Kind == terms.Decided }); i < 0 || out[i].Err == nil {
		t.Errorf("%v", out)
	}
}

// TestDrainedOnlyWay: when the other spine is lost, the drained one is used all the same, which is
// logged once. When the other spine comes back, it is drained again.
func TestDrainedOnlyWay(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Drain: []string{"spine 0", "nobody"}})
	f := v.manager.inForce.Fabric
	kept, _ := f.FindSwitch("spine 0")
	lost, _ := f.FindSwitch("spine 1")
	if v.transit(f.Nodes[kept].GUID) > 0 || v.told(terms.NotDrained) != 1 {
		t.Fatalf("%v", v.entries)
	}
	node, _ := v.sub.Fabric().NodeByGUID(f.Nodes[lost].GUID)
	if err := v.sub.SetNodeDown(node, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 3*time.Second)
	if r := v.manager.Result().Report; r.State != terms.Up || v.transit(f.Nodes[kept].GUID) == 0 || v.told(terms.NotDrained) != 2 {
		t.Fatalf("%s: %v", r.State, v.entries)
	}
	v.verify(t)
	v.manager.noteChange(v.now, "a test")
	if v.runUntil(v.now + 2*time.Minute); v.told(terms.NotDrained) != 2 {
		t.Errorf("it is told again and again: %v", v.entries)
	}
	if err := v.sub.SetNodeDown(node, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 2*terms.UsualWatch.Rebalance)
	if v.transit(f.Nodes[kept].GUID) > 0 || v.manager.Result().Report.State != terms.Up {
		t.Errorf("it is not drained again: %v", v.entries)
	}
	v.verify(t)
}

// TestDrainsKept: a manager continues the drains of its last run. Names new in its configuration
// are drained too, and names removed from it are not.
func TestDrainsKept(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Drain: []string{"spine 3", "spine 2"}})
	v.order(terms.UndrainPart, "spine 3")
	d := v.order(terms.DrainPart, "leaf 0[5]")
	if d.Err != nil || d.Drains == nil || len(d.Drains.Now) != 2 || len(d.Drains.Told) != 2 {
		t.Fatalf("%+v", d)
	}
	if again := v.order(terms.DrainPart, "leaf 0[5]"); again.Err == nil || again.Drains != nil {
		t.Fatalf("%+v", again)
	}
	next := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Drain: []string{"spine 3", "spine 0"}, Drains: *d.Drains})
	r := next.manager.Result().Report
	if len(r.Drained) != 2 || !strings.Contains(r.Drained[0], "leaf 0") || !strings.Contains(r.Drained[1], "spine 0") {
		t.Errorf("drained are %v: %v", r.Drained, next.entries)
	}
}

// TestDrainsFollow: a new Config.Drain applies where it differs from the one before, and leaves the
// drains by events as they are.
func TestDrainsFollow(t *testing.T) {
	d := terms.Drains{}
	for _, c := range []struct{ list, event, want []string }{
		{[]string{"a", "b"}, nil, []string{"a", "b"}},
		{[]string{"a", "b"}, []string{"b", "x"}, []string{"b", "x"}}, // a was let go, x drained
		{[]string{"a", "c"}, nil, []string{"x", "c"}},
		{[]string{"c", "x"}, nil, []string{"x", "c"}},
		{nil, nil, nil},
	} {
		if c.event != nil {
			d.Now = c.event
		}
		if changed := !slices.Equal(d.Told, c.list); d.Follow(c.list) != changed || !slices.Equal(d.Now, c.want) {
			t.Errorf("%v: %v, want %v", c.list, d.Now, c.want)
		}
	}
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	v.order(terms.DrainPart, "spine 1")
	v.runUntil(v.now + time.Second)
	set := terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, What: "a test"}
	set.Config.Drain = []string{"spine 3"}
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &set})
	v.runUntil(v.now + 2*time.Second)
	if r := v.manager.Result().Report; len(r.Drained) != 2 || r.State != terms.Up {
		t.Errorf("%v: %v", r.Drained, v.entries)
	}
}

// TestDrainsInAnyOrder: whatever is drained and undrained, on any fabric: the subnet stays up, LIDs
// stay, and drained parts carry nothing.
func TestDrainsInAnyOrder(t *testing.T) {
	done, refused := 0, 0
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "torus(4x4,hosts=1)", "dragonfly(2,2,1)", "rlft(4,2)|fail(links=2,seed=3)"}).Draw(t, "fabric")
		v := staying(t, text, emulator.Options{}, terms.Config{})
		lids := v.lidsOf()
		whole := v.manager.inForce.Fabric
		for range rapid.IntRange(1, 6).Draw(t, "orders") {
			name := whole.EndName(whole.Links[rapid.IntRange(0, len(whole.Links)-1).Draw(t, "link")].A)
			if rapid.Bool().Draw(t, "switch") {
				name = whole.NodeName(fabric.NodeID(rapid.IntRange(0, len(whole.Nodes)-1).Draw(t, "node")))
			}
			kind := terms.DrainPart
			if rapid.IntRange(0, 3).Draw(t, "undrain") == 0 {
				kind = terms.UndrainPart
			}
			if v.order(kind, name).Err != nil {
				refused++
			} else {
				done++
			}
			v.runUntil(v.now + time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms"))*time.Millisecond)
		}
		v.runUntil(v.now + 5*time.Second)
		r := v.manager.Result().Report
		if r.State != terms.Up || len(v.manager.inForce.Fabric.Links) != len(whole.Links) || r.Find(terms.NotDrained) != nil {
			t.Fatalf("%s: %v", r.State, v.entries)
		}
		f := v.manager.inForce.Fabric
		for i := range f.Nodes {
			if f.Nodes[i].Drained && v.transit(f.Nodes[i].GUID) > 0 {
				t.Fatalf("%s lets others through", f.NodeName(fabric.NodeID(i)))
			}
		}
		for i, l := range f.Links {
			for _, e := range [2]fabric.End{l.A, l.B} {
				if l.Drained && f.Nodes[e.Node].Type == fabric.Switch && v.over(f.Nodes[e.Node].GUID, e.Port) > 0 {
					t.Fatalf("%s carries something", f.LinkName(fabric.LinkID(i)))
				}
			}
		}
		for guid, lid := range v.lidsOf() {
			if lids[guid] != lid {
				t.Fatalf("%s has LID %d, and had %d", guid, lid, lids[guid])
			}
		}
		v.verify(t)
	}, func() string {
		if done == 0 || refused == 0 {
			return fmt.Sprintf("%d done, %d refused", done, refused)
		}
		return ""
	})
}
