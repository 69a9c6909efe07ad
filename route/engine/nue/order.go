package nue

import (
	"cmp"
	"math"
	"slices"
)

// Places of channels that are on no cycle: nothing turns into a channel that leaves a
// drained switch, and nothing turns out of one that leads to it.
const (
	foremost int32 = -1
	hindmost int32 = math.MaxInt32 - 1
)

// The states of a turn.
const (
	unused  uint8 = iota
	used          // an edge of the dependency graph
	fixed         // an edge that must stay
	blocked       // would close a cycle with the edges there are
)

// order is the dependency graph of a lane: the turns that are edges, and a place for
// every channel, such that each edge leads to a later place. All paths whose places
// ascend may be taken together.
type order struct {
	t     *turns
	state []uint8 // by turn
	place []int32 // by channel

	steps  int    // taken by all searches
	seen   []bool // by channel, false between searches
	after  []int32
	before []int32
	places []int32
}

// newOrder makes a graph without edges whose channels have the places of a list.
func newOrder(t *turns, list []int32) *order {
	g := t.g
	o := &order{
		t: t, state: make([]uint8, t.size),
		place: make([]int32, g.NumChannels), seen: make([]bool, g.NumChannels),
	}
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

// clone copies the places and the states of the turns.
func (o *order) clone() *order {
	return &order{t: o.t, state: slices.Clone(o.state), place: slices.Clone(o.place), seen: make([]bool, len(o.seen))}
}

// free tells whether a channel has a place of its own.
func (o *order) free(c int32) bool { return o.place[c] != foremost && o.place[c] != hindmost }

// against adds up the weights of the turns that the places do not allow.
func (o *order) against(weight []int64) int64 {
	sum := int64(0)
	for c, p := range o.place {
		row := o.t.row[c]
		for k, d := range o.t.g.OutOf(o.t.g.To[c]) {
			if p >= o.place[d] {
				sum += weight[row+k]
			}
		}
	}
	return sum
}

// use makes the turn from channel c into d an edge, and brings the places up to date
// (Pearce and Kelly). It returns false when that would close a cycle.
func (o *order) use(c, d int32) bool {
	e := o.t.number(c, d)
	switch {
	case o.state[e] == blocked:
		return false
	case o.state[e] != unused:
		return true
	case o.place[c] < o.place[d] || o.fit(c, d):
		o.state[e] = used
		return true
	}
	o.state[e] = blocked
	return false
}

// edge tells whether a turn is an edge.
func (o *order) edge(e int) bool { return o.state[e] == used || o.state[e] == fixed }

// fit changes the places so that c comes before d: what d leads to among the places
// up to that of c, and what leads to c among those from that of d on, share their
// places anew.
func (o *order) fit(c, d int32) bool {
	ok := o.findAfter(d, c)
	if ok {
		o.findBefore(c, o.place[d])
		o.reorder()
	}
	for _, x := range o.after {
		o.seen[x] = false
	}
	return ok
}

// findAfter lists what d leads to before the place of end; false if that is end itself.
func (o *order) findAfter(d, end int32) bool {
	g := o.t.g
	o.after = append(o.after[:0], d)
	if d == end {
		return false
	}
	o.seen[d] = true
	for i := 0; i < len(o.after); i++ {
		x := o.after[i]
		row := o.t.row[x]
		o.steps += len(g.OutOf(g.To[x]))
		for k, y := range g.OutOf(g.To[x]) {
			if o.seen[y] || o.place[y] > o.place[end] || !o.edge(row+k) {
				continue
			}
			if y == end {
				return false
			}
			o.seen[y] = true
			o.after = append(o.after, y)
		}
	}
	return true
}

// findBefore lists what leads to c from place begin on.
func (o *order) findBefore(c, begin int32) {
	g := o.t.g
	o.before = append(o.before[:0], c)
	o.seen[c] = true
	for i := 0; i < len(o.before); i++ {
		y := o.before[i]
		for _, back := range g.OutOf(g.From[y]) {
			x := back ^ 1
			if o.seen[x] || o.place[x] < begin || !o.edge(o.t.number(x, y)) {
				continue
			}
			o.seen[x] = true
			o.before = append(o.before, x)
		}
	}
	for _, x := range o.before {
		o.seen[x] = false
	}
}

// reorder gives the places of both lists to before and then after, each in the order
// that it had.
func (o *order) reorder() {
	byPlace := func(x, y int32) int { return cmp.Compare(o.place[x], o.place[y]) }
	slices.SortFunc(o.before, byPlace)
	slices.SortFunc(o.after, byPlace)
	o.places = o.places[:0]
	for _, list := range [][]int32{o.before, o.after} {
		for _, x := range list {
			o.places = append(o.places, o.place[x])
		}
	}
	slices.Sort(o.places)
	for i, x := range o.before {
		o.place[x] = o.places[i]
	}
	for i, x := range o.after {
		o.place[x] = o.places[len(o.before)+i]
	}
}
