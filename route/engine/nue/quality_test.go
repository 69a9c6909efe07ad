package nue

import (
	"reflect"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/engine/updn"
	"weft/sim/flow"
	"weft/traffic"
)

// ebb is the effective bisection bandwidth under an engine's tables.
func ebb(t *testing.T, g *fabric.Graph, spec *route.Spec, options map[string]string) float64 {
	t.Helper()
	p, err := route.Run(t.Context(), g, &route.Request{Engine: spec, Options: options, Workers: 2}, func(string) {})
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

// TestBandwidth: on tori and Kautz networks nue delivers more than up*/down* on any
// number of lanes, and nearly as much as the paths of sssp, which are free to close
// cycles; on fat-trees as much as up*/down*.
func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		formula string
		updn    float64 // least share of what updn delivers
		sssp    float64 // and of what sssp does
	}{
		{"torus(4x4x4,hosts=1)", 1.02, 0.95},
		{"torus(8x8,hosts=1)", 1.04, 0.9},
		{"torus(6x5,hosts=2)", 1.04, 0.95},
		{"torus(16x8,hosts=1)", 1.15, 0.95},
		{"torus(8x8,hosts=2)|fail(links=10,seed=1)", 1.05, 0.85},
		{"kautz(3,3,hosts=36)", 1.03, 0.95},
		{"kautz(4,3,hosts=160)", 1.1, 0.95},
		{"dragonfly(4,2,2)", 1.05, 0.9},
		{"deimos", 1.05, 0.9},
		{"rlft(8,2)", 0.99, 0.99},
		{"rlft(12,3)", 0.99, 0.99},
		{"rlft(12,3)|fail(links=30,seed=1)", 0.99, 0.95},
		{"fat648", 0.99, 0.99},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		if testing.Short() && g.NumHosts > 200 {
			continue
		}
		up, free := ebb(t, g, updn.Spec(), nil), ebb(t, g, sssp.Spec(), nil)
		for _, lanes := range []string{"1", "2", "4"} {
			got := ebb(t, g, Spec(), map[string]string{"vls": lanes})
			if got < c.updn*up || got < c.sssp*free {
				t.Errorf("%s on %s lanes: %.4f, want %.2f of updn's %.4f and %.2f of sssp's %.4f",
					c.formula, lanes, got, c.updn, up, c.sssp, free)
			}
		}
	}
}

// TestLanes: the number of lanes is what the option and the limit leave, and each SL is
// on the VL of its number.
func TestLanes(t *testing.T) {
	f, err := gen.Parse("torus(4x4,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	for _, c := range []struct {
		vls   string
		limit int
		want  int
	}{{"", 8, 1}, {"1", 8, 1}, {"0", 8, 8}, {"4", 8, 4}, {"4", 2, 2}, {"0", 15, 15}, {"15", 1, 1}} {
		req := &route.Request{Engine: Spec(), MaxVLs: c.limit, Workers: 1}
		if c.vls != "" {
			req.Options = map[string]string{"vls": c.vls}
		}
		p, err := route.Run(t.Context(), g, req, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if p.VLs != c.want || p.Service.ReplySameSL != (c.want == 1) {
			t.Errorf("vls=%s of %d: %d lanes, want %d; answers on the SL of the request: %v",
				c.vls, c.limit, p.VLs, c.want, p.Service.ReplySameSL)
		}
		used := map[uint8]bool{}
		for h := range int32(g.NumHosts) {
			sl := p.SL.At(0, p.Ends.Base[h])
			used[p.SL2VL.HostTable(0)[sl]] = true
		}
		if len(used) != c.want {
			t.Errorf("vls=%s of %d: hosts are on %d lanes, want %d", c.vls, c.limit, len(used), c.want)
		}
	}
}

// TestWorkers: several lanes are the same on any number of cores.
func TestWorkers(t *testing.T) {
	for _, formula := range []string{"torus(6x5,hosts=2)", "deimos-chain15"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		var one *route.Plan
		for _, workers := range []int{1, 2, 7} {
			req := &route.Request{Engine: Spec(), Options: map[string]string{"vls": "3"}, Workers: workers}
			p, err := route.Run(t.Context(), g, req, func(string) {})
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
