package ftree

import (
	"math"
	"slices"

	"weft/route/updown"
)

// sampled is the number of leaves that are tried as the highest switch.
const sampled = 16

// rankByHeight ranks the switches, 0 the highest, by their level.
func (t *tree) rankByHeight() updown.Order {
	rank := updown.New(t.g.NumSwitches)
	for s, h := range t.height {
		if !t.g.Drained[s] {
			rank[s] = t.top - h
		}
	}
	return rank
}

// rankToJoin ranks the switches so that every two of a part have a way up and then
// down. An order from a leaf forbids no turn of a whole tree, which free says, but the more
// the more ways there are between the roots of a degraded one. There it is the order by
// level with the roots joined over one leaf, the one of those tried that forbids the
// fewest turns: it leaves the paths by level legal, but for those of the one leaf.
func (t *tree) rankToJoin() (rank updown.Order, free bool) {
	leaves := t.passable()
	step := max(1, len(leaves)/sampled)
	for i := 0; i < len(leaves); i += step {
		if rank := t.rankFromLeaf(leaves[i]); t.forbidden(rank) == 0 {
			return rank, true
		}
	}
	rank, fewest := t.rankByHeight(), math.MaxInt
	for i := 0; i < len(leaves); i += step {
		joined := t.rankOverLeaf(leaves[i])
		if n := t.forbidden(joined); n < fewest {
			rank, fewest = joined, n
		}
	}
	return rank, fewest == 0
}

// passable lists the leaves that are not drained, where all are the other switches that are
// not, the lowest first.
func (t *tree) passable() []int32 {
	drained := func(s int32) bool { return t.g.Drained[s] }
	if leaves := slices.DeleteFunc(slices.Clone(t.leaves), drained); len(leaves) > 0 {
		return leaves
	}
	return slices.DeleteFunc(t.byHeight(false), drained)
}

// rankFromLeaf ranks the switches by their distance from a leaf, in other parts of
// the network from the first switch that is not drained.
func (t *tree) rankFromLeaf(leaf int32) updown.Order {
	search := t.g.NewSearch(t.g.Drained)
	for _, s := range slices.Concat([]int32{leaf}, t.leaves, t.byHeight(false)) {
		if !t.g.Drained[s] {
			search.Extend(s)
		}
	}
	rank := updown.New(t.g.NumSwitches)
	rank.Rank(t.g, search)
	return rank
}

// rankOverLeaf ranks the switches by level, but for what joins the highest of each
// part: the shortest ways to them from a leaf are raised above all else.
func (t *tree) rankOverLeaf(leaf int32) updown.Order {
	rank := t.rankByHeight()
	search := t.g.NewSearch(t.g.Drained)
	for _, part := range updown.Parts(t.g) {
		from := part[0]
		for _, l := range append([]int32{leaf}, t.leaves...) {
			if slices.Contains(part, l) {
				from = l
				break
			}
		}
		search.From(from)
		distance := updown.New(t.g.NumSwitches)
		distance.Rank(t.g, search)
		rank.Raise(t.g, rank.Peaks(t.g, part), distance)
	}
	return rank
}

// forbidden counts the turns that are legal by level, but lead down and up again by
// a rank.
func (t *tree) forbidden(rank updown.Order) int {
	n := 0
	for s := range int32(t.g.NumSwitches) {
		above, below := 0, 0
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			if v := t.to[i]; rank.Above(v, s) {
				if t.height[v] > t.height[s] {
					above++
				} else {
					below++
				}
			}
		}
		n += below*(below-1)/2 + below*above
	}
	return n
}

// level tells whether links join switches of one level.
func (t *tree) level() bool {
	for s := range int32(t.g.NumSwitches) {
		first, last := t.groupsOf(s)
		for _, v := range t.to[first:last] {
			if v != s && t.height[v] == t.height[s] {
				return true
			}
		}
	}
	return false
}

// beside tells which links lead from the leaf over which an order joins the switches up to
// others than those that join them: with these, packets between two of its
// neighbours would hold each other up. Those without another way up keep theirs, and so do
// drained ones, which nothing passes.
func (t *tree) beside(joined updown.Order) func(s, v int32) bool {
	is := func(leaf, v int32) bool {
		return joined[leaf] == -updown.Bottom && joined[v] >= 0 && t.height[v] > t.height[leaf] && !t.g.Drained[v] && t.climbs(v)
	}
	return func(s, v int32) bool { return is(s, v) || is(v, s) }
}

// climbs tells whether a switch has a neighbour on a higher level that is not drained.
func (t *tree) climbs(s int32) bool {
	first, last := t.groupsOf(s)
	return slices.ContainsFunc(t.to[first:last], func(v int32) bool { return t.height[v] > t.height[s] && !t.g.Drained[v] })
}
