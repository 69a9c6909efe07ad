package sssp

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route/recipe"
)

// TestFirstWeight is Fig. 1: on a square of switches weights that begin at one lead to detours, and
// weights that begin at |V|^2 do not.
func TestFirstWeight(t *testing.T) {
	g := square(t, 8)
	for first, minimal := range map[string]bool{"1": false, "400": true, "0": true} {
		plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Options: map[string]string{"first": first}, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 1})
		if err != nil || r.Minimal != minimal || r.Unreachable > 0 {
			t.Errorf("first=%s: %v, minimal %v, %d pairs unreachable", first, err, r.Minimal, r.Unreachable)
		}
	}
}

// TestWeighted: from each switch to each LID the sum of weights is the least by Bellman and Ford,
// and everything is reached.
func TestWeighted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		weight := make([]int64, g.NumChannels)
		for c := range weight {
			weight[c] = rapid.Int64Range(1, 9).Draw(t, "weight")
		}
		w := &weightedSearch{g: g, far: make([]int64, g.NumSwitches), out: make([]int32, g.NumSwitches), paths: make([]int64, g.NumSwitches)}
		for to := range int32(g.NumSwitches) {
			w.from(to, weight)
			far := make([]int64, g.NumSwitches)
			for s := range far {
				far[s] = -1
			}
			far[to] = 0
			for range g.NumSwitches {
				for c := range int32(g.NumChannels) {
					s, v := g.From[c], g.To[c]
					if far[v] >= 0 && (v == to || !g.Drained[v]) && (far[s] < 0 || far[v]+weight[c] < far[s]) {
						far[s] = far[v] + weight[c]
					}
				}
			}
			for s := range far {
				if far[s] != w.far[s] {
					t.Fatalf("switch %d to %d: %d, want %d", s, to, w.far[s], far[s])
				}
			}
		}
	})
}

// TestWeightedConforms: with the paper's weight the rules of engines hold.
func TestWeightedConforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: Spec(), Options: map[string]string{"first": "1000000"}, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 1})
		if err != nil || !r.Minimal || r.Unreachable > 0 || r.Loops > 0 {
			t.Fatalf("%v: %+v", err, r.Report)
		}
	})
}
