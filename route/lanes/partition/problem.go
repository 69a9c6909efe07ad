package partition

import (
	"cmp"
	"fmt"
	"slices"
)

// Problem is an instance of acyclic path partitioning.
type Problem struct {
	core [][]int32 // items that matter: their edges, ascending
	join []int32   // by item as given: the one of core with all of its edges, or free

	nodes int32   // channels on cycles
	start []int32 // edges from a node: start[v] to start[v+1]
	head  []int32 // by edge: node
}

// free marks an item that is on no cycle: any class will do.
const free int32 = -1

// newProblem makes the problem of items, given by their dependencies between channels. It fails
// with OwnCycle if the paths of an item close a cycle.
func newProblem(items [][][2]int32) (*Problem, error) {
	g := &graph{number: map[int32]int32{}, items: make([][][2]int32, len(items))}
	for i, edges := range items {
		for _, e := range edges {
			g.items[i] = append(g.items[i], [2]int32{g.node(e[0]), g.node(e[1])})
		}
	}
	return g.problem()
}

// graph is the channel dependency graph of all given items.
type graph struct {
	number map[int32]int32 // of a channel
	edges  [][2]int32      // ascending; by node
	items  [][][2]int32
}

// node numbers a channel.
func (g *graph) node(channel int32) int32 {
	n, ok := g.number[channel]
	if !ok {
		n = int32(len(g.number))
		g.number[channel] = n
	}
	return n
}

// problem makes the problem of the items that matter.
func (g *graph) problem() (*Problem, error) {
	for i := range g.items {
		slices.SortFunc(g.items[i], byEnds)
		g.items[i] = slices.Compact(g.items[i])
		g.edges = append(g.edges, g.items[i]...)
	}
	slices.SortFunc(g.edges, byEnds)
	g.edges = slices.Compact(g.edges)
	p := g.cyclicPart()
	alone := p.newClass()
	for i, edges := range p.core {
		if alone.closes(edges) {
			return nil, &OwnCycle{i}
		}
	}
	p.dropContained()
	return p, nil
}

// OwnCycle says that the paths of one item close a cycle, which no partition can break.
type OwnCycle struct{ Item int }

// Error implements error.
func (e *OwnCycle) Error() string {
	return fmt.Sprintf("partition: item %d has a cycle of its own", e.Item)
}

func byEnds(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// cyclicPart keeps the edges on cycles: those within strongly connected components. The core then
// holds every item.
func (g *graph) cyclicPart() *Problem {
	n := int32(len(g.number))
	p := &Problem{nodes: n, start: make([]int32, n+1), core: make([][]int32, len(g.items)), join: make([]int32, len(g.items))}
	out, in := make([][]int32, n), make([][]int32, n)
	for _, e := range g.edges {
		out[e[0]] = append(out[e[0]], e[1])
		in[e[1]] = append(in[e[1]], e[0])
	}
	component := components(out, in)
	id := make(map[[2]int32]int32, len(g.edges))
	for _, e := range g.edges {
		if component[e[0]] == component[e[1]] {
			id[e] = int32(len(p.head))
			p.head = append(p.head, e[1])
			p.start[e[0]+1]++
		}
	}
	for v := range n {
		p.start[v+1] += p.start[v]
	}
	for i, edges := range g.items {
		for _, e := range edges {
			if k, ok := id[e]; ok {
				p.core[i] = append(p.core[i], k)
			}
		}
	}
	return p
}

// components numbers the strongly connected components of a graph, given by the nodes after and
// before each (Kosaraju and Sharir). A search backwards lists the nodes in the order of leaving
// them. Searches forwards then start from that list, last node first; each search stays within one
// component.
func components(out, in [][]int32) []int32 {
	n := len(out)
	left := make([]int32, 0, n)
	seen := make([]bool, n)
	for v := range int32(n) {
		visit(v, in, seen, func(v int32) { left = append(left, v) })
	}
	component := make([]int32, n)
	clear(seen)
	for _, v := range slices.Backward(left) {
		visit(v, out, seen, func(w int32) { component[w] = v })
	}
	return component
}

// visit searches depth first from v on, and calls leave when it leaves a node.
func visit(v int32, next [][]int32, seen []bool, leave func(int32)) {
	if seen[v] {
		return
	}
	seen[v] = true
	for _, w := range next[v] {
		visit(w, next, seen, leave)
	}
	leave(v)
}

// dropContained removes items from the core if another item has all of their edges.
func (p *Problem) dropContained() {
	at := p.itemsByEdge(p.core)
	keeps := make([]int32, len(p.core)) // by item: the one that takes it along, itself, or free
	for i, edges := range p.core {
		keeps[i] = free
		if len(edges) == 0 {
			continue
		}
		rarest := slices.MinFunc(edges, func(a, b int32) int { return cmp.Compare(len(at[a]), len(at[b])) })
		keeps[i] = int32(i)
		for _, j := range at[rarest] {
			bigger := len(p.core[j]) > len(edges) || len(p.core[j]) == len(edges) && j < int32(i)
			if bigger && contains(p.core[j], edges) {
				keeps[i] = j
				break
			}
		}
	}
	var core [][]int32
	place := make([]int32, len(keeps))
	for i, j := range keeps {
		if j == int32(i) {
			place[i] = int32(len(core))
			core = append(core, p.core[i])
		}
	}
	for i, j := range keeps {
		for j != free && keeps[j] != j {
			j = keeps[j]
		}
		if p.join[i] = free; j != free {
			p.join[i] = place[j]
		}
	}
	p.core = core
}

// contains reports whether all of some ascending numbers are among others.
func contains(all, some []int32) bool {
	for _, e := range some {
		i, ok := slices.BinarySearch(all, e)
		if !ok {
			return false
		}
		all = all[i+1:]
	}
	return true
}

func (p *Problem) itemsByEdge(items [][]int32) [][]int32 {
	at := make([][]int32, len(p.head))
	for i, edges := range items {
		for _, e := range edges {
			at[e] = append(at[e], int32(i))
		}
	}
	return at
}

// class is a class of items that stays acyclic.
type class struct {
	p      *Problem
	count  []int32 // by edge: items that make it
	colour []int64 // by node: grey if it is open in the search, grey+1 if closed, less if not seen
	grey   int64   // of the current search
}

func (p *Problem) newClass() *class {
	return &class{p: p, count: make([]int32, len(p.head)), colour: make([]int64, p.nodes)}
}

func (c *class) add(edges []int32, by int32) {
	for _, e := range edges {
		c.count[e] += by
	}
}

// closes reports whether one more item would close a cycle. That cycle has an edge of the item, so
// the search starts at these.
func (c *class) closes(edges []int32) bool {
	c.add(edges, 1)
	c.grey += 2
	found := slices.ContainsFunc(edges, func(e int32) bool { return c.cycleFrom(c.p.head[e]) })
	c.add(edges, -1)
	return found
}

func (c *class) cycleFrom(v int32) bool {
	switch c.colour[v] {
	case c.grey:
		return true
	case c.grey + 1:
		return false
	}
	c.colour[v] = c.grey
	for e := c.p.start[v]; e < c.p.start[v+1]; e++ {
		if c.count[e] > 0 && c.cycleFrom(c.p.head[e]) {
			return true
		}
	}
	c.colour[v] = c.grey + 1
	return false
}
