package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"

	"pgregory.net/rapid"
)

// TestPlaneCounts: counts by hand of networks that share servers.
func TestPlaneCounts(t *testing.T) {
	for _, c := range []struct {
		expr                            string
		servers, ports, switches, links int // cabled ports of servers; cables between switches
		planes                          int
	}{
		{"rlft(8,2)|planes(2)", 32, 64, 24, 64, 2},
		{"rlft(8,2)|planes(8)", 32, 256, 96, 256, 8},
		{"rlft(8,2)|planes(2)|planes(3)", 32, 192, 72, 192, 6},
		{"rail(8,32,4,spines=16,width=2)|plane(tree(64,160),name=storage)", 160, 1024 + 160, 48 + 5 + 4, 1024 + 160, 2},
		{"rail(4,4)|plane(rlft(8,2,hosts=3))", 4, 19, 8 + 12, 16 + 32, 2},
		{"rail(4,4)|planes(2)|plane(rlft(8,2)|planes(2))", 32, 2*16 + 2*32, 2*8 + 2*12, 2*16 + 2*32, 4},
		{"rail(4,4)|plane(rlft(8,2))|plane(rlft(4,2),name=service)", 32, 16 + 32 + 8, 8 + 12 + 6, 16 + 32 + 8, 3},
		{"rlft(8,2)|plane(rlft(8,2)|merge(rlft(8,2)))", 64, 32 + 64, 12 + 20, 32 + 64, 2},
		{"rlft(8,2)|aggregation()|planes(2)", 32, 64, 24, 64, 2},
		{"rail(8,16,1,spines=0)|planes(2)", 16, 256, 16, 0, 16},
	} {
		f := parse(t, c.expr)
		g := f.Compile()
		_, planes := g.Components()
		servers, ports := f.Servers().List, 0
		for _, v := range servers {
			ports += len(cabled(f, fabric.NodeID(v.Adapters[0])))
		}
		if len(servers) != c.servers || ports != c.ports || g.NumSwitches != c.switches || g.NumChannels != 2*c.links || planes != c.planes {
			t.Errorf("%s: %d servers, %d ports, %d switches, %d cables, %d planes", c.expr, len(servers), ports, g.NumSwitches, g.NumChannels/2, planes)
		}
	}
}

// TestPlaneNames: planes are numbered through, and names of nodes are unique.
func TestPlaneNames(t *testing.T) {
	for expr, want := range map[string][]string{
		"rlft(8,2)|planes(2)":                               {"plane 1 leaf 0", "plane 2 spine 3", "host 31"},
		"rlft(8,2)|planes(2)|planes(2)":                     {"plane 1 leaf 0", "plane 2 leaf 0", "plane 3 leaf 0", "plane 4 leaf 0"},
		"rlft(8,2)|plane(rlft(4,2))":                        {"leaf 0", "plane 2 leaf 0"},
		"rlft(8,2)|planes(2)|plane(rlft(4,2))":              {"plane 2 leaf 0", "plane 3 leaf 0"},
		"rlft(8,2)|plane(rlft(4,2)|planes(2))":              {"leaf 0", "plane 2 leaf 0", "plane 3 leaf 0"},
		"rlft(8,2)|plane(rlft(8,2)|planes(2),name=storage)": {"storage plane 2 leaf 0"},
		"rlft(4,2)|plane(rlft(8,2),name=storage)":           {"storage leaf 0", "storage 0", "storage 23", "host 7"},
		"rlft(4,2)|plane(rlft(8,2))":                        {"plane 2 leaf 0", "host 31"},
	} {
		f := parse(t, expr)
		count := map[string]int{}
		for i := range f.Nodes {
			count[f.Nodes[i].Desc]++
		}
		for _, name := range want {
			if count[name] == 0 {
				t.Errorf("%s: nothing is called %q", expr, name)
			}
		}
		for name, n := range count {
			if n > 1 {
				t.Errorf("%s: %d nodes are called %q", expr, n, name)
			}
		}
	}
}

var planeBases = []string{
	"rlft(6,2)", "rail(3,4,2)", "rail(2,3,4,spines=2,groups=2,cores=1)", "torus(3x3,hosts=2)", "pgft(2;4,2;2,2;1,1)", "random(switches=9,hosts=2,links=12,seed=3)",
	"rlft(6,2)|aggregation()", "rlft(6,2)|fail(links=3)|drain(links=2)", "rlft(6,2)|drain(switch=spine 1)|fail(switch=leaf 2)", "rlft(4,2)|merge(rlft(4,2))", "rlft(4,2)|planes(2)", "xgft(1;3;2;hosts=7)|radix(9)", "torus(4,hosts=0)",
}

