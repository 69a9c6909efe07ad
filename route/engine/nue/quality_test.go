package nue

import (
	"errors"
	"reflect"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/internal/racing"
	"weft/route"
	"weft/route/engine/dfsssp"
	"weft/route/engine/ftree"
	"weft/route/engine/internal/sample"
	"weft/route/engine/updn"
	"weft/route/recipe"
	"weft/sim/flow"
	"weft/sim/traffic"
)

// ebb is the effective bisection bandwidth under an engine's tables, 0 when it refuses.
func ebb(t *testing.T, g *fabric.Graph, spec *route.Spec, options map[string]string) float64 {
	t.Helper()
	p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, Options: options, Workers: 2}, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := flow.New(t.Context(), g, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	bisect, err := traffic.Parse("bisect", len(n.Hosts))
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.Run(t.Context(), bisect, flow.Options{Runs: 300, Seed: 1, Shuffle: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r.Bandwidth.Mean
}

// delivers checks the effective bisection bandwidth on 1 and 4 lanes: nine tenths of
// what dfsssp and ftree deliver where they fit, a multiple of what updn does, and what
// was measured once, less two per cent.
func delivers(t *testing.T, name string, g *fabric.Graph, overUpdn, least float64) {
	t.Helper()
	promises := []struct {
		of   string
		want float64
	}{
		{"what was measured", least},
		{"updn", overUpdn * ebb(t, g, updn.Spec(), nil)},
		{"dfsssp", 0.9 * ebb(t, g, dfsssp.Spec(), nil)},
		{"ftree", 0.9 * ebb(t, g, ftree.Spec(), nil)},
	}
	for _, lanes := range []string{"1", "4"} {
		got := ebb(t, g, Spec(), map[string]string{"vls": lanes})
		for _, p := range promises {
			if got < p.want {
				t.Errorf("%s on %s lanes: %.4f, want %.4f because of %s", name, lanes, got, p.want, p.of)
			}
		}
	}
}

// TestBandwidth: the second column is the least multiple of what updn delivers, the third
// the least effective bisection bandwidth.
func TestBandwidth(t *testing.T) {
	racing.SkipLong(t)
	for _, c := range []struct {
		formula         string
		overUpdn, least float64
	}{
		{"torus(4x4x4,hosts=1)", 1.05, 0.8},
		{"torus(8x8,hosts=1)", 1.05, 0.588},
		{"torus(6x5,hosts=2)", 1.05, 0.577},
		{"torus(16x8,hosts=1)", 1.2, 0.45},
		{"torus(8x8,hosts=2)|fail(links=10,seed=1)", 1.1, 0.375},
		{"kautz(3,3,hosts=36)", 1.05, 0.88},
		{"kautz(4,3,hosts=160)", 1.1, 0.755},
		{"dragonfly(4,2,2)", 1.05, 0.66},
		{"slimfly(5)", 1.05, 0.638},
		{"random(switches=64,hosts=4,links=128,seed=1)", 1.05, 0.3255},
		{"deimos", 1.05, 0.375},
		{"deimos-chain15", 1.05, 0.353},
		{"rlft(8,2)", 0.99, 0.86},
		{"rlft(12,3)", 0.99, 0.71},
		{"rlft(12,3)|fail(links=30,seed=1)", 0.99, 0.665},
		{"fat648", 0.99, 0.8},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		if g := f.Compile(); g.NumHosts <= 200 || !testing.Short() {
			delivers(t, c.formula, g, c.overUpdn, c.least)
		}
	}
}

// TestRealDump: a real cluster of 214 switches, whose fat-tree is not complete.
func TestRealDump(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	f, _, err := netfile.Read("janus", dumps.Read(t, "janus/ibnetdiscover-2014-02-12.txt"), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	delivers(t, "janus", f.Compile(), 1.05, 0.66)
}

// TestLanes: the lanes are a power of two, as many at the most as the option and the limit leave,
// and each SL is on the VL of its number. More allowed are never worse by the estimate that
// the engine goes by.
func TestLanes(t *testing.T) {
	racing.SkipLong(t)
	f, err := gen.Parse("dragonfly(4,2,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	several, delivered := false, map[int]float64{}
	for _, c := range []struct {
		vls   string
		limit int
		want  int
	}{{"", 8, 1}, {"1", 8, 1}, {"0", 8, 8}, {"4", 8, 4}, {"4", 2, 2}, {"0", 15, 8}, {"15", 1, 1}} {
		req := &recipe.Request{Engine: Spec(), MaxVLs: c.limit, Workers: 1}
		if c.vls != "" {
			req.Options = map[string]string{"vls": c.vls}
		}
		p, err := recipe.Run(t.Context(), g, req, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		several = several || p.VLs > 1
		delivered[c.want] = sample.Bandwidth(&route.Input{Graph: g, Ends: p.Ends}, p.Tables, false)
		if p.VLs > c.want || p.VLs&(p.VLs-1) != 0 || p.Service.ReplySameSL != (p.VLs == 1) {
			t.Errorf("vls=%s of %d: %d lanes, want %d at the most; answers on the SL of the request: %v",
				c.vls, c.limit, p.VLs, c.want, p.Service.ReplySameSL)
		}
		used := map[uint8]bool{}
		for h := range int32(g.NumHosts) {
			sl := p.SL.At(0, p.Ends.Base[h])
			used[p.SL2VL.HostTable(0)[sl]] = true
		}
		if len(used) != p.VLs {
			t.Errorf("vls=%s of %d: hosts are on %d lanes of %d", c.vls, c.limit, len(used), p.VLs)
		}
	}
	if !several || delivered[1] > delivered[2] || delivered[2] > delivered[4] || delivered[4] > delivered[8] {
		t.Errorf("bandwidth by lanes allowed: %v, several lanes taken: %v", delivered, several)
	}
}

// TestWorkers: several lanes are the same on any number of cores.
func TestWorkers(t *testing.T) {
	formulas := []string{"torus(6x5,hosts=2)", "deimos-chain15"}
	if racing.Small() {
		formulas = formulas[:1]
	}
	for _, formula := range formulas {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		var one *route.Plan
		for _, workers := range []int{1, 3} {
			req := &recipe.Request{Engine: Spec(), Options: map[string]string{"vls": "3"}, Workers: workers}
			p, err := recipe.Run(t.Context(), g, req, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			if one == nil {
				one = p
			}
			if !reflect.DeepEqual(p, one) {
				t.Errorf("%s: %d workers give another Plan", formula, workers)
			}
		}
	}
}

// TestFatTree: no shortest path between hosts is blocked, and no order is tried but the
// first.
func TestFatTree(t *testing.T) {
	for _, formula := range []string{"rlft(8,2)", "rlft(12,3)", "fat648", "rlft(12,3)|fail(links=30,seed=1)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := routed(t.Context(), f.Compile(), Spec(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.HostPairs.NonMinimal > 0 {
			t.Errorf("%s: %d pairs of hosts are not on shortest paths", formula, r.HostPairs.NonMinimal)
		}
	}
}
