package partition

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
	"weft/route/recipe"
)

// tables routes a formula.
func tables(t *testing.T, formula string, spec *route.Spec) (*route.Input, *route.Tables) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return &route.Input{Graph: g, Ends: plan.Ends, MaxVLs: 8, Workers: 1}, plan.Tables
}

// path lists the channels from one end port to another.
func path(g *fabric.Graph, tables *route.Tables, src, dst int32, ends *route.Ends) []int32 {
	var channels []int32
	for s := g.EndSwitch[src]; ; {
		c, _ := g.At(s, tables.Port(s, ends.Base[dst]))
		if c < 0 {
			return channels
		}
		channels = append(channels, c)
		s = g.To[c]
	}
}

// layerings are what route/lanes needs for the same paths, by name.
func layerings(t *testing.T, in *route.Input, tables *route.Tables) map[string]int {
	t.Helper()
	need := map[string]int{}
	note := func(name string, r *lanes.Lanes, err error) {
		if err != nil {
			t.Fatal(err)
		}
		need[name] = r.Need
	}
	for _, refill := range []bool{false, true} {
		r, err := offline.Layer(t.Context(), lanes.ByEnd(in, tables), offline.Options{Heuristic: offline.Weakest, Refill: refill, Most: lanes.MaxLanes})
		note(fmt.Sprintf("weakest, refill %v", refill), r, err)
	}
	r, err := lanes.Online(t.Context(), lanes.ByEnd(in, tables), lanes.MaxLanes)
	note("online", r, err)
	return need
}

// TestLanesOfFabrics: the minimum for the pairs that route/lanes layers, both ways
// together, is at most what its heuristics need, and at least that of single paths.
func TestLanesOfFabrics(t *testing.T) {
	const limit = 2000
	several, exact := 0, 0
	for _, formula := range []string{
		"torus(4,hosts=1)", "torus(5,hosts=1)", "torus(7,hosts=1)", "torus(3x3,hosts=1)", "torus(4x4,hosts=1)", "torus(5x3,hosts=1)",
		"kautz(2,2,hosts=6)", "kautz(2,3,hosts=12)",
		"random(switches=9,hosts=1,links=14,seed=1)", "random(switches=12,hosts=1,links=18,seed=2)", "random(switches=12,hosts=1,links=24,seed=3)",
		"regular(switches=12,degree=4,hosts=1,seed=4)", "torus(3x3,hosts=1)|fail(links=3,seed=5)", "rlft(4,2)",
	} {
		for _, spec := range []*route.Spec{minhop.Spec(), sssp.Spec()} {
			in, tables := tables(t, formula, spec)
			g := in.Graph
			var single, pairs [][][]int32
			for a := range int32(g.NumEnds) {
				for b := range a {
					if g.EndSwitch[a] != g.EndSwitch[b] {
						there, back := path(g, tables, a, b, &in.Ends), path(g, tables, b, a, &in.Ends)
						pairs = append(pairs, [][]int32{there, back})
						single = append(single, [][]int32{there}, [][]int32{back})
					}
				}
			}
			minimum := func(items [][][]int32) *Result {
				p, err := Together(items)
				if err != nil {
					t.Fatal(err)
				}
				r := p.Minimum(limit)
				verify(t, items, r)
				if b := p.Bound(); b > r.Lower {
					t.Errorf("bound %d, but at least %d", b, r.Lower)
				}
				return r
			}
			one, both := minimum(single), minimum(pairs)
			if one.Lower > both.Upper {
				t.Errorf("%s: single paths need %d classes, pairs of them %d", formula, one.Lower, both.Upper)
			}
			need := layerings(t, in, tables)
			for name, n := range need {
				if n < both.Lower || both.Exact() && n < both.Upper {
					t.Errorf("%s: %s needs %d lanes, and the minimum is %d to %d", formula, name, n, both.Lower, both.Upper)
				}
			}
			if both.Lower > 1 {
				several++
			}
			if both.Exact() {
				exact++
			}
			t.Logf("%-45s %-7s %4d pairs: %d to %d, single %d to %d; %v", formula, spec.Name, len(pairs), both.Lower, both.Upper, one.Lower, one.Upper, need)
		}
	}
	if several < 10 || exact < 10 {
		t.Errorf("%d fabrics need several lanes and %d are solved: too few to say anything", several, exact)
	}
}
