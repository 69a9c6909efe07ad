package ftree

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"

	"weft/fabric"
	"weft/internal/par"
	"weft/route/internal/updown"
)

// reachability holds all shortest legal paths: how many hops every switch is from every other, and
// the first bundles of these paths. A packet that has gone down may not go up again, and a table
// does not know whether it has. So a switch that another one leads down to must lead on down; any
// other switch may use every shortest legal path.
type reachability struct {
	t            *tree
	leadsUp      []bool    // by bundle: it leads up in the order
	unused       []bool    // by bundle: no path uses it
	endsPath     []bool    // by bundle: a path over it ends there
	continuation []int32   // by bundle: continuation of a path, as an index of hopsTo
	upBundles    [][]int32 // by switch: its bundles that lead up
	across       []int32   // by switch: the bundle to its partner, -1 for none
	downBundles  [][]int32 // by switch: its bundles that lead down
	place        []int32   // by switch: its place as a target
	blocks       []targetBlock
	byTarget     []targetHops // by target's place / 64
}

// targetBlock holds the hops to blockTargets targets.
type targetBlock struct {
	downHops []([]targetSet) // by hops, switch: targets at that distance going down only
	hops     []([]targetSet) // by hops, switch: targets at that distance
	downOnly []targetSet     // by switch: targets to which it must lead down
}

// targetHops holds the hops to 64 targets, by target.
type targetHops struct {
	once sync.Once
	hops []uint16 // see hopsTo
}

// Hops from a target, in 15 bits, and a mark.
const (
	mustGoDown  uint16 = 1 << 15
	unreachable uint16 = mustGoDown - 1 // there is no path
)

// newReachability finds all shortest paths that are legal in an order and use no left-out link.
// place numbers the switches as targets.
func newReachability(ctx context.Context, t *tree, order updown.Order, place []int32, leftOut func(s, v int32) bool, workers int) (*reachability, error) {
	n, bundles := t.G.NumSwitches, len(t.Neighbour)
	r := &reachability{
		t: t, leadsUp: make([]bool, bundles), unused: make([]bool, bundles), endsPath: make([]bool, bundles),
		continuation: make([]int32, bundles), upBundles: make([][]int32, n), downBundles: make([][]int32, n),
		place: place, byTarget: make([]targetHops, (n+63)/64),
	}
	r.sortBundles(order, leftOut)
	r.blocks = make([]targetBlock, (n+blockTargets-1)/blockTargets)
	passed, drained := topDown(t.G.Drained, order)
	err := par.For(ctx, workers, len(r.blocks), func(_, b int) error {
		r.searchDown(b)
		r.searchUp(b, passed)
		r.searchAcross(b)
		r.searchUp(b, drained) // these may go up to partners
		return nil
	})
	return r, err
}

// sortBundles divides the bundles of every switch into those up and those down in the order.
func (r *reachability) sortBundles(order updown.Order, leftOut func(s, v int32) bool) {
	t := r.t
	endsAcross := t.endingLinks(order)
	if r.across = slices.Repeat([]int32{-1}, len(order)); t.acrossFirst {
		r.across = t.partners(order, endsAcross)
	}
	both := make([]int32, len(t.Neighbour)) // the bundles of each switch, those down first
	for s := range int32(t.G.NumSwitches) {
		first, last := t.BundlesOf(s)
		low, high := first, last
		for i := first; i < last; i++ {
			v := t.Neighbour[i]
			r.endsPath[i] = i != r.across[s] && (t.G.Drained[v] || endsAcross(s, v))
			switch {
			case v == s, leftOut(s, v):
				r.unused[i], r.continuation[i] = true, 2*s // never nearer
			case i == r.across[s]:
				r.leadsUp[i], r.continuation[i] = true, 2*v
			case order.Above(v, s) && !r.endsPath[i]:
				high--
				both[high], r.leadsUp[i], r.continuation[i] = i, true, 2*v
			default:
				both[low], r.continuation[i] = i, 2*v+1
				low++
			}
		}
		r.downBundles[s], r.upBundles[s] = both[first:low], both[high:last]
	}
}

