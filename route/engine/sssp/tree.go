package sssp

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
)

// turns are what the growth of a tree looks at, and does not change.
type turns struct {
	g     *fabric.Graph
	load  []int64 // those of builder
	head  []int32
	back  []int32 // by position in Out: that of the channel back
	label []int64 // by position in Out: on the first lane a path may go on to channels of greater ones

	// By position in Out: of equally long detours from a switch the one of the least
	// number is taken. That is one that leads down, then one to the lowest number, then
	// the first by the port behind it.
	preference []int64
	preferred  []int32 // positions in Out, those of a switch by preference

	none   []int32 // by switch: what first, lane and via of a tree begin with
	nevers []int64 // by switch: what label of a tree begins with
}

func newTurns(b *builder, u *upDown, label []int64) *turns {
	g := b.in.Graph
	x := &turns{g: g, load: b.load, head: b.head, back: make([]int32, len(g.Out)), label: label, preference: make([]int64, len(g.Out)), preferred: make([]int32, len(g.Out))}
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
		x.preferred[i] = int32(i)
	}
	for s := range g.NumSwitches {
		slices.SortFunc(x.preferred[g.OutStart[s]:g.OutStart[s+1]], func(i, j int32) int {
			return cmp.Compare(x.preference[i], x.preference[j])
		})
	}
	x.none, x.nevers = slices.Repeat([]int32{open}, g.NumSwitches), slices.Repeat([]int64{never}, g.NumSwitches)
	return x
}

// tree are the paths of all switches to one LID.
type tree struct {
	first  []int32 // by switch: position in Out of its first channel, or a negative number
	lane   []int32 // by switch: lane that has its path, open without one
	load   []int64 // by switch: of its path, in units
	label  []int64 // by switch: of its first channel; never or always where its path tells nothing
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

// Labels of switches.
const (
	never  = -1            // its path is not on the first lane
	always = math.MaxInt64 // it has the LID
)

func newTree(n int) *tree {
	return &tree{
		first: make([]int32, n), lane: make([]int32, n), load: make([]int64, n), label: make([]int64, n),
		length: make([]int32, n), via: make([]int32, n), best: make([]int64, n),
	}
}

// begin leaves all switches but t without a path, and so many are to get one.
func (r *tree) begin(x *turns, t int32, left int) {
	copy(r.first, x.none)
	copy(r.lane, x.none)
	copy(r.via, x.none)
	copy(r.label, x.nevers)
	clear(r.load)
	r.lane[t], r.length[t], r.label[t] = 0, 0, always
	r.left, r.taken = left, r.taken[:0]
	for h := range r.levels {
		r.levels[h] = r.levels[h][:0]
	}
}

// take gives switch s the path that begins at a position in Out.
func (r *tree) take(x *turns, s, i, lane int32) {
	v := x.head[i]
	r.left--
	r.taken = append(r.taken, s)
	r.first[s], r.lane[s], r.length[s] = i, lane, r.length[v]+1
	r.load[s] = whole(x.load[i]) + r.load[v]
	if lane == 0 {
		r.label[s] = x.label[i]
	}
}

// relabel looks up the labels of all first channels.
func (r *tree) relabel(x *turns) {
	for _, s := range r.taken {
		if r.lane[s] == 0 {
			r.label[s] = x.label[r.first[s]]
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
			v := x.head[i]
			if x.label[i] < r.label[v] && (r.first[v] < 0 || !g.Drained[v]) {
				r.offer(x, s, i, r.length[v]+1)
			}
		}
	}
	r.grow(x)
}

// sprout leads all switches to t in the same way.
func (r *tree) sprout(x *turns, t int32) {
	r.begin(x, t, x.g.NumSwitches-1)
	r.offerAll(x, t)
	r.grow(x)
}

// grow takes the paths that were offered, the shortest first, and has longer ones
// offered: by those that just took one or, where that is less work, to those without one.
func (r *tree) grow(x *turns) {
	for h := 0; h < len(r.levels) && r.left > 0; h++ {
		at := len(r.taken)
		for _, v := range r.levels[h] {
			if r.lane[v] == open {
				r.take(x, v, r.via[v], 0)
			}
		}
		switch now := len(r.taken) - at; {
		case now == 0 || r.left == 0:
		case r.left < now*pulls:
			r.askAll(x, int32(h))
		default:
			for _, v := range r.taken[at:] {
				if !x.g.Drained[v] {
					r.offerAll(x, v)
				}
			}
		}
	}
}

// pulls is how many switches askAll looks after in the time that offerAll takes for one:
// it stops at the first channel that will do.
const pulls = 4

// askAll offers the paths of h hops to the switches without one.
func (r *tree) askAll(x *turns, h int32) {
	g := x.g
	for s, lane := range r.lane {
		if lane != open {
			continue
		}
		for _, i := range x.preferred[g.OutStart[s]:g.OutStart[s+1]] {
			v := x.head[i]
			if x.label[i] < r.label[v] && r.length[v] == h && !g.Drained[v] {
				r.offer(x, int32(s), i, h+1)
				break
			}
		}
	}
}

// offerAll offers the path of switch v to its neighbours.
func (r *tree) offerAll(x *turns, v int32) {
	label, length := r.label[v], r.length[v]+1
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
