package dfsssp

import (
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"weft/lab"
)

// TestOnlineLayer: a path is taken if and only if the layer stays without a cycle, and
// one that is refused leaves nothing behind.
func TestOnlineLayer(t *testing.T) {
	g, err := lab.Graph("torus(4x3,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	e := newEdges(g)
	rapid.Check(t, func(r *rapid.T) {
		layer := newOnlineLayer(e)
		kept := map[int32]bool{}
		for range rapid.IntRange(1, 40).Draw(r, "paths") {
			path := rapid.SliceOfN(rapid.Int32Range(0, int32(len(e.from))-1), 1, 4).Draw(r, "path")
			graph := simple.NewDirectedGraph()
			turnsBack := false
			add := func(place int32) {
				if e.from[place] == e.to[place] {
					turnsBack = true
					return
				}
				graph.SetEdge(graph.NewEdge(simple.Node(e.from[place]), simple.Node(e.to[place])))
			}
			for place := range kept {
				add(place)
			}
			for _, place := range path {
				add(place)
			}
			_, err := topo.Sort(graph)
			want := err == nil && !turnsBack
			if got := layer.take(path); got != want {
				r.Fatalf("path %v on %v: taken %v, want %v", path, kept, got, want)
			}
			if want {
				for _, place := range path {
					kept[place] = true
				}
			}
			for place, has := range layer.has {
				if has != kept[int32(place)] {
					r.Fatalf("edge %d: in the layer %v, want %v", place, has, kept[int32(place)])
				}
			}
		}
	})
}

// TestCountLASH: a tree needs one layer, a ring of five two (Fig. 2 of the paper).
func TestCountLASH(t *testing.T) {
	for formula, want := range map[string]int{"rlft(8,2)": 1, "torus(5,hosts=1)": 2} {
		g, err := lab.Graph(formula)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := (&lab.Setup{Workers: 1}).Route(t.Context(), g, lab.Routing{Engine: "lash"})
		if err != nil {
			t.Fatal(err)
		}
		if n := countLASH(t.Context(), trial); n != want {
			t.Errorf("%s: %d layers, want %d", formula, n, want)
		}
	}
}
