package ftree

import (
	"math"
	"slices"

	"weft/route/internal/updown"
)

// leavesTried limits the leaves tried as the highest switch.
const leavesTried = 16

// orderByLevel ranks the switches by their level.
func (t *tree) orderByLevel() updown.Order {
	order := updown.New(t.G.NumSwitches)
	for s, h := range t.Level {
		if !t.G.Drained[s] {
			order[s] = t.Top - h
		}
	}
	return order
}

// joiningOrder ranks the switches so that every two of a part have a path. On a whole tree the
// order from a leaf forbids no turn, and free is true. On a degraded one it forbids more turns the
// more ways there are between the roots. There joiningOrder takes the order by level, with the
// roots joined over one leaf. Of the leaves tried it takes the one with the fewest forbidden turns:
// paths by level stay legal, except those through this leaf.
func (t *tree) joiningOrder() (order updown.Order, free bool) {
	leaves := t.rootCandidates()
	step := max(1, len(leaves)/leavesTried)
	for i := 0; i < len(leaves); i += step {
		if order := t.orderFromLeaf(leaves[i]); t.forbiddenTurns(order) == 0 {
			return order, true
		}
	}
	order, fewest := t.orderByLevel(), math.MaxInt
	for i := 0; i < len(leaves); i += step {
		joined := t.orderOverLeaf(leaves[i])
		if n := t.forbiddenTurns(joined); n < fewest {
			order, fewest = joined, n
		}
	}
	return order, fewest == 0
}

// rootCandidates lists the leaves that are not drained; if all are, the other switches that are
// not, the lowest first.
func (t *tree) rootCandidates() []int32 {
	drained := func(s int32) bool { return t.G.Drained[s] }
	if leaves := slices.DeleteFunc(slices.Clone(t.Leaves), drained); len(leaves) > 0 {
		return leaves
	}
	return slices.DeleteFunc(t.ByLevel(false), drained)
}

// orderFromLeaf ranks the switches by their distance from a leaf, in other parts of the network
// from the first switch that is not drained.
func (t *tree) orderFromLeaf(leaf int32) updown.Order {
	search := t.G.NewSearch(t.G.Drained)
	for _, s := range slices.Concat([]int32{leaf}, t.Leaves, t.ByLevel(false)) {
		if !t.G.Drained[s] {
			search.Extend(s)
		}
	}
	order := updown.New(t.G.NumSwitches)
	order.SetRanks(t.G, search)
	return order
}

// orderOverLeaf ranks the switches by level, and raises the shortest paths from one leaf of each
// part to its highest switches above all others.
func (t *tree) orderOverLeaf(leaf int32) updown.Order {
	order := t.orderByLevel()
	search := t.G.NewSearch(t.G.Drained)
	for _, part := range updown.Parts(t.G) {
		from := part[0]
		for _, l := range append([]int32{leaf}, t.Leaves...) {
			if slices.Contains(part, l) {
				from = l
				break
			}
		}
		search.From(from)
		distance := updown.New(t.G.NumSwitches)
		distance.SetRanks(t.G, search)
		order.Raise(t.G, order.Peaks(t.G, part), distance)
	}
	return order
}

// forbiddenTurns counts the turns that are legal by level, but lead down and up again in an order.
func (t *tree) forbiddenTurns(order updown.Order) int {
	n := 0
	for s := range int32(t.G.NumSwitches) {
		above, below := 0, 0
		for _, v := range t.NeighboursOf(s) {
			if order.Above(v, s) {
				if t.Level[v] > t.Level[s] {
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

// hasHorizontalLinks reports whether links join switches of one level.
func (t *tree) hasHorizontalLinks() bool {
	for s := range int32(t.G.NumSwitches) {
		for _, v := range t.NeighboursOf(s) {
			if v != s && t.Level[v] == t.Level[s] {
				return true
			}
		}
	}
	return false
}

// bypassedLinks reports which links lead up from the joining leaf of an order but are not on the
// raised paths. Over these links packets between two neighbours of that leaf would hold each other
// up. A neighbour without another link up keeps its link, and so does a drained one, which nothing
// passes.
func (t *tree) bypassedLinks(joined updown.Order) func(s, v int32) bool {
	is := func(leaf, v int32) bool {
		return joined[leaf] == -updown.Bottom && joined[v] >= 0 && t.Level[v] > t.Level[leaf] && !t.G.Drained[v] && t.hasWayUp(v)
	}
	return func(s, v int32) bool { return is(s, v) || is(v, s) }
}

// hasWayUp reports whether a switch has a neighbour on a higher level that is not drained.
func (t *tree) hasWayUp(s int32) bool {
	return slices.ContainsFunc(t.NeighboursOf(s), func(v int32) bool { return t.Level[v] > t.Level[s] && !t.G.Drained[v] })
}
