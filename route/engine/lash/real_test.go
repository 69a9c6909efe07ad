package lash

import (
	"testing"

	"weft/examples"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route/recipe"
)

// TestRealDumps: on dumps of real clusters no more lanes than OpenSM 3.3.23 takes (janus: one
// less), answers and the traffic of switches included.
func TestRealDumps(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	for _, want := range []struct {
		name  string
		data  []byte // nil: a dump that is no part of the project
		lanes int    // at most
	}{
		{"janus/ibnetdiscover-2014-02-12.txt", nil, 5},
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", nil, 1},
		{"ndr-sequoia/ibdiagnet2.ibnetdiscover", nil, 1},
		{"sx6036", examples.SX6036, 1},
		{"psmn-x5", examples.PSMNX5, 1},
		{"trinityx", examples.Trinityx, 1},
	} {
		t.Run(want.name, func(t *testing.T) {
			data := want.data
			if data == nil {
				data = dumps.Read(t, want.name)
			}
			f, _, err := netfile.Read(want.name, data, netfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			g := f.Compile()
			plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Workers: 2}, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if r.DeadlockFree != check.Yes || !r.Minimal {
				t.Errorf("deadlock-free %v, minimal %v", r.DeadlockFree, r.Minimal)
			}
			t.Logf("%d lanes", plan.VLs)
			if plan.VLs > want.lanes {
				t.Errorf("%d lanes, want at most %d", plan.VLs, want.lanes)
			}
		})
	}
}
