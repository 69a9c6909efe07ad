package check

import (
	"context"
	"math/bits"

	"weft/internal/par"
	"weft/route"
)

// verdicts gives the four answers about deadlock.
func (j *judge) verdicts(ctx context.Context, workers int, r *Report) error {
	l := j.lanes
	answers := [numTraffics]*Verdict{&r.Assigned, &r.HostOnly, &r.AnyDLID, &r.NoPathRecord}
	var distinct []int
	same := [numTraffics]int{}
	for t := range numTraffics {
		same[t] = t
		for _, o := range distinct {
			if l.shift[o] == l.shift[t] {
				same[t] = o
			}
		}
		if same[t] == t {
			distinct = append(distinct, t)
		}
	}
	var cycles [numTraffics][]int32
	err := par.For(ctx, workers, len(distinct), func(_, i int) error {
		t := distinct[len(distinct)-1-i] // that takes longest first
		if t == hostOnly {
			r.HostOnly = j.acyclic(j.countEdges(t))
		} else {
			*answers[t], cycles[t] = j.verdict(j.dependencies(t))
		}
		return nil
	})
	if err != nil {
		return err
	}
	// What hosts do among themselves is part of what all do, and is free of cycles if
	// that is.
	if r.Assigned.DeadlockFree != Yes {
		r.HostOnly, cycles[hostOnly] = j.verdict(j.dependencies(hostOnly))
	}
	for t, cycle := range cycles { // one after the other: they share what explains them
		if cycle != nil {
			answers[t].Cycle = j.explain(cycle, t)
		}
	}
	for t := range numTraffics {
		*answers[t] = *answers[same[t]]
	}
	r.DeadlockFree, r.Cycle = r.Assigned.DeadlockFree, r.Assigned.Cycle
	return nil
}

// acyclic is the verdict on a graph with so many edges and no cycle.
func (j *judge) acyclic(edges int64) Verdict {
	return Verdict{OneLane: j.lanes.sl == nil, Edges: edges, Cycle: []Hold{}, Shortest: true, DeadlockFree: Yes}
}

// verdict is that of one kind of traffic by its graph, and a cycle that is still to
// be explained.
func (j *judge) verdict(d *digraph) (Verdict, []int32) {
	v := j.acyclic(int64(len(d.to)))
	cycle, shortest := d.shortestCycle()
	if cycle == nil {
		return v, nil
	}
	v.DeadlockFree, v.Shortest = No, shortest
	if v.OneLane {
		v.DeadlockFree = Unknown
	}
	return v, cycle
}

// digraph is a directed graph: the successors of node n are to[start[n]:start[n+1]].
type digraph struct {
	start []int64
	to    []int32
}

func (d *digraph) successors(n int32) []int32 { return d.to[d.start[n]:d.start[n+1]] }

// dependencies is the dependency graph of one kind of traffic. The node of a
// channel c and the VL with index v is c*len(vls)+v.
func (j *judge) dependencies(traffic int) *digraph {
	g := j.g
	nv := int32(len(j.lanes.vls))
	d := &digraph{start: make([]int64, 1, g.NumChannels*int(nv)+1), to: make([]int32, 0, j.deps.bits(j.lanes.fieldMask(traffic)))}
	after := make([][]int32, nv) // by VL index on the channel at hand: the nodes that follow
	var pairs vlPairs
	for c := range int32(g.NumChannels) {
		for v := range after {
			after[v] = after[v][:0]
		}
		keeps := j.keepsVL(c)
		for i, next := range g.OutOf(g.To[c]) {
			if keeps != nil {
				for m := j.field(c, int32(i), traffic); m != 0; m &= m - 1 {
					v := keeps[bits.TrailingZeros64(m)&15]
					after[v] = append(after[v], next*nv+int32(v))
				}
				continue
			}
			for before := j.slotVLs(c, next, int32(i), traffic, &pairs); before != 0; before &= before - 1 {
				v := bits.TrailingZeros16(before)
				for m := pairs[v]; m != 0; m &= m - 1 {
					after[v] = append(after[v], next*nv+int32(bits.TrailingZeros16(m)))
				}
				pairs[v] = 0
			}
		}
		for _, nodes := range after {
			d.to = append(d.to, nodes...)
			d.start = append(d.start, int64(len(d.to)))
		}
	}
	return d
}

// countEdges counts the edges of that graph.
func (j *judge) countEdges(traffic int) int64 {
	g, n := j.g, 0
	var pairs vlPairs
	for c := range int32(g.NumChannels) {
		keeps := j.keepsVL(c)
		for i, next := range g.OutOf(g.To[c]) {
			if keeps != nil {
				n += bits.OnesCount64(j.field(c, int32(i), traffic))
				continue
			}
			for before := j.slotVLs(c, next, int32(i), traffic, &pairs); before != 0; before &= before - 1 {
				v := bits.TrailingZeros16(before)
				n += bits.OnesCount16(pairs[v])
				pairs[v] = 0
			}
		}
	}
	return int64(n)
}

// field is the mask of one kind of traffic on a channel and one by rank after it.
func (j *judge) field(c, rank int32, traffic int) uint64 {
	return j.lanes.field(j.deps.at(j.deps.slot(c, rank)), traffic)
}

