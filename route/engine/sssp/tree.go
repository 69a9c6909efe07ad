package sssp

import (
	"math"

	"weft/fabric"
)

// turns are what the growth of a tree looks at, and does not change.
type turns struct {
	g     *fabric.Graph
	exits []exit
	head  []int32 // by position in Out: switch behind the channel
	back  []int32 // by position in Out: that of the channel back
	label []int64 // by position in Out: on the first lane a path may go on to channels of greater ones

	// By position in Out: of equally long detours from a switch the one of the least
	// number is taken. That is one that leads down, then one to the lowest number, then
	// the first by the port behind it.
	preference []int64
}

func newTurns(b *builder, u *upDown, label []int64) *turns {
	g := b.in.Graph
	x := &turns{g: g, exits: b.exits, head: b.head, back: make([]int32, len(g.Out)), label: label, preference: make([]int64, len(g.Out))}
	place := make([]int32, g.NumChannels)
	for i, c := range g.Out {
		place[c] = int32(i)
	}
	for i, c := range g.Out {
		x.back[i] = place[c^1]
		x.preference[i] = int64(g.To[c])<<31 | int64(place[c^1])
		if u.down[i] == 0 {
			x.preference[i] |= 1 << 62
		}
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
	best   []int64 // by switch: its preference
	levels [][]int32
	may    []int32 // of offerAll
}

// open is the lane of a switch without a path.
const open int32 = -1

// step is what a switch has to offer to those before it.
type step struct {
	load  int64 // of its path, in units
	label int64 // of its first channel; never or always where its path tells nothing
}

const (
	never  = -1            // its path is not on the first lane
	always = math.MaxInt64 // it has the LID
)

func newTree(n int) *tree {
	return &tree{
		first: make([]int32, n), lane: make([]int32, n), steps: make([]step, n),
		length: make([]int32, n), via: make([]int32, n), best: make([]int64, n),
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
	r.steps[s] = step{whole(e.load) + v.load, never}
	if lane == 0 {
		r.steps[s].label = x.label[i]
	}
}

// relabel looks up the labels of all first channels.
func (r *tree) relabel(x *turns) {
	for _, s := range r.taken {
		if r.lane[s] == 0 {
			r.steps[s].label = x.label[r.first[s]]
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
			v := x.exits[i].head
			if x.label[i] < r.steps[v].label && (r.first[v] < 0 || !g.Drained[v]) {
				r.offer(x, s, i, r.length[v]+1)
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
		last := r.countOpen(r.levels[h]) == r.left // nobody would take what these offer
		for _, v := range r.levels[h] {
			if r.lane[v] != open {
				continue
			}
			r.take(x, v, r.via[v], 0)
			if !last && !x.g.Drained[v] {
				r.offerAll(x, v)
			}
		}
	}
}

// countOpen counts the switches without a path in a list.
func (r *tree) countOpen(list []int32) int {
	n := 0
	for _, s := range list {
		if r.lane[s] == open {
			n++
		}
	}
	return n
}

// offerAll offers the path of switch v to its neighbours.
func (r *tree) offerAll(x *turns, v int32) {
	label, length := r.steps[v].label, r.length[v]+1
	first, end := x.g.OutStart[v], x.g.OutStart[v+1]
	for len(r.may) < int(end-first) {
		r.may = append(r.may, 0)
	}
	n := 0
	for i := first; i < end; i++ {
		r.may[n] = i
		// One more if the switch is open and the label less; a jump would be mispredicted.
		n += int(r.lane[x.head[i]]) >> 31 & int((x.label[x.back[i]]-label)>>63) & 1
	}
	for _, i := range r.may[:n] {
		r.offer(x, x.head[i], x.back[i], length)
	}
}

// offer notes a detour from switch s that begins at a position in Out, which the first
// lane has as it is, if s has no better one.
func (r *tree) offer(x *turns, s, i, length int32) {
	switch better := r.via[s] < 0 || length < r.length[s]; {
	case better:
		for len(r.levels) <= int(length) {
			r.levels = append(r.levels, nil)
		}
		r.levels[length] = append(r.levels[length], s)
	case length > r.length[s] || x.preference[i] > r.best[s]:
		return
	}
	r.via[s], r.length[s], r.best[s] = i, length, x.preference[i]
}
