package nue

import (
	"cmp"
	"math"
	"slices"

	"weft/route/internal/cdg"
)

// Places of channels on no cycle: nothing turns into a channel that leaves a drained switch, and
// nothing turns out of one that leads to it.
const (
	foremost int32 = -1
	hindmost int32 = math.MaxInt32 - 1
)

// order ranks the channels of a lane: paths with ascending places close no cycle. Fixed turns
// ascend, and stay so.
type order struct {
	turns *cdg.Index
	place []int32 // by channel
	fixed []bool  // by turn
}

// newOrder gives the channels their places in a list of all.
func newOrder(turns *cdg.Index, list []int32) *order {
	g := turns.Graph
	o := &order{turns: turns, place: make([]int32, g.NumChannels), fixed: make([]bool, turns.Size)}
	for i, c := range list {
		switch {
		case g.Drained[g.From[c]]:
			o.place[c] = foremost
		case g.Drained[g.To[c]]:
			o.place[c] = hindmost
		default:
			o.place[c] = int32(i)
		}
	}
	return o
}

// clone copies an order. Fixed turns are shared: they never change.
func (o *order) clone() *order {
	return &order{turns: o.turns, place: slices.Clone(o.place), fixed: o.fixed}
}

// free reports whether a channel has a place of its own.
func (o *order) free(c int32) bool { return o.place[c] != foremost && o.place[c] != hindmost }

// channels lists the channels with places of their own, by place.
func (o *order) channels() []int32 {
	var list []int32
	for c := range int32(len(o.place)) {
		if o.free(c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y int32) int { return cmp.Compare(o.place[x], o.place[y]) })
	return list
}

// forbiddenWeight returns the sum of the weights of the forbidden turns.
func (o *order) forbiddenWeight(weight []int64) int64 {
	g, sum := o.turns.Graph, int64(0)
	for c, p := range o.place {
		row := o.turns.Row[c]
		for k, d := range g.OutOf(g.To[c]) {
			if p >= o.place[d] {
				sum += weight[row+k]
			}
		}
	}
	return sum
}
