package ftree

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"

	"weft/internal/par"
	"weft/route/updown"
)

// A set holds targets, a bit each, of one block: setSize switches with places one
// after the other.
type set [setWords]uint64

const (
	setWords = 8
	setSize  = 64 * setWords
)

// reach tells which switches each one reaches by shortest legal paths, and how.
type reach struct {
	t      *tree
	rises  []bool    // by group: it leads up in the order
	left   []bool    // by group: it is left out
	ahead  []int32   // by group: where it leads, as near has it: to go on as one likes, or down only
	up     [][]int32 // by switch: its groups that do
	down   [][]int32 // and those that lead down
	ends   []bool    // by group: a path that takes it ends there
	bit    []int32   // by switch: its place as a target
	blocks []block

	turned []turned // by target's place / 64
}

// turned is what near tells of 64 targets.
type turned struct {
	once sync.Once
	hops []uint16 // by target, switch: hops and whether it must lead down; hops going down only
}

// Hops of a switch from a target, in 15 bits.
const (
	mustFall uint16 = 1 << 15
	away     uint16 = mustFall - 1 // there is no way
)

// block is what is known of setSize targets. A packet that has gone down may not go
// up again, so a switch that another one leads down to must lead on down; any other
// switch may use every shortest path.
type block struct {
	falls []([]set) // by hops, switch: targets that are as far going down only
	hops  []([]set) // by hops, switch: targets that are as far
	must  []set     // by switch: targets to which it must lead down
}

// newReach splits the groups of all switches by an order, and sweeps. Links for which
// leave is true are left out.
func newReach(ctx context.Context, t *tree, rank updown.Order, bit []int32, leave func(s, v int32) bool, workers int) (*reach, error) {
	n := t.g.NumSwitches
	r := &reach{
		t: t, rises: make([]bool, len(t.to)), left: make([]bool, len(t.to)), ahead: make([]int32, len(t.to)), up: make([][]int32, n), down: make([][]int32, n),
		ends: make([]bool, len(t.to)), bit: bit, turned: make([]turned, (n+63)/64),
	}
	mates := t.mates(rank)
	both := make([]int32, len(t.to)) // the groups of each switch, those down first
	for s := range int32(n) {
		first, last := t.groupsOf(s)
		low, high := first, last
		for i := first; i < last; i++ {
			v := t.to[i]
			r.ends[i] = t.g.Drained[v] || mates(s, v)
			switch {
			case v == s, leave(s, v):
				r.left[i], r.ahead[i] = true, 2*s // no nearer
			case rank.Above(v, s) && !r.ends[i]:
				high--
				both[high], r.rises[i], r.ahead[i] = i, true, 2*v
			default:
				both[low], r.ahead[i] = i, 2*v+1
				low++
			}
		}
		r.down[s], r.up[s] = both[first:low], both[high:last]
	}
	r.blocks = make([]block, (n+setSize-1)/setSize)
	order := byRank(rank)
	err := par.For(ctx, workers, len(r.blocks), func(_, b int) error {
		r.fall(b)
		r.climb(b, order)
		return nil
	})
	return r, err
}

// none of the links.
func noLink(_, _ int32) bool { return false }

// mates tells which neighbours of one level are just for each other: a path over a
// link between them ends there. So the packets for a switch come down its own ways
// up or those of its mate, as the sender has them. A switch whose only ways up are
// within its level needs them for all that it sends, and has no mates; nor has a drained
// one, which is in nobody's way.
func (t *tree) mates(rank []int32) func(s, v int32) bool {
	climbs := make([]bool, len(rank))
	for s := range int32(len(rank)) {
		if t.g.Drained[s] {
			continue
		}
		first, last := t.groupsOf(s)
		for _, v := range t.to[first:last] {
			climbs[s] = climbs[s] || rank[v] < rank[s] && t.height[v] != t.height[s]
		}
	}
	return func(s, v int32) bool {
		return s != v && t.height[s] == t.height[v] && climbs[s] && climbs[v]
	}
}

// byRank lists the switches, the highest first.
func byRank(rank []int32) []int32 {
	order := make([]int32, len(rank))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(rank[a], rank[b]) })
	return order
}

