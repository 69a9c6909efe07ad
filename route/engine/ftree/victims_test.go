package ftree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/route"
	"weft/route/lanes/victims"
	"weft/route/recipe"
)

// victimsOn counts the victims of hot-spots on a tree with some lanes.
func victimsOn(t interface{ Fatalf(string, ...any) }, g *fabric.Graph, how string, lanes int) (total int64, x *victims.Paths, plan *route.Plan) {
	options := map[string]string{"lanes": how, "vls": fmt.Sprint(lanes)}
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: Spec(), Options: options, MaxVLs: 15, Workers: 2}, func(string) {})
	if err != nil {
		t.Fatalf("%s: %v", g.Name, err)
	}
	x = victims.NewPaths(g, plan)
	total, err = x.Count(context.Background(), 2, plan.VLs)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return total, x, plan
}

// TestVictims: whole trees of two and three levels, oversubscribed or not, have nearly the least
// possible number of victims, the lanes are the same both ways, and the judge proves the Plan.
func TestVictims(t *testing.T) {
	for _, c := range []struct {
		formula string
		lanes   int
		over    float64 // points above the bound, at most
	}{
		{"tree(18,96,ratio=2)", 2, .1},
		{"tree(18,96,ratio=2)", 4, 1},
		{"fat648|without(roots=9)", 2, .05},
		{"rlft(8,3)", 2, .1},
		{"rlft(8,3)", 4, .1},
		{"rlft(8,3)", 8, 1.1},
		{"xgft(3;4,4,3;1,2,2)", 4, 4},
		{"rlft(8,3)|fail(links=12,seed=3)", 4, .1},
		{"rlft(12,2)|fail(links=20,seed=3)", 2, 5}, // some paths go up and down twice
	} {
		if racing.Small() && c.formula != "rlft(12,2)|fail(links=20,seed=3)" {
			continue
		}
		g := graph(t, c.formula)
		n, x, plan := victimsOn(t, g, fewest, c.lanes)
		if over := x.Percent(n) - x.Percent(x.Least(c.lanes)); over > c.over {
			t.Errorf("%s, %d lanes: %.2f points above the bound", c.formula, c.lanes, over)
		}
		if note := fmt.Sprintf("a hot-spot holds up %.1f %%", x.Percent(n)); !strings.Contains(strings.Join(plan.Notes, "; "), note) {
			t.Errorf("%s: no note %q in %q", c.formula, note, plan.Notes)
		}
		if !judged(t, g, plan).OK {
			t.Errorf("%s: not proven", c.formula)
		}
		for a := range int32(g.NumHosts) {
			for b := range a {
				if there, back := plan.SL.At(a, plan.Ends.Base[b]), plan.SL.At(b, plan.Ends.Base[a]); there != back {
					t.Fatalf("%s: SL %d there, %d back", c.formula, there, back)
				}
			}
		}
	}
}

// TestVictimsDrawn: on drawn trees, oversubscribed, ragged and degraded, with any number of lanes,
// the judge proves the Plan, and hot-spots have no more victims than with vFtree, on most fewer.
func TestVictimsDrawn(t *testing.T) {
	draws := 16
	if racing.Small() {
		draws = 1
	}
	trees := []string{"rlft(8,2)", "rlft(6,3)", "mport(6,3)", "xgft(2;4,5;3,3)", "xgft(3;2,2,3;3,2,2)", "tree(10,60,ratio=2)", "karytree(3,3)"}
	rng := rand.New(rand.NewPCG(38, 1))
	fewer := 0
	for i := 0; i < draws; {
		formula := trees[rng.IntN(len(trees))]
		if n := rng.IntN(7); n > 0 {
			formula += fmt.Sprintf("|fail(links=%d,seed=%d)", n, rng.IntN(1000))
		}
		if rng.IntN(2) == 0 {
			formula += "|hosts(even=1,odd=3)"
		}
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		if _, parts := g.Components(); parts > 1 {
			continue
		}
		i++
		lanes := 2 + rng.IntN(9)
		n, _, plan := victimsOn(t, g, fewest, lanes)
		printed, _, _ := victimsOn(t, g, vftree, lanes)
		if n > printed {
			t.Errorf("%s, %d lanes: %d victims, vftree %d", formula, lanes, n, printed)
		}
		if n < printed {
			fewer++
		}
		if !judged(t, g, plan).OK {
			t.Errorf("%s: not proven", formula)
		}
	}
	if fewer < draws/2 {
		t.Errorf("fewer victims than with vFtree in %d of %d draws", fewer, draws)
	}
}
