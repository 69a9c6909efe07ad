package updn_test

import (
	"context"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/engine/updn"
	"weft/route/recipe"
)

// prove routes a fabric by both engines and has the Plans judged.
func prove(t *testing.T, f *fabric.Fabric) {
	t.Helper()
	g := f.Compile()
	for _, spec := range []*route.Spec{minhop.Spec(), updn.Spec()} {
		p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 2}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		r, err := quality.Judge(context.Background(), g, p, check.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-7s deadlock-free %v, hosts: %d of %d pairs not minimal, %.2f hops; load max %d, mean %.0f", spec.Name,
			r.AnyDLID.DeadlockFree, r.HostPairs.NonMinimal, r.HostPairs.Pairs, r.Hops.Avg, r.Load.Max, r.Load.Avg)
		if r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 {
			t.Errorf("%s: %d unreachable, %d loops, faults %+v", spec.Name, r.Unreachable, r.Loops, r.Faults)
		}
		if spec.Name == "minhop" && !r.Minimal {
			t.Errorf("minhop: %d pairs not minimal", r.NonMinimal)
		}
		if spec.Name == "updn" && (r.AnyDLID.DeadlockFree != check.Yes || r.Assigned.DeadlockFree != check.Yes) {
			t.Errorf("updn: cycle %+v", r.Cycle)
		}
	}
}

func TestRealDumps(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte // nil: a dump that is no part of the project
	}{
		{"janus/ibnetdiscover-2014-02-12.txt", nil},
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", nil},
		{"sx6036", examples.SX6036},
		{"psmn-x5", examples.PSMNX5},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.data
			if data == nil {
				data = dumps.Read(t, c.name)
			}
			f, _, err := netfile.Read(c.name, data, netfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			prove(t, f)
		})
	}
}

func TestNamedSystems(t *testing.T) {
	for _, name := range []string{"fat648", "racks648", "odin", "chic", "deimos", "deimos-chain15", "deimos-chain30", "tsubame", "now-c", "now-ca"} {
		t.Run(name, func(t *testing.T) {
			f, err := gen.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			prove(t, f)
		})
	}
}
