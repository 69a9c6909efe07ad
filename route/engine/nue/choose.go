package nue

import (
	"math"

	"weft/fabric"
	"weft/route/engine/internal/sample"
)

// chooser takes a channel at every switch for one destination after another: the first channel of
// the least loaded way of the fewest hops.
type chooser struct {
	load  []int64 // by position in Out: paths from hosts
	round int     // number of the choice, for ties

	// For the current destination, by switch.
	flow    []int64   // paths of hosts that pass it
	arrival []int32   // the latest place of a channel by which they arrive
	hops    []int32   // length of the way for the switch to take
	chosen  []int32   // position in Out of its channel, -1 before it has one
	longer  [][]int32 // by hops: switches on a longer way than their shortest

	// By position in ways.allowed.
	cost  []int64 // load on the least loaded way over it
	least []int64 // the least cost of the switch's channels up to this one

	detours    []int32 // scratch of listDetours, positions in Out
	detourCost []int64
}

func newChooser(g *fabric.Graph) *chooser {
	n := g.NumSwitches
	return &chooser{
		load: make([]int64, len(g.Out)), flow: make([]int64, n),
		arrival: make([]int32, n), hops: make([]int32, n), chosen: make([]int32, n),
	}
}

// choose fills in chosen for the destination of the ways; each host counts as so many paths.
// Switches choose in order of their hops, the farthest first. A switch must take a channel beyond
// the places of the channels that lead to it, and so may need a longer way than its own shortest.
// It moves to that number of hops, and still chooses after all switches that lead to it.
func (b *chooser) choose(l *lane, w *ways, paths int64) {
	b.round++
	levels := int32(len(w.level) - 1)
	for h := range levels {
		for _, s := range w.order[w.level[h]:w.level[h+1]] {
			b.flow[s] = sample.Weight(l.g, s) * paths
			b.arrival[s], b.chosen[s], b.hops[s] = nowhere, -1, h
		}
		if int(h) == len(b.longer) {
			b.longer = append(b.longer, nil)
		}
	}
	b.sumLoads(w)
	for h := levels - 1; h > 0; h-- {
		for k := w.level[h]; k < w.level[h+1]; k++ {
			if s := w.order[k]; b.hops[s] == h {
				b.chooseAt(l, w, s, int(w.start[k-1]), int(w.start[k]))
			}
		}
		for _, s := range b.longer[h] {
			if b.hops[s] == h && b.chosen[s] < 0 {
				b.chooseAt(l, w, s, 0, 0)
			}
		}
		b.longer[h] = b.longer[h][:0]
	}
}

// squares returns the sum of the squares of the loads; less means more even.
func (b *chooser) squares() float64 {
	sum := 0.0
	for _, n := range b.load {
		sum += float64(n) * float64(n)
	}
	return sum
}

// sumLoads adds up the loads on the ways of the fewest hops, nearest switches first. The channels
// of a switch come in order of their places, the latest first. So the channels that may follow
// another channel are the first few, and their least cost is known.
func (b *chooser) sumLoads(w *ways) {
	if n := len(w.allowed); len(b.cost) < n {
		b.cost, b.least = make([]int64, n), make([]int64, n)
	}
	for k := 1; k < len(w.order); k++ {
		least := int64(math.MaxInt64)
		for i := w.start[k-1]; i < w.start[k]; i++ {
			sum := b.load[w.allowed[i]]
			if n := w.next[i]; n >= 0 {
				sum += b.least[n]
			}
			least = min(least, sum)
			b.cost[i], b.least[i] = sum, least
		}
	}
}

// chooseAt takes the cheapest of the channels allowed[from:to] beyond all channels that lead to
// switch s. If there is none, it takes one of the detours of the switch's hops. The flow moves on
// to the next switch, or farther if that has chosen.
func (b *chooser) chooseAt(l *lane, w *ways, s int32, from, to int) {
	end := from
	for end < to && l.out[w.allowed[end]] > b.arrival[s] {
		end++
	}
	list, cost := w.allowed[from:end], b.cost[from:end]
	if from == end {
		list, cost = b.listDetours(l, w, s)
	}
	best := b.cheapest(s, list, cost)
	b.chosen[s] = best
	v := l.head[best]
	if v == w.to {
		b.load[best] += b.flow[s]
		return
	}
	if f := b.flow[s]; f > 0 {
		b.load[best] += f
		b.flow[v] += f
		for u := v; u != w.to && b.chosen[u] >= 0; {
			i := b.chosen[u]
			b.load[i] += f
			u = l.head[i]
			b.flow[u] += f
		}
	}
	if p := l.out[best]; p > b.arrival[v] && b.chosen[v] < 0 {
		b.arrival[v] = p
		if h := w.hopsAfter(v, p); h > b.hops[v] {
			b.hops[v] = h
			b.longer[h] = append(b.longer[h], v)
		}
	}
}

// listDetours lists the channels beyond all channels that lead to switch s that begin a way of its
// hops. Their cost behind the next switch is an estimate: it too may need a detour.
func (b *chooser) listDetours(l *lane, w *ways, s int32) (list []int32, cost []int64) {
	b.detours = w.channelsFrom(l, b.detours[:0], s, b.hops[s], b.arrival[s]+1)
	b.detourCost = b.detourCost[:0]
	for _, i := range b.detours {
		sum := b.load[i]
		if n := w.lastFollower(l, i); n >= 0 {
			sum += b.least[n]
		}
		b.detourCost = append(b.detourCost, sum)
	}
	return b.detours, b.detourCost
}

// cheapest returns the channel of the least cost. Among equals it begins with another one each
// time. If no host's path passes, any channel will do.
func (b *chooser) cheapest(s int32, list []int32, cost []int64) int32 {
	n := len(list)
	k := b.round % n
	best := k
	if b.flow[s] > 0 {
		for range n - 1 {
			if k++; k == n {
				k = 0
			}
			if cost[k] < cost[best] {
				best = k
			}
		}
	}
	return list[best]
}
