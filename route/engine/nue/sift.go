package nue

import (
	"cmp"
	"slices"
)

const (
	siftPasses = 8
	siftWork   = 1 << 26 // turns looked at in all passes
	dear       = 1 << 50 // weight of a fixed turn, more than all others of a channel have
)

// sifter moves channels to better places.
type sifter struct {
	o      *order
	weight []int64   // by turn
	list   []int32   // channels in order
	key    []float64 // by channel: its place, with room between places
	beside []neighbour
}

// neighbour is a channel that turns into the one at hand, or that it turns into.
type neighbour struct {
	key  float64
	gain int64 // weight that is lost when the one at hand comes after it, not before
}

// sift moves each channel in turn to where the least weight of turns is against the
// places, as long as that helps. Turns that are fixed stay allowed.
func (o *order) sift(weight []int64) {
	s := &sifter{o: o, weight: weight, list: o.channels(), key: make([]float64, len(o.place))}
	for range max(2, min(siftPasses, siftWork/(o.t.Size+1))) {
		for i, c := range s.list {
			s.key[c] = float64(i)
		}
		moved := false
		for _, c := range s.list {
			moved = s.move(c) || moved
		}
		if !moved {
			break
		}
		slices.SortStableFunc(s.list, func(x, y int32) int { return cmp.Compare(s.key[x], s.key[y]) })
	}
	for i, c := range s.list {
		o.place[c] = int32(i)
	}
}

// move moves a channel between the two of its neighbours where it does best.
func (s *sifter) move(c int32) bool {
	s.look(c)
	best, at, sum, now := int64(0), -1, int64(0), int64(0)
	for i, n := range s.beside {
		sum += n.gain
		if n.key < s.key[c] {
			now = sum
		}
		if sum < best {
			best, at = sum, i
		}
	}
	if best >= now {
		return false
	}
	switch last := len(s.beside) - 1; at {
	case -1:
		s.key[c] = s.beside[0].key - 0.5
	case last:
		s.key[c] = s.beside[last].key + 0.5
	default:
		low, high := s.beside[at].key, s.beside[at+1].key
		mid := (low + high) / 2
		if mid <= low || mid >= high {
			return false // no room is left in this pass
		}
		s.key[c] = mid
	}
	return true
}

// look lists the neighbours of a channel in order.
func (s *sifter) look(c int32) {
	g, t := s.o.t.Graph, s.o.t
	s.beside = s.beside[:0]
	row := t.Row[c]
	for k, d := range g.OutOf(g.To[c]) {
		s.add(d, row+k, 1)
	}
	for _, back := range g.OutOf(g.From[c]) {
		s.add(back^1, t.Number(back^1, c), -1)
	}
	slices.SortFunc(s.beside, func(x, y neighbour) int { return cmp.Compare(x.key, y.key) })
}

func (s *sifter) add(c int32, turn int, sign int64) {
	w := s.weight[turn]
	if s.o.fixed[turn] {
		w = dear
	}
	if w > 0 && s.o.free(c) {
		s.beside = append(s.beside, neighbour{s.key[c], sign * w})
	}
}
