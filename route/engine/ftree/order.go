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
// down: of the orders from a leaf, and of that by level with the roots joined over
// one leaf, it takes the one that forbids the fewest turns of the tree. An order from
// a leaf forbids none in a whole tree, but the more the more ways there are between
// the roots of a degraded one. Joined roots cost the one leaf its other ways up.
func (t *tree) rankToJoin() []int32 {
	var best []int32
	fewest := math.MaxInt
	try := func(rank []int32) {
		if n := t.forbidden(rank); n < fewest {
			best, fewest = rank, n
		}
	}
	step := max(1, len(t.leaves)/sampled)
	for i := 0; i < len(t.leaves) && fewest > 0; i += step {
		if !t.g.Drained[t.leaves[i]] {
			try(t.rankFromLeaf(t.leaves[i]))
		}
	}
	parts := t.parts()
	for i := 0; i < sampled && fewest > 0; i++ {
		joined := t.rankByHeight()
		for _, part := range parts {
			at := i * len(part) / sampled
			peaks.Join(t.g, slices.Concat(part[at:], part[:at]), joined)
		}
		try(joined)
	}
	return best
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
