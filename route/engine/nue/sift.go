package nue

import (
	"cmp"
	"slices"
)

const (
	siftPasses  = 8
	siftWork    = 1 << 26 // turns visited in all passes
	fixedWeight = 1 << 50 // of a fixed turn: more than all others of a channel together
)

// sifter moves channels to better places.
type sifter struct {
	o          *order
	weight     []int64   // by turn
	list       []int32   // channels in order
	key        []float64 // by channel: its place, with room between places
	neighbours []neighbour
}

// neighbour is a channel with a turn into or from the channel being moved.
type neighbour struct {
	key  float64
	gain int64 // weight lost if the moved channel comes after it, not before
}

// sift moves each channel in turn to the place that forbids the least weight of turns, as long as
// that helps (Rudell's sifting). Fixed turns stay allowed.
func (o *order) sift(weight []int64) {
	s := &sifter{o: o, weight: weight, list: o.channels(), key: make([]float64, len(o.place))}
	for range max(2, min(siftPasses, siftWork/(o.turns.Size+1))) {
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

// move moves a channel to the place between its neighbours that forbids the least weight, and
// reports whether it moved.
func (s *sifter) move(c int32) bool {
	s.listNeighbours(c)
	best, at, sum, now := int64(0), -1, int64(0), int64(0)
	for i, n := range s.neighbours {
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
	switch last := len(s.neighbours) - 1; at {
	case -1:
		s.key[c] = s.neighbours[0].key - 0.5
	case last:
		s.key[c] = s.neighbours[last].key + 0.5
	default:
		low, high := s.neighbours[at].key, s.neighbours[at+1].key
		mid := (low + high) / 2
		if mid <= low || mid >= high {
			return false // no room left in this pass
		}
		s.key[c] = mid
	}
	return true
}

// listNeighbours lists the neighbours of a channel in order.
func (s *sifter) listNeighbours(c int32) {
	g, turns := s.o.turns.Graph, s.o.turns
	s.neighbours = s.neighbours[:0]
	row := turns.Row[c]
	for k, d := range g.OutOf(g.To[c]) {
		s.add(d, row+k, 1)
	}
	for _, back := range g.OutOf(g.From[c]) {
		s.add(back^1, turns.Number(back^1, c), -1)
	}
	slices.SortFunc(s.neighbours, func(x, y neighbour) int { return cmp.Compare(x.key, y.key) })
}

// add adds channel c as a neighbour over a turn; sign is 1 if the turn leads to it, -1 if from it.
func (s *sifter) add(c int32, turn int, sign int64) {
	w := s.weight[turn]
	if s.o.fixed[turn] {
		w = fixedWeight
	}
	if w > 0 && s.o.free(c) {
		s.neighbours = append(s.neighbours, neighbour{s.key[c], sign * w})
	}
}
