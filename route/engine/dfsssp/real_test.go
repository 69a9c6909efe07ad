package dfsssp

import (
	"testing"

	"weft/examples"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route/recipe"
)

// TestRealDumps: lanes on dumps of real clusters are not more than those that OpenSM 3.3.23
// takes, though ours are for answers on the SL of the request too.
func TestRealDumps(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	for _, want := range []struct {
		name  string
		data  []byte // nil: a dump that is no part of the project
		lanes int    // of OpenSM
	}{
		{"janus/ibnetdiscover-2014-02-12.txt", nil, 4},
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", nil, 2},
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
			if r.DeadlockFree != check.Yes || r.HostPairs.NonMinimal > 0 || !plan.Service.ReplySameSL {
				t.Errorf("deadlock-free %v, host pairs not minimal %d, replies on the SL of the request %v",
					r.DeadlockFree, r.HostPairs.NonMinimal, plan.Service.ReplySameSL)
			}
			t.Logf("%d lanes, OpenSM %d", plan.VLs, want.lanes)
			if plan.VLs > want.lanes {
				t.Errorf("%d lanes, want at most %d", plan.VLs, want.lanes)
			}
		})
	}
}
