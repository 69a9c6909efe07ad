package names

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/lids"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
	"weft/route/paths"
)

func graph(t tb, formula string) *fabric.Graph {
	t.Helper()
	return must(gen.Parse(formula))(t).Compile()
}

// compute runs a path computation.
func compute(t tb, g *fabric.Graph, algorithm string, seed uint64) *paths.Set {
	t.Helper()
	a := must(paths.Find(algorithm))(t)
	return must(a.Compute(context.Background(), &paths.Input{Graph: g, Seed: seed, Workers: 2, Root: -1}))(t)
}

// nameOf gives fresh LIDs.
func nameOf(a *Assignment) (route.Ends, error) {
	return lids.AssignEach(a.Set.Graph(), a.LMC(), &route.Held{})
}

func assign(t tb, set *paths.Set, name string) *Assignment {
	t.Helper()
	return must(Assign(context.Background(), set, scheme(t, name), Options{Workers: 2, Solve: never}))(t)
}

// realise makes the Plan of an assignment.
func realise(t tb, a *Assignment, ends route.Ends) (*route.Plan, int) {
	t.Helper()
	plan, missing, err := a.Realise(context.Background(), ends)
	if err != nil {
		t.Fatal(err)
	}
	return plan, missing
}

// realised lets the judge prove that a Plan does what its paths say.
func realised(t tb, a *Assignment, ends route.Ends, acyclic bool) *quality.Report {
	t.Helper()
	g := a.Set.Graph()
	plan, missing := realise(t, a, ends)
	plan.Intended = a.Intended(ends)
	r := must(quality.Judge(context.Background(), g, plan, check.Options{Workers: 2}))(t)
	if missing != 0 || acyclic && !r.OK || r.DifferingPaths != 0 || r.Unreachable != 0 {
		t.Fatal(fmt.Sprintf("missing %d, ok %v, %d of %d intended paths differ: %v", missing, r.OK, r.DifferingPaths, r.IntendedPaths, r.Faults))
	}
	if r.IntendedPaths != int64(distinct(a.Set)) {
		t.Fatal(fmt.Sprintf("%d paths were compared, there are %d", r.IntendedPaths, distinct(a.Set)))
	}
	return r
}

// distinct counts the paths, equal ones of a pair as one.
func distinct(set *paths.Set) int {
	met := map[string]bool{}
	for dst := range int32(set.Graph().NumEnds) {
		first, last := set.To(dst)
		for p := first; p < last; p++ {
			met[fmt.Sprintf("%d %d %v", dst, set.Source(p), set.Ports(p))] = true
		}
	}
	return len(met)
}

// TestRealised: what the switches are told is what was computed, link by link, for
// every scheme, on random networks; and the whole Plan is proven.
func TestRealised(t *testing.T) {
	for _, formula := range []string{
		"irregular(switches=8,hosts=30,degree=4,seed=1)", "regular(switches=8,degree=3,hosts=2,seed=2)", "torus(4x3,hosts=2)", "renaming-fig1",
	} {
		g := graph(t, formula)
		for _, algorithm := range []string{"updn-shortest", "shortest-widest"} {
			set := compute(t, g, algorithm, 1)
			for _, s := range Schemes() {
				a := assign(t, set, s.Name)
				ends := must(nameOf(a))(t)
				if err := ends.Validate(g); err != nil {
					t.Fatal(err)
				}
				realised(t, a, ends, true)
			}
		}
	}
}

// drawSet draws loopless paths at random, several a pair and some twice: nothing
// keeps them from deadlock.
func drawSet(t *rapid.T, g *fabric.Graph) *paths.Set {
	return randomSet(t, g, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 60).Draw(t, "paths"))
}

// randomSet walks at random from host to host so many times, and takes the ways that arrive.
func randomSet(t tb, g *fabric.Graph, seed uint64, walks int) *paths.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := paths.NewBuilder(g)
	for range walks {
		src, dst := rng.Int32N(int32(g.NumHosts)), rng.Int32N(int32(g.NumHosts))
		if src == dst {
			continue
		}
		var way []int32
		met := make([]bool, g.NumSwitches)
		at := g.EndSwitch[src]
		for at != g.EndSwitch[dst] && !met[at] {
			met[at] = true
			out := g.OutOf(at)
			c := out[rng.IntN(len(out))]
			way, at = append(way, c), g.To[c]
		}
		if at == g.EndSwitch[dst] && !met[at] {
			for range 1 + rng.IntN(2) {
				b.Add(src, dst, way)
			}
		}
	}
	return must(b.Build())(t)
}

