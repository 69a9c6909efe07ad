package colouring

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawGraph(t *rapid.T, most int) *Graph {
	g := NewGraph(rapid.IntRange(0, most).Draw(t, "vertices"))
	dense := rapid.IntRange(1, 9).Draw(t, "density")
	for u := range g.Len() {
		for v := range u {
			if rapid.IntRange(0, 9).Draw(t, "edge") < dense {
				g.AddEdge(u, v)
			}
		}
	}
	return g
}

func iota32(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// isProper reports whether no two neighbours have one colour, and no vertex is without.
func isProper(g *Graph, colour []int32) bool {
	for u := range g.Len() {
		for v := range u {
			if colour[u] == colour[v] && g.HasEdge(u, v) {
				return false
			}
		}
	}
	return len(colour) == g.Len() && !slices.ContainsFunc(colour, func(c int32) bool { return c < 0 })
}

// canColour tries all colourings.
func canColour(g *Graph, k int, colour []int32) bool {
	v := len(colour)
	if v == g.Len() {
		return true
	}
	for c := range int32(min(k, NumColours(colour)+1)) {
		ok := true
		for u, cu := range colour {
			ok = ok && (cu != c || !g.HasEdge(u, v))
		}
		if ok && canColour(g, k, append(colour, c)) {
			return true
		}
	}
	return false
}

// TestSearch: the search says what trying all colourings says, also of graphs with more
// than 64 vertices.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		for k := range g.Len() + 2 {
			colour, answer := Search(g, k, 1<<40)
			if want := canColour(g, k, nil); (answer == Yes) != want || answer == Unknown {
				t.Fatalf("%d colours: answer %d, want %v", k, answer, want)
			}
			if answer == Yes && (!isProper(g, colour) || NumColours(colour) > k) {
				t.Fatalf("%d colours: %v", k, colour)
			}
		}
	})
}

// blowUp replaces each vertex by m vertices of the same neighbours: as many colours.
func blowUp(g *Graph, m int) *Graph {
	big := NewGraph(g.Len() * m)
	for u := range big.Len() {
		for v := range u {
			if g.HasEdge(u/m, v/m) {
				big.AddEdge(u, v)
			}
		}
	}
	return big
}

func cycle(n int) *Graph {
	g := NewGraph(n)
	for v := range n {
		g.AddEdge(v, (v+1)%n)
	}
	return g
}

// TestSearchLarge: graphs of several words a row, more than one component, and steps
// that run out.
func TestSearchLarge(t *testing.T) {
	odd := blowUp(cycle(5), 30)
	if _, answer := Search(odd, 2, 1<<40); answer != No {
		t.Error("an odd cycle has no two colours:", answer)
	}
	if colour, answer := Search(odd, 3, 1<<40); answer != Yes || !isProper(odd, colour) {
		t.Error("an odd cycle has three colours:", answer)
	}
	two := NewGraph(14) // cycles of 5 and 9 vertices
	for v := range 5 {
		two.AddEdge(v, (v+1)%5)
	}
	for v := range 9 {
		two.AddEdge(5+v, 5+(v+1)%9)
	}
	if colour, answer := Search(two, 3, 1<<40); answer != Yes || !isProper(two, colour) {
		t.Error("two odd cycles have three colours:", answer)
	}
	if _, answer := Search(queens(7), 7, 3); answer != Unknown {
		t.Error("three steps are not enough:", answer)
	}
	if _, answer := Search(queens(8), MaxColours+1, 1<<40); answer != Unknown {
		t.Error("more colours than the search takes:", answer)
	}
	full := NewGraph(MaxColours)
	for u := range full.Len() {
		for v := range u {
			full.AddEdge(u, v)
		}
	}
	if colour, answer := Search(full, MaxColours, 1<<40); answer != Yes || !isProper(full, colour) {
		t.Error("64 neighbours of each other:", answer)
	}
	if _, answer := Search(full, MaxColours-1, 1<<40); answer != No {
		t.Error("63 colours for 64 neighbours of each other:", answer)
	}
}

// queens joins the squares of a board where queens attack each other.
func queens(n int) *Graph {
	g := NewGraph(n * n)
	for a := range n * n {
		for b := range a {
			if r, c := a/n-b/n, a%n-b%n; r == 0 || c == 0 || r == c || r == -c {
				g.AddEdge(a, b)
			}
		}
	}
	return g
}

// TestSearchCounts: the same steps give the same answer, and more steps never a worse one.
func TestSearchCounts(t *testing.T) {
	known := false
	for steps := int64(1); steps < 1<<16; steps *= 2 {
		_, answer := Search(queens(6), 6, steps)
		if answer == Yes {
			t.Fatal("the queens' graph of six rows needs seven colours")
		}
		if known && answer == Unknown {
			t.Fatalf("%d steps find less than half as many", steps)
		}
		known = known || answer == No
	}
	if !known {
		t.Error("never proven")
	}
}

// TestClique: the vertices are joined, and there is no larger clique.
func TestClique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		found := Clique(g, 1<<40)
		if !isClique(g, found) {
			t.Fatalf("%v is no clique", found)
		}
		for set := range 1 << g.Len() {
			if other := Members(nil, []uint64{uint64(set)}); len(other) > len(found) && isClique(g, other) {
				t.Fatalf("%v is larger than %v", other, found)
			}
		}
		if few := Clique(g, 1); len(few) > len(found) || !isClique(g, few) || g.Len() > 0 && len(few) == 0 && len(found) == 1 {
			t.Fatalf("with one step %v", few)
		}
	})
}

func isClique(g *Graph, set []int32) bool {
	for i, u := range set {
		for _, v := range set[:i] {
			if u == v || !g.HasEdge(int(u), int(v)) {
				return false
			}
		}
	}
	return true
}

// TestByDegree: no neighbours have one colour, every vertex of a colour could not have a
// lower one, and the first of each colour has the largest or smallest degree of those left.
func TestByDegree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 12)
		weight := make([]int32, g.Len())
		for v := range weight {
			weight[v] = rapid.Int32Range(1, 3).Draw(t, "weight")
		}
		for _, largest := range []bool{true, false} {
			colour := ByDegree(g, weight, largest)
			if !isProper(g, colour) {
				t.Fatal("not proper:", colour)
			}
			for k := range int32(NumColours(colour)) {
				checkColour(t, g, weight, colour, k, largest)
			}
		}
	})
}

// checkColour deals out colour k again, one vertex at a time.
func checkColour(t *rapid.T, g *Graph, weight, colour []int32, k int32, largest bool) {
	free := func(v int32) bool { return colour[v] >= k }
	degree := func(v int32) (sum int32) {
		for u := range int32(g.Len()) {
			if free(u) && g.HasEdge(int(u), int(v)) {
				sum += weight[u]
			}
		}
		return sum
	}
	candidates := slices.DeleteFunc(iota32(g.Len()), func(v int32) bool { return !free(v) })
	for len(candidates) > 0 {
		next := slices.MinFunc(candidates, func(u, v int32) int {
			if largest {
				return int(degree(v) - degree(u))
			}
			return int(degree(u) - degree(v))
		})
		if colour[next] != k {
			t.Fatalf("vertex %d has colour %d, not %d", next, colour[next], k)
		}
		candidates = slices.DeleteFunc(candidates, func(v int32) bool { return v == next || g.HasEdge(int(v), int(next)) })
	}
}