// noLinks leaves no link out.
func noLinks(_, _ int32) bool { return false }

// endingLinks reports whether a link between two switches ends the paths over it: a horizontal
// link, where both have links up. So packets for a switch come down its own links, or the links of
// its neighbour if the sender chose so. A switch that only goes up by horizontal links needs them
// for all its packets; nothing passes a drained one anyway.
func (t *tree) endingLinks(order updown.Order) func(s, v int32) bool {
	hasWayUp := make([]bool, len(order))
	for s := range int32(len(order)) {
		if t.G.Drained[s] {
			continue
		}
		for _, v := range t.NeighboursOf(s) {
			hasWayUp[s] = hasWayUp[s] || order[v] < order[s] && t.Level[v] != t.Level[s]
		}
	}
	return func(s, v int32) bool {
		return s != v && t.Level[s] == t.Level[v] && hasWayUp[s] && hasWayUp[v]
	}
}

// partners returns by switch the bundle to its partner, -1 for none. The partner is its only
// neighbour of the same level, under other switches; nothing is below either. Pairs of rack
// switches with a core each are such. A path may begin with the link between partners and then go
// up. Nothing passes the first switch on its way, so no packet goes down, across and up again. So
// the links down to a switch carry packets to its own hosts alone. If packets crossed after coming
// down to the partner, its links down would carry those for twice as many hosts.
func (t *tree) partners(order updown.Order, endsAcross func(s, v int32) bool) []int32 {
	across := slices.Repeat([]int32{-1}, len(order))
	for s := range int32(len(order)) {
		level, below := int32(-1), 0 // bundle to a neighbour of the same level; number of other neighbours not above
		for i, v := range t.Bundles(s) {
			switch {
			case level < 0 && endsAcross(s, v):
				level = i
			case v != s && !t.G.Drained[v] && (endsAcross(s, v) || !order.Above(v, s)):
				below++
			}
		}
		if level >= 0 && below == 0 && !t.shareParent(s, t.Neighbour[level]) {
			across[s] = level
		}
	}
	mutual := slices.Clone(across)
	for s, i := range across {
		if i >= 0 && across[t.Neighbour[i]] < 0 {
			mutual[s] = -1
		}
	}
	return mutual
}

// shareParent reports whether two switches are linked to one of a higher level.
func (t *tree) shareParent(s, v int32) bool {
	of := t.Parents(v)
	return slices.ContainsFunc(t.Parents(s), func(p int32) bool { return slices.Contains(of, p) })
}

// topDown lists the switches, the highest first, and separately the drained ones, which are below
// all others.
func topDown(isDrained []bool, order updown.Order) (passed, drained []int32) {
	list := fabric.Numbers(len(order))
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(order[a], order[b]) })
	for _, s := range list {
		if isDrained[s] {
			drained = append(drained, s)
		} else {
			passed = append(passed, s)
		}
	}
	return passed, drained
}

// searchDown finds the targets of a block that every switch reaches going down only, hop by hop.
func (r *reachability) searchDown(b int) {
	n := int32(len(r.place))
	level, seen := make([]targetSet, n), make([]targetSet, n)
	for s, at := range r.place {
		if int(at)/blockTargets == b {
			level[s].insert(at % blockTargets)
		}
	}
	copy(seen, level)
	falls := []([]targetSet){level}
	for k, grew := 1, true; grew; k++ {
		grew = false
		next := make([]targetSet, n)
		for s := range n {
			into := &next[s]
			for _, i := range r.downBundles[s] {
				if v := r.t.Neighbour[i]; k == 1 || !r.endsPath[i] {
					into.union(&level[v])
				}
			}
			into.subtract(&seen[s])
			if !into.isEmpty() {
				seen[s].union(into)
				grew = true
			}
		}
		if level = next; grew {
			falls = append(falls, level)
		}
	}
	block := targetBlock{downHops: falls, downOnly: make([]targetSet, n), hops: []([]targetSet){falls[0]}}
	for range len(falls) - 1 {
		block.hops = append(block.hops, make([]targetSet, n))
	}
	r.blocks[b] = block
}

