package lash

import (
	"os"
	"path/filepath"
	"testing"

	"weft/fabric/netfile"
	"weft/route/check"
	"weft/route/quality"
	"weft/route/recipe"
)

// TestReal: on dumps of real clusters no more lanes than OpenSM 3.3.23 takes (janus: one less), answers
// and the traffic of switches included.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	const dumps = "../../../../shared/data/real"
	if _, err := os.Stat(dumps); os.IsNotExist(err) {
		t.Skipf("%s is not here: the dumps of real clusters are kept outside the project", dumps)
	}
	for _, want := range []struct {
		file  string
		lanes int
	}{
		{"janus/ibnetdiscover-2014-02-12.txt", 5},
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", 1},
		{"ndr-sequoia/ibdiagnet2.ibnetdiscover", 1},
		{"sx6036-loginov/ibnetdiscover-2014-10-05.txt", 1},
		{"psmn-x5/X5.topofile", 1},
		{"trinityx-lab/ibnetdiscover-2023-12-18.txt", 1},
	} {
		data, err := os.ReadFile(filepath.Join(dumps, want.file))
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := netfile.Read(want.file, data, netfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Workers: 2}, func(string) {})
		if err != nil {
			t.Errorf("%s: %v", want.file, err)
			continue
		}
		r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 2})
		if err != nil || r.DeadlockFree != check.Yes || !r.Minimal {
			t.Errorf("%s: %v, deadlock-free %v", want.file, err, r.DeadlockFree)
		}
		t.Logf("%s: %d lanes", want.file, plan.VLs)
		if plan.VLs > want.lanes {
			t.Errorf("%s: %d lanes, OpenSM takes %d", want.file, plan.VLs, want.lanes)
		}
	}
}