// TestRealisedMultipath: the same for paths without any order, several a pair.
func TestRealisedMultipath(t *testing.T) {
	g := graph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t, g)
		for _, name := range []string{"greedy", "split-merge-l", "color-l", "exact"} {
			a := assign(t, set, name)
			ends := must(nameOf(a))(t)
			plan, _ := realise(t, a, ends)
			plan.Intended = a.Intended(ends)
			r := must(quality.Judge(context.Background(), g, plan, check.Options{Workers: 1}))(t)
			if r.DifferingPaths != 0 || r.IntendedPaths != int64(distinct(set)) {
				t.Fatal(name, r.DifferingPaths, r.IntendedPaths, distinct(set))
			}
		}
	})
}

// TestTable3 is the example of paper 002: the paths of section 2.1 with the one
// from n5 to n8 first give the forwarding tables of Table 3.
func TestTable3(t *testing.T) {
	g := graph(t, "renaming-fig1")
	sw, channel := map[string]int32{}, map[string]int32{}
	for s, name := range g.SwitchDesc {
		sw[name] = int32(s)
	}
	host := func(name string) int32 { return g.HostsOf(sw[name])[0] }
	ends := map[string][2]string{
		"c1": {"n0", "n1"}, "c2": {"n0", "n2"}, "c4": {"n1", "n4"}, "c5": {"n2", "n5"}, "c6": {"n2", "n8"},
		"c9": {"n4", "n5"}, "c10": {"n7", "n8"}, "c11": {"n6", "n7"}, "c12": {"n5", "n6"},
	}
	for c := range int32(g.NumChannels) {
		for name, e := range ends {
			if g.From[c] == sw[e[0]] && g.To[c] == sw[e[1]] {
				channel[name] = c
			}
		}
	}
	b := paths.NewBuilder(g)
	routes := table(t, "testdata/ren_example_routes.tsv")
	slices.SortStableFunc(routes, func(x, y map[string]string) int { return strings.Compare(y["from"], x["from"]) })
	for _, row := range routes { // the one from n5 first
		if row["legal_up_down"] != "yes" {
			continue
		}
		var way []int32
		at := sw[row["from"]]
		for name := range strings.FieldsSeq(row["channels"]) {
			c := channel[name]
			if g.From[c] != at {
				c ^= 1
			}
			way, at = append(way, c), g.To[c]
		}
		b.Add(host(row["from"]), host(row["to"]), way)
	}
	set := must(b.Build())(t)
	a := assign(t, set, "renaming")
	names := must(nameOf(a))(t)
	plan, _ := realise(t, a, names)
	rows := 0
	for _, row := range table(t, "testdata/ren_table1_table3_forwarding.tsv") {
		name, rename, _ := strings.Cut(row["destination_after"], ".")
		lid := names.Base[host(name)]
		if rename == "1" {
			lid++
		}
		s := sw[row["switch"]]
		port := plan.Tables.Port(s, lid)
		got := "local"
		if c, _ := g.At(s, port); c >= 0 {
			for n, k := range channel {
				if k == c || k == c^1 {
					got = n
				}
			}
		} else if port != g.EndPort[host(name)] || g.EndSwitch[host(name)] != s {
			got = fmt.Sprint("port ", port)
		}
		if got != row["output_channel"] {
			t.Errorf("%s, %s: %s, want %s", row["switch"], row["destination_after"], got, row["output_channel"])
		}
		rows++
	}
	if rows != 12 {
		t.Error(rows, "rows")
	}
	if got := plan.Choice.Offsets(host("n4"), host("n8")); len(got) != 1 || got[0] != 1 {
		t.Error("H table: n4 uses", got, "for n8")
	}
	if got := plan.Choice.Offsets(host("n5"), host("n8")); got[0] != 0 {
		t.Error("H table: n5 uses", got, "for n8")
	}
	if a.Need[host("n8")].Upper != 2 || names.LMC[host("n8")] != 1 || names.LMC[host("n2")] != 0 {
		t.Error("LMC", a.Need, names.LMC)
	}
}

// TestFig2 is the example network of paper 000: two paths to m4 that split at s0, one
// of them over the second of two parallel links.
func TestFig2(t *testing.T) {
	f := fabric.New("Fig. 2")
	id := map[string]fabric.NodeID{}
	for i := range 3 {
		name := fmt.Sprint("s", i)
		id[name] = must(f.AddNode(fabric.Switch, fabric.GUID(1+i), 8, name))(t)
	}
	for i := range 5 {
		name := fmt.Sprint("m", i)
		id[name] = must(f.AddNode(fabric.CA, fabric.GUID(100+10*i), 2, name))(t)
	}
	ports := map[string]uint8{}
	connect := func(a, b string) {
		ports[a]++
		ports[b]++
		must(f.Connect(fabric.End{Node: id[a], Port: ports[a]}, fabric.End{Node: id[b], Port: ports[b]}, 4, fabric.HDR))(t)
	}
	for _, link := range []string{"s0 s1", "s0 s1", "s1 s2", "s0 s2", "m0 s0", "m1 s0", "m2 s1", "m3 s1", "m3 s2", "m4 s2"} {
		e := strings.Fields(link)
		connect(e[0], e[1])
	}
	g := f.Compile()
	out := func(s int32, port uint8) int32 { c, _ := g.At(s, port); return c }
	m4 := int32(g.NumHosts) - 1
	b := paths.NewBuilder(g)
	b.Add(0, m4, []int32{out(0, 2), out(1, 3)}) // m0 -1-> s0 -2-> s1 -1-> s2 -1-> m4
	b.Add(1, m4, []int32{out(0, 3)})            // m1 -1-> s0 -1-> s2 -1-> m4
	b.Add(2, m4, []int32{out(1, 3)})            // m2 -1-> s1 -1-> s2 -1-> m4
	a := assign(t, must(b.Build())(t), "exact")
	if a.Need[m4] != (Bounds{2, 2}) || a.Offset[0] == a.Offset[1] {
		t.Error(a.Need, a.Offset)
	}
}

