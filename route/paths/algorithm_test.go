package paths_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/paths"
)

// compute runs an algorithm and checks what holds for all: paths are valid and
// loopless, and one worker gives the same as three.
func compute(t rapid.TB, name string, in paths.Input) *paths.Set {
	t.Helper()
	a, err := paths.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	in.Workers = 1
	s, err := a.Compute(context.Background(), &in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := s.Validate(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	in.Workers = 3
	other, err := a.Compute(context.Background(), &in)
	if err != nil {
		t.Fatal(err)
	}
	if !same(s, other) {
		t.Fatalf("%s: other paths with other workers", name)
	}
	return s
}

func same(a, b *paths.Set) bool {
	if a.NumPaths() != b.NumPaths() {
		return false
	}
	for p := range a.NumPaths() {
		if a.Source(p) != b.Source(p) || a.Dest(p) != b.Dest(p) || !slices.Equal(a.Ports(p), b.Ports(p)) {
			return false
		}
	}
	return true
}

// oneLID reports whether all paths to each destination form a tree.
func oneLID(s *paths.Set) bool {
	g := s.Graph()
	for dst := range int32(g.NumEnds) {
		out := map[int32]int32{}
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			for _, c := range s.AppendChannels(nil, p) {
				if o, met := out[g.From[c]]; met && o != c {
					return false
				}
				out[g.From[c]] = c
			}
		}
	}
	return true
}

func allWays(s *paths.Set) [][]int32 {
	ways := make([][]int32, s.NumPaths())
	for p := range ways {
		ways[p] = s.AppendChannels(nil, p)
	}
	return ways
}

// checkUpDown checks the paths of an up*/down* algorithm one by one: a pair has one
// path if there is any legal one, it is legal, and it is as short as it can be if the
// algorithm says so.
func checkUpDown(t rapid.TB, name string, s *paths.Set, root int32, shortest bool) {
	t.Helper()
	g := s.Graph()
	level := levels(g, root)
	hops := make([][]int, g.NumSwitches)
	for v := range hops {
		hops[v] = legalHops(g, level, int32(v))
	}
	n := 0
	for dst := range int32(g.NumHosts) {
		from := map[int32]int{} // the path of each source
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			from[s.Source(p)] = p
		}
		for src := range int32(g.NumHosts) {
			least := hops[g.EndSwitch[src]][g.EndSwitch[dst]]
			if src == dst || least < 0 {
				continue
			}
			n++
			p, ok := from[src]
			if !ok {
				t.Fatalf("%s: no path from %d to %d", name, src, dst)
			}
			way := s.AppendChannels(nil, p)
			for i := range way {
				if i > 0 && goesUp(g, level, way[i]) && !goesUp(g, level, way[i-1]) {
					t.Fatalf("%s: %v goes up after down", name, way)
				}
				if i > 0 && g.Drained[g.From[way[i]]] {
					t.Fatalf("%s: %v passes a drained switch", name, way)
				}
			}
			if len(way) < least || shortest && len(way) > least {
				t.Fatalf("%s: %v takes %d hops, the least is %d", name, way, len(way), least)
			}
		}
	}
	if n != s.NumPaths() {
		t.Fatalf("%s: %d paths, want %d", name, s.NumPaths(), n)
	}
}

func drawInput(t *rapid.T) paths.Input {
	g := conformance.Draw(t).Compile()
	return paths.Input{Graph: g, Seed: rapid.Uint64().Draw(t, "seed"), Root: rapid.Int32Range(-1, int32(g.NumSwitches-1)).Draw(t, "root")}
}

func TestUpDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		for _, a := range []struct {
			name          string
			shortest, one bool
		}{
			{"updn-shortest", true, false},
			{"updn-channel", true, false},
			{"shortest-widest", true, false},
			{"path-selection", false, false},
			{"path-selection-short", false, false},
			{"path-selection-joint", false, false},
			{"srd", false, true},
			{"updn-iba", false, true},
		} {
			s := compute(t, a.name, in)
			checkUpDown(t, a.name, s, paths.RootOf(&in), a.shortest)
			if a.one && !oneLID(s) {
				t.Fatalf("%s: one LID is not enough", a.name)
			}
			if dependencyCycle(in.Graph, allWays(s)) {
				t.Fatalf("%s: cyclic dependencies", a.name)
			}
		}
	})
}

// updn-iba goes down wherever there is a way down.
func TestDownFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		g := in.Graph
		level := levels(g, paths.RootOf(&in))
		s := compute(t, "updn-iba", in)
		for p, way := range allWays(s) {
			down := simpleWays(g, func(_, d int32) bool { return !goesUp(g, level, d) }, g.EndSwitch[s.Source(p)], g.EndSwitch[s.Dest(p)])
			down = slices.DeleteFunc(down, func(w []int32) bool { return len(w) > 0 && goesUp(g, level, w[0]) })
			if len(down) > 0 && len(way) > 0 && goesUp(g, level, way[0]) {
				t.Fatalf("%v goes up, %v down", way, down[0])
			}
		}
	})
}

