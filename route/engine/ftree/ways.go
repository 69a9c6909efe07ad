package ftree

import "slices"

// ways are the next hops on all shortest legal paths to a switch.
type ways struct {
	r      *reach
	target int32
	used   int      // when they were last wanted
	near   []uint16 // of the target (reach.near)
	order  []int32  // switches, the nearest first, without the target
	place  []int32  // by switch: its place in order, -1 for none
	spans  []span   // by place: its groups, once they are known
	groups []int32
	count  []int32 // by hops: switches, then the place of the next one
}

// span is a part of ways.groups; to is 0 where it is not known.
type span struct{ from, to int32 }

func newWays(r *reach) ways { return ways{r: r, place: make([]int32, r.t.g.NumSwitches)} }

// waysKept is how many targets have their ways remembered, for the nodes with
// ports on several switches.
const waysKept = 8

// finder finds ways, and remembers the last ones.
type finder struct {
	r     *reach
	kept  []ways
	clock int
}

// of lists the groups of a switch that are on a shortest way.
func (y *ways) of(s int32) []int32 {
	k := y.place[s]
	if k < 0 {
		return nil
	}
	return y.at(int(k))
}

// at lists the groups of order[k] that are on a shortest way (block.way).
func (y *ways) at(k int) []int32 {
	if y.spans[k].to == 0 {
		y.spans[k] = y.find(y.order[k])
	}
	return y.groups[y.spans[k].from:y.spans[k].to]
}

// find finds the groups of a switch; there is always one.
func (y *ways) find(s int32) span {
	r, from := y.r, int32(len(y.groups))
	k, must := y.near[2*s]&away, y.near[2*s]&mustFall != 0
	first, last := r.t.groupsOf(s)
	for i, v := range r.ahead[first:last] {
		if g := first + int32(i); y.near[v]&away == k-1 && !(must && r.rises[g]) && (k == 1 || !r.ends[g]) {
			y.groups = append(y.groups, g)
		}
	}
	return span{from, int32(len(y.groups))}
}

// to looks up or finds the ways to a switch.
func (f *finder) to(target int32) *ways {
	f.clock++
	oldest := 0
	for i := range f.kept {
		if f.kept[i].target == target {
			f.kept[i].used = f.clock
			return &f.kept[i]
		}
		if f.kept[i].used < f.kept[oldest].used {
			oldest = i
		}
	}
	if len(f.kept) < waysKept {
		oldest = len(f.kept)
		f.kept = append(f.kept, newWays(f.r))
	}
	f.kept[oldest].search(target)
	f.kept[oldest].used = f.clock
	return &f.kept[oldest]
}

// search sorts the switches by their hops to a target.
func (y *ways) search(target int32) {
	y.target, y.near = target, y.r.near(target)
	y.count = append(y.count[:0], 0)
	n := 0
	for s := range y.place {
		if k := int(y.near[2*s] & away); k != int(away) && k > 0 {
			for k >= len(y.count) {
				y.count = append(y.count, 0)
			}
			y.count[k]++
			n++
		}
	}
	next := int32(0)
	for k, here := range y.count {
		y.count[k] = next
		next += here
	}
	y.order, y.spans, y.groups = slices.Grow(y.order[:0], n)[:n], slices.Grow(y.spans[:0], n)[:n], y.groups[:0]
	clear(y.spans)
	for s := range y.place {
		y.place[s] = -1
		if k := y.near[2*s] & away; k != away && k > 0 {
			y.place[s] = y.count[k]
			y.order[y.count[k]] = int32(s)
			y.count[k]++
		}
	}
}
