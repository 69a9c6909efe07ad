package names

import (
	"container/heap"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// completer adds entries to a column of forwarding tables without a new cycle of dependencies. It
// ranks the channels so that every path passes them in ascending order. Any ways that keep this
// order can be added together (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
// Interconnection Networks", IEEE Trans. Computers 1987).
type completer struct {
	g      *fabric.Graph
	rank   []int32  // by channel, NumChannels for a channel on a cycle of dependencies
	ranked []int32  // channels by rank
	open   []uint64 // ranks of channels to switches with an entry, from others
	done   []bool   // by switch: it has an entry
}

func newCompleter(a *Assignment) *completer {
	g := a.Set.Graph()
	c := &completer{
		g: g, rank: rankChannels(g, dependencies(a), upDownKeys(a)), ranked: make([]int32, g.NumChannels),
		open: make([]uint64, (g.NumChannels+63)/64), done: make([]bool, g.NumSwitches),
	}
	for channel, rank := range c.rank {
		if int(rank) < g.NumChannels {
			c.ranked[rank] = int32(channel)
		}
	}
	return c
}

// complete gives every switch an entry for a LID, starting from the switches that have one. It
// takes the channel of the highest rank first, because that leaves the most choice to earlier ones.
// A channel opens channels of lower rank only, so one pass down the ranks finds all. It returns the
// number of switches left without an entry.
func (c *completer) complete(t *route.Tables, lid fabric.LID, target int32) (missing int) {
	g := c.g
	for s := range int32(g.NumSwitches) {
		c.done[s] = t.Port(s, lid) != route.NoPort
	}
	for s := range int32(g.NumSwitches) {
		if c.done[s] {
			c.openInto(t, lid, s, target)
		}
	}
	for w := len(c.open) - 1; w >= 0; w-- {
		for c.open[w] != 0 {
			highest := bits.Len64(c.open[w]) - 1
			c.open[w] &^= 1 << highest
			in := c.ranked[w*64+highest]
			if s := g.From[in]; !c.done[s] {
				c.done[s] = true
				t.Set(s, lid, g.FromPort[in])
				c.openInto(t, lid, s, target)
			}
		}
	}
	for _, done := range c.done {
		if !done {
			missing++
		}
	}
	return missing
}

// openInto opens the channels into a switch that rank below its output channel for the LID.
func (c *completer) openInto(t *route.Tables, lid fabric.LID, s, target int32) {
	limit := int32(len(c.rank))
	if s != target {
		if c.g.Drained[s] {
			return
		}
		out, _ := c.g.At(s, t.Port(s, lid))
		limit = c.rank[out]
	}
	for _, out := range c.g.OutOf(s) {
		in := out ^ 1
		if rank := c.rank[in]; rank < limit && !c.done[c.g.From[in]] {
			c.open[rank/64] |= 1 << (rank % 64)
		}
	}
}

// dependencies lists the channels that may follow each channel under the paths' rule; without a
// rule, the channels that follow it on some path.
func dependencies(a *Assignment) [][]int32 {
	g := a.Set.Graph()
	after := make([][]int32, g.NumChannels)
	if r := a.Set.Rule(); r != nil {
		for c := range after {
			after[c] = r.After(int32(c))
		}
		return after
	}
	known := make([][]bool, g.NumChannels) // by channel and port of its switch
	var path []int32
	for p := range a.Set.NumPaths() {
		path = a.Set.AppendChannels(path[:0], p)
		for i := 1; i < len(path); i++ {
			c, d := path[i-1], path[i]
			if known[c] == nil {
				known[c] = make([]bool, int(g.SwitchPorts[g.To[c]])+1)
			}
			if !known[c][g.FromPort[d]] {
				known[c][g.FromPort[d]] = true
				after[c] = append(after[c], d)
			}
		}
	}
	return after
}

// Cyclic reports whether the paths have a cycle of dependencies, so that packets on one lane can
// deadlock.
func (a *Assignment) Cyclic() bool {
	g := a.Set.Graph()
	rank := rankChannels(g, dependencies(a), make([]int32, g.NumChannels))
	return slices.Contains(rank, int32(g.NumChannels))
}

// upDownKeys returns sort keys for channels that no path orders. They make up*/down* routing
// towards the switch with the most paths: channels towards it, from far away first, then channels
// away from it, near ones first.
func upDownKeys(a *Assignment) []int32 {
	g := a.Set.Graph()
	keys := make([]int32, g.NumChannels)
	if g.NumSwitches == 0 {
		return keys
	}
	search := g.NewSearch(nil)
	search.From(busiestSwitch(a))
	away := search.Hops
	for s := range away {
		if away[s] == fabric.Unreached {
			away[s] = int32(g.NumSwitches)
		}
	}
	for c := range keys {
		s, t := g.From[c], g.To[c]
		if up := away[t] < away[s] || away[t] == away[s] && t < s; up {
			keys[c] = -away[s]
		} else {
			keys[c] = 1 + away[s]
		}
	}
	return keys
}

// busiestSwitch returns the switch, not drained, with the most paths into it over channels.
func busiestSwitch(a *Assignment) int32 {
	g := a.Set.Graph()
	use := make([]int, g.NumSwitches)
	var path []int32
	busiest := int32(0)
	for p := range a.Set.NumPaths() {
		path = a.Set.AppendChannels(path[:0], p)
		for _, c := range path {
			if s := g.To[c]; !g.Drained[s] {
				use[s]++
				if use[s] > use[busiest] {
					busiest = s
				}
			}
		}
	}
	return busiest
}

// rankChannels ranks the channels so that each precedes its followers, and leaves channels on and
// behind cycles without a rank (NumChannels). Of the possible next channels it takes the one with
// the lowest key.
func rankChannels(g *fabric.Graph, after [][]int32, keys []int32) []int32 {
	before := make([]int32, g.NumChannels) // predecessors not ranked yet
	for _, next := range after {
		for _, d := range next {
			before[d]++
		}
	}
	ready := channelHeap{keys: keys}
	for c, n := range before {
		if n == 0 {
			heap.Push(&ready, int32(c))
		}
	}
	rank := make([]int32, g.NumChannels)
	for c := range rank {
		rank[c] = int32(g.NumChannels)
	}
	for next := int32(0); len(ready.list) > 0; next++ {
		c := heap.Pop(&ready).(int32)
		rank[c] = next
		for _, d := range after[c] {
			if before[d]--; before[d] == 0 {
				heap.Push(&ready, d)
			}
		}
	}
	return rank
}

// channelHeap is a heap of channels, the lowest key first, then the lowest channel.
type channelHeap struct {
	keys []int32
	list []int32
}

func (h *channelHeap) Len() int { return len(h.list) }
func (h *channelHeap) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	return h.keys[a] < h.keys[b] || h.keys[a] == h.keys[b] && a < b
}
func (h *channelHeap) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *channelHeap) Push(x any)    { h.list = append(h.list, x.(int32)) }
func (h *channelHeap) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
