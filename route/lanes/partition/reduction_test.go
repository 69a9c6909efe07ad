package partition

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// chromatic is the least number of colours, by trying all colourings.
func chromatic(vertices int, edges [][2]int32) int {
	adjacent := make([][]bool, vertices)
	for v := range adjacent {
		adjacent[v] = make([]bool, vertices)
	}
	for _, e := range edges {
		adjacent[e[0]][e[1]], adjacent[e[1]][e[0]] = true, true
	}
	colour := make([]int, vertices)
	var fits func(v, used, colours int) bool
	fits = func(v, used, colours int) bool {
		if v == vertices {
			return true
		}
	next:
		for c := 0; c < min(used+1, colours); c++ {
			for w := range v {
				if adjacent[v][w] && colour[w] == c {
					continue next
				}
			}
			colour[v] = c
			if fits(v+1, max(used, c+1), colours) {
				return true
			}
		}
		return false
	}
	for colours := 0; ; colours++ {
		if fits(0, 0, colours) {
			return colours
		}
	}
}

// mycielski is DIMACS's myciel graph: myciel2 is the ring of five, and each next one
// has a twin for every vertex, with its neighbours, and one vertex for all twins.
func mycielski(k int) (vertices int, edges [][2]int32) {
	vertices = 5
	for v := range int32(5) {
		edges = append(edges, [2]int32{v, (v + 1) % 5})
	}
	for ; k > 2; k-- {
		n := int32(vertices)
		for _, e := range edges {
			edges = append(edges, [2]int32{e[0], e[1] + n}, [2]int32{e[0] + n, e[1]})
		}
		for v := range n {
			edges = append(edges, [2]int32{v + n, 2 * n})
		}
		vertices = 2*vertices + 1
	}
	return vertices, edges
}

// queens is DIMACS's queen graph: squares of a board from which queens attack each
// other.
func queens(size int32) (vertices int, edges [][2]int32) {
	for a := range size * size {
		for b := range a {
			row, column := a/size-b/size, a%size-b%size
			if row == 0 || column == 0 || row == column || row == -column {
				edges = append(edges, [2]int32{b, a})
			}
		}
	}
	return int(size * size), edges
}

// TestReductionOnKnownGraphs: sizes and chromatic numbers are DIMACS's.
func TestReductionOnKnownGraphs(t *testing.T) {
	for _, c := range []struct {
		name             string
		graph            func() (int, [][2]int32)
		edges, chromatic int
	}{
		{"myciel3", func() (int, [][2]int32) { return mycielski(3) }, 20, 4},
		{"myciel4", func() (int, [][2]int32) { return mycielski(4) }, 71, 5},
		{"queen5_5", func() (int, [][2]int32) { return queens(5) }, 160, 5},
		{"queen6_6", func() (int, [][2]int32) { return queens(6) }, 290, 7},
		{"no edges", func() (int, [][2]int32) { return 3, nil }, 0, 1},
		{"none", func() (int, [][2]int32) { return 0, nil }, 0, 0},
	} {
		vertices, edges := c.graph()
		if len(edges) != c.edges {
			t.Errorf("%s has %d edges, want %d", c.name, len(edges), c.edges)
		}
		if c.name != "queen6_6" {
			if got := chromatic(vertices, edges); got != c.chromatic {
				t.Errorf("%s: dumb search finds %d colours, want %d", c.name, got, c.chromatic)
			}
		}
		paths := Colouring(vertices, edges)
		r := minimum(t, problem(t, paths), 1<<20)
		verify(t, single(paths), r)
		if !r.Exact() || r.Upper != c.chromatic {
			t.Errorf("%s: %d to %d classes after %d steps, want %d", c.name, r.Lower, r.Upper, r.Steps, c.chromatic)
		}
		t.Logf("%s: %d classes after %d steps", c.name, r.Upper, r.Steps)
	}
}

// drawGraph draws a graph, with edges from a vertex to itself, which mean nothing.
func drawGraph(rng *rand.Rand) (vertices int, edges [][2]int32) {
	vertices = rng.IntN(10)
	density := rng.Float64()
	for v := range int32(vertices) {
		for w := range v + 1 {
			if rng.Float64() < density {
				edges = append(edges, [2]int32{v, w})
			}
		}
	}
	return vertices, edges
}

// TestReduction: on random graphs the chromatic number is the number of classes, and
// classes are colours.
func TestReduction(t *testing.T) {
	numbers := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		vertices, edges := drawGraph(rng)
		paths := Colouring(vertices, edges)
		r := minimum(t, problem(t, paths), 1<<20)
		verify(t, single(paths), r)
		var proper [][2]int32
		for _, e := range edges {
			if e[0] != e[1] {
				proper = append(proper, e)
				if r.Class[e[0]] == r.Class[e[1]] {
					t.Fatalf("neighbours %v share a class", e)
				}
			}
		}
		want := chromatic(vertices, proper)
		if !r.Exact() || r.Upper != want {
			t.Fatalf("%d to %d classes, want %d", r.Lower, r.Upper, want)
		}
		numbers[want]++
	})
	t.Logf("chromatic numbers %v", numbers)
}
