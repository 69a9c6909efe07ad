// Package studytest routes fabrics for the tests of studies.
package studytest

import (
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
)

// Routed parses a formula and routes it by a chain of engines, with seed 1.
func Routed(t *testing.T, formula, chain string) (*fabric.Graph, *planner.Result) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	r, err := planner.Route(t.Context(), g, &planner.Request{Chain: steps, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}
