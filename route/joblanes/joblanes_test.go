package joblanes_test

import (
	"context"
	"errors"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
)

func parsed(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// routed routes a fabric by an engine with so many VLs; nil if it refuses.
func routed(t testing.TB, g *fabric.Graph, name string, vls int) *route.Plan {
	t.Helper()
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, MaxVLs: vls, Workers: 1}, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
