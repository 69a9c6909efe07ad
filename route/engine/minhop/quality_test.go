package minhop

import (
	"context"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// spreadFabrics have several paths between most pairs.
var spreadFabrics = []string{
	"rlft(8,2)", "rlft(8,3)", "xgft(3;4,4,4;1,2,4)", "fat648", "odin",
	"torus(6x6,hosts=1)", "torus(4x4x4,hosts=1)", "mesh(5x5,hosts=1)", "hypercube(5,hosts=1)",
	"random(switches=24,hosts=2,links=72,seed=1)", "irregular(switches=32,degree=8,hosts=64,seed=1)",
	"dragonfly(4,2,2)", "hyperx(4x4,hosts=2)", "kautz(3,3,hosts=36)", "deimos",
}

func routed(t *testing.T, expr string, lmc uint8) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f, err := gen.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return planned(t, f, lmc)
}

func planned(t *testing.T, f *fabric.Fabric, lmc uint8) (*fabric.Graph, *route.Plan) {
	t.Helper()
	g := f.Compile()
	req := &recipe.Request{Engine: Spec(), Names: lids.Options{LMC: lmc}, Workers: 2}
	p, err := recipe.Run(context.Background(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, p
}

// TestSpread: the LIDs of one port take different paths where there are any. The path to the
// base LID is that of LMC 0: in tori and meshes, where few shortest paths share no channel
// with it, some pairs get fewer.
func TestSpread(t *testing.T) {
	for _, expr := range spreadFabrics {
		for _, lmc := range []uint8{1, 2, 3} {
			g, p := routed(t, expr, lmc)
			got := conformance.MeasureSpread(g, p, minimal(g), 300, 7)
			t.Logf("%-50s LMC %d: %d pairs, min %.2f, mean %.3f, below 0.8: %d", expr, lmc, got.Pairs, got.Min, got.Mean, got.Short)
			if got.Pairs == 0 || got.Mean < 0.94 || got.Short > got.Pairs/6 {
				t.Errorf("%s LMC %d: only %.2f of the disjoint paths on average, below 0.8 for %d of %d pairs", expr, lmc, got.Mean, got.Short, got.Pairs)
			}
		}
	}
}

// TestSpreadOnADump does the same on a real cluster.
func TestSpreadOnADump(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	f, _, err := netfile.Read("janus", dumps.Read(t, "janus/ibnetdiscover-2014-02-12.txt"), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lmc := range []uint8{1, 2, 3} {
		g, p := planned(t, f, lmc)
		got := conformance.MeasureSpread(g, p, minimal(g), 300, 7)
		t.Logf("janus LMC %d: %d pairs, min %.2f, mean %.3f, below 0.8: %d", lmc, got.Pairs, got.Min, got.Mean, got.Short)
		if got.Pairs == 0 || got.Mean < 0.95 || got.Min < 0.6 {
			t.Errorf("LMC %d: only %.2f of the disjoint paths on average, %.2f at worst", lmc, got.Mean, got.Min)
		}
	}
}

// minimal allows the channels of shortest paths.
func minimal(g *fabric.Graph) conformance.Allowed {
	search := g.NewSearch(nil)
	return func(t int32) func(int32) bool {
		search.From(t)
		hops := search.Hops
		return func(c int32) bool { return hops[g.To[c]] == hops[g.From[c]]-1 }
	}
}

// TestBalance: channels carry about the same.
func TestBalance(t *testing.T) {
	for _, want := range []struct {
		expr string
		most float64 // greatest load over the mean
	}{
		// The levels of a tree differ in their mean: 1.05 is what perfect balance gives.
		{"rlft(8,2)", 1},
		{"fat648", 1},
		{"rlft(8,3)", 1.06},
		{"rlft(12,3)", 1.04},
		{"karytree(4,3)", 1.12},
		{"odin", 1.13},
		{"xgft(3;4,4,4;1,2,4)", 1.41},
		{"rlft(8,3)|fail(links=20,seed=1)", 2.5},
		{"dragonfly(4,2,2)", 2},
		{"torus(5x5,hosts=2)", 2},
		{"torus(8x8,hosts=1)", 2},
		{"hypercube(5,hosts=1)", 2.2},
		{"random(switches=24,hosts=4,links=72,seed=1)", 2.5},
		{"kautz(3,3,hosts=36)", 2.2},
	} {
		g, p := routed(t, want.expr, 0)
		got := conformance.MeasureLoad(g, p)
		t.Logf("%-50s max %d, mean %.1f, ratio %.2f", want.expr, got.Max, got.Mean, float64(got.Max)/got.Mean)
		if float64(got.Max) > want.most*got.Mean {
			t.Errorf("%s: max %d is more than %.2f times the mean %.1f", want.expr, got.Max, want.most, got.Mean)
		}
	}
}
