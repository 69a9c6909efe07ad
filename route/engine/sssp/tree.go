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

	none []path // by switch: those of a tree at its beginning
}

func newTurns(b *builder, u *upDown, label []int64) *turns {
	g := b.in.Graph
	x := &turns{g: g, load: b.load, head: b.head, back: make([]int32, len(g.Out)), label: label, preference: make([]int64, len(g.Out)), preferred: make([]int32, len(g.Out))}
	for i, c := range g.Out {
		x.back[i] = b.place[c^1]
		x.preference[i] = int64(g.To[c])<<31 | int64(b.place[c^1])
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
	x.none = slices.Repeat([]path{{label: never, first: fabric.Nothing, lane: open, via: fabric.Nothing}}, g.NumSwitches)
	return x
}

// tree are the paths of all switches to one LID.
type tree struct {
	of     []path  // by switch
	taken  []int32 // switches with a path, in the order of taking
	left   int     // switches that are to get one
	best   []int64 // by switch: preference of the best detour found
	levels [][]int32
	may    []int32 // of offerAll
}

// path is that of a switch, or what is known of it.
type path struct {
	load   int64 // in units
	label  int64 // of the first channel; never or always where the path tells nothing
	first  int32 // position in Out of the first channel, or Nothing
	lane   int32 // that has the path, open without one
	length int32 // hops, or those of the best detour found
	via    int32 // position in Out of the best detour found, or Nothing
}

// open is the lane of a switch without a path.
const open int32 = -1

// Labels of switches.
const (
	never  = -1            // its path is not on the first lane
	always = math.MaxInt64 // it has the LID
)

func newTree(n int) *tree {
	return &tree{of: make([]path, n), best: make([]int64, n)}
}

// begin leaves all switches but t without a path, and so many are to get one.
func (r *tree) begin(x *turns, t int32, left int) {
	copy(r.of, x.none)
	r.of[t].lane, r.of[t].label = 0, always
	r.left, r.taken = left, r.taken[:0]
	for h := range r.levels {
		r.levels[h] = r.levels[h][:0]
	}
}

// take gives switch s the path that begins at a position in Out.
func (r *tree) take(x *turns, s, i, lane int32) {
	p, after := &r.of[s], &r.of[x.head[i]]
	r.left--
	r.taken = append(r.taken, s)
	p.first, p.lane, p.length, p.load = i, lane, after.length+1, whole(x.load[i])+after.load
	if lane == 0 {
		p.label = x.label[i]
	}
}

// relabel looks up the labels of all first channels.
func (r *tree) relabel(x *turns) {
	for _, s := range r.taken {
		if p := &r.of[s]; p.lane == 0 {
			p.label = x.label[p.first]
		}
	}
}

// join leads the switches without a path to those that have one on the first lane, as
// it is, by the shortest way.
func (r *tree) join(x *turns) {
	g := x.g
	for s := range int32(g.NumSwitches) {
		if r.of[s].lane != open {
			continue
		}
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			v := x.head[i]
			if x.label[i] < r.of[v].label && (r.of[v].first < 0 || !g.Drained[v]) {
				r.offer(x, s, i, r.of[v].length+1)
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
			if r.of[v].lane == open {
				r.take(x, v, r.of[v].via, 0)
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
	g, of, head := x.g, r.of, x.head
	label := x.label[:len(head)]
	for s := range of {
		if of[s].lane != open {
			continue
		}
		for _, i := range x.preferred[g.OutStart[s]:g.OutStart[s+1]] {
			v := head[i]
			if p := &of[v]; label[i] < p.label && p.length == h && !g.Drained[v] {
				r.offer(x, int32(s), i, h+1)
				break
			}
		}
	}
}

// offerAll offers the path of switch v to its neighbours.
func (r *tree) offerAll(x *turns, v int32) {
	label, length := r.of[v].label, r.of[v].length+1
	first, end := x.g.OutStart[v], x.g.OutStart[v+1]
	head, back := x.head[first:end], x.back[first:end]
	for len(r.may) < len(head) {
		r.may = append(r.may, 0)
	}
	may, n := r.may, 0
	for i, s := range head {
		may[n] = int32(i)
		// One more if the switch is open and the label less; a jump would be mispredicted.
		n += int(r.of[s].lane) >> 31 & int((x.label[back[i]]-label)>>63) & 1
	}
	for _, i := range may[:n] {
		r.offer(x, head[i], back[i], length)
	}
}

// offer notes a detour from switch s that begins at a position in Out, which the first
// lane has as it is, if s has no better one.
func (r *tree) offer(x *turns, s, i, length int32) {
	p := &r.of[s]
	switch better := p.via < 0 || length < p.length; {
	case better:
		for len(r.levels) <= int(length) {
			r.levels = append(r.levels, nil)
		}
		r.levels[length] = append(r.levels[length], s)
	case length > p.length || x.preference[i] > r.best[s]:
		return
	}
	p.via, p.length, r.best[s] = i, length, x.preference[i]
}
