package names

import (
	"slices"

	"weft/fabric"
)

// splitMerge is the split-merge heuristic (Fig. 7 of paper 000). It divides the set of all paths at
// one node after another until no part has a split, and merges the parts greedily. Nodes come by
// their number of paths: the largest first (split-merge/L) or the smallest (split-merge/S). The
// merge takes the parts in the order of the working set, or with fewestFirst by the number of
// classes, the fewest first.
func splitMerge(c *classes, largest, fewestFirst bool) []int32 {
	all := newVisits(c)
	s := workingSet{of: make([]int32, c.len()), rank: []int32{0}, next: 1}
	for _, node := range nodesByUse(c, &all, largest) {
		s.partAt(all.at(node))
	}
	parts := s.parts()
	if fewestFirst {
		slices.SortStableFunc(parts, func(a, b []int32) int { return len(a) - len(b) })
	}
	return firstFit(c, parts)
}

// nodesByUse orders the nodes by the number of paths through them.
func nodesByUse(c *classes, all *visits, largest bool) []int32 {
	nodes, use := fabric.Numbers(int(c.routing.nodes)), make([]int32, c.routing.nodes)
	for n := range nodes {
		for _, v := range all.at(int32(n)) {
			use[n] += c.weight[v.class]
		}
	}
	slices.SortFunc(nodes, func(a, b int32) int {
		d := int(use[a] - use[b])
		if largest {
			d = -d
		}
		if d == 0 {
			d = int(a - b)
		}
		return d
	})
	return nodes
}

// workingSet is the list of parts of the split-merge heuristic.
type workingSet struct {
	of   []int32 // by class: its part
	rank []int32 // by part: its place in the list
	next int32   // place at the end of the list
}

// branch holds the paths of a part over one output link of a node, and their new part.
type branch struct{ part, out, becomes int32 }

// partAt divides every set of paths that splits at a node: each output link of the node gets a
// part, and paths that do not pass the node stay with the first. The parts move to the end of the
// list.
func (s *workingSet) partAt(here []visit) {
	var branches []branch
	var split []int32 // parts with more than one branch
	for _, v := range here {
		part := s.of[v.class]
		known := 0
		becomes := int32(-1)
		for _, b := range branches {
			if b.part == part {
				if known++; b.out == v.out {
					becomes = b.becomes
					break
				}
			}
		}
		if becomes < 0 {
			becomes = part
			if known > 0 {
				becomes = int32(len(s.rank))
				s.rank = append(s.rank, 0)
			}
			if known == 1 {
				split = append(split, part)
			}
			branches = append(branches, branch{part, v.out, becomes})
		}
		s.of[v.class] = becomes
	}
	slices.SortFunc(split, func(a, b int32) int { return int(s.rank[a] - s.rank[b]) })
	for _, part := range split {
		for _, b := range branches {
			if b.part == part {
				s.rank[b.becomes] = s.next
				s.next++
			}
		}
	}
}

// parts lists the classes of each part, in the order of the list.
func (s *workingSet) parts() [][]int32 {
	sorted := fabric.Numbers(len(s.of))
	slices.SortStableFunc(sorted, func(a, b int32) int { return int(s.rank[s.of[a]] - s.rank[s.of[b]]) })
	var sets [][]int32
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && s.of[sorted[hi]] == s.of[sorted[lo]] {
			hi++
		}
		sets = append(sets, sorted[lo:hi])
		lo = hi
	}
	return sets
}
