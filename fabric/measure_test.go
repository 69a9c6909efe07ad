package fabric

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// undirected is a Graph's switches and links for gonum, which has no parallel
// edges and no loops.
func undirected(g *Graph) *simple.UndirectedGraph {
	u := simple.NewUndirectedGraph()
	for s := range g.NumSwitches {
		u.AddNode(simple.Node(s))
	}
	for c := range g.From {
		if g.From[c] != g.To[c] {
			u.SetEdge(simple.Edge{F: simple.Node(g.From[c]), T: simple.Node(g.To[c])})
		}
	}
	return u
}

// drawSwitches draws a fabric of switches only, dense enough for long paths and
// sparse enough for several parts.
func drawSwitches(t *rapid.T) *Graph {
	f := New("switches")
	n := rapid.IntRange(1, 25).Draw(t, "switches")
	for i := range n {
		if _, err := f.AddNode(Switch, GUID(i+1), 60, "s"); err != nil {
			t.Fatal(err)
		}
	}
	free := make([]uint8, n)
	for range rapid.IntRange(0, 30).Draw(t, "links") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if free[a] > 57 || free[b] > 57 {
			continue
		}
		free[a]++
		x := End{NodeID(a), free[a]}
		free[b]++
		if _, err := f.Connect(x, End{NodeID(b), free[b]}, 4, EDR); err != nil {
			t.Fatal(err)
		}
	}
	return f.Compile()
}

func TestHopsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSwitches(t)
		all := path.DijkstraAllPaths(undirected(g))
		search := g.NewSearch(nil)
		for s := range g.NumSwitches {
			search.From(int32(s))
			for d, got := range search.Hops {
				want := all.Weight(int64(s), int64(d))
				if math.IsInf(want, 1) {
					want = float64(Unreached)
				}
				if float64(got) != want {
					t.Fatalf("%d hops from %d to %d, want %g", got, s, d, want)
				}
			}
		}
	})
}

func TestComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSwitches(t)
		of, n := g.Components()
		parts := topo.ConnectedComponents(undirected(g))
		if len(parts) != n {
			t.Fatalf("%d parts, want %d", n, len(parts))
		}
		for _, part := range parts {
			for _, s := range part {
				if of[s.ID()] != of[part[0].ID()] {
					t.Fatalf("switches %d and %d are in different parts", s.ID(), part[0].ID())
				}
			}
		}
		next := int32(0)
		for s, p := range of {
			if p > next {
				t.Fatalf("switch %d is in part %d, before any in part %d", s, p, next)
			}
			next = max(next, p+1)
		}
	})
}

func TestMeasureNothing(t *testing.T) {
	g := New("empty").Compile()
	d, err := g.Diameter(t.Context())
	if of, n := g.Components(); len(of) != 0 || n != 0 || d != 0 || err != nil {
		t.Errorf("parts %v %d, diameter %d %v", of, n, d, err)
	}
}
