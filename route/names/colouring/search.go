package colouring

import (
	"math/bits"
	"slices"
)

// Answer answers whether so many colours are enough.
type Answer uint8

// The answers; Unknown when the steps or the time ran out.
const (
	Unknown Answer = iota
	Yes
	No
)

// MaxColours is the largest number of colours that Search decides on.
const MaxColours = 64

// CliqueSteps is enough for most cliques: a few milliseconds.
const CliqueSteps = 200_000

// Search answers whether g can be coloured with k colours, and how. The answer is Unknown if the
// steps ran out or k is above MaxColours.
//
// First it repeatedly removes vertices that cannot matter. A vertex with fewer than k neighbours
// always finds a colour. A vertex whose neighbours are all neighbours of another, not adjacent
// vertex can have the same colour as that one. It searches each component of the rest separately.
func Search(g *Graph, k int, steps int64) ([]int32, Answer) {
	switch {
	case k > MaxColours:
		return nil, Unknown
	case k == 0 && g.n > 0:
		return nil, No
	}
	colour := slices.Repeat([]int32{-1}, g.n)
	alive, removed := kernel(g, k)
	for _, v := range Members(nil, alive) {
		if colour[v] >= 0 {
			continue
		}
		component := componentOf(g, alive, v)
		found, answer := colourComponent(g, component, k, &steps)
		if answer != Yes {
			return nil, answer
		}
		for i, u := range component {
			colour[u] = found[i]
		}
	}
	for i := len(removed) - 1; i >= 0; i-- {
		colour[removed[i]] = lowestFree(g, removed[i], colour)
	}
	return colour, Yes
}

// kernel returns the vertices that matter for k colours, and the others in order of removal.
func kernel(g *Graph, k int) (alive []uint64, removed []int32) {
	alive = make([]uint64, g.words)
	for v := range int32(g.n) {
		insert(alive, v)
	}
	for changed := true; changed; {
		changed = false
		for v := range int32(g.n) {
			if isMember(alive, v) && (degree(g, alive, v) < k || isDominated(g, alive, v)) {
				remove(alive, v)
				removed = append(removed, v)
				changed = true
			}
		}
	}
	return alive, removed
}

// degree counts the neighbours of a vertex that are alive.
func degree(g *Graph, alive []uint64, v int32) int {
	n := 0
	for i, w := range g.Row(v) {
		n += bits.OnesCount64(w & alive[i])
	}
	return n
}

// isDominated reports whether all neighbours of v are neighbours of another vertex, not adjacent to
// v.
func isDominated(g *Graph, alive []uint64, v int32) bool {
	row := g.Row(v)
	for i, w := range alive {
		for w &^= row[i]; w != 0; w &= w - 1 {
			if u := int32(i*64 + bits.TrailingZeros64(w)); u != v && contains(alive, g.Row(u), row) {
				return true
			}
		}
	}
	return false
}

// contains reports whether one set contains another, of the vertices alive.
func contains(alive, big, small []uint64) bool {
	for i, w := range small {
		if w&alive[i]&^big[i] != 0 {
			return false
		}
	}
	return true
}

// lowestFree returns the lowest colour that no neighbour has.
func lowestFree(g *Graph, v int32, colour []int32) int32 {
	taken := uint64(0)
	for i, w := range g.Row(v) {
		for ; w != 0; w &= w - 1 {
			if c := colour[i*64+bits.TrailingZeros64(w)]; c >= 0 {
				taken |= 1 << c
			}
		}
	}
	return int32(bits.TrailingZeros64(^taken))
}

// componentOf lists the vertices alive that are connected to v, v first.
func componentOf(g *Graph, alive []uint64, v int32) []int32 {
	component := []int32{v}
	seen := make([]uint64, g.words)
	insert(seen, v)
	for i := 0; i < len(component); i++ {
		for k, w := range g.Row(component[i]) {
			w &= alive[k] &^ seen[k]
			seen[k] |= w
			for ; w != 0; w &= w - 1 {
				component = append(component, int32(k*64+bits.TrailingZeros64(w)))
			}
		}
	}
	return component
}

