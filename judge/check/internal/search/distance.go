package search

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Unreached is the distance of a switch without a way to the target.
const Unreached uint16 = 0xFFFF

// Distances holds the hops of all switches to some target switches, from block to block while there
// is room.
type Distances struct {
	bfs     bfs
	targets []int32 // by place
	placeOf []int32 // by switch: its place among the targets, -1 if it is none
	// By place of a target: the distance of each switch; and all switches, nearest first and
	// unreached ones last.
	hops  [][]uint16
	order [][]int32
}

// allKept is the largest number of switches whose distances to each other are all kept: about 3 MB
// a worker.
const allKept = 720

// NewDistances measures nothing yet.
func NewDistances(g *fabric.Graph) *Distances {
	n := g.NumSwitches
	places := route.BlockSize
	if n <= allKept {
		places += n
	}
	return &Distances{
		bfs:     bfs{g: g, seen: make([]uint64, n), now: make([]uint64, n), next: make([]uint64, n)},
		placeOf: slices.Repeat([]int32{-1}, n), hops: make([][]uint16, places), order: make([][]int32, places),
	}
}

// Find measures the distances to the switches of some owners of LIDs (-1: no owner). A search costs
// little more for 64 switches than for one. So Find also measures the next owners, and, where all
// switches fit, further switches.
func (d *Distances) Find(owners, next []int32) {
	missing := 0
	for i, o := range owners {
		if o >= 0 && d.placeOf[d.bfs.g.EndSwitch[o]] < 0 && (i == 0 || owners[i-1] < 0 || d.bfs.g.EndSwitch[owners[i-1]] != d.bfs.g.EndSwitch[o]) {
			missing++
		}
	}
	if len(d.targets)+missing > len(d.hops) {
		for _, s := range d.targets {
			d.placeOf[s] = -1
		}
		d.targets = d.targets[:0]
	}
	known := len(d.targets)
	for _, o := range owners {
		if o >= 0 {
			d.add(d.bfs.g.EndSwitch[o])
		}
	}
	if known == len(d.targets) {
		return
	}
	for _, o := range next {
		if len(d.targets) == len(d.hops) || len(d.targets)-known == route.BlockSize {
			break
		}
		if o >= 0 {
			d.add(d.bfs.g.EndSwitch[o])
		}
	}
	if len(d.hops) > route.BlockSize {
		for s := int32(0); int(s) < len(d.placeOf) && len(d.targets)-known < route.BlockSize; s++ {
			d.add(s)
		}
	}
	d.makeRoom(len(d.targets))
	d.bfs.run(d.targets[known:], d.hops[known:], d.order[known:])
}

// makeRoom makes room for so many targets, for as many as a search has at once. The search writes
// to their rows by turns; an odd number of cache lines keeps the rows out of each other's way.
func (d *Distances) makeRoom(targets int) {
	n := len(d.placeOf)
	odd := func(perLine int) int { return ((n+perLine-1)/perLine | 1) * perLine }
	for i := 0; i < targets; i += route.BlockSize {
		if d.hops[i] != nil {
			continue
		}
		rows := min(route.BlockSize, len(d.hops)-i)
		hops, order := make([]uint16, rows*odd(32)), make([]int32, rows*odd(16))
		for k := range rows {
			d.hops[i+k], d.order[i+k] = hops[k*odd(32):][:n:n], order[k*odd(16):][:n:n]
		}
	}
}

func (d *Distances) add(s int32) {
	if d.placeOf[s] < 0 {
		d.placeOf[s] = int32(len(d.targets))
		d.targets = append(d.targets, s)
	}
}

// To returns the distances to a target passed to Find, and the switches in order of distance.
func (d *Distances) To(target int32) (hops []uint16, order []int32) {
	place := d.placeOf[target]
	return d.hops[place], d.order[place]
}

// bfs measures the distance of every switch to up to 64 target switches at once: a word of a switch
// has a bit for each target. Each step visits only the switches of the current front, so a long
// ring costs no more than plain searches.
type bfs struct {
	g               *fabric.Graph
	seen, now, next []uint64 // by switch
	front, ahead    []int32
	reached         [64]int // by target: switches in its order so far
}

// run fills hops and order for up to 64 targets. A drained switch is a source and a target, but
// packets do not pass through it.
func (b *bfs) run(targets []int32, hops [][]uint16, order [][]int32) {
	clear(b.seen)
	b.front = b.front[:0]
	for i, t := range targets {
		for s := range hops[i] {
			hops[i][s] = Unreached
		}
		hops[i][t] = 0
		order[i][0] = t
		b.reached[i] = 1
		b.seen[t] |= 1 << i
		b.now[t] = b.seen[t]
		b.front = append(b.front, t)
	}
	for n := uint16(1); len(b.front) > 0; n++ {
		b.step(n, hops, order)
	}
	for i := range targets {
		addUnreached(order[i][b.reached[i]:], hops[i])
	}
}

func addUnreached(rest []int32, hops []uint16) {
	for s := int32(0); len(rest) > 0; s++ {
		if hops[s] == Unreached {
			rest[0], rest = s, rest[1:]
		}
	}
}

// step moves the front one hop, to the switches at distance n.
func (b *bfs) step(n uint16, hops [][]uint16, order [][]int32) {
	g := b.g
	b.ahead = b.ahead[:0]
	for _, u := range b.front {
		have := b.now[u]
		b.now[u] = 0
		if g.Drained[u] && n > 1 {
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
			hops[i][v] = n
			order[i][b.reached[i]] = v
			b.reached[i]++
		}
	}
	b.now, b.next = b.next, b.now
	b.front, b.ahead = b.ahead, b.front
}