// TestPlanesAreCopies: each plane has the switches, ports and cables of the part that it copies,
// and nothing joins two planes but servers.
func TestPlanesAreCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, n := rapid.SampledFrom(planeBases).Draw(t, "base"), rapid.IntRange(2, 5).Draw(t, "planes")
		f, err := Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		expr := fmt.Sprintf("%s|planes(%d)", base, n)
		all, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		if err := again(f, all, fmt.Sprintf("planes(%d)", n)); err != nil {
			t.Fatal(err)
		}
		if got, want := len(all.Links), n*len(f.Links); got != want {
			t.Fatalf("%s: %d cables, want %d", expr, got, want)
		}
		already := planesOf(f)
		servers := f.Servers().List
		for c := range n {
			shift := func(server, ports int) int { return c * ports }
			if err := isCopy(f, all, func(desc string) string { return planeName(desc, c*already) }, servers, shift); err != nil {
				t.Fatalf("%s, plane %d: %v", expr, c+1, err)
			}
		}
		if err := samePlane(all); err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
	})
}

// TestPlaneIsCopy: the same for a network of another kind; what was there stays as it was.
func TestPlaneIsCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, other := rapid.SampledFrom(planeBases).Draw(t, "base"), rapid.SampledFrom(planeBases).Draw(t, "other")
		f, err := Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Parse(other)
		if err != nil {
			t.Fatal(err)
		}
		suffix := fmt.Sprintf("plane(%s,name=x)", other)
		all, err := Parse(base + "|" + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := again(f, all, suffix); err != nil {
			t.Fatal(err)
		}
		mine, theirs := f.Servers().List, o.Servers().List
		same := func(desc string) string { return desc }
		if err := isCopy(f, all, same, mine, func(int, int) int { return 0 }); err != nil {
			t.Fatalf("%s|%s: the first network: %v", base, suffix, err)
		}
		added := func(server, _ int) int {
			if server < len(mine) {
				return f.Nodes[mine[server].Adapters[0]].NumPorts()
			}
			return 0
		}
		if err := isCopy(o, all, func(desc string) string { return "x " + desc }, theirs, added); err != nil {
			t.Fatalf("%s|%s: the second network: %v", base, suffix, err)
		}
		if got, want := len(all.Servers().List), max(len(mine), len(theirs)); got != want || len(all.Links) != len(f.Links)+len(o.Links) {
			t.Fatalf("%s|%s: %d servers, want %d; %d cables", base, suffix, got, want, len(all.Links))
		}
	})
}

// again checks that a suffix, applied to what it follows, gives the fabric of the whole formula,
// and that the name of a fabric builds it again.
func again(f, all *fabric.Fabric, suffix string) error {
	applied, err := Apply(f, suffix)
	if err != nil {
		return err
	}
	parsed, err := Parse(all.Name)
	if err != nil {
		return err
	}
	for _, g := range []*fabric.Fabric{applied, parsed} {
		if d := fabric.Diff(all, g); len(d) != 0 || g.Name != all.Name {
			return fmt.Errorf("%s: built again it is %s, with %d differences", all.Name, g.Name, len(d))
		}
	}
	base, suffixes := Split(all.Name)
	if strings.Join(append([]string{base}, suffixes...), "|") != all.Name {
		return fmt.Errorf("%s splits into %q and %q", all.Name, base, suffixes)
	}
	return nil
}

