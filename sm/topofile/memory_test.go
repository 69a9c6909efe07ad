package topofile

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/netfiletest"
)

func parse(t testing.TB, formula string) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func without(f *fabric.Fabric, descs ...string) *fabric.Fabric {
	return f.Without(func(id fabric.NodeID) bool { return slices.Contains(descs, f.Nodes[id].Desc) }, nil)
}

func find(t testing.TB, f *fabric.Fabric, desc string) *fabric.Node {
	t.Helper()
	i := slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Desc == desc })
	if i < 0 {
		t.Fatalf("no node %q", desc)
	}
	return &f.Nodes[i]
}

// TestWhatIsGoneKeepsItsPlace: a switch that restarts and its hosts stay, as they were, and are
// forgotten after so many rounds.
func TestWhatIsGoneKeepsItsPlace(t *testing.T) {
	whole := parse(t, "tree(8,16)")
	var m Memory
	m.See(whole, 3)
	gone := []string{"leaf 0"}
	for p := range whole.Cabled(0, nil) {
		if peer := whole.Peer(fabric.End{Node: 0, Port: p}).Node; whole.Nodes[peer].Type == fabric.CA {
			gone = append(gone, whole.Nodes[peer].Desc)
		}
	}
	less := without(whole, append(gone, whole.Nodes[0].Desc)...)
	for range 2 {
		known := m.See(less, 3)
		if d := fabric.Diff(whole, known.Fabric); len(d) > 0 || len(known.Absent) != len(gone) {
			t.Fatalf("%v, %d absent", d, len(known.Absent))
		}
	}
	if known := m.See(less, 3); len(known.Nodes) != len(less.Nodes) || len(known.Absent) > 0 {
		t.Errorf("%d nodes, %d are there; %d absent", len(known.Nodes), len(less.Nodes), len(known.Absent))
	}
	if known := m.See(whole, 3); len(fabric.Diff(whole, known.Fabric)) > 0 {
		t.Error("all are back, and something differs")
	}
}

// TestWhatIsReplacedIsForgotten: a new adapter with the description of one that is gone, or in its
// port, stands for it.
func TestWhatIsReplacedIsForgotten(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		whole := parse(t, "tree(8,16)")
		var m Memory
		m.See(whole, 0)
		old := *find(t, whole, "host 3")
		at := whole.Peer(fabric.End{Node: func() fabric.NodeID { id, _ := whole.NodeByGUID(old.GUID); return id }(), Port: 1})
		next := without(whole, "host 3", "host 9")
		id, err := next.AddNode(fabric.CA, 0x999, 1, "host 3")
		if err != nil {
			t.Fatal(err)
		}
		leaf, _ := next.NodeByGUID(whole.Nodes[at.Node].GUID)
		end := fabric.End{Node: leaf, Port: at.Port}
		if elsewhere { // in the port of host 9, which is gone: host 3 would keep its own
			nine, _ := whole.NodeByGUID(find(t, whole, "host 9").GUID)
			e := whole.Peer(fabric.End{Node: nine, Port: 1})
			leaf, _ = next.NodeByGUID(whole.Nodes[e.Node].GUID)
			end = fabric.End{Node: leaf, Port: e.Port}
		}
		if _, err := next.Connect(fabric.End{Node: id, Port: 1}, end, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
		known := m.See(next, 0)
		if _, there := known.NodeByGUID(old.GUID); there {
			t.Errorf("elsewhere %t: the old adapter is still known", elsewhere)
		}
		if want := 1; !elsewhere && len(known.Absent) != want || elsewhere && len(known.Absent) != 0 {
			t.Errorf("elsewhere %t: absent %v", elsewhere, known.Absent)
		}
	}
}

// TestAHostThatChangesItsGUID: a device that is another one in each round does not fill the memory,
// even with a network behind it.
func TestAHostThatChangesItsGUID(t *testing.T) {
	whole := parse(t, "tree(8,16)")
	var m Memory
	m.See(whole, 0)
	base := without(whole, "host 3")
	three, _ := whole.NodeByGUID(find(t, whole, "host 3").GUID)
	at := whole.Peer(fabric.End{Node: three, Port: 1})
	for round := range 50 {
		next := base.Without(nil, nil)
		sw, _ := next.AddNode(fabric.Switch, fabric.GUID(0x9000+100*round), 8, fmt.Sprint("evil ", round))
		leaf, _ := next.NodeByGUID(whole.Nodes[at.Node].GUID)
		connect := func(a, b fabric.End) {
			if _, err := next.Connect(a, b, 4, fabric.EDR); err != nil {
				t.Fatal(err)
			}
		}
		connect(fabric.End{Node: sw, Port: 1}, fabric.End{Node: leaf, Port: at.Port})
		for p := uint8(2); p < 8; p++ {
			ca, _ := next.AddNode(fabric.CA, fabric.GUID(0x9000+100*round+int(p)), 1, fmt.Sprint("evil ", round, p))
			connect(fabric.End{Node: sw, Port: p}, fabric.End{Node: ca, Port: 1})
		}
		if known := m.See(next, 0); len(known.Nodes) != len(next.Nodes) {
			t.Fatalf("round %d: %d nodes known, %d are there", round, len(known.Nodes), len(next.Nodes))
		}
	}
}

// TestSeeKeepsWhatIsThere: whatever was before, what a round finds is in the result unchanged, all
// else is absent, and the result is a fabric.
func TestSeeKeepsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var m Memory
		keep := rapid.IntRange(0, 3).Draw(rt, "keep")
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			f := netfiletest.AnyFabric(rt)
			known := m.See(f, keep)
			netfiletest.CheckFabric(t, known.Fabric)
			rest := known.Without(func(id fabric.NodeID) bool { return known.Absent[known.Nodes[id].GUID] }, nil)
			for _, d := range fabric.Diff(f, rest) {
				if d.Kind != "link added" { // a cable that is gone, with both ports free
					rt.Fatalf("%v", d)
				}
			}
			if len(known.Nodes) != len(f.Nodes)+len(known.Absent) {
				rt.Fatalf("%d nodes, %d found, %d absent", len(known.Nodes), len(f.Nodes), len(known.Absent))
			}
		}
	})
}

// TestNamesAreRemembered: a host without a name keeps its earlier one until it is forgotten.
func TestNamesAreRemembered(t *testing.T) {
	whole := parse(t, "tree(8,16)")
	var m Memory
	m.See(whole, 1)
	g := find(t, whole, "host 3").GUID
	m.Call(map[fabric.GUID]string{g: "three"})
	m.Call(nil)
	if m.Names()[g] != "three" {
		t.Error("the name is lost while the host is there")
	}
	m.See(without(whole, "host 3"), 1)
	m.Call(nil)
	if len(m.Names()) > 0 {
		t.Errorf("the host is forgotten, its name is not: %v", m.Names())
	}
}
