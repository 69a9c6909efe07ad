package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// down counts the parts that are down.
func down(f *fabric.Fabric) (switches, hosts, switchLinks, hostLinks int) {
	for id := range f.Nodes {
		switch {
		case !f.Nodes[id].Down:
		case f.Nodes[id].Type == fabric.Switch:
			switches++
		default:
			hosts++
		}
	}
	for id := range f.Links {
		switch {
		case !f.Links[id].Down:
		case f.IsSwitchLink(fabric.LinkID(id)):
			switchLinks++
		default:
			hostLinks++
		}
	}
	return
}

func TestFail(t *testing.T) {
	for _, c := range []struct {
		expr            string
		switches, links int
	}{
		{"torus(4x4x4)|fail(links=10,seed=3)", 0, 10},
		{"torus(4x4x4)|fail(links=10,seed=3)|fail(links=10,seed=3)", 0, 20},
		{"torus(4x4x4)|fail(links=192)", 0, 192},
		{"fat648|fail(switches=2,seed=3)", 2, 0},
		{"fat648|fail(switch=spine 3)", 1, 0},
		{"fat648|fail(switch=spine 3,leaf 1,0x0200005300000001)", 3, 0},
		{"mesh(3x3)|fail(switch=switch (1,2))|fail(switch=\"switch (0,0)\")", 2, 0},
		{"racks648|fail(share=0.05,links=up,seed=1)", 0, 65}, // of 1296
		{"racks648|fail(share=0.05,seed=1)", 0, 81},          // of 1620
		{"racks648|fail(share=0.25,links=all)", 0, 405},
		{"juropa3288|fail(share=1,links=up)", 0, 137*24 + 5184},
		{"deimos|fail(share=1,links=up)", 0, 864},
		{"fat648|fail(share=0)", 0, 0},
	} {
		f := parse(t, c.expr)
		switches, hosts, links, hostLinks := down(f)
		if switches != c.switches || hosts != 0 || links != c.links || hostLinks != 0 {
			t.Errorf("%s: %d switches, %d hosts, %d switch links, %d host links down", c.expr, switches, hosts, links, hostLinks)
		}
	}
	f := parse(t, "racks648|fail(share=0.5,links=up,seed=7)")
	level := Levels(f)
	for id, l := range f.Links {
		if l.Down && level[l.A.Node] == level[l.B.Node] {
			t.Fatalf("%s is between leaves and down", f.LinkName(fabric.LinkID(id)))
		}
	}
}

// TestFailRestores: what failed can be restored to the fabric it was, and Apply
// leaves its argument alone.
func TestFailRestores(t *testing.T) {
	f := parse(t, "fat648")
	g, err := Apply(f, "fail(links=30,seed=5)")
	if err != nil {
		t.Fatal(err)
	}
	if len(fabric.Diff(f, parse(t, "fat648"))) != 0 {
		t.Error("Apply changed its argument")
	}
	if g.Name != "fat648|fail(links=30,seed=5)" {
		t.Errorf("name %q", g.Name)
	}
	if n := len(fabric.Diff(f, g)); n != 30 {
		t.Errorf("%d differences, want 30", n)
	}
	for id := range g.Links {
		g.SetLinkDown(fabric.LinkID(id), false)
	}
	if d := fabric.Diff(f, g); len(d) != 0 {
		t.Errorf("not as before: %v", d[0])
	}
}

