package check

import (
	"context"
	"math/bits"
	"slices"

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
	err := par.For(ctx, workers, len(distinct), func(_, i int) error {
		*answers[distinct[i]] = j.verdict(distinct[i])
		return nil
	})
	if err != nil {
		return err
	}
	for t := range numTraffics {
		*answers[t] = *answers[same[t]]
	}
	r.DeadlockFree, r.Cycle = r.Assigned.DeadlockFree, r.Assigned.Cycle
	return nil
}

func (j *judge) verdict(traffic int) Verdict {
	d := j.dependencies(traffic)
	v := Verdict{OneLane: j.lanes.sl == nil, Edges: int64(len(d.to)), Cycle: []Hold{}, Shortest: true, DeadlockFree: Yes}
	cycle, shortest := d.shortestCycle()
	if cycle == nil {
		return v
	}
	v.DeadlockFree, v.Shortest = No, shortest
	if v.OneLane {
		v.DeadlockFree = Unknown
	}
	v.Cycle = j.explain(cycle, traffic)
	return v
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
	g, l := j.g, j.lanes
	nv := len(l.vls)
	d := &digraph{start: make([]int64, 1, g.NumChannels*nv+1)}
	var rows [][route.NumSLs]uint16 // by rank of the second channel, then VL index on the first: VL indices on the second
	for c := range int32(g.NumChannels) {
		out := g.OutOf(g.To[c])
		rows = slices.Grow(rows[:0], len(out))[:len(out)]
		clear(rows)
		for i, next := range out {
			j.slotVLs(c, next, int32(i), traffic, &rows[i])
		}
		for v := range nv {
			for i, next := range out {
				for m := rows[i][v]; m != 0; m &= m - 1 {
					d.to = append(d.to, next*int32(nv)+int32(bits.TrailingZeros16(m)))
				}
			}
			d.start = append(d.start, int64(len(d.to)))
		}
	}
	return d
}

// slotVLs turns the SLs of one pair of channels into pairs of VLs.
func (j *judge) slotVLs(c, next, rank int32, traffic int, row *[route.NumSLs]uint16) {
	g, l := j.g, j.lanes
	slot := j.deps.slot(c, rank)
	for k := range j.deps.perVL {
		m := l.field(j.deps.at(slot+k), traffic)
		for ; m != 0; m &= m - 1 {
			sl := l.sls[bits.TrailingZeros64(m)]
			after := l.vl(g.To[c], g.ToPort[c], g.FromPort[next], sl)
			if after == route.DropVL {
				continue
			}
			before := uint8(k)
			if !l.inOut {
				before = l.vlIndex[l.vl(g.From[c], 0, g.FromPort[c], sl)]
			}
			row[before] |= 1 << l.vlIndex[after]
		}
	}
}

// maxSearch bounds the steps that shortestCycle takes.
const maxSearch = 1 << 26

// shortestCycle finds a shortest cycle, or nil. When the graph is too large to try
// every node, the answer is a cycle that may not be shortest, and shortest is false.
func (d *digraph) shortestCycle() (cycle []int32, shortest bool) {
	part := d.components()
	n := int32(len(part))
	depth := make([]int32, n) // of the last search, valid where round matches
	round := make([]int32, n)
	parent := make([]int32, n)
	var queue []int32
	steps := 0
	for x := range n {
		if part[x] < 0 {
			continue
		}
		if steps > maxSearch {
			return cycle, false
		}
		// Cycles through smaller nodes have been tried.
		queue = append(queue[:0], x)
		round[x], depth[x] = x+1, 0
		for head := 0; head < len(queue); head++ {
			u := queue[head]
			if cycle != nil && depth[u]+1 >= int32(len(cycle)) {
				break
			}
			steps += len(d.successors(u))
			if d.step(u, x, part, round, depth, parent, &queue) {
				cycle = way(parent, x, u, depth[u]+1)
				break
			}
		}
		if len(cycle) == 1 {
			break
		}
	}
	return cycle, true
}

// step looks at the successors of u in a search from x; it reports whether x is one.
func (d *digraph) step(u, x int32, part, round, depth, parent []int32, queue *[]int32) bool {
	for _, v := range d.successors(u) {
		if v == x {
			return true
		}
		if v > x && part[v] == part[x] && round[v] != x+1 {
			round[v], depth[v], parent[v] = x+1, depth[u]+1, u
			*queue = append(*queue, v)
		}
	}
	return false
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
func (d *digraph) components() []int32 {
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
	return t.part
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