// fall finds what every switch reaches going down only, hop by hop.
func (r *reach) fall(b int) {
	n := int32(len(r.bit))
	level, seen := make([]set, n), make([]set, n)
	for s, at := range r.bit {
		if int(at)/setSize == b {
			level[s].put(at % setSize)
		}
	}
	copy(seen, level)
	falls := []([]set){level}
	for k, grew := 1, true; grew; k++ {
		grew = false
		next := make([]set, n)
		for s := range n {
			into := &next[s]
			for _, i := range r.down[s] {
				if v := r.t.to[i]; k == 1 || !r.ends[i] {
					into.add(&level[v])
				}
			}
			into.remove(&seen[s])
			if !into.empty() {
				seen[s].add(into)
				grew = true
			}
		}
		if level = next; grew {
			falls = append(falls, level)
		}
	}
	r.blocks[b].falls = falls
}

// climb finds what every switch reaches, from the highest to the lowest.
func (r *reach) climb(b int, order []int32) {
	n := len(r.bit)
	block := &r.blocks[b]
	falls, must := block.falls, make([]set, n)
	hops := []([]set){falls[0]}
	for range len(falls) - 1 {
		hops = append(hops, make([]set, n))
	}
	for _, s := range order {
		seen := falls[0][s]
		for k := 1; k <= len(hops); k++ {
			var here, fall set
			if k < len(falls) {
				fall = falls[k][s]
			}
			for _, i := range r.up[s] {
				here.add(&hops[k-1][r.t.to[i]])
			}
			here.remove(&must[s])
			here.add(&fall)
			here.remove(&seen)
			if here.empty() {
				continue
			}
			if k == len(hops) {
				hops = append(hops, make([]set, n))
			}
			hops[k][s] = here
			seen.add(&here)
			if fall.keep(&here); fall.empty() {
				continue
			}
			for _, i := range r.down[s] {
				if v := r.t.to[i]; k == 1 || !r.ends[i] {
					led := fall
					led.keep(&falls[k-1][v])
					must[v].add(&led)
				}
			}
		}
	}
	block.hops, block.must = hops, must
}

// near is how far all switches are from a target, two numbers each: as they like, with a
// mark where they must lead down, and going down only. It turns the sets round for those
// who look at one target after the other, 64 targets when one is wanted.
func (r *reach) near(target int32) []uint16 {
	n, place := 2*len(r.bit), int(r.bit[target])
	y := &r.turned[place/64]
	y.once.Do(func() { y.hops = r.turn(place / 64) })
	return y.hops[place%64*n:][:n]
}

// turn turns one word of the sets round.
func (r *reach) turn(word int) []uint16 {
	n := 2 * len(r.bit)
	hops := make([]uint16, 64*n)
	for i := range hops {
		hops[i] = away
	}
	b, w := &r.blocks[word/setWords], word%setWords
	for s := range len(r.bit) {
		for k := range b.hops {
			for x := b.hops[k][s][w]; x != 0; x &= x - 1 {
				hops[bits.TrailingZeros64(x)*n+2*s] = uint16(k)
			}
		}
		for k := range b.falls {
			for x := b.falls[k][s][w]; x != 0; x &= x - 1 {
				hops[bits.TrailingZeros64(x)*n+2*s+1] = uint16(k)
			}
		}
		for x := b.must[s][w]; x != 0; x &= x - 1 {
			hops[bits.TrailingZeros64(x)*n+2*s] |= mustFall
		}
	}
	return hops
}

// way tells whether group i of a switch is on a shortest way to target j of the
// block, k hops away.
func (b *block) way(r *reach, s, i, j int32, k int) bool {
	v := r.t.to[i]
	if r.rises[i] {
		return !b.must[s].has(j) && b.hops[k-1][v].has(j)
	}
	return k < len(b.falls) && !r.left[i] && (k == 1 || !r.ends[i]) && b.falls[k-1][v].has(j)
}

func (s *set) put(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s *set) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s *set) add(o *set) {
	for w := range s {
		s[w] |= o[w]
	}
}

func (s *set) remove(o *set) {
	for w := range s {
		s[w] &^= o[w]
	}
}

func (s *set) keep(o *set) {
	for w := range s {
		s[w] &= o[w]
	}
}

func (s *set) empty() bool {
	some := uint64(0)
	for _, x := range s {
		some |= x
	}
	return some == 0
}

// all visits what is in the set, in order.
func (s *set) all(visit func(i int)) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			visit(w*64 + bits.TrailingZeros64(x))
		}
	}
}
