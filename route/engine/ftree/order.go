package ftree

import (
	"math"
	"slices"

	"weft/route/engine/internal/peaks"
)

// sampled is the number of leaves that are tried as the highest switch.
const sampled = 16

// rankByHeight ranks the switches, 0 the highest, by their level.
func (t *tree) rankByHeight() []int32 {
	rank := make([]int32, t.g.NumSwitches)
	for s, h := range t.height {
		if rank[s] = t.top - h; t.g.Drained[s] {
			rank[s] = peaks.Bottom
		}
	}
	return rank
}

// rankToJoin ranks the switches so that every two of a part have a way up and then
// down. An order from a leaf forbids no turn of a whole tree, which free says, but the more
// the more ways there are between the roots of a degraded one. There it is the order by
// level with the roots joined over one leaf, the one of those tried that forbids the
// fewest turns: it leaves the paths by level legal, but for those of the one leaf.
func (t *tree) rankToJoin() (rank []int32, free bool) {
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
func (t *tree) rankFromLeaf(leaf int32) []int32 {
	rank := make([]int32, t.g.NumSwitches)
	for s := range rank {
		rank[s] = peaks.Bottom
	}
	fill := func(from int32) {
		for s, d := range distances(t.g, []int32{from}, t.g.Drained) {
			if d >= 0 && !t.g.Drained[s] {
				rank[s] = d
			}
		}
	}
	fill(leaf)
	for _, l := range append(slices.Clone(t.leaves), t.byHeight(false)...) {
		if rank[l] == peaks.Bottom && !t.g.Drained[l] {
			fill(l)
		}
	}
	return rank
}

// rankOverLeaf ranks the switches by level, but for what joins the highest of each
// part: the shortest ways to them from a leaf are raised above all else.
func (t *tree) rankOverLeaf(leaf int32) []int32 {
	rank := t.rankByHeight()
	byLevel := slices.Clone(rank)
	for _, part := range t.parts() {
		from := part[0]
		for _, l := range t.leaves {
			if slices.Contains(part, l) {
				from = l
				break
			}
		}
		if slices.Contains(part, leaf) {
			from = leaf
		}
		far := distances(t.g, []int32{from}, t.g.Drained)
		for _, s := range part {
			top := true
			for _, c := range t.g.OutOf(s) {
				top = top && !peaks.Above(byLevel, t.g.To[c], s)
			}
			for u := s; top && rank[u] >= 0; {
				rank[u] = far[u] - peaks.Bottom
				for _, c := range t.g.OutOf(u) {
					if v := t.g.To[c]; far[v] >= 0 && far[v] < far[u] && !t.g.Drained[v] {
						u = v
						break
					}
				}
			}
		}
	}
	return rank
}

// parts lists the switches of each part of the network, drained ones apart.
func (t *tree) parts() [][]int32 {
	var parts [][]int32
	seen := slices.Clone(t.g.Drained)
	for s := range int32(t.g.NumSwitches) {
		if seen[s] {
			continue
		}
		var part []int32
		for u, d := range distances(t.g, []int32{s}, t.g.Drained) {
			if d >= 0 && !t.g.Drained[u] {
				seen[u] = true
				part = append(part, int32(u))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// forbidden counts the turns that are legal by level, but lead down and up again by
// a rank.
func (t *tree) forbidden(rank []int32) int {
	n := 0
	for s := range int32(t.g.NumSwitches) {
		above, below := 0, 0
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			if v := t.to[i]; peaks.Above(rank, v, s) {
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
func (t *tree) beside(joined []int32) func(s, v int32) bool {
	is := func(leaf, v int32) bool {
		return joined[leaf] == -peaks.Bottom && joined[v] >= 0 && t.height[v] > t.height[leaf] && !t.g.Drained[v] && t.climbs(v)
	}
	return func(s, v int32) bool { return is(s, v) || is(v, s) }
}

// climbs tells whether a switch has a neighbour on a higher level that is not drained.
func (t *tree) climbs(s int32) bool {
	first, last := t.groupsOf(s)
	return slices.ContainsFunc(t.to[first:last], func(v int32) bool { return t.height[v] > t.height[s] && !t.g.Drained[v] })
}