// isCopy checks that all holds a copy of the network of f: switches with the names that rename
// gives, and server i as server i of all, with its ports shifted.
func isCopy(f, all *fabric.Fabric, rename func(string) string, servers []fabric.Server, shift func(server, ports int) int) error {
	named := map[string]fabric.NodeID{}
	for i := range all.Nodes {
		named[all.Nodes[i].Desc] = fabric.NodeID(i)
	}
	number := f.Servers().Of
	list := all.Servers().List
	// place returns where an end of f is in all.
	place := func(e fabric.End) (fabric.End, error) {
		n := &f.Nodes[e.Node]
		if i := number[e.Node]; i != fabric.NoServer {
			return fabric.End{Node: fabric.NodeID(list[i].Adapters[0]), Port: e.Port + uint8(shift(int(i), n.NumPorts()))}, nil
		}
		id, ok := named[rename(n.Desc)]
		if !ok || all.Nodes[id].NumPorts() != n.NumPorts() || all.Nodes[id].Down != n.Down || all.Nodes[id].Drained != n.Drained {
			return fabric.End{}, fmt.Errorf("there is no %q like %q", rename(n.Desc), n.Desc)
		}
		return fabric.End{Node: id, Port: e.Port}, nil
	}
	for i := range f.Links {
		l := f.Links[i]
		if f.IsAggregationNode(l.A.Node) || f.IsAggregationNode(l.B.Node) {
			continue
		}
		a, err := place(l.A)
		if err != nil {
			return err
		}
		b, err := place(l.B)
		if err != nil {
			return err
		}
		id := all.Nodes[a.Node].Ports[a.Port].Link
		if id == fabric.NoLink || all.Peer(a) != b {
			return fmt.Errorf("no cable joins %s and %s", all.EndName(a), all.EndName(b))
		}
		if m := all.Links[id]; m.Down != l.Down || m.Drained != l.Drained || m.Width != l.Width || m.Speed != l.Speed {
			return fmt.Errorf("the cable of %s is %+v, want %+v", all.EndName(a), m, l)
		}
	}
	return distinctGUIDs(all)
}

// distinctGUIDs checks that no two ports of servers, or nodes, have one GUID.
func distinctGUIDs(f *fabric.Fabric) error {
	seen := map[fabric.GUID]bool{}
	for i := range f.Nodes {
		guids := []fabric.GUID{f.Nodes[i].GUID}
		if f.Nodes[i].Type == fabric.CA && !f.IsAggregationNode(fabric.NodeID(i)) {
			for _, p := range f.Nodes[i].Ports[1:] {
				guids = append(guids, p.GUID)
			}
		}
		for _, g := range guids {
			if seen[g] {
				return fmt.Errorf("GUID %s is used twice", g)
			}
			seen[g] = true
		}
	}
	return nil
}

// samePlane checks that every cable between switches stays within a plane, and every server has an
// equal number of ports on each.
func samePlane(f *fabric.Fabric) error {
	planes := planesOf(f)
	for i := range f.Links {
		l := &f.Links[i]
		a, _ := cutPlane(f.Nodes[l.A.Node].Desc)
		b, _ := cutPlane(f.Nodes[l.B.Node].Desc)
		if f.IsSwitchLink(fabric.LinkID(i)) && a != b {
			return fmt.Errorf("a cable joins %s and %s", f.EndName(l.A), f.EndName(l.B))
		}
	}
	for _, v := range f.Servers().List {
		ports := make([]int, planes+1)
		id := fabric.NodeID(v.Adapters[0])
		for p := range f.Cabled(id, nil) {
			n, _ := cutPlane(f.Nodes[f.Peer(fabric.End{Node: id, Port: p}).Node].Desc)
			ports[n]++
		}
		if slices.Max(ports[1:]) != slices.Min(ports[1:]) {
			return fmt.Errorf("%s has %v ports on the planes", v.Name, ports[1:])
		}
	}
	return nil
}

// TestPlanesOfFiles: a server of several adapters keeps them in every plane.
func TestPlanesOfFiles(t *testing.T) {
	f := twoAdapters(t, 4)
	f.Nodes[1].Ports[1].GUID = f.Nodes[2].GUID + 2 // the GUID that port 2 of another adapter would get
	g, err := Apply(f, "planes(2)")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != len(f.Nodes)+2 || len(g.Servers().List) != 4 {
		t.Fatalf("%d nodes, %d servers", len(g.Nodes), len(g.Servers().List))
	}
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA && len(cabled(g, fabric.NodeID(i))) != 2 {
			t.Errorf("%s has cables in %v", g.Nodes[i].Desc, cabled(g, fabric.NodeID(i)))
		}
	}
	if err := distinctGUIDs(g); err != nil {
		t.Error(err)
	}
	if g, err = Apply(f, "plane(rlft(4,2),name=storage)"); err != nil {
		t.Fatal(err)
	}
	for _, v := range g.Servers().List {
		ports := 0
		for _, id := range v.Adapters {
			ports += len(cabled(g, fabric.NodeID(id)))
		}
		if want := map[bool]int{true: 1, false: 3}[strings.HasPrefix(v.Name, "storage")]; ports != want {
			t.Errorf("%s has %d ports, want %d", v.Name, ports, want)
		}
	}
}
