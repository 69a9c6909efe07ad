// Package search searches graphs for the judge: for the distances of all switches to some of them
// (distance.go), a shortest cycle of a directed graph (cycle.go), and the channels on cycles
// (oncycles.go).
package search

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// Digraph is a directed graph: the successors of node n are To[Start[n]:Start[n+1]].
type Digraph struct {
	Start []int64
	To    []int32
	Names []int32 // of the nodes in ascending order, nil if names are numbers
}

// Successors returns the ends of the edges from a node.
func (d *Digraph) Successors(n int32) []int32 { return d.To[d.Start[n]:d.Start[n+1]] }

// Edge is an edge between two nodes by name.
type Edge struct{ From, To int32 }

// GraphOf makes a graph of edges with their nodes; equal edges count once. It reorders edges.
func GraphOf(edges []Edge) *Digraph {
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	edges = slices.Compact(edges)
	d := &Digraph{Start: []int64{0}}
	for _, e := range edges {
		d.Names = append(d.Names, e.From, e.To)
	}
	slices.Sort(d.Names)
	d.Names = slices.Compact(d.Names)
	at := 0
	for _, n := range d.Names {
		for ; at < len(edges) && edges[at].From == n; at++ {
			to, _ := slices.BinarySearch(d.Names, edges[at].To)
			d.To = append(d.To, int32(to))
		}
		d.Start = append(d.Start, int64(len(d.To)))
	}
	return d
}

// maxSearch limits the steps of ShortestCycle.
const maxSearch = 1 << 26

// ShortestCycle finds a shortest cycle, or nil. After maxSearch steps it returns the best cycle so
// far, and shortest is false. The caller knows that the lengths of any two cycles differ by a
// multiple of step.
func (d *Digraph) ShortestCycle(step int) (cycle []int32, shortest bool) {
	part, cyclic := d.Components()
	if !cyclic {
		return nil, true
	}
	n := int32(len(part))
	s := search{d: d, part: part, depth: make([]int32, n), round: make([]int32, n), parent: make([]int32, n), closes: make([]int32, n)}
	back := d.reverse(part)
	for x := range n {
		if part[x] < 0 {
			continue
		}
		if s.steps > maxSearch {
			return cycle, false
		}
		for _, u := range back.Successors(x) {
			s.closes[u] = x + 1
		}
		s.steps += len(back.Successors(x))
		bound := max(0, len(cycle)-step+1)
		if u := s.from(x, int32(bound)); u >= 0 {
			cycle = way(s.parent, x, u, s.depth[u]+1)
		}
		if len(cycle) > 0 && len(cycle) <= step {
			break
		}
	}
	return cycle, true
}

// LengthStep returns 2 if the switch graph is bipartite, so that all cycles have even length,
// otherwise 1.
func LengthStep(g *fabric.Graph) int {
	s := g.NewSearch(nil)
	for x := range int32(g.NumSwitches) {
		if len(s.Order) == 0 {
			s.From(x)
		} else {
			s.Extend(x)
		}
	}
	for c, from := range g.From {
		if s.Hops[from]&1 == s.Hops[g.To[c]]&1 {
			return 1
		}
	}
	return 2
}

// search is a breadth-first search for cycles. The fields of a node are valid if its mark is that
// of the current start.
type search struct {
	d             *Digraph
	part          []int32
	depth, parent []int32
	round         []int32 // mark of depth and parent: start + 1
	closes        []int32 // mark of nodes with an edge to the start
	queue         []int32
	steps         int
}

