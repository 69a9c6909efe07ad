package nue

import (
	"math"

	"weft/fabric"
	"weft/route/engine/internal/sample"
)

// chooser takes for one destination after the other a channel at every switch: of
// those that begin a way of the fewest hops the one with the least load on that way.
type chooser struct {
	load []int64 // by position in Out: paths from hosts
	seq  int     // of the choice at hand

	// Of the destination at hand, by switch.
	flow   []int64   // paths of hosts that come through
	after  []int32   // the latest place of a channel taken towards it
	hops   []int32   // how long its own way is
	chosen []int32   // position in Out of its channel, -1 before it has one
	cost   []int64   // by position in allowed: load on the least loaded way that begins there
	low    []int64   // the least cost of that switch's channels up to there
	later  [][]int32 // by hops: switches that take a longer way than they need

	detour     []int32 // positions in Out
	detourCost []int64
}

func newChooser(g *fabric.Graph) *chooser {
	n := g.NumSwitches
	return &chooser{
		load: make([]int64, len(g.Out)), flow: make([]int64, n),
		after: make([]int32, n), hops: make([]int32, n), chosen: make([]int32, n),
	}
}

// choose fills in chosen for the destination of the ways; each host that sends to it
// counts as so many paths. Switches choose in order of their hops, the farthest first.
// One that comes later must take a channel beyond the places of those that lead to it,
// and so may need a longer way than its own shortest. It moves to that number of hops:
// it still chooses after all that lead to it.
func (b *chooser) choose(l *lane, w *ways, paths int64) {
	b.seq++
	levels := int32(len(w.level) - 1)
	for h := range levels {
		for _, s := range w.order[w.level[h]:w.level[h+1]] {
			b.flow[s] = sample.Weight(l.g, s) * paths
			b.after[s], b.chosen[s], b.hops[s] = nowhere, -1, h
		}
		if int(h) == len(b.later) {
			b.later = append(b.later, nil)
		}
	}
	b.weigh(w)
	for h := levels - 1; h > 0; h-- {
		for k := w.level[h]; k < w.level[h+1]; k++ {
			if s := w.order[k]; b.hops[s] == h {
				b.take(l, w, s, int(w.start[k-1]), int(w.start[k]))
			}
		}
		for _, s := range b.later[h] {
			if b.hops[s] == h && b.chosen[s] < 0 {
				b.take(l, w, s, 0, 0)
			}
		}
		b.later[h] = b.later[h][:0]
	}
}

// crowding is the sum of the squares of the loads.
func (b *chooser) crowding() float64 {
	sum := 0.0
	for _, n := range b.load {
		sum += float64(n) * float64(n)
	}
	return sum
}

// weigh adds up the loads on the ways of the fewest hops, nearest switches first. The
// channels of a switch come in order of their places, the latest first; so those that
// may follow another are the first few, and the least cost of these is at hand.
func (b *chooser) weigh(w *ways) {
	if n := len(w.allowed); len(b.cost) < n {
		b.cost, b.low = make([]int64, n), make([]int64, n)
	}
	for k := 1; k < len(w.order); k++ {
		low := int64(math.MaxInt64)
		for i := w.start[k-1]; i < w.start[k]; i++ {
			sum := b.load[w.allowed[i]]
			if n := w.next[i]; n >= 0 {
				sum += b.low[n]
			}
			low = min(low, sum)
			b.cost[i], b.low[i] = sum, low
		}
	}
}

// take takes, of the channels allowed[from:to] that lie beyond all that lead to switch s,
// the one of the least cost; where there is none, of all that do for its hops. Where
// nobody comes through any will do.
func (b *chooser) take(l *lane, w *ways, s int32, from, to int) {
	end := from
	for end < to && l.out[w.allowed[end]] > b.after[s] {
		end++
	}
	list, cost := w.allowed[from:end], b.cost[from:end]
	if from == end {
		list, cost = b.detours(l, w, s)
	}
	best := b.least(s, list, cost)
	b.chosen[s] = best
	v := l.head[best]
	if v == w.to {
		b.load[best] += b.flow[s]
		return
	}
	if f := b.flow[s]; f > 0 {
		b.load[best] += f
		b.flow[v] += f
		for u := v; u != w.to && b.chosen[u] >= 0; { // one that has chosen passes it on
			i := b.chosen[u]
			b.load[i] += f
			u = l.head[i]
			b.flow[u] += f
		}
	}
	if p := l.out[best]; p > b.after[v] && b.chosen[v] < 0 {
		b.after[v] = p
		if h := w.levelFor(v, p); h > b.hops[v] {
			b.hops[v] = h
			b.later[h] = append(b.later[h], v)
		}
	}
}

// detours lists the channels that lie beyond all that lead to switch s and begin a way of
// its hops. What they cost behind the next switch is an estimate: it too may have to go around.
func (b *chooser) detours(l *lane, w *ways, s int32) (list []int32, cost []int64) {
	b.detour = w.longer(l, b.detour[:0], s, b.hops[s], b.after[s]+1)
	b.detourCost = b.detourCost[:0]
	for _, i := range b.detour {
		sum := b.load[i]
		if n := w.follow(l, i); n >= 0 {
			sum += b.low[n]
		}
		b.detourCost = append(b.detourCost, sum)
	}
	return b.detour, b.detourCost
}

// least is the channel of the least cost. Among equals it begins with another one each
// time.
func (b *chooser) least(s int32, list []int32, cost []int64) int32 {
	n := len(list)
	k := b.seq % n
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
