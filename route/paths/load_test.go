package paths_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"weft/internal/racing"
	"weft/route"
	"weft/route/paths"
)

// The balance is within a tenth of what no split of the traffic can beat.
func TestBalance(t *testing.T) {
	for _, formula := range []string{"regular(switches=16,degree=4,hosts=4,seed=1)", "irregular(switches=16,degree=8,hosts=64,seed=1)"} {
		g := graph(t, formula)
		s, bound, err := paths.Balance(&paths.Input{Graph: g, Root: -1})
		if err != nil {
			t.Fatal(err)
		}
		most := s.MaxLoad() * float64(g.NumHosts-1)
		t.Logf("%s: greatest load %.0f paths, bound %.1f", formula, most, bound)
		if most < bound-1e-6 || most > 1.1*bound+1 {
			t.Errorf("%s: greatest load %.0f paths, bound %.1f", formula, most, bound)
		}
	}
}

// The greatest load of path-selection is below that of shortest-widest, and srd's is
// the highest (paper 000, Table VI); taking pairs by destination costs no load and
// saves trees.
func TestLoads(t *testing.T) {
	racing.SkipLong(t)
	for _, formula := range []string{"irregular(switches=16,degree=8,hosts=64,seed=", "irregular(switches=32,degree=8,hosts=96,seed="} {
		load := map[string]float64{}
		outs := map[string]int{}
		for _, seed := range []string{"1", "2", "3", "4"} {
			g := graph(t, formula+seed+")")
			for _, name := range []string{"srd", "shortest-widest", "path-selection", "path-selection-joint"} {
				s := compute(t, name, paths.Input{Graph: g, Seed: 1, Root: -1})
				load[name] += s.MaxLoad() / 4
				outs[name] += egresses(s)
			}
		}
		t.Logf("%s: %v, distinct egresses %v", formula, load, outs)
		if load["path-selection"] >= load["shortest-widest"] || load["shortest-widest"] >= load["srd"] ||
			load["path-selection-joint"] > 1.02*load["path-selection"] {
			t.Errorf("%s: greatest loads %v", formula, load)
		}
		if outs["path-selection-joint"]*100 > 95*outs["path-selection"] {
			t.Errorf("%s: distinct egresses %v", formula, outs)
		}
	}
}

// egresses counts the (switch, destination, egress) triples of a set.
func egresses(s *paths.Set) (n int) {
	g := s.Graph()
	for dst := range int32(g.NumEnds) {
		met := map[int32]bool{}
		first, last := s.To(dst)
		for p := first; p < last; p++ {
			for _, c := range s.AppendChannels(nil, p) {
				met[c] = true
			}
		}
		n += len(met)
	}
	return n
}

// Loads count by hand: on a line of three switches with a host each, the links carry
// two paths each way, a host sending half to each of the others.
func TestMaxLoad(t *testing.T) {
	g := graph(t, "mesh(3,hosts=1)")
	s := compute(t, "updn-shortest", paths.Input{Graph: g})
	if s.MaxLoad() != 1 {
		t.Errorf("greatest load %v, want 1", s.MaxLoad())
	}
	b := paths.NewBuilder(g)
	way := s.AppendChannels(nil, 0)
	for range 3 { // a pair's paths share its traffic
		b.Add(s.Source(0), s.Dest(0), way)
	}
	many, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if l := many.MaxLoad(); l < 0.4999 || l > 0.5001 {
		t.Errorf("greatest load %v, want 0.5", l)
	}
}

func benchmark(b *testing.B, name string) {
	g := graph(b, "irregular(switches=64,degree=8,hosts=512,seed=1)")
	a, err := paths.Find(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := a.Compute(context.Background(), &paths.Input{Graph: g, Seed: 1, Workers: 2, Root: -1})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.NumPaths()), "paths")
	}
}

// 512 hosts on 64 switches.
func BenchmarkShortestWidest(b *testing.B) { benchmark(b, "shortest-widest") }
func BenchmarkPathSelection(b *testing.B)  { benchmark(b, "path-selection") }
func BenchmarkSmart(b *testing.B)          { benchmark(b, "smart") }

// TestSpread: paths that were balanced are a solution of the linear programme with their greatest
// load, and are rounded to a set with that load; without a solver the programme is refused.
func TestSpread(t *testing.T) {
	g := graph(t, "regular(switches=12,degree=4,hosts=3,seed=2)")
	in := &paths.Input{Graph: g, Seed: 2, Workers: 1, Root: -1}
	set := compute(t, "smart", *in)
	p, values, rounded := paths.Spread(in, set)
	for i, row := range p.Rows {
		sum := 0.0
		for _, term := range row.Terms {
			sum += term.Factor * values[term.Variable]
		}
		if off := sum - row.Value; off > 1e-6 || !row.AtMost && off < -1e-6 {
			t.Fatalf("row %d: %g, want %g (at most: %v)", i, sum, row.Value, row.AtMost)
		}
	}
	again, err := rounded(values)
	if err != nil || again.Validate() != nil || again.NumPaths() != set.NumPaths() || math.Abs(again.MaxLoad()-set.MaxLoad()) > 1e-9 {
		t.Errorf("rounded to %d paths with load %g, want %d, %g: %v", again.NumPaths(), again.MaxLoad(), set.NumPaths(), set.MaxLoad(), err)
	}
	in.Options = route.Options{"balance": paths.ByProgramme}
	a, err := paths.Find("smart")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Compute(t.Context(), in); err == nil || !strings.Contains(err.Error(), "needs an installed solver") {
		t.Error(err)
	}
}
