package names

import (
	"container/heap"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// completer adds entries to a column of forwarding tables without a new cycle of
// dependencies. It has the channels in an order in which every path passes them; a
// way that keeps the order can be added, whatever other ways there are (Dally and
// Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
// IEEE Trans. Computers 1987).
type completer struct {
	g     *fabric.Graph
	place []int32  // by channel: its place in the order, NumChannels for one on a cycle
	at    []int32  // by place: its channel
	open  []uint64 // places of channels that may lead from a switch without an entry
	done  []bool   // by switch
}

func newCompleter(a *Assignment) *completer {
	g := a.Set.Graph()
	c := &completer{
		g: g, place: order(g, dependencies(a), leaning(a)), at: make([]int32, g.NumChannels),
		open: make([]uint64, (g.NumChannels+63)/64), done: make([]bool, g.NumSwitches),
	}
	for channel, place := range c.place {
		if int(place) < g.NumChannels {
			c.at[place] = int32(channel)
		}
	}
	return c
}

// complete gives every switch an entry for a LID, from the switches that have one
// on: the channel latest in the order first, because it leaves the most choice to
// those behind. A channel opens earlier ones only, so one pass down the order meets
// all. It returns the number of switches that stay without.
func (c *completer) complete(t *route.Tables, lid fabric.LID, target int32) (missing int) {
	g := c.g
	for s := range int32(g.NumSwitches) {
		c.done[s] = t.Port(s, lid) != route.NoPort
	}
	for s := range int32(g.NumSwitches) {
		if c.done[s] {
			c.offer(t, lid, s, target)
		}
	}
	for w := len(c.open) - 1; w >= 0; w-- {
		for c.open[w] != 0 {
			last := bits.Len64(c.open[w]) - 1
			c.open[w] &^= 1 << last
			in := c.at[w*64+last]
			if s := g.From[in]; !c.done[s] {
				c.done[s] = true
				t.Set(s, lid, g.FromPort[in])
				c.offer(t, lid, s, target)
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

// offer opens the channels into a switch that may come before its own.
func (c *completer) offer(t *route.Tables, lid fabric.LID, s, target int32) {
	last := int32(len(c.place))
	if s != target {
		if c.g.Drained[s] {
			return
		}
		out, _ := c.g.At(s, t.Port(s, lid))
		last = c.place[out]
	}
	for _, out := range c.g.OutOf(s) {
		in := out ^ 1
		if place := c.place[in]; place < last && !c.done[c.g.From[in]] {
			c.open[place/64] |= 1 << (place % 64)
		}
	}
}

// dependencies lists the channels that may follow each channel by the rule that the
// paths keep; without one, those that follow it on some path.
func dependencies(a *Assignment) [][]int32 {
	g := a.Set.Graph()
	after := make([][]int32, g.NumChannels)
	if r := a.Set.Rule(); r != nil {
		for c := range after {
			after[c] = r.After(int32(c))
		}
		return after
	}
	met := make([][]bool, g.NumChannels) // by channel and port of its switch
	var path []int32
	for p := range a.Set.NumPaths() {
		path = a.Set.Append(path[:0], p)
		for i := 1; i < len(path); i++ {
			c, d := path[i-1], path[i]
			if met[c] == nil {
				met[c] = make([]bool, int(g.SwitchPorts[g.To[c]])+1)
			}
			if !met[c][g.FromPort[d]] {
				met[c][g.FromPort[d]] = true
				after[c] = append(after[c], d)
			}
		}
	}
	return after
}

// leaning is an order for channels that no path orders: towards the switch that most
// paths pass and from far away first, then away from it and near first, which is
// up*/down*.
func leaning(a *Assignment) []int32 {
	g := a.Set.Graph()
	use := make([]int, g.NumSwitches)
	var path []int32
	root := int32(0)
	for p := range a.Set.NumPaths() {
		path = a.Set.Append(path[:0], p)
		for _, c := range path {
			if s := g.To[c]; !g.Drained[s] {
				use[s]++
				if use[s] > use[root] {
					root = s
				}
			}
		}
	}
	far := make([]int32, g.NumSwitches)
	for s := range far {
		far[s] = int32(g.NumSwitches)
	}
	key := make([]int32, g.NumChannels)
	if g.NumSwitches == 0 {
		return key
	}
	far[root] = 0
	for queue := []int32{root}; len(queue) > 0; queue = queue[1:] {
		for _, c := range g.OutOf(queue[0]) {
			if t := g.To[c]; far[t] == int32(g.NumSwitches) {
				far[t] = far[queue[0]] + 1
				queue = append(queue, t)
			}
		}
	}
	for c := range key {
		s, t := g.From[c], g.To[c]
		if up := far[t] < far[s] || far[t] == far[s] && t < s; up {
			key[c] = -far[s]
		} else {
			key[c] = 1 + far[s]
		}
	}
	return key
}

// order places the channels so that each comes before those that follow it, as far
// as there is no cycle; of those free to come next the one with the lowest key.
func order(g *fabric.Graph, after [][]int32, key []int32) []int32 {
	before := make([]int32, g.NumChannels) // channels that must still come before
	for _, next := range after {
		for _, d := range next {
			before[d]++
		}
	}
	ready := channelHeap{key: make([]int32, g.NumChannels)}
	for c, k := range key {
		ready.key[c] = -k
	}
	for c, n := range before {
		if n == 0 {
			heap.Push(&ready, int32(c))
		}
	}
	place := make([]int32, g.NumChannels)
	for c := range place {
		place[c] = int32(g.NumChannels)
	}
	for next := int32(0); len(ready.list) > 0; next++ {
		c := heap.Pop(&ready).(int32)
		place[c] = next
		for _, d := range after[c] {
			if before[d]--; before[d] == 0 {
				heap.Push(&ready, d)
			}
		}
	}
	return place
}

// channelHeap is a heap of channels, the largest key first, then the lowest channel.
type channelHeap struct {
	key  []int32
	list []int32
}

func (h *channelHeap) Len() int { return len(h.list) }
func (h *channelHeap) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	return h.key[a] > h.key[b] || h.key[a] == h.key[b] && a < b
}
func (h *channelHeap) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *channelHeap) Push(x any)    { h.list = append(h.list, x.(int32)) }
func (h *channelHeap) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
