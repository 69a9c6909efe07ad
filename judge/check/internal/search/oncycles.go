package search

import (
	"math/bits"

	"weft/fabric"
)

// channelGraph is a graph of channels, with at most 64 out of a switch. A word holds the successors
// of a channel: a bit for each channel out of its end, in order. It finds components by Tarjan's
// algorithm, as Components does, but takes fresh successors from a word less the seen channels of
// their switch. So it looks at each channel once, not at each edge.
type channelGraph struct {
	g           *fabric.Graph
	bit         []uint64 // by channel: its bit in such words
	after       []uint64 // by channel: successors
	seen, open  []uint64 // by switch: channels that leave it
	index, low  []int32  // by channel
	stack, path []int32
	count       int32
	cyclic      []bool // by channel: it is on a cycle
}

// OnCycles reports for each channel whether it is on a cycle; after holds its successors, as bits.
func OnCycles(g *fabric.Graph, after []uint64) []bool {
	n := g.NumChannels
	t := channelGraph{
		g: g, after: after, bit: bitOfChannel(g), seen: make([]uint64, g.NumSwitches), open: make([]uint64, g.NumSwitches),
		index: make([]int32, n), low: make([]int32, n), cyclic: make([]bool, n),
	}
	t.components()
	return t.cyclic
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

func (t *channelGraph) components() {
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

func (t *channelGraph) enter(c int32) {
	t.seen[t.g.From[c]] |= t.bit[c]
	t.open[t.g.From[c]] |= t.bit[c]
	t.count++
	t.index[c], t.low[c] = t.count, t.count
	t.stack = append(t.stack, c)
	t.path = append(t.path, c)
}

// closePart removes a component, whose first node is u, from the open nodes.
func (t *channelGraph) closePart(u int32) {
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