// colourComponent colours a component with k colours by DSATUR (Brélaz, "New Methods to Color the
// Vertices of a Graph", CACM 1979): it starts from a clique, branches on the vertex with the fewest
// colours left, and opens at most one new colour. colour[i] is for component[i].
func colourComponent(g *Graph, component []int32, k int, steps *int64) (colour []int32, answer Answer) {
	sub := subgraph(g, component)
	clique := Clique(sub, min(*steps, CliqueSteps))
	if len(clique) > k {
		return nil, No
	}
	s := newSaturation(sub, k)
	for i, v := range clique {
		s.assign(v, int32(i))
	}
	if s.branch(sub.n-len(clique), len(clique), steps) {
		return s.colour, Yes
	}
	if *steps > 0 {
		return nil, No
	}
	return nil, Unknown
}

// subgraph returns the graph of some vertices and the edges between them.
func subgraph(g *Graph, vertices []int32) *Graph {
	sub := NewGraph(len(vertices))
	for i, u := range vertices {
		for j, v := range vertices[:i] {
			if g.HasEdge(int(u), int(v)) {
				sub.AddEdge(i, j)
			}
		}
	}
	return sub
}

// saturation is a partial colouring with at most k colours.
type saturation struct {
	k          int
	neighbours [][]int32
	colour     []int32  // by vertex, -1 for none
	used       []uint64 // by vertex: colours of its neighbours
	count      []int32  // by vertex and colour: neighbours with the colour
}

func newSaturation(g *Graph, k int) *saturation {
	s := &saturation{
		k: k, neighbours: make([][]int32, g.n), colour: make([]int32, g.n),
		used: make([]uint64, g.n), count: make([]int32, g.n*k),
	}
	for v := range int32(g.n) {
		s.neighbours[v] = Members(nil, g.Row(v))
		s.colour[v] = -1
	}
	return s
}

// branch colours the remaining vertices, with colours 0 to open-1 in use so far.
func (s *saturation) branch(left, open int, steps *int64) bool {
	if left == 0 {
		return true
	}
	if *steps <= 0 {
		return false
	}
	*steps--
	v := s.mostConstrained()
	for c := range int32(min(open+1, s.k)) {
		if s.used[v]>>c&1 != 0 {
			continue
		}
		if s.assign(v, c) && s.branch(left-1, max(open, int(c)+1), steps) {
			return true
		}
		s.unassign(v)
	}
	return false
}

// mostConstrained returns the uncoloured vertex with the fewest colours left, and among equals the
// one with the most neighbours.
func (s *saturation) mostConstrained() int32 {
	best, bestKey := int32(-1), -1
	for v, c := range s.colour {
		if c < 0 {
			key := bits.OnesCount64(s.used[v])<<32 | len(s.neighbours[v])
			if key > bestKey {
				best, bestKey = int32(v), key
			}
		}
	}
	return best
}

// assign colours a vertex; it returns false if that leaves a neighbour without a choice.
func (s *saturation) assign(v, c int32) bool {
	all := ^uint64(0) >> (64 - s.k)
	ok := true
	s.colour[v] = c
	for _, u := range s.neighbours[v] {
		n := &s.count[int(u)*s.k+int(c)]
		if *n++; *n == 1 {
			s.used[u] |= 1 << c
			ok = ok && (s.used[u] != all || s.colour[u] >= 0)
		}
	}
	return ok
}

// unassign removes the colour of a vertex.
func (s *saturation) unassign(v int32) {
	c := s.colour[v]
	s.colour[v] = -1
	for _, u := range s.neighbours[v] {
		n := &s.count[int(u)*s.k+int(c)]
		if *n--; *n == 0 {
			s.used[u] &^= 1 << c
		}
	}
}
