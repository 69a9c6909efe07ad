package check

import (
	"math/bits"

	"weft/fabric"
)

// unreachedHops is the distance of a switch that has no way to the target.
const unreachedHops uint16 = 0xFFFF

// bfs measures the distance of every switch to up to 64 target switches at once: a
// word of a switch has a bit for each target. Only the switches of the current
// front are looked at, so that a long ring costs no more than plain searches.
type bfs struct {
	g               *fabric.Graph
	seen, now, next []uint64 // by switch
	front, ahead    []int32
	dist            [64][]uint16 // by target, then switch
	order           [64][]int32  // by target: the switches that it is reached from, nearest first
}

func newBFS(g *fabric.Graph) *bfs {
	n := g.NumSwitches
	return &bfs{
		g: g, seen: make([]uint64, n), now: make([]uint64, n), next: make([]uint64, n),
		front: make([]int32, 0, n), ahead: make([]int32, 0, n),
	}
}

// run fills dist for the targets. A drained switch is a source and a target, but
// nothing passes through it.
func (b *bfs) run(targets []int32) {
	clear(b.seen)
	b.front = b.front[:0]
	for i, t := range targets {
		if b.dist[i] == nil {
			b.dist[i] = make([]uint16, b.g.NumSwitches)
			b.order[i] = make([]int32, 0, b.g.NumSwitches)
		}
		d := b.dist[i]
		for s := range d {
			d[s] = unreachedHops
		}
		d[t] = 0
		b.order[i] = append(b.order[i][:0], t)
		b.seen[t] |= 1 << i
		b.now[t] = b.seen[t]
		b.front = append(b.front, t)
	}
	for hops := uint16(1); len(b.front) > 0; hops++ {
		b.step(hops)
	}
}

// step moves the front one hop.
func (b *bfs) step(hops uint16) {
	g := b.g
	b.ahead = b.ahead[:0]
	for _, u := range b.front {
		have := b.now[u]
		b.now[u] = 0
		if g.Drained[u] && hops > 1 {
			continue
		}
		for _, c := range g.OutOf(u) {
			v := g.To[c]
			fresh := have &^ b.seen[v]
			if fresh == 0 {
				continue
			}
			if b.next[v] == 0 {
				b.ahead = append(b.ahead, v)
			}
			b.next[v] |= fresh
		}
	}
	for _, v := range b.ahead {
		b.seen[v] |= b.next[v]
		for m := b.next[v]; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			b.dist[i][v] = hops
			b.order[i] = append(b.order[i], v)
		}
	}
	b.now, b.next = b.next, b.now
	b.front, b.ahead = b.ahead, b.front
}
