package hardness

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/route/names"
	"weft/route/names/colouring"
)

// exact is the scheme that proves how few LIDs paths need.
func exact(t interface{ Fatal(...any) }) *names.Scheme {
	s, err := names.ByName("exact")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// chromatic is the chromatic number by trying.
func chromatic(g *colouring.Graph) int {
	for k := 0; ; k++ {
		if _, answer := colouring.Search(g, k, 1<<40); answer == colouring.Yes {
			return k
		}
	}
}

// splitGraph joins the paths that meet at a node and leave it by different links.
func splitGraph(r *names.Routing) *colouring.Graph {
	g := colouring.NewGraph(r.Len())
	for u := range r.Len() {
		for v := range u {
			for _, a := range r.Path(u) {
				for _, b := range r.Path(v) {
					if a.Node == b.Node && a.Out != b.Out {
						g.AddEdge(u, v)
					}
				}
			}
		}
	}
	return g
}

// drawGraph draws a graph of up to n vertices.
func drawGraph(t *rapid.T, n int) *colouring.Graph {
	g := colouring.NewGraph(rapid.IntRange(0, n).Draw(t, "vertices"))
	for u := range g.Len() {
		for v := range u {
			if rapid.Bool().Draw(t, "edge") {
				g.AddEdge(u, v)
			}
		}
	}
	return g
}

func equal(a, b *colouring.Graph) bool {
	if a.Len() != b.Len() {
		return false
	}
	for u := range a.Len() {
		for v := range a.Len() {
			if a.HasEdge(u, v) != b.HasEdge(u, v) {
				return false
			}
		}
	}
	return true
}

// TestReduce: the paths of the reduction split as the graph is joined, so that they
// need as many LIDs as it needs colours (Theorem 1).
func TestReduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		r := Reduce(g)
		if !equal(splitGraph(r), g) {
			t.Fatal("another split graph")
		}
		_, b, err := exact(t).Solve(context.Background(), r, names.Options{Goal: names.Colours})
		if best := int32(chromatic(g)); err != nil || b != (names.Bounds{Lower: best, Upper: best}) {
			t.Fatal(b, err, "best", best)
		}
	})
}

// TestFig4 is the example of the reduction in paper 000.
func TestFig4(t *testing.T) {
	g := colouring.NewGraph(4)
	for _, e := range [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}} {
		g.AddEdge(e[0], e[1])
	}
	r := Reduce(g)
	// Nodes: n_u 0 to 3, n_u' 4 to 7, n_01 8, n_02 9, n_12 10, n_13 11, n_23 12, d 13.
	want := []string{"0 8 9 4", "1 8 10 11 5", "2 9 10 12 6", "3 11 12 7"}
	for u := range r.Len() {
		var nodes []string
		for _, h := range r.Path(u) {
			nodes = append(nodes, fmt.Sprint(h.Node))
		}
		if got := strings.Join(nodes, " "); got != want[u] {
			t.Errorf("p_%d: %s, want %s", u, got, want[u])
		}
	}
}

// mycielski is the DIMACS graph mycielN: no triangle, chromatic number n+1.
func mycielski(n int) *colouring.Graph {
	g := colouring.NewGraph(2)
	g.AddEdge(0, 1)
	for range n - 1 {
		k := g.Len()
		h := colouring.NewGraph(2*k + 1)
		for u := range k {
			for v := range u {
				if g.HasEdge(u, v) {
					h.AddEdge(u, v)
					h.AddEdge(u, k+v)
					h.AddEdge(v, k+u)
				}
			}
			h.AddEdge(k+u, 2*k)
		}
		g = h
	}
	return g
}

// queens is the DIMACS graph queenN_N: the squares of a board, joined where queens
// attack each other.
func queens(n int) *colouring.Graph {
	g := colouring.NewGraph(n * n)
	for a := range n * n {
		for b := range a {
			if r, c := a/n-b/n, a%n-b%n; r == 0 || c == 0 || r == c || r == -c {
				g.AddEdge(a, b)
			}
		}
	}
	return g
}

// TestDIMACS: chromatic numbers of graphs of the DIMACS collection, through the
// reduction.
func TestDIMACS(t *testing.T) {
	for _, row := range []struct {
		name  string
		g     *colouring.Graph
		n, m  int
		lower int32
		upper int32
	}{
		{"myciel3", mycielski(3), 11, 20, 4, 4},
		{"myciel4", mycielski(4), 23, 71, 5, 5},
		{"queen5_5", queens(5), 25, 160, 5, 5},
		{"queen6_6", queens(6), 36, 290, 7, 7},
		{"queen7_7", queens(7), 49, 476, 7, 7},
	} {
		if row.g.Len() != row.n || row.g.NumEdges() != row.m {
			t.Errorf("%s: %d vertices, %d edges", row.name, row.g.Len(), row.g.NumEdges())
		}
		g, err := colouring.ReadDIMACS("g", bytes.NewReader(dimacs(row.g)))
		if err != nil || !equal(g, row.g) {
			t.Errorf("%s: read as another graph", row.name)
		}
		_, b, err := exact(t).Solve(context.Background(), Reduce(g), names.Options{Goal: names.Colours})
		if err != nil || b != (names.Bounds{Lower: row.lower, Upper: row.upper}) {
			t.Errorf("%s: %v %v", row.name, b, err)
		}
	}
}

// TestBudget: when the steps run out there are bounds, and no guess.
func TestBudget(t *testing.T) {
	_, b, err := exact(t).Solve(context.Background(), Reduce(queens(8)), names.Options{Goal: names.Colours, Budget: 10})
	if err != nil || b.Lower != 8 || b.Upper <= 9 {
		t.Error(b, err)
	}
}

func dimacs(g *colouring.Graph) []byte {
	var b bytes.Buffer
	if err := colouring.WriteDIMACS(&b, g); err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}

func TestReadDIMACSErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "g: no p line",
		"e 1 2":                      "g:1: an edge before the p line",
		"p edge 2 1\ne 1 3":          "g:2: edge 1 3 (vertices are 1 to 2)",
		"p edge 2 1\ne 1 1":          "g:2: edge from 1 to itself",
		"p edge 2 1\np edge 2 1":     "g:2: a second p line",
		"p edge -1 1":                `g:1: "-1" vertices (want 0 to 20000)`,
		"p edge 99999999 1":          `g:1: "99999999" vertices (want 0 to 20000)`,
		"p edge 3 2\ne 1 2":          "g: the p line says 2 edges, but 1 follow: the file may be truncated",
		"p edge 3 x\ne 1 2":          `g:1: "x" edges (want a number)`,
		"p edge 2 1\n\nc x\nn 1 2 3": `g:4: "n 1 2 3" is not a line of a DIMACS graph`,
	} {
		if _, err := colouring.ReadDIMACS("g", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzReadDIMACS(f *testing.F) {
	f.Add([]byte("c x\np edge 3 2\ne 1 2\ne 2 3\n"))
	f.Add([]byte("p col 2 1\ne 1 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("000")) {
			return // large graphs are slow to write again
		}
		g, err := colouring.ReadDIMACS("g", bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := colouring.ReadDIMACS("g", bytes.NewReader(dimacs(g)))
		if err != nil || !equal(g, again) {
			t.Fatal("written and read again it is another graph", err)
		}
	})
}
