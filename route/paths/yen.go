package paths

import "slices"

// Yen finds the k shortest loopless legal ways between two switches, after J. Y. Yen, "Finding the
// k Shortest Loopless Paths in a Network" (Management Science 1971). Lawler's partition of the
// remaining ways finds none twice. Each search is A* with the exact legal distances as the
// estimate. The rule's shortest ways must meet no switch twice, even around barred channels:
// up*/down* or none. Equally long ways are in order of ports.
type yen struct {
	r    *Rule
	dist []int32 // to the target switch

	stamp  int32
	barred []int32   // by switch: stamp if a search may not enter it
	opened []int32   // by channel: stamp once it was reached
	hops   []int32   // by channel: channels of the found way to its end
	prev   []int32   // by channel: node before it on that way
	bucket [][]int32 // open channels by estimated length
	spurs  []spur    // best way of each part of the remaining ways
}

// spur is the shortest way that begins with way[:at] and continues with none of bars.
type spur struct {
	way  []int32
	at   int
	bars []int32
}

func newYen(r *Rule) *yen {
	n := r.g.NumChannels
	return &yen{
		r: r, dist: make([]int32, r.nodes()),
		barred: make([]int32, r.g.NumSwitches),
		opened: make([]int32, n), hops: make([]int32, n), prev: make([]int32, n),
	}
}

// setTarget prepares the searches for paths to a switch.
func (y *yen) setTarget(t int32) { y.r.distances(t, y.dist, y.prev) }

// find returns up to k ways from switch s, the shortest first.
func (y *yen) find(s int32, k int) [][]int32 {
	y.spurs = y.spurs[:0]
	y.search(s, nil, 0, nil)
	var found [][]int32
	for len(y.spurs) > 0 && len(found) < k {
		best := y.popShortest()
		found = append(found, best.way)
		if len(found) == k {
			break
		}
		bars := append(slices.Clone(best.bars), best.way[best.at])
		y.search(s, best.way, best.at, bars)
		for at := best.at + 1; at < len(best.way); at++ {
			y.search(s, best.way, at, []int32{best.way[at]})
		}
	}
	return found
}

// findLoopless returns up to k ways from switch s that meet no switch twice, the shortest first; at
// least one if there is any. Other rules than up*/down* have shortest ways that meet a switch
// twice, where a detour makes a turn legal. They are left out, so that fewer ways may be found than
// there are.
func (y *yen) findLoopless(s int32, k int) [][]int32 {
	all := y.find(s, k)
	ways := slices.DeleteFunc(slices.Clone(all), func(way []int32) bool { return !loopless(y.r.g, s, way) })
	if len(all) > 0 && len(ways) == 0 {
		if way, ok := deepenSearch(y.r, s, y.dist, nil); ok {
			ways = append(ways, way)
		}
	}
	return ways
}

// popShortest removes the shortest spur, of equals the one found first.
func (y *yen) popShortest() spur {
	best := 0
	for i := range y.spurs {
		if len(y.spurs[i].way) < len(y.spurs[best].way) {
			best = i
		}
	}
	sp := y.spurs[best]
	y.spurs = append(y.spurs[:best], y.spurs[best+1:]...)
	return sp
}

// search searches for the shortest way from switch s that begins with way[:at] and continues with
// none of bars.
func (y *yen) search(s int32, way []int32, at int, bars []int32) {
	r := y.r
	y.stamp++
	from := r.source(s)
	y.barred[s] = y.stamp
	for _, c := range way[:at] {
		from = c
		y.barred[r.g.To[c]] = y.stamp
	}
	for i := range y.bucket {
		y.bucket[i] = y.bucket[i][:0]
	}
	for _, c := range r.next(from) {
		if !slices.Contains(bars, c) {
			y.openChannel(from, c, 1)
		}
	}
	for length := 0; length < len(y.bucket); length++ {
		for n := len(y.bucket[length]); n > 0; n = len(y.bucket[length]) {
			x := y.bucket[length][n-1]
			y.bucket[length] = y.bucket[length][:n-1]
			if y.dist[x] == 0 {
				y.spurs = append(y.spurs, spur{y.joinPath(way[:at], from, x), at, bars})
				return
			}
			if int(y.hops[x]+y.dist[x]) < length {
				continue // a shorter way to it is known
			}
			for _, c := range r.next(x) {
				y.openChannel(x, c, y.hops[x]+1)
			}
		}
	}
}

// openChannel records that channel c can be reached from node x.
func (y *yen) openChannel(x, c, taken int32) {
	if y.dist[c] == unreachable || y.barred[y.r.g.To[c]] == y.stamp || y.opened[c] == y.stamp && y.hops[c] <= taken {
		return
	}
	y.opened[c], y.hops[c], y.prev[c] = y.stamp, taken, x
	length := int(taken + y.dist[c])
	for len(y.bucket) <= length {
		y.bucket = append(y.bucket, nil)
	}
	y.bucket[length] = append(y.bucket[length], c)
}

// joinPath appends the found path, which ends with channel last, to its beginning.
func (y *yen) joinPath(begin []int32, from, last int32) []int32 {
	way := slices.Clone(begin)
	for x := last; x != from; x = y.prev[x] {
		way = append(way, x)
	}
	slices.Reverse(way[len(begin):])
	return way
}
