package names

import "slices"

// parter holds the working set of the split-merge heuristic.
type parter struct {
	nodes    []int32 // in the order in which they are selected
	use      []int32 // by node: paths through it
	of       []int32 // by class: its part
	rank     []int32 // by part: its place in the working set
	next     int32   // the place at the end
	branches []branch
	split    []int32 // parts that split at the node
	fewest   bool    // whether the merge takes the sets of fewest classes first
	sorted   []int32 // classes by part
}

// branch is the paths of a part that leave a node by one link; to is the part that
// they become.
type branch struct{ part, out, to int32 }

// splitMerge is the split-merge heuristic (Fig. 7 of paper 000): the set of all
// paths is parted at one node after the other until no part has a split, and the
// parts are merged greedily. Nodes are taken by the number of paths that use them:
// the largest first (split-merge/L) or the smallest (split-merge/S).
func (s *solver) splitMerge(largest bool) int32 {
	s.split.sortVisits(&s.c)
	p := &s.part
	p.sortNodes(&s.c, &s.split, largest)
	p.of = zeros(p.of, s.c.size())
	p.rank, p.next = append(p.rank[:0], 0), 1
	for _, node := range p.nodes {
		p.partAt(s.split.at(int(node)))
	}
	s.sets = p.parts(s.sets[:0])
	if p.fewest {
		slices.SortStableFunc(s.sets, func(a, b []int32) int { return len(a) - len(b) })
	}
	return s.fit.firstFit(&s.c, s.sets, s.colour)
}

// sortNodes orders the nodes by the number of paths through them.
func (p *parter) sortNodes(c *condensed, visits *splitter, largest bool) {
	p.nodes, p.use = p.nodes[:0], zeros(p.use, int(c.r.nodes))
	for n := range int32(len(p.use)) {
		for _, v := range visits.at(int(n)) {
			p.use[n] += c.weight[v.class]
		}
		p.nodes = append(p.nodes, n)
	}
	slices.SortFunc(p.nodes, func(a, b int32) int {
		d := int(p.use[a] - p.use[b])
		if largest {
			d = -d
		}
		if d == 0 {
			d = int(a - b)
		}
		return d
	})
}

// partAt parts every set of paths that splits at a node: each link that leaves the
// node gets a part, and the paths that do not come by stay with the first. The parts
// move to the end of the working set.
func (p *parter) partAt(visits []visit) {
	p.branches, p.split = p.branches[:0], p.split[:0]
	for _, v := range visits {
		p.of[v.class] = p.branch(p.of[v.class], v.out)
	}
	slices.SortFunc(p.split, func(a, b int32) int { return int(p.rank[a] - p.rank[b]) })
	for _, part := range p.split {
		for _, b := range p.branches {
			if b.part == part {
				p.rank[b.to] = p.next
				p.next++
			}
		}
	}
}

// branch is the part that the paths of a part become which leave by a link.
func (p *parter) branch(part, out int32) int32 {
	met := 0
	for _, b := range p.branches {
		if b.part == part {
			if b.out == out {
				return b.to
			}
			met++
		}
	}
	to := part
	if met > 0 {
		to = int32(len(p.rank))
		p.rank = append(p.rank, 0)
	}
	if met == 1 {
		p.split = append(p.split, part)
	}
	p.branches = append(p.branches, branch{part, out, to})
	return to
}

// parts appends the classes of each part, in the order of the working set.
func (p *parter) parts(sets [][]int32) [][]int32 {
	p.sorted = p.sorted[:0]
	for class := range int32(len(p.of)) {
		p.sorted = append(p.sorted, class)
	}
	slices.SortStableFunc(p.sorted, func(a, b int32) int { return int(p.rank[p.of[a]] - p.rank[p.of[b]]) })
	for lo := 0; lo < len(p.sorted); {
		hi := lo + 1
		for hi < len(p.sorted) && p.of[p.sorted[hi]] == p.of[p.sorted[lo]] {
			hi++
		}
		sets = append(sets, p.sorted[lo:hi])
		lo = hi
	}
	return sets
}

// SplitMergeFewest is split-merge/L or split-merge/S with one assumption changed, for
// experiments: the merge takes the sets with the fewest different paths first, not in
// the order of the working set.
func SplitMergeFewest(largest bool) *Scheme {
	return &Scheme{
		Name: "split-merge, fewest paths first", Paper: paper000, Cost: "O(n h k)",
		run: heuristic(func(s *solver) int32 {
			s.part.fewest = true
			defer func() { s.part.fewest = false }()
			return s.splitMerge(largest)
		}),
	}
}