// from searches for a cycle through x that has no smaller node (these have been tried) and is
// shorter than the bound; 0 means no bound. It returns the cycle's last node, -1 for no cycle.
func (s *search) from(x, bound int32) int32 {
	s.queue = append(s.queue[:0], x)
	s.round[x], s.depth[x] = x+1, 0
	for head := 0; head < len(s.queue); head++ {
		u := s.queue[head]
		length := s.depth[u] + 1
		if bound > 0 && length >= bound {
			return -1
		}
		if s.closes[u] == x+1 {
			return u
		}
		if bound > 0 && length+1 >= bound {
			continue
		}
		next := s.d.Successors(u)
		s.steps += len(next)
		for _, v := range next {
			if v > x && s.part[v] == s.part[x] && s.round[v] != x+1 {
				s.round[v], s.depth[v], s.parent[v] = x+1, length, u
				s.queue = append(s.queue, v)
			}
		}
	}
	return -1
}

// reverse returns the edges within components, reversed.
func (d *Digraph) reverse(part []int32) *Digraph {
	n := int32(len(part))
	r := &Digraph{Start: make([]int64, n+2)}
	inside := func(do func(u, v int32)) {
		for u := range n {
			if part[u] < 0 {
				continue
			}
			for _, v := range d.Successors(u) {
				if part[v] == part[u] {
					do(u, v)
				}
			}
		}
	}
	inside(func(_, v int32) { r.Start[v+2]++ })
	for v := range n {
		r.Start[v+2] += r.Start[v+1]
	}
	r.To = make([]int32, r.Start[n+1])
	inside(func(u, v int32) {
		r.To[r.Start[v+1]] = u
		r.Start[v+1]++
	})
	return r
}

// way lists the nodes from x to u along parents.
func way(parent []int32, x, u, length int32) []int32 {
	nodes := make([]int32, length)
	for i := length - 1; i > 0; i-- {
		nodes[i] = u
		u = parent[u]
	}
	nodes[0] = x
	return nodes
}

// Components numbers the strongly connected components with a cycle; nodes on no cycle get -1
// (Tarjan, SIAM J. Comput. 1972, without recursion).
func (d *Digraph) Components() (part []int32, cyclic bool) {
	n := len(d.Start) - 1
	t := tarjan{d: d, part: slices.Repeat([]int32{-1}, n), index: make([]int32, n), low: make([]int32, n), edge: make([]int64, n)}
	for x := range int32(n) {
		if t.index[x] == 0 && d.Start[x] < d.Start[x+1] {
			t.visit(x)
		}
	}
	return t.part, t.parts > 0
}

type tarjan struct {
	d           *Digraph
	part        []int32
	index, low  []int32 // 1 and up; 0 not seen; index is done when the component is closed
	edge        []int64 // next edge to look at
	open, calls []int32
	seen, parts int32
}

const done = 1<<31 - 1

func (t *tarjan) visit(x int32) {
	t.enter(x)
	for len(t.calls) > 0 {
		u := t.calls[len(t.calls)-1]
		if t.edge[u] < t.d.Start[u+1] {
			v := t.d.To[t.edge[u]]
			t.edge[u]++
			if t.index[v] == 0 {
				t.enter(v)
			} else if t.index[v] != done {
				t.low[u] = min(t.low[u], t.index[v])
			}
			continue
		}
		t.calls = t.calls[:len(t.calls)-1]
		if len(t.calls) > 0 {
			p := t.calls[len(t.calls)-1]
			t.low[p] = min(t.low[p], t.low[u])
		}
		if t.low[u] == t.index[u] {
			t.closePart(u)
		}
	}
}

func (t *tarjan) enter(x int32) {
	t.seen++
	t.index[x], t.low[x], t.edge[x] = t.seen, t.seen, t.d.Start[x]
	t.open = append(t.open, x)
	t.calls = append(t.calls, x)
}

// closePart removes a component, whose first node is u, from the open nodes.
func (t *tarjan) closePart(u int32) {
	from := len(t.open) - 1
	for t.open[from] != u {
		from--
	}
	cyclic := len(t.open)-from > 1
	for _, v := range t.d.Successors(u) {
		cyclic = cyclic || v == u
	}
	for _, v := range t.open[from:] {
		t.index[v] = done
		if cyclic {
			t.part[v] = t.parts
		}
	}
	if cyclic {
		t.parts++
	}
	t.open = t.open[:from]
}
