package sssp

import (
	"cmp"
	"math"

	"weft/fabric"
)

// turns are what the growth of a tree looks at, and does not change.
type turns struct {
	g     *fabric.Graph
	exits []exit
	down  []bool  // by channel
	place []int32 // by channel: position in Out
	label []int64 // by channel: on the first lane a path may go on to channels of greater ones
}

func newTurns(b *builder, u *upDown, label []int64) *turns {
	g := b.in.Graph
	x := &turns{g: g, exits: b.exits, down: u.down, place: make([]int32, g.NumChannels), label: label}
	for i, c := range g.Out {
		x.place[c] = int32(i)
	}
	return x
}

// tree are the paths of all switches to one LID.
type tree struct {
	first  []int32 // by switch: position in Out of its first channel, or a negative number
	lane   []int32 // by switch: lane that has its path, open without one
	steps  []step  // by switch
	taken  []int32 // switches with a path, in the order of taking
	left   int     // switches that are to get one
	length []int32 // by switch: hops, or those of the best detour found
	via    []int32 // by switch: position in Out of the best detour found, or a negative number
	levels [][]int32
}

// open is the lane of a switch without a path.
const open int32 = -1

// step is what a switch has to offer to those before it.
type step struct {
	load  int64 // of its path
	label int64 // of its first channel; never or always where its path tells nothing
}

const (
	never  = math.MinInt64 // its path is not on the first lane
	always = math.MaxInt64 // it has the LID
)

func newTree(n int) *tree {
	return &tree{
		first: make([]int32, n), lane: make([]int32, n), steps: make([]step, n),
		length: make([]int32, n), via: make([]int32, n),
	}
}

// begin leaves all switches but t without a path, and so many are to get one.
func (r *tree) begin(t int32, left int) {
	for s := range r.lane {
		r.first[s], r.lane[s], r.via[s] = -1, open, -1
		r.steps[s] = step{0, never}
	}
	r.lane[t], r.length[t], r.steps[t].label = 0, 0, always
	r.left, r.taken = left, r.taken[:0]
	for h := range r.levels {
		r.levels[h] = r.levels[h][:0]
	}
}

// take gives switch s the path that begins at a position in Out.
func (r *tree) take(x *turns, s, i, lane int32) {
	e := &x.exits[i]
	v := &r.steps[e.head]
	r.left--
	r.taken = append(r.taken, s)
	r.first[s], r.lane[s], r.length[s] = i, lane, r.length[e.head]+1
	r.steps[s] = step{e.load + v.load, never}
	if lane == 0 {
		r.steps[s].label = x.label[e.channel]
	}
}

// relabel looks up the labels of all first channels.
func (r *tree) relabel(x *turns) {
	for _, s := range r.taken {
		if r.lane[s] == 0 {
			r.steps[s].label = x.label[x.exits[r.first[s]].channel]
		}
	}
}

// join leads the switches without a path to those that have one on the first lane, as
// it is, by the shortest way.
func (r *tree) join(x *turns) {
	g := x.g
	for s := range int32(g.NumSwitches) {
		if r.lane[s] != open {
			continue
		}
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			if v := x.exits[i].head; r.first[v] < 0 || !g.Drained[v] {
				r.offer(x, s, v, x.exits[i].channel)
			}
		}
	}
	r.grow(x)
}

// sprout leads all switches to t in the same way.
func (r *tree) sprout(x *turns, t int32) {
	r.begin(t, x.g.NumSwitches-1)
	r.offerAll(x, t)
	r.grow(x)
}

// grow takes the paths that were offered, the shortest first, and offers longer ones.
func (r *tree) grow(x *turns) {
	for h := 0; h < len(r.levels) && r.left > 0; h++ {
		for k := 0; k < len(r.levels[h]); k++ {
			v := r.levels[h][k]
			if r.lane[v] != open {
				continue
			}
			r.take(x, v, r.via[v], 0)
			if !x.g.Drained[v] {
				r.offerAll(x, v)
			}
		}
	}
}

// offerAll offers the path of switch v to its neighbours.
func (r *tree) offerAll(x *turns, v int32) {
	for _, e := range x.exits[x.g.OutStart[v]:x.g.OutStart[v+1]] {
		if r.lane[e.head] == open {
			r.offer(x, e.head, v, e.channel^1)
		}
	}
}

// offer notes the path from switch s over channel c to v and on, if the first lane has
// it as it is and s has no better one. Of equally long ones that is one that leads
// down, then one to the lowest number, then the first by the port of v.
func (r *tree) offer(x *turns, s, v, c int32) {
	if x.label[c] >= r.steps[v].label {
		return
	}
	length := r.length[v] + 1
	if r.via[s] < 0 || length < r.length[s] {
		r.via[s], r.length[s] = x.place[c], length
		for len(r.levels) <= int(length) {
			r.levels = append(r.levels, nil)
		}
		r.levels[length] = append(r.levels[length], s)
		return
	}
	if length > r.length[s] {
		return
	}
	if old := x.exits[r.via[s]].channel; x.prefers(c, old) {
		r.via[s] = x.place[c]
	}
}

// prefers tells whether channel c is better than another one of its switch.
func (x *turns) prefers(c, old int32) bool {
	if x.down[c] != x.down[old] {
		return x.down[c]
	}
	return cmp.Or(cmp.Compare(x.g.To[c], x.g.To[old]), cmp.Compare(x.place[c^1], x.place[old^1])) < 0
}
