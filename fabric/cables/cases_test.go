package cables

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
)

// between lists the cables between switches whose descriptions a function takes.
func between(f *fabric.Fabric, takes func(a, b string) bool) (ids []fabric.LinkID) {
	for i, l := range f.Links {
		a, b := f.Nodes[l.A.Node].Desc, f.Nodes[l.B.Node].Desc
		if f.IsSwitchLink(fabric.LinkID(i)) && (takes(a, b) || takes(b, a)) {
			ids = append(ids, fabric.LinkID(i))
		}
	}
	return ids
}

// lose returns a copy without some cables, and the pairs of switches that they joined.
func lose(f *fabric.Fabric, ids []fabric.LinkID) (*fabric.Fabric, []string) {
	var pairs []string
	for _, id := range ids {
		p := f.LinkPorts(id)
		pairs = append(pairs, pairName(p[0].GUID, p[1].GUID))
	}
	slices.Sort(pairs)
	return f.Without(nil, func(id fabric.LinkID) bool { return slices.Contains(ids, id) }), pairs
}

// TestCases: losses that chance seldom makes.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		what, formula string
		takes         func(a, b string) bool
		every         int // one in this many of the removed cables
	}{
		{"one cable of each bundle of a switch", "pgft(3;4,6,8;1,4,2;1,1,3)", func(a, b string) bool { return a == "middle 5" && b[:4] == "root" }, 3},
		{"all cables up of two switches of two pods", "rlft(8,3)", func(a, b string) bool { return (a == "middle 5" || a == "middle 14") && b[:4] == "root" }, 1},
		{"all cables up of two leaves of two pods", "rlft(8,3)", func(a, b string) bool { return (a == "leaf 3" || a == "leaf 4") && b[:6] == "middle" }, 1},
		{"all cables of a spine", "rlft(8,2)", func(_, b string) bool { return b == "spine 2" }, 1},
	} {
		whole := generated(t, c.formula)
		ids := between(whole, c.takes)
		ids = slices.DeleteFunc(ids, func(id fabric.LinkID) bool { return slices.Index(ids, id)%c.every != 0 })
		f, want := lose(whole, ids)
		r := Of(f, f.Compile(), nil)
		if got := pairsOf(r); !slices.Equal(got, want) || len(want) == 0 || len(r.Notes) > 0 {
			t.Errorf("%s: named %v\nwant %v, notes %v", c.what, got, want, r.Notes)
		}
	}
}

// TestFewerUp: if no pattern shows the other end, switches with fewer cables up than most are
// named.
func TestFewerUp(t *testing.T) {
	whole := generated(t, "tsubame")
	if r := Of(whole, whole.Compile(), nil); len(r.Cables) > 0 {
		t.Fatalf("whole: %+v", r.Cables[0])
	}
	f, _ := lose(whole, between(whole, func(a, b string) bool { return a == "edge 0 leaf 3" && b == "edge 0 spine 2" }))
	r := Of(f, f.Compile(), nil)
	if len(r.Cables) != 1 || r.Cables[0].Kind != Missing || r.Name(&r.Cables[0]) != "edge 0 leaf 3" || r.Cables[0].Text != "13 of 14 cables up" {
		t.Errorf("%+v", r.Cables)
	}
}

// TestNoPortLeft: a cable for which a switch has no port is not missing.
func TestNoPortLeft(t *testing.T) {
	whole := generated(t, "rlft(8,2)")
	ids := between(whole, func(a, b string) bool { return (a == "leaf 1" || a == "leaf 2") && b == "spine 3" })
	f, _ := lose(whole, ids)
	host, err := f.AddNode(fabric.CA, 0xabc, 1, "storage")
	if err != nil {
		t.Fatal(err)
	}
	end := whole.Links[ids[0]].B
	if whole.Nodes[end.Node].Desc != "spine 3" {
		end = whole.Links[ids[0]].A
	}
	if _, err := f.Connect(fabric.End{Node: host, Port: 1}, end, 4, fabric.EDR); err != nil {
		t.Fatal(err)
	}
	if r := Of(f, f.Compile(), nil); len(r.Cables) != 1 {
		t.Errorf("%+v", r.Cables)
	}
}

// TestPortsWithoutRule: if cables follow no rule of ports, a missing cable gets a port only if that
// is the only free one.
func TestPortsWithoutRule(t *testing.T) {
	whole := generated(t, "rlft(12,2)")
	rng := rand.New(rand.NewPCG(1, 3))
	f := whole.Without(nil, func(fabric.LinkID) bool { return true })
	shuffled := make([][]int, len(f.Nodes))
	for i := range f.Nodes {
		shuffled[i] = rng.Perm(f.Nodes[i].NumPorts())
	}
	for _, l := range whole.Links {
		a, b := l.A, l.B
		a.Port, b.Port = uint8(1+shuffled[a.Node][a.Port-1]), uint8(1+shuffled[b.Node][b.Port-1])
		if _, err := f.Connect(a, b, l.Width, l.Speed); err != nil {
			t.Fatal(err)
		}
	}
	lost := between(f, func(a, b string) bool { return a == "leaf 2" && (b == "spine 1" || b == "spine 4") })
	g, want := lose(f, lost)
	r := Of(g, g.Compile(), nil)
	if got := pairsOf(r); !slices.Equal(got, want) {
		t.Fatalf("named %v, want %v", got, want)
	}
	for _, o := range r.Cables {
		for _, p := range o.Ports {
			if leaf := p.Name == "leaf 2"; leaf && p.Port != 0 || !leaf && p.Port == 0 {
				t.Errorf("port %s", p)
			}
		}
	}
}

// TestSlowBeside: of two cables side by side the slower one is named, whatever others do.
func TestSlowBeside(t *testing.T) {
	f := fabric.New("two")
	var ids [2]fabric.NodeID
	for i := range ids {
		ids[i], _ = f.AddNode(fabric.Switch, fabric.GUID(i+1), 4, "")
	}
	for p := range uint8(2) {
		if _, err := f.Connect(fabric.End{Node: ids[0], Port: p + 1}, fabric.End{Node: ids[1], Port: p + 1}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	f.Links[1].Speed = fabric.QDR
	odd := slow(f)
	if len(odd) != 1 || odd[0].Ports[0].Port != 2 || odd[0].Text != "4xQDR of 4xEDR: others between the two do so" {
		t.Errorf("%+v", odd)
	}
}
