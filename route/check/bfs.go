package check

import (
	"math/bits"

	"weft/fabric"
	"weft/route"
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
	reached         [64]int    // by target: switches in its order so far
	dist            [][]uint16 // by place of a target, then switch
	order           [][]int32  // by place of a target: all switches, nearest first, last those without a way
}

// usualSwitches is how many switches a network may have for the distances to all of
// them to be kept: about 3 MB a walker.
const usualSwitches = 720

func newBFS(g *fabric.Graph) *bfs {
	n := g.NumSwitches
	places := route.BlockSize
	if n <= usualSwitches {
		places += n
	}
	return &bfs{
		g: g, seen: make([]uint64, n), now: make([]uint64, n), next: make([]uint64, n),
		front: make([]int32, 0, n), ahead: make([]int32, 0, n),
		dist: make([][]uint16, places), order: make([][]int32, places),
	}
}

// run fills dist for up to 64 targets, whose places follow each other. A drained switch
// is a source and a target, but nothing passes through it.
func (b *bfs) run(targets []int32, place int) {
	clear(b.seen)
	b.front = b.front[:0]
	for i, t := range targets {
		if b.dist[place+i] == nil {
			b.dist[place+i] = make([]uint16, b.g.NumSwitches)
			b.order[place+i] = make([]int32, b.g.NumSwitches)
		}
		d := b.dist[place+i]
		for s := range d {
			d[s] = unreachedHops
		}
		d[t] = 0
		b.order[place+i][0] = t
		b.reached[i] = 1
		b.seen[t] |= 1 << i
		b.now[t] = b.seen[t]
		b.front = append(b.front, t)
	}
	for hops := uint16(1); len(b.front) > 0; hops++ {
		b.step(hops, b.dist[place:], b.order[place:])
	}
	for i := range targets {
		b.addUnreached(b.order[place+i][b.reached[i]:], b.dist[place+i])
	}
}

func (b *bfs) addUnreached(rest []int32, dist []uint16) {
	for s := int32(0); len(rest) > 0; s++ {
		if dist[s] == unreachedHops {
			rest[0], rest = s, rest[1:]
		}
	}
}

// step moves the front one hop.
func (b *bfs) step(hops uint16, dist [][]uint16, order [][]int32) {
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
			dist[i][v] = hops
			order[i][b.reached[i]] = v
			b.reached[i]++
		}
	}
	b.now, b.next = b.next, b.now
	b.front, b.ahead = b.ahead, b.front
}
