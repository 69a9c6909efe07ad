package lash

import (
	"testing"

	"weft/fabric/gen"
	"weft/route/engine/conformance"
	"weft/route/recipe"
)

// TestLean: paths that begin with a port of their own are spread wider than those that meet.
func TestLean(t *testing.T) {
	f, err := gen.Parse("rlft(8,3)")
	if err != nil {
		t.Fatal(err)
	}
	g, most := f.Compile(), map[string]int{}
	for _, lean := range []string{"false", "true"} {
		plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Options: map[string]string{"lean": lean}, Workers: 2}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		most[lean] = conformance.MeasureLoad(g, plan).Max
	}
	if 3*most["false"] > 2*most["true"] {
		t.Errorf("the most loaded channel has %d paths, %d where paths meet", most["false"], most["true"])
	}
}
