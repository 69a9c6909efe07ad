package engine_test

import (
	"context"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route/engine"
	"weft/route/recipe"
)

// Links to hosts may have fewer VLs than those between switches, where the lanes are
// needed: the Plan uses those that are there, and stays free of deadlock.
func TestFewVLsToHosts(t *testing.T) {
	for _, c := range []struct {
		engine  string
		options map[string]string
	}{
		{"lash", nil},
		{"dfsssp", nil},
		{"dor", nil},
		{"torus", nil},
		{"nue", map[string]string{"vls": "4"}},
	} {
		for _, fabricExpr := range []string{"torus(5x5,hosts=2)", "torus(6,hosts=1)"} {
			f, err := gen.Parse(fabricExpr)
			if err != nil {
				t.Fatal(err)
			}
			for n := range f.Nodes {
				for p := range f.Nodes[n].Ports {
					f.Nodes[n].Ports[p].VLCap = 8
					if f.Nodes[n].Type == fabric.CA {
						f.Nodes[n].Ports[p].VLCap = uint8(1 + n%3)
					}
				}
			}
			spec, err := engine.Find(c.engine)
			if err != nil {
				t.Fatal(err)
			}
			g := f.Compile()
			p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Options: c.options}, func(string) {})
			if err != nil {
				t.Fatalf("%s on %s: %v", c.engine, fabricExpr, err)
			}
			r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if p.VLs < 2 || len(r.Faults) > 0 || r.AnyDLID.DeadlockFree != check.Yes {
				t.Errorf("%s on %s: %d VLs, deadlock-free %v, faults %+v", c.engine, fabricExpr, p.VLs, r.AnyDLID.DeadlockFree, r.Faults)
			}
		}
	}
}