// searchUp finds the targets of a block that some switches reach, from the highest switch to the
// lowest. All switches above them have theirs already.
func (r *reachability) searchUp(b int, switches []int32) {
	n := len(r.place)
	block := &r.blocks[b]
	falls, hops, must := block.downHops, block.hops, block.downOnly
	for _, s := range switches {
		seen := falls[0][s]
		for k := 1; k <= len(hops); k++ {
			var here, fall targetSet
			if k < len(falls) {
				fall = falls[k][s]
			}
			for _, i := range r.upBundles[s] {
				here.union(&hops[k-1][r.t.Neighbour[i]])
			}
			here.subtract(&must[s])
			here.union(&fall)
			here.subtract(&seen)
			if here.isEmpty() {
				continue
			}
			if k == len(hops) {
				hops = append(hops, make([]targetSet, n))
			}
			hops[k][s] = here
			seen.union(&here)
			if fall.intersect(&here); fall.isEmpty() {
				continue
			}
			for _, i := range r.downBundles[s] {
				if v := r.t.Neighbour[i]; k == 1 || !r.endsPath[i] {
					led := fall
					led.intersect(&falls[k-1][v])
					must[v].union(&led)
				}
			}
		}
	}
	block.hops = hops
}

// searchAcross finds the targets of a block that partners reach over the link between them.
func (r *reachability) searchAcross(b int) {
	for s, i := range r.across {
		if i >= 0 && int32(s) < r.t.Neighbour[i] {
			r.blocks[b].addAcross([2]int32{int32(s), r.t.Neighbour[i]})
		}
	}
}

// addAcross adds the paths of two partners over the link between them, and on up from the other
// one.
func (b *targetBlock) addAcross(pair [2]int32) {
	var seen, nearer [2]targetSet // targets reached so far; reached by going up in one hop less
	for k := 0; ; k++ {
		if k == len(b.hops) {
			more := nearer
			more[0].subtract(&seen[1])
			more[1].subtract(&seen[0])
			if more[0].isEmpty() && more[1].isEmpty() {
				return
			}
			b.hops = append(b.hops, make([]targetSet, len(b.downOnly)))
		}
		own := [2]targetSet{b.hops[k][pair[0]], b.hops[k][pair[1]]}
		for j, s := range pair {
			here := nearer[1-j]
			here.subtract(&b.downOnly[s])
			here.union(&own[j])
			here.subtract(&seen[j])
			seen[j].union(&here)
			b.hops[k][s] = here
		}
		nearer = own
	}
}

// hopsTo returns two numbers for each switch. At 2*switch are the hops of a shortest legal path to
// the target, marked mustGoDown if it leads down only; at 2*switch+1 the hops of a path down only.
// The first call computes them for 64 targets at once, from the blocks.
func (r *reachability) hopsTo(target int32) []uint16 {
	n, place := 2*len(r.place), int(r.place[target])
	y := &r.byTarget[place/64]
	y.once.Do(func() { y.hops = r.transpose(place / 64) })
	return y.hops[place%64*n:][:n]
}

// transpose computes hopsTo for the targets of one word of the sets.
func (r *reachability) transpose(word int) []uint16 {
	n := 2 * len(r.place)
	hops := slices.Repeat([]uint16{unreachable}, 64*n)
	b, w := &r.blocks[word/blockWords], word%blockWords
	for s := range len(r.place) {
		for k := range b.hops {
			for x := b.hops[k][s][w]; x != 0; x &= x - 1 {
				hops[bits.TrailingZeros64(x)*n+2*s] = uint16(k)
			}
		}
		for k := range b.downHops {
			for x := b.downHops[k][s][w]; x != 0; x &= x - 1 {
				hops[bits.TrailingZeros64(x)*n+2*s+1] = uint16(k)
			}
		}
		for x := b.downOnly[s][w]; x != 0; x &= x - 1 {
			hops[bits.TrailingZeros64(x)*n+2*s] |= mustGoDown
		}
	}
	return hops
}