// srd is never shorter than the shortest legal path, and never longer in all than the
// form that goes down first; on these networks it is close to the former.
func TestSRDLength(t *testing.T) {
	for seed := range uint64(4) {
		g := graph(t, "irregular(switches=32,degree=8,hosts=64,seed=5)")
		in := paths.Input{Graph: g, Seed: seed, Root: -1}
		hops := func(name string) (n int) {
			s := compute(t, name, in)
			for p := range s.NumPaths() {
				n += s.Hops(p)
			}
			return n
		}
		least, tree, down := hops("updn-shortest"), hops("srd"), hops("updn-iba")
		if tree < least || tree > least*105/100 || down < tree {
			t.Errorf("seed %d: %d hops, the shortest paths take %d, down first takes %d", seed, tree, least, down)
		}
	}
}

// All rules leave every pair a path that the judge of dependencies accepts, also on
// networks that up*/down* does not know.
func TestTurnRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		g := in.Graph
		reach := compute(t, "updn-shortest", in).NumPaths()
		for name, r := range paths.Rules(&in) {
			if !r.Acyclic() {
				t.Fatalf("%s: cyclic turns", name)
			}
			if name == "updn" || name == "nue" { // the latter is for path selection: TestSelectionRules
				continue
			}
			s := compute(t, name, in)
			if s.NumPaths() != reach {
				t.Fatalf("%s: %d paths, up*/down* has %d", name, s.NumPaths(), reach)
			}
			ways := allWays(s)
			if dependencyCycle(g, ways) {
				t.Fatalf("%s: cyclic dependencies", name)
			}
			for p, way := range ways {
				for i := 1; i < len(way); i++ {
					if !r.Allows(way[i-1], way[i]) {
						t.Fatalf("%s: %v takes a forbidden turn", name, way)
					}
				}
				if all := simpleWays(g, r.Allows, g.EndSwitch[s.Source(p)], g.EndSwitch[s.Dest(p)]); len(all) > 0 {
					least := slices.MinFunc(all, func(a, b []int32) int { return len(a) - len(b) })
					if len(way) != len(least) {
						t.Fatalf("%s: %v is longer than %v", name, way, least)
					}
				}
			}
		}
	})
}

// Under each rule, path selection leaves every pair a path that keeps it.
func TestSelectionRules(t *testing.T) {
	differ := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		reach := compute(t, "updn-shortest", in).NumPaths()
		rules := paths.Rules(&in)
		var first *paths.Set
		for _, name := range []string{"up-down", "l-turn", "smart", "nue"} {
			in.Options = route.Options{"rule": name}
			s := compute(t, rapid.SampledFrom([]string{"path-selection", "path-selection-short", "path-selection-joint"}).Draw(t, "by"), in)
			if s.NumPaths() != reach {
				t.Fatalf("%s: %d paths, up*/down* has %d", name, s.NumPaths(), reach)
			}
			ways, rule := allWays(s), rules[name]
			if name == "up-down" {
				first, rule = s, rules["updn"]
			} else if !same(s, first) {
				differ[name]++
			}
			if dependencyCycle(in.Graph, ways) {
				t.Fatalf("%s: cyclic dependencies", name)
			}
			for _, way := range ways {
				for i := 1; i < len(way); i++ {
					if !rule.Allows(way[i-1], way[i]) {
						t.Fatalf("%s: %v takes a forbidden turn", name, way)
					}
				}
			}
		}
	})
	if len(differ) < 3 {
		t.Errorf("rules that give other paths than up*/down*: %v", differ)
	}
}

// TestSelectionLoops: where a rule's shortest ways meet a switch twice, path selection takes
// others.
func TestSelectionLoops(t *testing.T) {
	loops := 0
	for seed := range uint64(3) {
		f, err := gen.Parse(fmt.Sprintf("irregular(switches=40,degree=4,hosts=40,seed=%d)", seed+1))
		if err != nil {
			t.Fatal(err)
		}
		in := paths.Input{Graph: f.Compile(), Seed: seed + 1, Root: -1}
		for _, name := range []string{"l-turn", "smart", "nue"} {
			in.Options = route.Options{"rule": name}
			if s := compute(t, "path-selection", in); s.NumPaths() != 40*39 { // compute looks for loops
				t.Errorf("network %d, %s: %d paths", seed, name, s.NumPaths())
			}
			rule := paths.Rules(&in)[name]
			for pair := range int32(40 * 40) {
				src, dst := pair/40, pair%40
				if name != "smart" || src == dst {
					continue
				}
				for _, way := range paths.YenLoopless(rule, src, dst, 16) {
					if meetsTwice(in.Graph, src, way) {
						t.Fatalf("network %d: %v from switch %d", seed, way, src)
					}
				}
				for _, way := range paths.Yen(rule, src, dst, 16) {
					if meetsTwice(in.Graph, src, way) {
						loops++
					}
				}
			}
		}
	}
	if loops == 0 {
		t.Error("no shortest way meets a switch twice: the test tests nothing")
	}
}

