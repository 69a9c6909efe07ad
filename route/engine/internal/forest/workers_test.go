package forest_test

import (
	"reflect"
	"testing"

	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/recipe"
)

// TestManySwitches: where many switches are equally far from a target, several workers choose their
// hops, and the tables are those of one worker.
func TestManySwitches(t *testing.T) {
	f, err := gen.Parse("fullmesh(200,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	tables := func(workers int) *route.Tables {
		plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: minhop.Spec(), Workers: workers}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Tables
	}
	if !reflect.DeepEqual(tables(1), tables(3)) {
		t.Error("three workers make other tables than one")
	}
}
