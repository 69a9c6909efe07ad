package updn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/internal/forest"
	"weft/route/lids"
	"weft/route/recipe"
)

func graph(t *testing.T, expr string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

func routed(t *testing.T, g *fabric.Graph, lmc uint8, roots string) *route.Plan {
	t.Helper()
	req := &recipe.Request{Engine: Spec(), Names: lids.Options{LMC: lmc}, Workers: 2}
	if roots != "" {
		req.Options = map[string]string{"roots": roots}
	}
	p, err := recipe.Run(context.Background(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSpread: the LIDs of one port take different paths where the rule allows any.
func TestSpread(t *testing.T) {
	for _, expr := range []string{
		"rlft(8,2)", "rlft(8,3)", "xgft(3;4,4,4;1,2,4)", "fat648", "odin", "deimos",
		"torus(6x6,hosts=1)", "torus(4x4x4,hosts=1)", "hypercube(5,hosts=1)",
		"random(switches=24,hosts=2,links=72,seed=1)", "irregular(switches=32,degree=8,hosts=64,seed=1)",
		"dragonfly(4,2,2)", "hyperx(4x4,hosts=2)", "kautz(3,3,hosts=36)",
	} {
		g := graph(t, expr)
		for _, lmc := range []uint8{1, 2, 3} {
			got := conformance.MeasureSpread(g, routed(t, g, lmc, ""), legal(g), 300, 7)
			t.Logf("%-50s LMC %d: %d pairs, min %.2f, mean %.3f, below 0.8: %d", expr, lmc, got.Pairs, got.Min, got.Mean, got.Short)
			if got.Pairs == 0 || got.Mean < 0.95 || got.Short > got.Pairs/20 {
				t.Errorf("%s LMC %d: only %.2f of the disjoint paths on average, below 0.8 for %d of %d pairs", expr, lmc, got.Mean, got.Short, got.Pairs)
			}
		}
	}
}

// legal allows, by a plain relaxation over all channels, the shortest way down
// where there is one, and elsewhere the hops up to where the path is shortest.
func legal(g *fabric.Graph) conformance.Allowed {
	order := rankSwitches(forest.NewNet(g), nil)
	isUp := func(c int32) bool { return order.LeadsUp(g, c) }
	return func(t int32) func(int32) bool {
		const far = 1 << 20
		length, falls := make([]int, g.NumSwitches), make([]bool, g.NumSwitches)
		for s := range length {
			length[s] = far
		}
		length[t], falls[t] = 0, true
		relax := func(usable func(c int32) bool, falling bool) {
			for again := true; again; {
				again = false
				for c := range int32(g.NumChannels) {
					s, v := g.From[c], g.To[c]
					if usable(c) && length[v]+1 < length[s] {
						length[s], falls[s], again = length[v]+1, falling, true
					}
				}
			}
		}
		relax(func(c int32) bool { return !isUp(c) }, true)
		relax(func(c int32) bool { return isUp(c) && !falls[g.From[c]] }, false)
		return func(c int32) bool {
			s, v := g.From[c], g.To[c]
			return length[v]+1 == length[s] && isUp(c) != falls[s] && (!falls[s] || falls[v])
		}
	}
}

// TestTreesMinimal: on fat-trees no path between hosts is longer than the shortest,
// and channels carry about the same.
func TestTreesMinimal(t *testing.T) {
	for _, want := range []struct {
		expr string
		most float64 // greatest load over the mean
	}{
		{"rlft(8,2)", 1},
		{"rlft(8,3)", 1.1},
		{"rlft(12,3)", 1.1},
		{"xgft(3;4,4,4;1,2,4)", 1.5},
		{"karytree(4,3)", 1.2},
		{"mport(6,3)", 1.2},
		{"fat648", 1},
		{"odin", 1.2},
	} {
		g := graph(t, want.expr)
		p := routed(t, g, 0, "")
		r, err := quality.Judge(context.Background(), g, p, check.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		load := conformance.MeasureLoad(g, p)
		t.Logf("%-30s non-minimal %d of hosts, %d of all; load max %d, mean %.1f, ratio %.2f", want.expr,
			r.HostPairs.NonMinimal, r.NonMinimal, load.Max, load.Mean, float64(load.Max)/load.Mean)
		if r.HostPairs.NonMinimal > 0 {
			t.Errorf("%s: %d host pairs are not minimal", want.expr, r.HostPairs.NonMinimal)
		}
		if float64(load.Max) > want.most*load.Mean {
			t.Errorf("%s: load %d is more than %.1f times the mean %.1f", want.expr, load.Max, want.most, load.Mean)
		}
	}
}

// TestTopLevelAsRoots: with the whole top level given as roots, every two switches
// still reach each other, free of deadlock, and host paths stay minimal.
func TestTopLevelAsRoots(t *testing.T) {
	for _, expr := range []string{"rlft(6,2)", "rlft(6,3)", "karytree(3,3)"} {
		f, err := gen.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		levels, top, roots := gen.Levels(f), int32(0), ""
		for _, l := range levels {
			top = max(top, l)
		}
		for id, l := range levels {
			if l == top {
				roots += ";" + f.Nodes[id].GUID.String()
			}
		}
		g := f.Compile()
		r, err := quality.Judge(context.Background(), g, routed(t, g, 0, roots[1:]), check.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK || r.AnyDLID.DeadlockFree != check.Yes || r.HostPairs.NonMinimal > 0 || r.Disconnected > 0 {
			t.Errorf("%s: ok %v, deadlock-free %v, %d host pairs not minimal, faults %+v", expr, r.OK,
				r.AnyDLID.DeadlockFree, r.HostPairs.NonMinimal, r.Faults)
		}
	}
}

func TestRootsThatAreNone(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	for _, name := range []string{"nobody", "0x123456789", g.EndGUID[0].String()} {
		req := &recipe.Request{Engine: Spec(), Options: map[string]string{"roots": name}}
		_, err := recipe.Run(context.Background(), g, req, func(string) {})
		want := fmt.Sprintf("option roots of engine updn: no switch that is up is called %q", name)
		if _, refused := errors.AsType[*route.Refusal](err); refused || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("root %q: %v", name, err)
		}
	}
}

// TestDrainedRoot: a drained switch is no root, and the others are.
func TestDrainedRoot(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	name := fabric.SwitchName(g, 0)
	if roots, err := findRoots(g, []string{name}); err != nil || len(roots) != 1 || roots[0] != 0 {
		t.Fatalf("root %s: %v, %v", name, roots, err)
	}
	other := fabric.SwitchName(g, 1)
	g.Drained[0] = true
	if roots, err := findRoots(g, []string{name, other}); err != nil || len(roots) != 1 || roots[0] != 1 {
		t.Errorf("roots %s, drained, and %s: %v, %v", name, other, roots, err)
	}
}
