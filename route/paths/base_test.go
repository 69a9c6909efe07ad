package paths_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route/paths"
)

// Base routings: one LID where nothing is broken, and the paths over broken links are
// the only ones that change.
func TestRepaired(t *testing.T) {
	for _, c := range []struct {
		name, formula string
		hops          int // of all pairs
	}{
		{"dor", "torus(16x8,hosts=1)", 16 * 8 * (16 * 8 * (4 + 2))},
		{"dor", "torus(8x4x4,hosts=1)", 128 * (128 * (2 + 1 + 1))},
		{"dor", "mesh(5x4,hosts=2)", -1},
		{"mport", "mport(8,3)", -1},
		{"mport", "mport(4,4)", -1},
		{"mport", "mport(6,2)", -1},
	} {
		whole := compute(t, c.name, paths.Input{Graph: graph(t, c.formula)})
		g := whole.Graph()
		if !oneLID(whole) || whole.NumPaths() != g.NumHosts*(g.NumHosts-1) {
			t.Errorf("%s: %d paths, one LID %v", c.formula, whole.NumPaths(), oneLID(whole))
		}
		hops := 0
		for p := range whole.NumPaths() {
			hops += whole.Hops(p)
		}
		if c.hops >= 0 && hops != c.hops {
			t.Errorf("%s: %d hops, want %d", c.formula, hops, c.hops)
		}
		for seed := range 3 {
			h := graph(t, c.formula+"|fail(links=3,seed="+string(rune('1'+seed))+")")
			s := compute(t, c.name, paths.Input{Graph: h})
			if s.NumPaths() != whole.NumPaths() {
				t.Fatalf("%s: %d paths, want %d", h.Name, s.NumPaths(), whole.NumPaths())
			}
			changed := 0
			for p := range s.NumPaths() {
				if !slices.Equal(s.Ports(p), whole.Ports(p)) {
					changed++
					if alive(h, g.EndSwitch[whole.Source(p)], whole.Ports(p)) {
						t.Fatalf("%s: path %d changed though all its links are there", h.Name, p)
					}
				}
			}
			if changed == 0 {
				t.Errorf("%s: no path changed", h.Name)
			}
			if c.name == "mport" {
				keepsRule(t, s)
			}
		}
	}
}

// keepsRule checks every path of a set against the rule, and the rule for cycles.
func keepsRule(t *testing.T, s *paths.Set) {
	t.Helper()
	r := s.Rule()
	if r == nil || !r.Acyclic() {
		t.Fatalf("%s: no rule, or one with cycles", s.Graph().Name)
	}
	for _, way := range allWays(s) {
		for i := 1; i < len(way); i++ {
			if !r.Allows(way[i-1], way[i]) {
				t.Fatalf("%s: %v breaks the rule", s.Graph().Name, way)
			}
		}
	}
}

// alive reports whether every port of a path leads on.
func alive(g *fabric.Graph, at int32, ports []uint8) bool {
	for _, port := range ports {
		c, _ := g.At(at, port)
		if c < 0 {
			return false
		}
		at = g.To[c]
	}
	return true
}

// mport paths are up*/down* in the tree: as short as any.
func TestMPortMinimal(t *testing.T) {
	g := graph(t, "mport(8,3)")
	s := compute(t, "mport", paths.Input{Graph: g})
	hops, queue := make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)
	for dst := range int32(g.NumHosts) {
		g.HopsFrom(g.EndSwitch[dst], hops, queue)
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			if int32(s.Hops(p)) != hops[g.EndSwitch[s.Source(p)]] {
				t.Fatalf("path %d takes %d hops", p, s.Hops(p))
			}
		}
	}
	// Every down port of the tree serves the same number of destinations.
	if s.MaxLoad() > 1.01 {
		t.Errorf("maximum load %.3f", s.MaxLoad())
	}
}

// In the experiments of Figs. 10 and 11 every pair still has its path: in another
// order, or by another rule.
func TestRepairVaried(t *testing.T) {
	g := graph(t, "torus(6x4,hosts=1)|fail(links=3,seed=1)")
	in := paths.Input{Graph: g}
	plain := compute(t, "dor", in)
	varied, err := paths.DORNewFirst(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	whole := compute(t, "dor", paths.Input{Graph: graph(t, "torus(6x4,hosts=1)")})
	of := func(s *paths.Set, src, dst int32) []uint8 {
		for p, last := s.To(dst); p < last; p++ {
			if s.Source(p) == src {
				return s.Ports(p)
			}
		}
		return nil
	}
	for dst := range int32(g.NumHosts) {
		first, last := varied.To(dst)
		kept := false // whether a path was met that needed no repair
		for p := first; p < last; p++ {
			src := varied.Source(p)
			if !slices.Equal(varied.Ports(p), of(plain, src, dst)) {
				t.Fatalf("%d to %d: another path", src, dst)
			}
			old := alive(g, g.EndSwitch[src], of(whole, src, dst))
			if !old && kept {
				t.Fatalf("%d to %d: a new path after an old one", src, dst)
			}
			kept = kept || old
		}
	}
	if plain.NumPaths() != varied.NumPaths() {
		t.Errorf("%d paths, want %d", varied.NumPaths(), plain.NumPaths())
	}
	tree := paths.Input{Graph: graph(t, "mport(8,3)|fail(links=3,seed=1)")}
	fromTop, err := paths.MPortFromTop(t.Context(), &tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := fromTop.Validate(); err != nil || fromTop.NumPaths() != 128*127 {
		t.Errorf("%d paths, %v", fromTop.NumPaths(), err)
	}
}
