package dfsssp

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/shortest"
)

// channels holds the fields of each channel, by position in Out, that a growing tree needs.
type channels struct {
	*shortest.Loads
	reverse []int32 // position of the channel back
	label   []int64 // on the first lane a path may continue on channels with greater labels

	// Of equally long detours from a switch the one with the least number wins: first one down,
	// then one to the lowest switch, then the first by the port behind it.
	preference []int64
	preferred  []int32 // positions, those of a switch in order of preference

	noPaths []path // by switch: the paths of an empty tree
}

func newChannels(loads *shortest.Loads, u *upDown, label []int64) *channels {
	g := loads.G
	x := &channels{
		Loads: loads, reverse: make([]int32, len(g.Out)), label: label,
		preference: make([]int64, len(g.Out)), preferred: make([]int32, len(g.Out)),
	}
	for i, c := range g.Out {
		x.reverse[i] = x.Place[c^1]
		x.preference[i] = int64(g.To[c])<<31 | int64(x.Place[c^1])
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
	x.noPaths = slices.Repeat([]path{{label: never, first: fabric.Nothing, lane: noLane, via: fabric.Nothing}}, g.NumSwitches)
	return x
}

// tree holds the paths of all switches to one LID.
type tree struct {
	of     []path  // by switch
	taken  []int32 // switches with a path, in order of getting it
	left   int     // number of switches that still need one
	best   []int64 // by switch: preference of the best detour found
	levels [][]int32
	scan   []int32 // scratch of offerAll
}

// path is the path of a switch, or the knowledge of it before it has one.
type path struct {
	load   int64 // in units
	label  int64 // of the first channel; never or always if it is not on the first lane
	first  int32 // position in Out of the first channel, or Nothing
	lane   int32 // lane of the path, noLane without one
	length int32 // hops, or the hops of the best detour found
	via    int32 // position in Out of the best detour found, or Nothing
}

// noLane is the lane of a switch without a path.
const noLane int32 = -1

// Labels of switches without a first channel on the first lane.
const (
	never  = -1            // no path may continue on its path on the first lane
	always = math.MaxInt64 // it is the destination
)

func newTree(switches int) *tree {
	return &tree{of: make([]path, switches), best: make([]int64, switches)}
}

// reset leaves only t with a path; left of the other switches need one.
func (r *tree) reset(x *channels, t int32, left int) {
	copy(r.of, x.noPaths)
	r.of[t].lane, r.of[t].label = 0, always
	r.left, r.taken = left, r.taken[:0]
	for h := range r.levels {
		r.levels[h] = r.levels[h][:0]
	}
}

// take gives switch s the path that begins at a position in Out.
func (r *tree) take(x *channels, s, i, lane int32) {
	p, after := &r.of[s], &r.of[x.Head[i]]
	r.left--
	r.taken = append(r.taken, s)
	p.first, p.lane, p.length, p.load = i, lane, after.length+1, shortest.Whole(x.Load[i])+after.load
	if lane == 0 {
		p.label = x.label[i]
	}
}

// updateLabels reads the labels of all first channels again.
func (r *tree) updateLabels(x *channels) {
	for _, s := range r.taken {
		if p := &r.of[s]; p.lane == 0 {
			p.label = x.label[p.first]
		}
	}
}

// join connects the switches without a path to switches with one; w holds the shortest ways. It
// uses one of the shortest ways of all if the unchanged first lane allows that, else the shortest
// allowed way.
func (r *tree) join(x *channels, w *shortest.Ways) {
	for k, s := range w.Order[1:] {
		if r.of[s].lane != noLane {
			continue
		}
		first, best := fabric.Nothing, int64(math.MaxInt64)
		for _, e := range w.ListExits(x.G, x.Head, k) {
			if i := e.At(); x.label[i] < r.of[e.Head()].label && x.preference[i] < best {
				first, best = int32(i), x.preference[i]
			}
		}
		if first >= 0 {
			r.take(x, s, first, 0)
		}
	}
	if r.left > 0 {
		r.joinRest(x, w.Hops())
	}
}

// joinRest connects the switches without a path to switches with one, by the shortest ways that the
// unchanged first lane allows. hops holds, by switch, the length of its shortest path on any lane.
func (r *tree) joinRest(x *channels, hops []int32) {
	g := x.G
	for s := range int32(g.NumSwitches) {
		if r.of[s].lane != noLane {
			continue
		}
		for _, i := range x.preferred[g.OutStart[s]:g.OutStart[s+1]] {
			v := x.Head[i]
			p := &r.of[v]
			if x.label[i] >= p.label || p.first >= 0 && g.Drained[v] {
				continue
			}
			r.offer(x, s, i, p.length+1)
			if p.length+1 == hops[s] {
				break // no other is shorter, or preferred
			}
		}
	}
	r.grow(x)
}

// joinAll connects all switches to t in the same way.
func (r *tree) joinAll(x *channels, t int32) {
	r.reset(x, t, x.G.NumSwitches-1)
	r.offerAll(x, t)
	r.grow(x)
}

// grow takes the offered paths, the shortest first, and offers longer ones: to the neighbours of
// switches that just got one or, if that is less work, to all switches without one.
func (r *tree) grow(x *channels) {
	for h := 0; h < len(r.levels) && r.left > 0; h++ {
		at := len(r.taken)
		for _, v := range r.levels[h] {
			if r.of[v].lane == noLane {
				r.take(x, v, r.of[v].via, 0)
			}
		}
		switch now := len(r.taken) - at; {
		case now == 0 || r.left == 0:
		case r.left < now*backwardGain:
			r.offerToRest(x, int32(h))
		default:
			for _, v := range r.taken[at:] {
				if !x.G.Drained[v] {
					r.offerAll(x, v)
				}
			}
		}
	}
}

// backwardGain is the number of switches that offerToRest serves in the time of one offerAll: it
// stops at the first usable channel.
const backwardGain = 4

// offerToRest offers the paths of h hops to the switches without one.
func (r *tree) offerToRest(x *channels, h int32) {
	g, of, head := x.G, r.of, x.Head
	label := x.label[:len(head)]
	for s := range of {
		if of[s].lane != noLane {
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
func (r *tree) offerAll(x *channels, v int32) {
	label, length := r.of[v].label, r.of[v].length+1
	first, end := x.G.OutStart[v], x.G.OutStart[v+1]
	head, reverse := x.Head[first:end], x.reverse[first:end]
	for len(r.scan) < len(head) {
		r.scan = append(r.scan, 0)
	}
	may, n := r.scan, 0
	for i, s := range head {
		may[n] = int32(i)
		// One more if the switch has no lane and the label is less; a jump would be mispredicted.
		n += int(r.of[s].lane) >> 31 & int((x.label[reverse[i]]-label)>>63) & 1
	}
	for _, i := range may[:n] {
		r.offer(x, head[i], reverse[i], length)
	}
}

// offer records a detour from switch s over a position in Out, which the unchanged first lane
// allows, if s has no better one.
func (r *tree) offer(x *channels, s, i, length int32) {
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
