package ftree

import "slices"

// nextHops holds the first bundles of all shortest legal paths to one target.
type nextHops struct {
	r        *reachability
	target   int32
	lastUsed int      // time of the last use in the cache
	hops     []uint16 // reachability.hopsTo the target
	order    []int32  // switches, the nearest first, without the target
	place    []int32  // by switch: its place in order, -1 for none
	spans    []span   // by place: its bundles, once known
	bundles  []int32
	count    []int32 // by hops: switches, then the place of the next one
}

// span is a part of nextHops.bundles; to is 0 if it is unknown.
type span struct{ from, to int32 }

func newNextHops(r *reachability) nextHops {
	return nextHops{r: r, place: make([]int32, r.t.G.NumSwitches)}
}

// targetsKept is the number of targets in a cache, for nodes with ports on several switches.
const targetsKept = 8

// nextHopCache finds next hops, and keeps those to the last targets.
type nextHopCache struct {
	r     *reachability
	kept  []nextHops
	clock int
}

// from lists the first bundles of the shortest legal paths from a switch.
func (y *nextHops) from(s int32) []int32 {
	k := y.place[s]
	if k < 0 {
		return nil
	}
	return y.fromPlace(int(k))
}

// fromPlace lists the same for order[k].
func (y *nextHops) fromPlace(k int) []int32 {
	if y.spans[k].to == 0 {
		y.spans[k] = y.findBundles(y.order[k])
	}
	return y.bundles[y.spans[k].from:y.spans[k].to]
}

// findBundles finds the bundles of a switch that has a path; there is always one.
func (y *nextHops) findBundles(s int32) span {
	r, from := y.r, int32(len(y.bundles))
	k, must := y.hops[2*s]&unreachable, y.hops[2*s]&mustGoDown != 0
	first, last := r.t.BundlesOf(s)
	for i, v := range r.continuation[first:last] {
		if bundle := first + int32(i); y.hops[v]&unreachable == k-1 && !(must && r.leadsUp[bundle]) && (k == 1 || !r.endsPath[bundle]) {
			y.bundles = append(y.bundles, bundle)
		}
	}
	return span{from, int32(len(y.bundles))}
}

// towards returns the next hops to a switch.
func (f *nextHopCache) towards(target int32) *nextHops {
	f.clock++
	oldest := 0
	for i := range f.kept {
		if f.kept[i].target == target {
			f.kept[i].lastUsed = f.clock
			return &f.kept[i]
		}
		if f.kept[i].lastUsed < f.kept[oldest].lastUsed {
			oldest = i
		}
	}
	if len(f.kept) < targetsKept {
		oldest = len(f.kept)
		f.kept = append(f.kept, newNextHops(f.r))
	}
	f.kept[oldest].setTarget(target)
	f.kept[oldest].lastUsed = f.clock
	return &f.kept[oldest]
}

// setTarget sorts the switches by their hops to a target.
func (y *nextHops) setTarget(target int32) {
	y.target, y.hops = target, y.r.hopsTo(target)
	y.count = append(y.count[:0], 0)
	n := 0
	for s := range y.place {
		if k := int(y.hops[2*s] & unreachable); k != int(unreachable) && k > 0 {
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
	y.order, y.spans, y.bundles = slices.Grow(y.order[:0], n)[:n], slices.Grow(y.spans[:0], n)[:n], y.bundles[:0]
	clear(y.spans)
	for s := range y.place {
		y.place[s] = -1
		if k := y.hops[2*s] & unreachable; k != unreachable && k > 0 {
			y.place[s] = y.count[k]
			y.order[y.count[k]] = int32(s)
			y.count[k]++
		}
	}
}

// mostWays limits the pairs of switches with cached firstLinks: 16 bytes a pair and more, at most
// about 50 MB.
const mostWays = 3 << 20

// firstLinks holds the first links of all shortest legal paths to one target.
type firstLinks struct {
	target int32
	hops   []uint16 // reachability.hopsTo the target
	order  []int32  // switches, the nearest first, without the target
	start  []int32  // by place in order, and at the end: the first of its ranges
	ranges []span   // links with consecutive numbers
}

// find finds the links to a target.
func (y *firstLinks) find(search *nextHops, target int32) {
	search.setTarget(target)
	t := search.r.t
	y.target, y.hops, y.order = target, search.hops, append(y.order[:0], search.order...)
	y.start, y.ranges = append(slices.Grow(y.start[:0], len(y.order)+1), 0), slices.Grow(y.ranges[:0], len(y.order))
	for k := range y.order {
		first := len(y.ranges)
		for _, i := range search.fromPlace(k) {
			if last := len(y.ranges); last > first && y.ranges[last-1].to == t.LinkStart[i] {
				y.ranges[last-1].to = t.LinkStart[i+1]
			} else {
				y.ranges = append(y.ranges, span{t.LinkStart[i], t.LinkStart[i+1]})
			}
		}
		y.start = append(y.start, int32(len(y.ranges)))
	}
}

// from lists the links of order[k].
func (y *firstLinks) from(k int) []span { return y.ranges[y.start[k]:y.start[k+1]] }

// reachedFrom reports whether a switch other than the target has a path to it.
func (y *firstLinks) reachedFrom(s int32) bool {
	k := y.hops[2*s] & unreachable
	return k > 0 && k != unreachable
}
