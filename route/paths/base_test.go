package paths_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
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
	search := g.NewSearch(nil)
	for dst := range int32(g.NumHosts) {
		search.From(g.EndSwitch[dst])
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			if int32(s.Hops(p)) != search.Hops[g.EndSwitch[s.Source(p)]] {
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
	varied := compute(t, "dor", paths.Input{Graph: g, Options: route.Options{"repaired": "first"}})
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
	tree := graph(t, "mport(8,3)|fail(links=3,seed=1)")
	repaired := map[string][][]int32{}
	for _, kept := range []string{"leaf", "top"} {
		s := compute(t, "mport", paths.Input{Graph: tree, Options: route.Options{"repair": kept}})
		if err := s.Validate(); err != nil || s.NumPaths() != 128*127 {
			t.Errorf("%s: %d paths, %v", kept, s.NumPaths(), err)
		}
		repaired[kept] = allWays(s)
	}
	if reflect.DeepEqual(repaired["leaf"], repaired["top"]) {
		t.Error("option repair does nothing")
	}
}

// Base routings on networks that were damaged: links down, switches down or drained, two
// cables swapped. What is not refused gives every pair that some way joins a valid path,
// and none passes a drained switch.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"dor", "mport"}).Draw(t, "paths")
		formulas := map[string][]string{
			"dor":   {"torus(4x3,hosts=1)", "mesh(4x3,hosts=2)", "torus(5,hosts=1)", "torus(2x2x2,hosts=1)"},
			"mport": {"mport(4,2)", "mport(4,3)", "mport(6,2)"},
		}[name]
		f, err := gen.Parse(rapid.SampledFrom(formulas).Draw(t, "network"))
		if err != nil {
			t.Fatal(err)
		}
		damage(t, f)
		g := f.Compile()
		a, err := paths.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Compute(context.Background(), &paths.Input{Graph: g})
		if _, refused := errors.AsType[*route.Refusal](err); refused {
			return
		}
		s := compute(t, name, paths.Input{Graph: g})
		for p, way := range allWays(s) {
			for _, c := range way[min(1, len(way)):] {
				if g.Drained[g.From[c]] {
					t.Fatalf("path %d, %v, passes drained switch %d", p, way, g.From[c])
				}
			}
		}
		if want := compute(t, "updn-shortest", paths.Input{Graph: g}).NumPaths(); s.NumPaths() != want {
			t.Fatalf("%d paths, want %d", s.NumPaths(), want)
		}
	})
}

// damage draws faults of a network.
func damage(t *rapid.T, f *fabric.Fabric) {
	var switches []fabric.NodeID
	for id, n := range f.Nodes {
		if n.Type == fabric.Switch {
			switches = append(switches, fabric.NodeID(id))
		}
	}
	var cables []fabric.LinkID
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			cables = append(cables, fabric.LinkID(id))
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "down") {
		f.SetLinkDown(rapid.SampledFrom(cables).Draw(t, "link"), true)
	}
	if rapid.IntRange(0, 3).Draw(t, "switch down") == 0 {
		f.SetNodeDown(rapid.SampledFrom(switches).Draw(t, "switch"), true)
	}
	for range rapid.IntRange(0, 2).Draw(t, "drained") {
		f.Nodes[rapid.SampledFrom(switches).Draw(t, "switch")].Drained = true
	}
	if rapid.IntRange(0, 3).Draw(t, "swap") == 0 {
		swap(f, rapid.SampledFrom(cables).Draw(t, "one"), rapid.SampledFrom(cables).Draw(t, "other"))
	}
}

// swap lets two cables change places at one end.
func swap(f *fabric.Fabric, x, y fabric.LinkID) {
	a, b := &f.Links[x].B, &f.Links[y].B
	*a, *b = *b, *a
	f.Nodes[a.Node].Ports[a.Port].Link, f.Nodes[b.Node].Ports[b.Port].Link = x, y
}

// A tree in which two cables change places at the upper switch, or at the lower ones, is
// no m-port n-tree any more.
func TestMiswired(t *testing.T) {
	swapped := 0
	for x := range fabric.LinkID(40) {
		for y := range x {
			f, err := gen.Parse("mport(4,3)")
			if err != nil {
				t.Fatal(err)
			}
			if int(x) >= len(f.Links) || !f.IsSwitchLink(x) || !f.IsSwitchLink(y) {
				continue
			}
			swap(f, x, y)
			swapped++
			a, err := paths.Find("mport")
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Compute(t.Context(), &paths.Input{Graph: f.Compile()})
			if _, refused := errors.AsType[*route.Refusal](err); !refused {
				t.Fatalf("cables %d and %d swapped: %v, want a refusal", y, x, err)
			}
		}
	}
	if swapped == 0 {
		t.Error("no cables were swapped")
	}
}

// No path of a base routing passes a drained switch, and hosts of one are served.
func TestDrainedBase(t *testing.T) {
	for name, formula := range map[string]string{"dor": "torus(4x4,hosts=1)", "mport": "mport(4,3)"} {
		g := graph(t, formula)
		for s := range g.NumSwitches {
			clear(g.Drained)
			g.Drained[s] = true
			set := compute(t, name, paths.Input{Graph: g})
			if set.NumPaths() != g.NumHosts*(g.NumHosts-1) {
				t.Errorf("%s, switch %d drained: %d paths", name, s, set.NumPaths())
			}
			for _, way := range allWays(set) {
				for _, c := range way[min(1, len(way)):] {
					if g.Drained[g.From[c]] {
						t.Fatalf("%s: %v passes drained switch %d", name, way, s)
					}
				}
			}
		}
	}
}