// bundle is two switches with parallel links, more switches behind the second one,
// one host at the first switch and some at each other one.
func bundle(t tb, links, behind, hosts int) *fabric.Graph {
	f := fabric.New("bundle")
	var switches []fabric.NodeID
	for i := range 2 + behind {
		switches = append(switches, must(f.AddNode(fabric.Switch, fabric.GUID(1+i), 254, fmt.Sprint("switch ", i)))(t))
	}
	connect := func(a, b fabric.NodeID, p, q int) {
		must(f.Connect(fabric.End{Node: a, Port: uint8(p)}, fabric.End{Node: b, Port: uint8(q)}, 4, fabric.HDR))(t)
	}
	for p := range links {
		connect(switches[0], switches[1], p+1, p+1)
	}
	for i := range behind {
		connect(switches[1], switches[2+i], links+1+i, 1)
	}
	n := 0
	host := func(at fabric.NodeID, p int) {
		ca := must(f.AddNode(fabric.CA, fabric.GUID(1000+n), 1, fmt.Sprint("host ", n)))(t)
		connect(ca, at, 1, p)
		n++
	}
	host(switches[0], 200)
	for _, s := range switches[1:] {
		for i := range hosts {
			host(s, 150+i)
		}
	}
	return f.Compile()
}

// overBundle are paths from host 0 to all others, over each of the first n links.
func overBundle(t tb, g *fabric.Graph, n int) *paths.Set {
	b := paths.NewBuilder(g)
	for dst := int32(1); dst < int32(g.NumHosts); dst++ {
		for _, c := range g.OutOf(0)[:n] {
			way := []int32{c}
			if at := g.EndSwitch[dst]; at != 1 {
				for _, d := range g.OutOf(1) {
					if g.To[d] == at {
						way = append(way, d)
					}
				}
			}
			b.Add(0, dst, way)
		}
	}
	return must(b.Build())(t)
}

// never is a solver whose time is always over.
func never(context.Context, ilp.Programme) (colouring.Answer, []int32, error) {
	return colouring.Unknown, nil, nil
}

// A port has 128 LIDs at most: every scheme refuses paths that need 129, and names
// the port.
func TestPortExhausted(t *testing.T) {
	g := bundle(t, MaxPerPort+1, 0, 1)
	for _, n := range []int{MaxPerPort, MaxPerPort + 1} {
		for _, s := range Schemes() {
			a, err := Assign(context.Background(), overBundle(t, g, n), s, Options{Workers: 1, Solve: never})
			var refusal *PortExhausted
			if n == MaxPerPort {
				if err != nil || a.LIDs() != MaxPerPort+1 {
					t.Error(s.Name, err)
				}
			} else if !errors.As(err, &refusal) || refusal.Need != n || !strings.Contains(err.Error(), `"host 1"`) {
				t.Error(s.Name, err)
			}
		}
	}
}

// A subnet has 49,151 LIDs: every scheme refuses paths that need more, and names the
// total, also where 16 bits could not hold it.
func TestSubnetExhausted(t *testing.T) {
	racing.SkipLong(t)
	for _, row := range []struct {
		behind, hosts, need int
		schemes             []*Scheme
	}{
		{3, 95, 0, Schemes()[:1]},
		{3, 96, 384*MaxPerPort + 1 + 5, Schemes()},
		{5, 99, 6*99*MaxPerPort + 1 + 7, Schemes()[:1]},
	} {
		g := bundle(t, MaxPerPort, row.behind, row.hosts)
		set := overBundle(t, g, MaxPerPort)
		for _, s := range row.schemes {
			_, ends, err := AssignStable(context.Background(), set, s, Options{Workers: 2, Solve: never}, &route.Held{})
			var refusal *lids.Exhausted
			if row.need == 0 {
				if err != nil || ends.Validate(g) != nil || ends.Total() != 380*MaxPerPort+1+5 {
					t.Error(s.Name, err, ends.Total())
				}
			} else if !errors.As(err, &refusal) || refusal.Need != row.need || refusal.MostNeed != MaxPerPort || refusal.Kept {
				t.Error(s.Name, err)
			}
		}
	}
}
