package partition

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
	"weft/route/lids"
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
	return walkTo(g, tables, g.EndSwitch[src], ends.Base[dst])
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
			solve := func(items [][][]int32) *Result {
				p, err := together(items)
				if err != nil {
					t.Fatal(err)
				}
				r := minimum(t, p, limit)
				verify(t, items, r)
				if b := p.Bound(); b > r.Lower {
					t.Errorf("bound %d, but at least %d", b, r.Lower)
				}
				return r
			}
			one, both := solve(single), solve(pairs)
			for oneWay, want := range map[bool]*Result{false: both, true: one} {
				p, _, err := Of(t.Context(), lanes.ByEnd(in, tables), oneWay)
				if err != nil {
					t.Fatal(err)
				}
				if r := minimum(t, p, limit); r.Lower > want.Upper || r.Upper < want.Lower || r.Exact() && want.Exact() && r.Lower != want.Lower {
					t.Errorf("%s, one way %v: %d to %d classes, by walks %d to %d", formula, oneWay, r.Lower, r.Upper, want.Lower, want.Upper)
				}
			}
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

// TestOf: the problem of drawn tables is that of all their walks, with and without switches as
// ends.
func TestOf(t *testing.T) {
	cyclic := 0
	draws.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: minhop.Spec(), Workers: 1, Names: lids.Options{LMC: rapid.Uint8Range(0, 1).Draw(t, "LMC")}}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		in := &route.Input{Graph: g, Ends: plan.Ends, MaxVLs: 8, Workers: 1}
		paths, ends := lanes.ByEnd(in, plan.Tables), int32(g.NumEnds)
		if rapid.Bool().Draw(t, "hosts only") {
			paths, ends = paths.WithoutSwitches(), int32(g.NumEnds-g.NumSwitches)
		}
		oneWay := rapid.Bool().Draw(t, "one way")
		p, size, err := Of(context.Background(), paths, oneWay)
		var items [][][]int32
		for a := range ends {
			for b := range ends {
				if g.EndSwitch[a] == g.EndSwitch[b] || !oneWay && b < a {
					continue
				}
				var item [][]int32
				walk := func(src, dst int32) {
					for k := range in.Ends.Count(dst) {
						item = append(item, walkTo(g, plan.Tables, g.EndSwitch[src], in.Ends.Base[dst]+fabric.LID(k)))
					}
				}
				if walk(a, b); !oneWay {
					walk(b, a)
				}
				items = append(items, item)
			}
		}
		dumb, dumbErr := together(items)
		if (err == nil) != (dumbErr == nil) {
			t.Fatalf("%v, by walks %v", err, dumbErr)
		}
		if err != nil {
			return
		}
		if !oneWay && size.Items != len(items) {
			t.Fatalf("%d pairs, want %d", size.Items, len(items))
		}
		const steps = 300
		r, want := minimum(t, p, steps), minimum(t, dumb, steps)
		if r.Lower > want.Upper || r.Upper < want.Lower || r.Exact() && want.Exact() && r.Lower != want.Lower || len(p.core) != len(dumb.core) {
			t.Fatalf("%d items, %d to %d classes; by walks %d items, %d to %d", len(p.core), r.Lower, r.Upper, len(dumb.core), want.Lower, want.Upper)
		}
		few, err := p.Minimum(context.Background(), Limits{Conflicts: rapid.IntRange(0, 30).Draw(t, "conflicts"), Cycles: rapid.IntRange(1, 4).Draw(t, "cycles"), Steps: 3})
		if err != nil || few.Lower > want.Upper || few.Upper > 0 && few.Upper < want.Lower {
			t.Fatalf("with few counts %+v, %v, by walks %d to %d", few, err, want.Lower, want.Upper)
		}
		if want.Lower > 1 {
			cyclic++
		}
	}, func() string {
		if cyclic == 0 {
			return "no drawn tables need several lanes"
		}
		return ""
	})
}

// walkTo lists the channels from a switch to a LID.
func walkTo(g *fabric.Graph, tables *route.Tables, s int32, lid fabric.LID) []int32 {
	var channels []int32
	for {
		c, _ := g.At(s, tables.Port(s, lid))
		if c < 0 {
			return channels
		}
		channels = append(channels, c)
		s = g.To[c]
	}
}
