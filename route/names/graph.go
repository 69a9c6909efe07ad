package names

import "math/bits"

// Graph is an undirected graph: the split graph of a destination (section V-C of
// paper 000), or any graph to be coloured. Its rows are bit sets.
type Graph struct {
	n     int
	words int // a row
	rows  []uint64
}

// NewGraph makes a graph of n vertices without edges.
func NewGraph(n int) *Graph {
	g := &Graph{}
	g.reset(n)
	return g
}

func (g *Graph) reset(n int) {
	g.n, g.words = n, (n+63)/64
	g.rows = zeros(g.rows, n*g.words)
}

// Len is the number of vertices.
func (g *Graph) Len() int { return g.n }

// AddEdge joins two different vertices.
func (g *Graph) AddEdge(u, v int) {
	g.rows[u*g.words+v/64] |= 1 << (v % 64)
	g.rows[v*g.words+u/64] |= 1 << (u % 64)
}

// HasEdge reports whether two vertices are joined.
func (g *Graph) HasEdge(u, v int) bool { return g.rows[u*g.words+v/64]>>(v%64)&1 != 0 }

// NumEdges is the number of edges.
func (g *Graph) NumEdges() int {
	n := 0
	for _, w := range g.rows {
		n += bits.OnesCount64(w)
	}
	return n / 2
}

// row is the bit set of the neighbours of v.
func (g *Graph) row(v int32) []uint64 {
	return g.rows[int(v)*g.words : (int(v)+1)*g.words]
}

// members appends the elements of a bit set in ascending order.
func members(dst []int32, set []uint64) []int32 {
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// SplitGraph is the split graph of a Routing: a vertex a path, an edge a split.
func SplitGraph(r *Routing) (*Graph, error) {
	var c condensed
	if err := c.condense(r); err != nil {
		return nil, err
	}
	var s splitter
	s.build(&c)
	g := NewGraph(r.Len())
	for u := range r.Len() {
		for v := range u {
			if a, b := c.class[u], c.class[v]; a != b && s.g.HasEdge(int(a), int(b)) {
				g.AddEdge(u, v)
			}
		}
	}
	return g, nil
}

// splitter builds the split graph of classes: at each node, the classes that leave
// by one link split from all others there. O(hops x classes / 64).
type splitter struct {
	g       Graph
	start   []int32 // by node: its visits are visits[start[n]:start[n+1]]
	visits  []visit
	through []uint64 // classes at the node
	other   []uint64 // classes at the node that leave by another link
}

// visit is a class at a node.
type visit struct{ class, out int32 }

// sortVisits lists the visits of every node, in order of class.
func (s *splitter) sortVisits(c *condensed) {
	nodes := int(c.r.nodes)
	s.start = zeros(s.start, nodes+2)
	hops := 0
	for class := range int32(c.size()) {
		for _, h := range c.hops(class) {
			s.start[h.Node+2]++
			hops++
		}
	}
	for n := range nodes {
		s.start[n+2] += s.start[n+1]
	}
	s.visits = resize(s.visits, hops)
	for class := range int32(c.size()) {
		for _, h := range c.hops(class) {
			s.visits[s.start[h.Node+1]] = visit{class, h.Out}
			s.start[h.Node+1]++
		}
	}
}

// at are the visits of a node.
func (s *splitter) at(node int) []visit { return s.visits[s.start[node]:s.start[node+1]] }

func (s *splitter) build(c *condensed) {
	s.g.reset(c.size())
	s.sortVisits(c)
	s.through, s.other = resize(s.through, s.g.words), resize(s.other, s.g.words)
	for node := range int(c.r.nodes) {
		visits := s.at(node)
		clear(s.through)
		for _, v := range visits {
			s.through[v.class/64] |= 1 << (v.class % 64)
		}
		for i, v := range visits {
			if leftBefore(visits[:i], v.out) {
				continue
			}
			copy(s.other, s.through)
			for _, w := range visits[i:] {
				if w.out == v.out {
					s.other[w.class/64] &^= 1 << (w.class % 64)
				}
			}
			for _, w := range visits[i:] {
				if w.out == v.out {
					for k, bits := range s.other {
						s.g.rows[int(w.class)*s.g.words+k] |= bits
					}
				}
			}
		}
	}
}

// leftBefore reports whether one of the visits leaves by a link.
func leftBefore(visits []visit, out int32) bool {
	for _, v := range visits {
		if v.out == out {
			return true
		}
	}
	return false
}