// keepsVL is the table of a channel if all channels after it have the same, and each
// SL has a VL of its own there; otherwise nil.
func (j *judge) keepsVL(c int32) *vlIndices {
	l := j.lanes
	if l.sl2vl == nil {
		return &oneVL
	}
	if l.inOut {
		return nil
	}
	from, to := &l.sl2vl.Switch[j.g.From[c]], &l.sl2vl.Switch[j.g.To[c]]
	if from.By != route.ByNothing || to.By != route.ByNothing || from.Index[0] != to.Index[0] || !l.apart[from.Index[0]] {
		return nil
	}
	return &l.pool[from.Index[0]]
}

// vlPairs are, by VL index on a channel, the VL indices on the one that follows.
type vlPairs [route.NumSLs]uint16

// slotVLs turns the SLs of two channels into pairs of VLs. It returns the set of VL
// indices on the first channel; pairs was empty.
func (j *judge) slotVLs(c, next, rank int32, traffic int, pairs *vlPairs) (before uint16) {
	g, l := j.g, j.lanes
	slot := j.deps.slot(c, rank)
	for k := range j.deps.perVL {
		m := l.field(j.deps.at(slot+k), traffic)
		if m == 0 {
			continue
		}
		then := l.indices(g.To[c], g.ToPort[c], g.FromPort[next])
		var now *vlIndices // that of k if inOut
		if !l.inOut {
			now = l.indices(g.From[c], 0, g.FromPort[c])
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if then[i] == dropped {
				continue
			}
			v := uint8(k)
			if now != nil {
				v = now[i]
			}
			before |= 1 << v
			pairs[v] |= 1 << then[i]
		}
	}
	return before
}

// maxSearch bounds the steps that shortestCycle takes.
const maxSearch = 1 << 26

// shortestCycle finds a shortest cycle, or nil. When the graph is too large to try
// every node, the answer is a cycle that may not be shortest, and shortest is false.
func (d *digraph) shortestCycle() (cycle []int32, shortest bool) {
	part, cyclic := d.components()
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
		for _, u := range back.successors(x) {
			s.closes[u] = x + 1
		}
		s.steps += len(back.successors(x))
		if u := s.from(x, int32(len(cycle))); u >= 0 {
			cycle = way(s.parent, x, u, s.depth[u]+1)
		}
		if len(cycle) == 1 {
			break
		}
	}
	return cycle, true
}

// search is breadth-first search for cycles. What it knows of a node is valid where
// the node's mark is that of the current start.
type search struct {
	d             *digraph
	part          []int32
	depth, parent []int32
	round         []int32 // mark of depth and parent: start + 1
	closes        []int32 // mark of nodes with an edge to the start
	queue         []int32
	steps         int
}

// from looks for the last node of a cycle that starts at x, has no smaller node (those
// have been tried) and is shorter than the bound, 0 for none; -1 when there is none.
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
		next := s.d.successors(u)
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

// reverse turns the edges within parts round.
func (d *digraph) reverse(part []int32) *digraph {
	n := int32(len(part))
	r := &digraph{start: make([]int64, n+2)}
	inside := func(do func(u, v int32)) {
		for u := range n {
			if part[u] < 0 {
				continue
			}
			for _, v := range d.successors(u) {
				if part[v] == part[u] {
					do(u, v)
				}
			}
		}
	}
	inside(func(_, v int32) { r.start[v+2]++ })
	for v := range n {
		r.start[v+2] += r.start[v+1]
	}
	r.to = make([]int32, r.start[n+1])
	inside(func(u, v int32) {
		r.to[r.start[v+1]] = u
		r.start[v+1]++
	})
	return r
}

// way lists the nodes from x to u.
func way(parent []int32, x, u, length int32) []int32 {
	nodes := make([]int32, length)
	for i := length - 1; i > 0; i-- {
		nodes[i] = u
		u = parent[u]
	}
	nodes[0] = x
	return nodes
}

// components numbers the strongly connected components that hold a cycle, -1 for
// nodes on no cycle (Tarjan, SIAM J. Comput. 1972, without recursion).
func (d *digraph) components() (part []int32, cyclic bool) {
	n := len(d.start) - 1
	t := tarjan{d: d, part: make([]int32, n), index: make([]int32, n), low: make([]int32, n), edge: make([]int64, n)}
	for x := range t.part {
		t.part[x] = -1
	}
	for x := range int32(n) {
		if t.index[x] == 0 && d.start[x] < d.start[x+1] {
			t.visit(x)
		}
	}
	return t.part, t.parts > 0
}

type tarjan struct {
	d           *digraph
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
		if t.edge[u] < t.d.start[u+1] {
			v := t.d.to[t.edge[u]]
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
	t.index[x], t.low[x], t.edge[x] = t.seen, t.seen, t.d.start[x]
	t.open = append(t.open, x)
	t.calls = append(t.calls, x)
}

// closePart takes a component whose first node is u off the open nodes.
func (t *tarjan) closePart(u int32) {
	from := len(t.open) - 1
	for t.open[from] != u {
		from--
	}
	cyclic := len(t.open)-from > 1
	for _, v := range t.d.successors(u) {
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