// meetsTwice reports whether a way from a switch meets a switch twice.
func meetsTwice(g *fabric.Graph, from int32, way []int32) bool {
	met := map[int32]bool{from: true}
	for _, c := range way {
		if met[g.To[c]] {
			return true
		}
		met[g.To[c]] = true
	}
	return false
}

// TestDemandRule: no forbidden turn can be allowed again without a cycle.
func TestDemandRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		g, rule := in.Graph, paths.Rules(&in)["nue"]
		for c := range int32(g.NumChannels) {
			for _, d := range g.OutOf(g.To[c]) {
				if rule.Allows(c, d) || d == c^1 || g.To[d] == g.From[d] || g.To[c] == g.From[c] || g.Drained[g.To[c]] {
					continue
				}
				more := paths.NewRule(g, func(x, y int32) bool { return x == c && y == d || rule.Allows(x, y) })
				if more.Acyclic() {
					t.Fatalf("the turn from %d to %d closes no cycle", c, d)
				}
			}
		}
	})
}

// Yen finds as many ways, of the same lengths, as there are, each once.
func TestYen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		r := paths.Unrestricted(g)
		allowed := func(_, _ int32) bool { return true }
		if rapid.Bool().Draw(t, "updn") {
			r = paths.UpDown(g, 0)
			allowed = r.Allows
		}
		k := rapid.IntRange(1, 40).Draw(t, "k")
		pick := rapid.Int32Range(0, int32(g.NumSwitches-1))
		s, to := pick.Draw(t, "from"), pick.Draw(t, "to")
		if s == to {
			return
		}
		all := simpleWays(g, allowed, s, to)
		slices.SortStableFunc(all, func(a, b []int32) int { return len(a) - len(b) })
		got := paths.Yen(r, s, to, k)
		if len(got) != min(k, len(all)) {
			t.Fatalf("%d ways, want %d", len(got), min(k, len(all)))
		}
		for i, way := range got {
			if len(way) != len(all[i]) {
				t.Fatalf("way %d has %d hops, want %d", i, len(way), len(all[i]))
			}
			is := func(o []int32) bool { return slices.Equal(o, way) }
			if slices.ContainsFunc(got[:i], is) || !slices.ContainsFunc(all, is) {
				t.Fatalf("way %d, %v, is there twice or is none", i, way)
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, formula string }{
		{"dor", "irregular(switches=8,degree=4,hosts=8,seed=1)"},
		{"mport", "irregular(switches=8,degree=4,hosts=8,seed=1)"},
		{"mport", "torus(4x4,hosts=1)"},
		{"mport", "karytree(4,3)"},
		{"path-selection", "irregular(switches=64,degree=8,hosts=2049,seed=1)"},
	} {
		a, err := paths.Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Compute(context.Background(), &paths.Input{Graph: graph(t, c.formula)})
		var r *route.Refusal
		if !errors.As(err, &r) || r.Engine != c.name {
			t.Errorf("%s on %s: got %v, want a refusal", c.name, c.formula, err)
		}
	}
	if _, err := paths.Find("nope"); err == nil {
		t.Error("found an algorithm that is not there")
	}
}

// The network of paper 002, Fig. 1: its routes are legal, and the one from n5 to n8 is
// the only shortest.
func TestExample(t *testing.T) {
	g := graph(t, "renaming-fig1")
	s := compute(t, "updn-shortest", paths.Input{Graph: g, Root: 0})
	for p := range s.NumPaths() {
		if s.Source(p) == 5 && s.Dest(p) == 8 {
			way := s.AppendChannels(nil, p)
			if len(way) != 2 || g.To[way[0]] != 2 {
				t.Errorf("n5 to n8 by %v", way)
			}
		}
		if s.Source(p) == 4 && s.Dest(p) == 2 && s.Hops(p) != 3 {
			t.Errorf("n4 to n2 takes %d hops", s.Hops(p))
		}
	}
	iba := compute(t, "updn-iba", paths.Input{Graph: g, Root: 0})
	for p := range iba.NumPaths() {
		if iba.Source(p) == 5 && iba.Dest(p) == 8 && iba.Hops(p) != 3 {
			t.Errorf("down first, n5 to n8 takes %d hops", iba.Hops(p))
		}
	}
}

// All give up when their context has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range paths.All() {
		formula := "irregular(switches=8,degree=4,hosts=16,seed=1)"
		switch a.Name {
		case "dor":
			formula = "torus(4x4,hosts=1)"
		case "mport":
			formula = "mport(4,2)"
		}
		if _, err := a.Compute(ctx, &paths.Input{Graph: graph(t, formula), Workers: 2}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}
