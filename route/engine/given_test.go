package engine_test

import (
	"testing"

	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route/engine"
	"weft/route/paths"
	"weft/route/recipe"
)

// TestPathsOfEngines: ENGINE+NAMES has the paths of the engine between hosts, on its lanes, and is
// proven where it is.
func TestPathsOfEngines(t *testing.T) {
	for _, c := range []struct{ engine, formula string }{
		{"updn", "irregular(switches=12,degree=4,hosts=30,seed=2)"},
		{"nue", "irregular(switches=12,degree=4,hosts=30,seed=2)"},
		{"lash", "torus(4x4,hosts=2)"},
		{"dfsssp", "torus(4x4,hosts=2)"},
		{"ftree", "rlft(4,2)"},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		run := func(name string) (set *paths.Set, vls int) {
			spec, err := engine.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, Workers: 1, Seed: 1}, func(string) {})
			if err != nil {
				t.Fatal(name, err)
			}
			report, err := check.Judge(t.Context(), g, p, check.Options{})
			if err != nil || !report.OK {
				t.Errorf("%s on %s: not proven: %v", name, c.formula, err)
			}
			if set, err = paths.FromPlan(t.Context(), g, p, g.NumHosts, 1); err != nil {
				t.Fatal(name, err)
			}
			return set, p.VLs
		}
		want, lanes := run(c.engine)
		got, same := run(c.engine + "+color-l")
		if got.NumPaths() != want.NumPaths() || got.MaxLoad() != want.MaxLoad() || lanes != same {
			t.Errorf("%s on %s: %d paths, load %g, %d lanes; want %d, %g, %d", c.engine, c.formula, got.NumPaths(), got.MaxLoad(), same, want.NumPaths(), want.MaxLoad(), lanes)
		}
	}
	for name, want := range map[string]bool{"updn+color-l": true, "updn+nothing": false, "nothing+color-l": false, "dor+greedy": true, "given+greedy": true} {
		if _, err := engine.Find(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
