// Package colouring colours undirected graphs so that no two neighbours have the same colour: it
// has a heuristic by degree, and a search for the least number of colours with proof. Package names
// colours split graphs with it, where a colour is a LID.
//
// degree.go has the heuristics, search.go the exact search from a clique (clique.go). dimacs.go
// reads and writes graphs in the DIMACS format.
package colouring

import "math/bits"

// Graph is an undirected graph. Its rows are bit sets of neighbours.
type Graph struct {
	n     int
	words int // of a row
	rows  []uint64
}

// NewGraph makes a graph of n vertices without edges.
func NewGraph(n int) *Graph {
	words := (n + 63) / 64
	return &Graph{n: n, words: words, rows: make([]uint64, n*words)}
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return g.n }

// AddEdge joins two different vertices.
func (g *Graph) AddEdge(u, v int) {
	g.rows[u*g.words+v/64] |= 1 << (v % 64)
	g.rows[v*g.words+u/64] |= 1 << (u % 64)
}

// HasEdge reports whether two vertices are joined.
func (g *Graph) HasEdge(u, v int) bool { return g.rows[u*g.words+v/64]>>(v%64)&1 != 0 }

// NumEdges returns the number of edges.
func (g *Graph) NumEdges() int {
	n := 0
	for _, w := range g.rows {
		n += bits.OnesCount64(w)
	}
	return n / 2
}

// Row returns the bit set of the neighbours of v. A caller that writes it must write the rows of
// the neighbours too.
func (g *Graph) Row(v int32) []uint64 {
	return g.rows[int(v)*g.words : (int(v)+1)*g.words]
}

// NumColours returns the number of colours, numbered from 0: one more than the highest.
func NumColours(colour []int32) int {
	k := int32(0)
	for _, c := range colour {
		k = max(k, c+1)
	}
	return int(k)
}

// Members appends the elements of a bit set in ascending order.
func Members(dst []int32, set []uint64) []int32 {
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// isMember reports whether a bit set has an element.
func isMember(set []uint64, v int32) bool { return set[v/64]>>(v%64)&1 != 0 }

func insert(set []uint64, v int32) { set[v/64] |= 1 << (v % 64) }

func remove(set []uint64, v int32) { set[v/64] &^= 1 << (v % 64) }
