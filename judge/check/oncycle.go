package check

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
)

// laneGraph is the dependency graph of one kind of traffic on one SL that keeps a VL of its own. A
// node is a channel. A word holds its successors: a bit for each channel out of its end, in order.
// Words by switch of the channels seen save looking at edges (Tarjan's components, as in
// components).
type laneGraph struct {
	g           *fabric.Graph
	bit         []uint64 // by channel: its bit in such words
	after       []uint64 // by channel: successors
	seen, open  []uint64 // by switch: channels that leave it
	index, low  []int32  // by channel
	stack, path []int32
	count       int32
	cyclic      []bool // by channel: it is on a cycle
}

// cyclicSLs returns by channel a mask of the SLs that may be on a cycle; all others are not. It
// returns nil where packets change VLs, or a switch has more than 64 channels.
func (j *judge) cyclicSLs(ctx context.Context) ([]uint64, error) {
	g, l, n := j.Graph, j.lanes, j.Graph.NumChannels
	for c := range int32(n) {
		if j.keepsVL(c) == nil || len(g.OutOf(g.To[c])) > 64 {
			return nil, nil
		}
	}
	bit := bitOfChannel(g)
	graphs := l.graphBits()
	after := j.successors(graphs)
	cyclic := make([][]bool, len(graphs))
	err := par.For(ctx, len(j.workers), len(graphs), func(_, i int) error {
		t := laneGraph{
			g: g, after: after[i*n : (i+1)*n], bit: bit, seen: make([]uint64, g.NumSwitches), open: make([]uint64, g.NumSwitches),
			index: make([]int32, n), low: make([]int32, n), cyclic: make([]bool, n),
		}
		t.components()
		cyclic[i] = t.cyclic
		return nil
	})
	onCycles := make([]uint64, n)
	for i, b := range graphs {
		for c, yes := range cyclic[i] {
			if yes {
				onCycles[c] |= 1 << b
			}
		}
	}
	for c, m := range onCycles {
		all := l.field(m, assigned)
		onCycles[c] |= all<<l.shift[hostOnly] | (all&^l.byDefault)<<l.shift[noRecord]
	}
	return onCycles, err
}

// graphBits lists the bits of masks that have a graph of their own. Traffic among hosts is part of
// all traffic, and clients that never ask for a path record add to it on the default SL only.
func (l *lanes) graphBits() []int {
	fields := uint64(0)
	for i := range l.sls {
		fields |= l.inAll[i]
	}
	fields &^= l.fieldMask(hostOnly)
	if l.shift[noRecord] != l.shift[assigned] && l.shift[noRecord] != l.shift[anyDLID] {
		fields &^= l.fieldMask(noRecord) &^ l.unasked()
	}
	var list []int
	for m := fields; m != 0; m &= m - 1 {
		list = append(list, bits.TrailingZeros64(m))
	}
	return list
}

// bitOfChannel gives each channel a bit among its switch's output channels.
func bitOfChannel(g *fabric.Graph) []uint64 {
	bit := make([]uint64, g.NumChannels)
	for s := range int32(g.NumSwitches) {
		for i, c := range g.OutOf(s) {
			bit[c] = 1 << i
		}
	}
	return bit
}

// successors returns the successors of all channels, for one graph after the other.
func (j *judge) successors(graphs []int) []uint64 {
	g, n := j.Graph, j.Graph.NumChannels
	after := make([]uint64, len(graphs)*n)
	var row []uint64
	for c := range int32(n) {
		row = j.deps.after(row[:0], c, len(g.OutOf(g.To[c])))
		some := uint64(0)
		for _, m := range row {
			some |= m
		}
		for k, b := range graphs {
			if some>>b&1 == 0 {
				continue
			}
			word := uint64(0)
			for i := len(row) - 1; i >= 0; i-- {
				word = word<<1 | row[i]>>(b&63)&1
			}
			after[k*n+int(c)] = word
		}
	}
	return after
}

func (t *laneGraph) components() {
	for c, m := range t.after {
		if m == 0 || t.index[c] != 0 {
			continue
		}
		t.enter(int32(c))
		for len(t.path) > 0 {
			u := t.path[len(t.path)-1]
			s := t.g.To[u]
			if fresh := t.after[u] &^ t.seen[s]; fresh != 0 {
				t.enter(t.g.OutOf(s)[bits.TrailingZeros64(fresh)])
				continue
			}
			t.path = t.path[:len(t.path)-1]
			for m := t.after[u] & t.open[s]; m != 0; m &= m - 1 {
				t.low[u] = min(t.low[u], t.index[t.g.OutOf(s)[bits.TrailingZeros64(m)]])
			}
			if t.low[u] == t.index[u] {
				t.closePart(u)
			} else {
				p := t.path[len(t.path)-1]
				t.low[p] = min(t.low[p], t.low[u])
			}
		}
	}
}

func (t *laneGraph) enter(c int32) {
	t.seen[t.g.From[c]] |= t.bit[c]
	t.open[t.g.From[c]] |= t.bit[c]
	t.count++
	t.index[c], t.low[c] = t.count, t.count
	t.stack = append(t.stack, c)
	t.path = append(t.path, c)
}

// closePart removes a component, whose first node is u, from the open nodes.
func (t *laneGraph) closePart(u int32) {
	cyclic := t.stack[len(t.stack)-1] != u || t.g.From[u] == t.g.To[u] && t.after[u]&t.bit[u] != 0
	for {
		c := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.open[t.g.From[c]] &^= t.bit[c]
		t.cyclic[c] = cyclic
		if c == u {
			return
		}
	}
}
