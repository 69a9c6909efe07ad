package paths_test

import (
	"reflect"
	"testing"

	"weft/route/engine/updn"
	"weft/route/paths"
	"weft/route/recipe"
)

// TestFromPlanOnAnyCores: the paths of a Plan are the same on any number of workers.
func TestFromPlanOnAnyCores(t *testing.T) {
	g := graph(t, "torus(4x4,hosts=1)")
	plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: updn.Spec(), Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	read := func(workers int) *paths.Set {
		set, err := paths.FromPlan(t.Context(), g, plan, g.NumHosts, workers)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	if one := read(1); one.NumPaths() != 16*15 || !reflect.DeepEqual(one, read(3)) {
		t.Errorf("%d paths by one worker, others by three", one.NumPaths())
	}
}