// TestOrderIndependent: suffixes choose by GUID, whatever the order of the file.
func TestOrderIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := Parse(rapid.SampledFrom([]string{"rlft(6,3)", "deimos", "irregular(seed=2)", "now-cab"}).Draw(t, "fabric"))
		if err != nil {
			t.Fatal(err)
		}
		order := rapid.Permutation(indices(len(f.Nodes))).Draw(t, "nodes")
		links := rapid.Permutation(indices(len(f.Links))).Draw(t, "links")
		g := reordered(f, order, links)
		suffix := rapid.SampledFrom([]string{
			"fail(links=9,seed=4)", "fail(switches=3,seed=4)", "fail(share=0.3,links=up)",
			"without(hosts=3-9,1)", "without(roots=2)", "hosts(even=1,odd=2)", "ports(2)", "aggregation()",
			"planes(2)", "plane(rlft(4,2)|aggregation(),name=storage)", "fail(servers=3,seed=4)", "without(servers=2-4)",
		}).Draw(t, "suffix")
		a, errA := Apply(f, suffix)
		b, errB := Apply(g, suffix)
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("%v or %v", errA, errB)
		}
		if errA == nil {
			if d := cmp.Diff(a.Compile(), b.Compile()); d != "" {
				t.Fatal(d)
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// reordered builds the same fabric with its nodes and links in another order.
func reordered(f *fabric.Fabric, order, links []int) *fabric.Fabric {
	g := fabric.New(f.Name)
	at := make([]fabric.NodeID, len(order))
	for _, i := range order {
		n := f.Nodes[i]
		id, _ := g.AddNode(n.Type, n.GUID, n.NumPorts(), n.Desc)
		g.Nodes[id].SystemGUID = n.SystemGUID
		for p := range n.Ports {
			g.Nodes[id].Ports[p].GUID = n.Ports[p].GUID
		}
		at[i] = id
	}
	for _, i := range links {
		l := f.Links[i]
		l.A.Node, l.B.Node = at[l.A.Node], at[l.B.Node]
		if _, err := g.Connect(l.B, l.A, l.Width, l.Speed); err != nil {
			panic(err)
		}
	}
	return g
}

func TestWithoutHosts(t *testing.T) {
	for list, want := range map[string][]string{
		"0":                    {"host 0"},
		"3-5":                  {"host 3", "host 4", "host 5"},
		"7,0-1":                {"host 0", "host 1", "host 7"},
		"host 2,\"host 31\",4": {"host 2", "host 31", "host 4"},
		"H-0200004800000100":   {"host 0"},
		"0-31":                 nil,
	} {
		f := parse(t, "rlft(8,2)|without(hosts="+list+")")
		for id := range f.Nodes {
			if slices.Contains(want, f.Nodes[id].Desc) {
				t.Errorf("%s: %q is still there", list, f.Nodes[id].Desc)
			}
		}
		n := 32 - len(want)
		if want == nil {
			n = 0
		}
		if got := counted(f).hosts; got != n {
			t.Errorf("%s: %d hosts left, want %d", list, got, n)
		}
	}
}

// TestWithoutRoots: roots go evenly, and with all of them the tree has lost its
// highest level (Paper V: nine subnets in racks648).
func TestWithoutRoots(t *testing.T) {
	for _, c := range []struct {
		expr            string
		switches, links int
	}{
		{"fat648|without(roots=9)", 45, 324},
		{"juropa|without(roots=72)", 792, 12960 - 72*36},
		{"juropa3288|without(roots=8)", 698, 10116 - 8*36},
		{"racks648|without(roots=18)", 90, 972},
		{"fat648|hosts(even=18,odd=0)|without(roots=17)", 37, 36},
	} {
		if got := counted(parse(t, c.expr)); got.switches != c.switches || got.links != c.links {
			t.Errorf("%s: %+v", c.expr, got)
		}
	}
	if _, n := parse(t, "racks648|without(roots=18)").Compile().Components(); n != 9 {
		t.Errorf("racks648 without roots: %d parts, want 9", n)
	}
	// One root of each of the twelve groups: every middle switch keeps 11 cables up.
	f := parse(t, "fat3456|without(roots=12)")
	level := Levels(f)
	for id := range f.Nodes {
		if level[id] != 1 {
			continue
		}
		up := 0
		for p := range f.SwitchPeers(fabric.NodeID(id), nil) {
			if level[p] == 2 {
				up++
			}
		}
		if up != 11 {
			t.Fatalf("%s has %d cables up, want 11", f.NodeName(fabric.NodeID(id)), up)
		}
	}
}

// TestDistributions is Table I of Paper I: hosts by X:Y distribution.
func TestDistributions(t *testing.T) {
	for _, c := range []struct {
		system           string
		even, odd, total int
	}{
		{"fat648", 9, 9, 324},
		{"fat648", 11, 7, 324},
		{"fat648", 13, 5, 324},
		{"fat648", 17, 1, 324},
		{"fat648", 18, 18, 648},
		{"fat3456", 6, 6, 1728},
		{"fat3456", 7, 5, 1728},
		{"fat3456", 9, 3, 1728},
		{"fat3456", 11, 1, 1728},
		{"fat3456", 12, 12, 3456},
		{"racks648", 12, 12, 324},
		{"racks648", 22, 1, 321},
		{"racks648", 24, 24, 648},
		{"juropa", 12, 12, 2592},
		{"juropa", 23, 1, 2592},
		{"juropa", 24, 24, 5184},
	} {
		expr := fmt.Sprintf("%s|hosts(even=%d,odd=%d)", c.system, c.even, c.odd)
		f := parse(t, expr)
		if got := counted(f).hosts; got != c.total {
			t.Errorf("%s: %d hosts, want %d", expr, got, c.total)
		}
		for i, unit := range linkedUnits(f, Levels(f)) {
			want := c.even
			if i%2 == 1 {
				want = c.odd
			}
			got := 0
			for _, leaf := range unit {
				got += len(nodes.HostPorts(f, leaf))
			}
			if got != want {
				t.Errorf("%s: unit %d has %d hosts, want %d", expr, i, got, want)
			}
		}
	}
	// Down and up again is the fabric as it was, but for which hosts are new.
	a, b := parse(t, "fat648"), parse(t, "fat648|hosts(even=5,odd=0)|hosts(even=18,odd=18)")
	if counted(a) != counted(b) {
		t.Errorf("%+v, want %+v", counted(b), counted(a))
	}
}

// TestDistributionOfServers: pods of rails and leaves of several planes are units. Servers keep
// their ports, and new ones have the same.
func TestDistributionOfServers(t *testing.T) {
	for _, c := range []struct {
		expr   string
		leaves int // of a unit, on which each of its servers has a port
		want   []int
	}{
		{"rail(4,6,3,spines=2)|hosts(even=6,odd=2)", 4, []int{6, 2, 6}},
		{"rail(4,6,3,spines=2,hosts=4)|hosts(even=3,odd=5)", 4, []int{3, 5, 3}},
		{"rail(2,3,4,spines=2,groups=2,cores=1)|hosts(1,3)", 2, []int{1, 3, 1, 3}},
		{"rlft(4,2)|planes(3)|hosts(1,2)", 3, []int{1, 2, 1, 2}},
		{"rlft(4,2,hosts=4)|planes(3)|hosts(2,1)", 3, []int{2, 1, 2, 1}},
		{"racks216|ports(2)|hosts(5,12)", 2, []int{5, 12, 5, 12, 5, 12, 5, 12, 5}},
	} {
		f := parse(t, c.expr)
		first := func(leaves string) (n int) {
			_, _ = fmt.Sscanf(leaves, "[%d", &n)
			return n
		}
		on := map[string]int{} // servers by their leaves
		var order []string
		for _, v := range f.Servers().List {
			h := fabric.NodeID(v.Adapters[0])
			leaves := leavesOf(f, h)
			if len(leaves) != c.leaves || f.Nodes[h].NumPorts() != c.leaves {
				t.Errorf("%s: %s is on %d leaves with %d ports", c.expr, v.Name, len(leaves), f.Nodes[h].NumPorts())
			}
			key := fmt.Sprint(leaves)
			if on[key]++; on[key] == 1 {
				order = append(order, key)
			}
		}
		slices.SortFunc(order, func(a, b string) int { return first(a) - first(b) })
		var got []int
		for _, key := range order {
			got = append(got, on[key])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v servers, want %v", c.expr, got, c.want)
		}
	}
	// Fewer and as many again is the fabric as it was, but for which servers are new.
	a, b := parse(t, "rail(4,6,3)"), parse(t, "rail(4,6,3)|hosts(2,1)|hosts(6,6)")
	if x, y := a.Compile(), b.Compile(); counted(a) != counted(b) || !slices.Equal(x.To, y.To) || !slices.Equal(x.ToPort, y.ToPort) {
		t.Errorf("%+v, want %+v", counted(b), counted(a))
	}
}

// TestPorts: Paper VI's 2-stage and 3-stage trees. Every host has two ports on
// different leaves, in racks the two of a pair; no cable is gained or lost.
func TestPorts(t *testing.T) {
	for expr, hosts := range map[string]int{"fat648": 324, "racks648": 324, "odin": 64, "mport(8,3)": 64, "torus(4x4)": 8, "racks648|hosts(even=24,odd=12)": 246} {
		f := parse(t, expr+"|ports(2)")
		before, after := counted(parse(t, expr)), counted(f)
		if before.hosts != 2*hosts {
			t.Fatalf("%s: %d hosts before", expr, before.hosts)
		}
		before.hosts = hosts
		if after != before {
			t.Errorf("%s: got %+v, want %+v", expr, after, before)
		}
		g := f.Compile()
		if g.NumHosts != 2*hosts {
			t.Errorf("%s: %d host ports", expr, g.NumHosts)
		}
		for e := 0; e < g.NumHosts; e += 2 {
			x, y := g.EndSwitch[e], g.EndSwitch[e+1]
			if g.EndNode[e] != g.EndNode[e+1] || x == y || g.EndGUID[e] == g.EndGUID[e+1] {
				t.Fatalf("%s: host ports %d and %d: nodes %d %d, switches %d %d", expr, e, e+1, g.EndNode[e], g.EndNode[e+1], x, y)
			}
			if strings.HasPrefix(expr, "racks") && x/2 != y/2 {
				t.Fatalf("%s: host %d is on %s and %s", expr, e/2, g.SwitchDesc[x], g.SwitchDesc[y])
			}
		}
	}
}

// TestPortsUsesFreePort: a two-port adapter with one cable keeps its own port 2.
func TestPortsUsesFreePort(t *testing.T) {
	f := fabric.New("two leaves")
	for s := range 2 {
		id, _ := f.AddNode(fabric.Switch, fabric.GUID(10+s), 4, fmt.Sprint("leaf ", s))
		h, _ := f.AddNode(fabric.CA, fabric.GUID(100*(s+1)), 2, fmt.Sprint("ca ", s))
		f.Nodes[h].Ports[1].GUID, f.Nodes[h].Ports[2].GUID = fabric.GUID(100*(s+1)+1), fabric.GUID(100*(s+1)+2)
		if _, err := f.Connect(fabric.End{Node: h, Port: 1}, fabric.End{Node: id, Port: 3}, 4, fabric.HDR); err != nil {
			t.Fatal(err)
		}
	}
	f.Links[1].Down = true
	g, err := Apply(f, "ports(2)")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 3 || g.Nodes[1].NumPorts() != 2 || g.Nodes[1].Ports[2].GUID != 102 {
		t.Fatalf("%+v", g.Nodes)
	}
	if l := g.Links[g.Nodes[1].Ports[2].Link]; !l.Down || l.Speed != fabric.HDR {
		t.Errorf("the second cable is %+v", l)
	}
}

// Levels count down again beyond the roots, to 0 and no further.
func TestLevelsFarFromHosts(t *testing.T) {
	f := parse(t, "mesh(8,hosts=1)|without(hosts=1,3-7)")
	if got, want := Levels(f)[:8], []int32{0, 1, 0, 1, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

// twoAdapters builds n servers with an adapter on each of two leaves, and one of unknown name.
func twoAdapters(t *testing.T, n int) *fabric.Fabric {
	f := fabric.New("two adapters")
	for s := range 2 {
		leaf, _ := f.AddNode(fabric.Switch, fabric.GUID(1+s), 8, fmt.Sprint("leaf ", s))
		for i := range n {
			h, _ := f.AddNode(fabric.CA, fabric.GUID(1000*(i+1)+100*s), 1, fmt.Sprintf("n%d HCA-%d", i, s+1))
			f.Nodes[h].Ports[1].GUID = f.Nodes[h].GUID + 1
			if _, err := f.Connect(fabric.End{Node: h, Port: 1}, fabric.End{Node: leaf, Port: uint8(i + 1)}, 4, fabric.HDR); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// TestServersOfSeveralAdapters: a server fails and goes with all its adapters, a host is one.
func TestServersOfSeveralAdapters(t *testing.T) {
	f := twoAdapters(t, 4)
	for suffix, want := range map[string][]string{
		"fail(host=n1 HCA-2)":       {"n1 HCA-2"},
		"fail(server=n1)":           {"n1 HCA-1", "n1 HCA-2"},
		"fail(server=n1 HCA-2)":     {"n1 HCA-1", "n1 HCA-2"},
		"fail(server=n0,server=n3)": {"n0 HCA-1", "n0 HCA-2", "n3 HCA-1", "n3 HCA-2"},
		"without(servers=2)":        {"n2 HCA-1", "n2 HCA-2"},
		"without(servers=0-1,n3)":   {"n0 HCA-1", "n0 HCA-2", "n1 HCA-1", "n1 HCA-2", "n3 HCA-1", "n3 HCA-2"},
		"without(hosts=2)":          {"n1 HCA-1"}, // by GUID: n0 has two adapters
		"fail(servers=4)":           {"n0 HCA-1", "n0 HCA-2", "n1 HCA-1", "n1 HCA-2", "n2 HCA-1", "n2 HCA-2", "n3 HCA-1", "n3 HCA-2"},
	} {
		g, err := Apply(f, suffix)
		if err != nil {
			t.Fatal(err)
		}
		var gone []string
		for i := range f.Nodes {
			if id, ok := g.NodeByGUID(f.Nodes[i].GUID); !ok || g.Nodes[id].Down {
				gone = append(gone, f.Nodes[i].Desc)
			}
		}
		slices.Sort(gone)
		if !slices.Equal(gone, want) {
			t.Errorf("%s: %q are gone, want %q", suffix, gone, want)
		}
	}
	// Random servers: whole ones, by seed, of those that are up.
	down := map[string]bool{}
	for seed := range 20 {
		g, err := Apply(f, fmt.Sprintf("fail(servers=1,seed=%d)", seed))
		if err != nil {
			t.Fatal(err)
		}
		if h, err := Apply(g, "fail(servers=3)"); err != nil || slices.ContainsFunc(h.Nodes, func(n fabric.Node) bool { return n.Type == fabric.CA && !n.Down }) {
			t.Errorf("seed %d: the other three cannot fail: %v", seed, err)
		}
		for _, v := range g.Servers().List {
			a, b := g.Nodes[v.Adapters[0]].Down, g.Nodes[v.Adapters[1]].Down
			if a != b {
				t.Errorf("seed %d: half of %s is down", seed, v.Name)
			}
			down[v.Name] = down[v.Name] || a
		}
	}
	if len(down) != 4 || !down["n0"] || !down["n1"] || !down["n2"] || !down["n3"] {
		t.Errorf("20 seeds take down only %v", down)
	}
}
