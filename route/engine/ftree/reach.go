package ftree

import (
	"context"
	"math/bits"

	"weft/internal/par"
	"weft/route/engine/internal/peaks"
)

// set is a set of switches, a bit each.
type set []uint64

// level holds a set for every switch, one after the other.
type level []uint64

// reach tells which switches each one reaches by shortest legal paths, and how.
type reach struct {
	t       *tree
	words   int
	up      [][]int32 // by switch: its groups that lead up in the order
	down    [][]int32
	bit     []int32 // by switch: its place in the sets
	drained []bool

	// By number of hops: what is first reached going down only, and what is not
	// reached like that and first reached going up.
	falls, climbs []level
}

// newReach splits the groups of all switches by an order, and sweeps.
func newReach(ctx context.Context, t *tree, rank, bit []int32, workers int) (*reach, error) {
	n := t.g.NumSwitches
	r := &reach{t: t, words: (n + 63) / 64, up: make([][]int32, n), down: make([][]int32, n), bit: bit, drained: t.g.Drained}
	for s := range int32(n) {
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			v := t.to[i]
			switch {
			case v == s:
			case r.drained[s] && r.drained[v]: // each is the end of the path
				r.down[s] = append(r.down[s], i)
			case peaks.Above(rank, v, s):
				r.up[s] = append(r.up[s], i)
			default:
				r.down[s] = append(r.down[s], i)
			}
		}
	}
	return r, r.sweep(ctx, workers)
}

func (r *reach) at(l level, s int32) set { return set(l[int(s)*r.words : (int(s)+1)*r.words]) }

// sweep fills in falls and then climbs, a number of hops after the other.
func (r *reach) sweep(ctx context.Context, workers int) error {
	n := r.t.g.NumSwitches
	size := n * r.words
	done := make(level, size)
	r.falls = []level{make(level, size)}
	for s := range int32(n) {
		b := r.bit[s]
		r.at(r.falls[0], s)[b/64] |= 1 << (b % 64)
		r.at(done, s)[b/64] |= 1 << (b % 64)
	}
	grow := func(next level, from func(into set, s int32)) (bool, error) {
		grew := make([]bool, n)
		err := par.For(ctx, workers, n, func(_, i int) error {
			into, seen := r.at(next, int32(i)), r.at(done, int32(i))
			from(into, int32(i))
			for w := range into {
				into[w] &^= seen[w]
				seen[w] |= into[w]
				grew[i] = grew[i] || into[w] != 0
			}
			return nil
		})
		for _, g := range grew {
			if g {
				return true, err
			}
		}
		return false, err
	}
	for k := 1; ; k++ {
		next, last := make(level, size), r.falls[k-1]
		grew, err := grow(next, func(into set, s int32) {
			for _, i := range r.down[s] {
				if v := r.t.to[i]; k == 1 || !r.drained[v] {
					into.add(r.at(last, v))
				}
			}
		})
		if err != nil {
			return err
		}
		if !grew {
			break
		}
		r.falls = append(r.falls, next)
	}
	r.climbs = []level{make(level, size)}
	for k := 1; ; k++ {
		next := make(level, size)
		grew, err := grow(next, func(into set, s int32) {
			for _, i := range r.up[s] {
				r.beyond(k, r.t.to[i], into.add)
			}
		})
		if err != nil {
			return err
		}
		if !grew && k >= len(r.falls) {
			return nil
		}
		r.climbs = append(r.climbs, next)
	}
}

// beyond visits what a switch reaches in k-1 hops, down only or up first.
func (r *reach) beyond(k int, v int32, visit func(set)) {
	if k-1 < len(r.falls) {
		visit(r.at(r.falls[k-1], v))
	}
	visit(r.at(r.climbs[k-1], v))
}

func (s set) add(o set) {
	for w, x := range o {
		s[w] |= x
	}
}

func (s set) empty() bool {
	for _, x := range s {
		if x != 0 {
			return false
		}
	}
	return true
}

func (s set) count() int { return s.common(s) }

// common counts what both sets have.
func (s set) common(o set) int {
	n := 0
	for w, x := range o {
		n += bits.OnesCount64(x & s[w])
	}
	return n
}
