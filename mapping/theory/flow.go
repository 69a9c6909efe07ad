package theory

import "weft/mapping"

// flow is a unit-capacity flow network over a network's nodes and a sink. Every wire is an arc each
// way; a flow of least cost never uses both.
type flow struct {
	sink  int32
	first []int32 // by node: its first arc, -1 at the end
	next  []int32 // by arc
	to    []int32
	cap   []int32
	cost  []int32

	initial []int32
	dist    []int32
	via     []int32 // arc by which the search reached a node
	queued  []bool
	queue   []int32
}

func newFlow(nodes int) *flow {
	f := &flow{sink: int32(nodes), first: make([]int32, nodes+1), dist: make([]int32, nodes+1), via: make([]int32, nodes+1), queued: make([]bool, nodes+1)}
	for v := range f.first {
		f.first[v] = -1
	}
	return f
}

// arc adds an arc and its residual one: arc a and a^1.
func (f *flow) arc(from, to, capacity, cost int32) {
	for _, a := range [2][4]int32{{from, to, capacity, cost}, {to, from, 0, -cost}} {
		f.next = append(f.next, f.first[a[0]])
		f.first[a[0]] = int32(len(f.to))
		f.to = append(f.to, a[1])
		f.cap = append(f.cap, a[2])
		f.cost = append(f.cost, a[3])
	}
}

// wires adds arcs for the wires of a network; the mapper's may be used twice.
func (f *flow) wires(n *mapping.Network, mapper int32) {
	for _, w := range n.Wires() {
		a, b := w[0].Node, w[1].Node
		capacity := int32(1)
		if a == mapper || b == mapper {
			capacity = 2
		}
		f.arc(a, b, capacity, 1)
		f.arc(b, a, capacity, 1)
	}
}

const far int32 = 1 << 29

// augment sends a unit from a node to the sink along the cheapest remaining path. It returns false
// if there is none.
func (f *flow) augment(from int32) (cost int32, ok bool) {
	for v := range f.dist {
		f.dist[v] = far
	}
	f.dist[from] = 0
	f.queue = append(f.queue[:0], from)
	for len(f.queue) > 0 {
		v := f.queue[0]
		f.queue = f.queue[1:]
		f.queued[v] = false
		for a := f.first[v]; a >= 0; a = f.next[a] {
			u := f.to[a]
			if f.cap[a] == 0 || f.dist[v]+f.cost[a] >= f.dist[u] {
				continue
			}
			f.dist[u] = f.dist[v] + f.cost[a]
			f.via[u] = a
			if !f.queued[u] && u != f.sink {
				f.queued[u] = true
				f.queue = append(f.queue, u)
			}
		}
	}
	if f.dist[f.sink] == far {
		return 0, false
	}
	for v := f.sink; v != from; {
		a := f.via[v]
		f.cap[a]--
		f.cap[a^1]++
		v = f.to[a^1]
	}
	return f.dist[f.sink], true
}

// keep remembers the capacities, reset restores them.
func (f *flow) keep()  { f.initial = append(f.initial[:0], f.cap...) }
func (f *flow) reset() { copy(f.cap, f.initial) }
