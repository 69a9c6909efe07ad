package ftree

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"weft/fabric"
)

// tree holds the levels of a network seen as a fat-tree, and its links by neighbour.
type tree struct {
	g     *fabric.Graph
	level []int32 // by switch: 0 is a leaf
	top   int32

	// The links of a switch to one neighbour are a bundle. The bundles of switch s are
	// bundleStart[s]:bundleStart[s+1], sorted so that switches with the same place in different
	// pods list theirs alike.
	bundleStart []int32
	neighbour   []int32 // by bundle: the switch to which it leads
	linkStart   []int32 // by bundle: its first link, and at the end the number of links
	linkPort    []uint8 // by link: the port
	linkRate    []int32 // by link: Mbit/s, 0 when unknown

	leaves []int32 // leaves in order: pod by pod

	acrossFirst bool // paths may begin with a link between partners, see partners
}

// bundlesOf returns the first bundle of a switch and the one after its last.
func (t *tree) bundlesOf(s int32) (int32, int32) { return t.bundleStart[s], t.bundleStart[s+1] }

// bundles visits the bundles of a switch, and the switches to which they lead.
func (t *tree) bundles(s int32) iter.Seq2[int32, int32] {
	return func(yield func(bundle, v int32) bool) {
		first, last := t.bundlesOf(s)
		for i := first; i < last && yield(i, t.neighbour[i]); i++ {
		}
	}
}

// neighboursOf lists the switches to which the bundles of a switch lead.
func (t *tree) neighboursOf(s int32) []int32 {
	return t.neighbour[t.bundleStart[s]:t.bundleStart[s+1]]
}

// firstLink returns the first link of a switch.
func (t *tree) firstLink(s int32) int32 { return t.linkStart[t.bundleStart[s]] }

// portsOf lists the ports of a bundle.
func (t *tree) portsOf(bundle int32) []uint8 {
	return t.linkPort[t.linkStart[bundle]:t.linkStart[bundle+1]]
}

// recognise finds the levels and bundles of a network. Roots and leaves that are given are taken
// as such, or else those of which the fabric says so.
func recognise(g *fabric.Graph, roots, leaves []int32) *tree {
	roots, leaves = givenOrRole(g, roots, fabric.RoleRoot), givenOrRole(g, leaves, fabric.RoleLeaf)
	t := &tree{g: g, level: levelsOf(g, roots, leaves)}
	if len(roots) == 0 {
		t.lowerFlippedLeaves()
		t.lowerEmptyRackSwitches()
	}
	for s := range t.level {
		t.top = max(t.top, t.level[s])
	}
	t.makeBundles()
	t.orderLeaves()
	return t
}

// givenOrRole returns the switches that are given, or those with a role where none is.
func givenOrRole(g *fabric.Graph, given []int32, role fabric.Role) []int32 {
	if len(given) > 0 {
		return given
	}
	for s, r := range g.SwitchRole {
		if r == role {
			given = append(given, int32(s))
		}
	}
	return given
}

// levelsOf returns the level of every switch: its distance from the leaves. The roots are half
// way between the leaves that are farthest apart; beyond them the level is counted down again,
// because a leaf that has lost its hosts is still a leaf (the flipping switch of paper IV). With
// roots given it is counted down from them, and only leaves that are given as well are taken as
// such.
func levelsOf(g *fabric.Graph, roots, leaves []int32) []int32 {
	if len(roots) > 0 {
		level := levelsBelow(g, roots)
		for _, l := range leaves {
			level[l] = 0
		}
		return level
	}
	for s := range int32(g.NumSwitches) {
		if isLeaf(g, s) && !slices.Contains(leaves, s) {
			leaves = append(leaves, s)
		}
	}
	search := g.NewSearch(nil)
	search.From(leaves...)
	level := slices.Clone(search.Hops)
	top := height(search, leaves)
	if roots := sharedRoots(g, search, leaves, level, top); len(roots) > 0 {
		closed := make([]bool, g.NumSwitches)
		for _, r := range roots {
			closed[r] = true
		}
		below := g.NewSearch(closed)
		below.From(leaves...)
		copy(level, below.Hops)
		for _, r := range roots {
			level[r] = top
		}
	}
	for s, h := range level {
		if h > top && top > 0 {
			level[s] = max(0, 2*top-h)
		}
		level[s] = max(0, level[s])
	}
	return level
}

// height returns the level of the roots: half the distance between the leaves farthest apart. In
// each part it is the distance from a leaf that is farthest from the first one: from that itself it
// may be less, where trees of several heights are merged.
func height(search *fabric.Search, leaves []int32) int32 {
	top := int32(0)
	reached := make([]bool, len(search.Hops))
	for _, first := range leaves {
		if reached[first] {
			continue
		}
		for range 2 {
			search.From(first)
			for _, l := range leaves {
				if search.Hops[l] > search.Hops[first] {
					first = l
				}
				if search.Hops[l] >= 0 {
					top, reached[l] = max(top, search.Hops[l]/2), true
				}
			}
		}
	}
	return top
}

// sharedRoots lists the switches that are roots of two trees of different heights (rlft(8,3) and
// rlft(8,2), merged). They are near the leaves of the lower tree, at a level where they are linked
// to switches of the higher one, but reach most leaves in no more hops than a root of the higher
// tree does.
func sharedRoots(g *fabric.Graph, search *fabric.Search, leaves, level []int32, top int32) []int32 {
	var roots []int32
	for s := range int32(g.NumSwitches) {
		if h := level[s]; h < 1 || h >= top || g.HostCount(s) > 0 || g.SwitchRole[s] != fabric.NoRole {
			continue
		}
		horizontal := slices.ContainsFunc(g.OutOf(s), func(c int32) bool { return level[g.To[c]] == level[s] })
		if !horizontal {
			continue
		}
		search.From(s)
		near := 0
		for _, l := range leaves {
			if h := search.Hops[l]; h >= 0 && h <= top {
				near++
			}
		}
		if 4*near > 3*len(leaves) {
			roots = append(roots, s)
		}
	}
	return roots
}

// levelsBelow counts the levels down from given roots: the farthest switches are leaves.
func levelsBelow(g *fabric.Graph, roots []int32) []int32 {
	search := g.NewSearch(nil)
	search.From(roots...)
	level, deepest := make([]int32, g.NumSwitches), slices.Max(search.Hops)
	for s, d := range search.Hops {
		if d >= 0 {
			level[s] = deepest - d
		}
	}
	return level
}

// isLeaf reports whether a switch has hosts, and not just a few amid neighbours
// that all have many: those are on a spine, as storage often is. One with another role
// is none.
func isLeaf(g *fabric.Graph, s int32) bool {
	hosts := g.HostCount(s)
	if hosts == 0 || g.SwitchRole[s] == fabric.RoleRoot || g.SwitchRole[s] == fabric.RoleMiddle {
		return false
	}
	others, sum := int32(0), int32(0)
	for _, c := range g.OutOf(s) {
		n := g.HostCount(g.To[c])
		if n == 0 {
			return true
		}
		others++
		sum += n
	}
	return others < 2 || 2*hosts*others >= sum
}

// lowerFlippedLeaves puts leaves without hosts that seemed to be roots back to level 0. What is
// below the neighbours of a root differs; those of a leaf are in its own pod, and most of what
// is below them is the same.
func (t *tree) lowerFlippedLeaves() {
	g := t.g
	words := (g.NumSwitches + 63) / 64
	below := make([]leafSet, g.NumSwitches)
	slab := make(leafSet, g.NumSwitches*words)
	for _, s := range t.byLevel(false) {
		below[s], slab = slab[:words], slab[words:]
		if t.level[s] == 0 {
			below[s][s/64] |= 1 << (s % 64)
		}
		for _, c := range g.OutOf(s) {
			if v := g.To[c]; t.level[v] < t.level[s] {
				for w, x := range below[v] {
					below[s][w] |= x
				}
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if t.level[s] < 2 || len(g.HostsOf(s)) > 0 || g.SwitchRole[s] != fabric.NoRole {
			continue
		}
		first, alike := leafSet(nil), true
		for _, c := range g.OutOf(s) {
			b := below[g.To[c]]
			if first == nil {
				first = b
			}
			alike = alike && t.level[g.To[c]] < t.level[s] && 2*first.common(b) >= min(first.common(first), b.common(b))
		}
		if alike {
			t.level[s] -= 2
		}
	}
}

// lowerEmptyRackSwitches puts a rack switch that has lost its hosts to the level of its partner:
// nothing is above it, and most of its links lead to what seems to be its own level.
func (t *tree) lowerEmptyRackSwitches() {
	g := t.g
	level := slices.Clone(t.level)
	for s := range int32(g.NumSwitches) {
		above, horizontal, below := 0, 0, 0
		for _, c := range g.OutOf(s) {
			switch v := g.To[c]; {
			case level[v] > level[s]:
				above++
			case level[v] == level[s]:
				horizontal++
			default:
				below++
			}
		}
		if len(g.HostsOf(s)) == 0 && g.SwitchRole[s] == fabric.NoRole && above == 0 && below > 0 && horizontal >= below {
			t.level[s]--
		}
	}
}

// leafSet is a set of leaves, a bit each.
type leafSet []uint64

// common counts the leaves that are in both sets.
func (s leafSet) common(o leafSet) int {
	n := 0
	for w, x := range o {
		n += bits.OnesCount64(x & s[w])
	}
	return n
}

// makeBundles collects the links of every switch by neighbour.
func (t *tree) makeBundles() {
	g := t.g
	key := t.podKeys()
	t.bundleStart = make([]int32, 1, g.NumSwitches+1)
	t.linkPort, t.linkRate = make([]uint8, 0, g.NumChannels), make([]int32, 0, g.NumChannels)
	var out []int32
	for s := range int32(g.NumSwitches) {
		out = append(out[:0], g.OutOf(s)...)
		slices.SortStableFunc(out, func(a, b int32) int {
			u, v := g.To[a], g.To[b]
			return cmp.Or(cmp.Compare(key[u], key[v]), cmp.Compare(u, v))
		})
		for i, c := range out {
			if v := g.To[c]; i == 0 || v != g.To[out[i-1]] {
				t.neighbour = append(t.neighbour, v)
				t.linkStart = append(t.linkStart, int32(len(t.linkPort)))
			}
			t.linkPort = append(t.linkPort, g.FromPort[c])
			t.linkRate = append(t.linkRate, g.ChanRate[c])
		}
		t.bundleStart = append(t.bundleStart, int32(len(t.neighbour)))
	}
	t.linkStart = append(t.linkStart, int32(len(t.linkPort)))
}

// podKeys returns, by switch, the lowest root above it. In each pod the switches that lead to
// the same roots have the same key.
func (t *tree) podKeys() []int32 {
	key := make([]int32, t.g.NumSwitches)
	for _, s := range t.byLevel(true) {
		key[s] = s
		lowest := int32(-1)
		for _, c := range t.g.OutOf(s) {
			if p := t.g.To[c]; t.level[p] > t.level[s] && (lowest < 0 || key[p] < lowest) {
				lowest = key[p]
			}
		}
		if lowest >= 0 {
			key[s] = lowest
		}
	}
	return key
}

// byLevel lists all switches, the lowest or the highest first.
func (t *tree) byLevel(topFirst bool) []int32 {
	order := fabric.Numbers(t.g.NumSwitches)
	slices.SortStableFunc(order, func(a, b int32) int {
		if topFirst {
			a, b = b, a
		}
		return cmp.Compare(t.level[a], t.level[b])
	})
	return order
}

// orderLeaves sorts the switches of level 0 so that those with common ancestors are together,
// the largest pods first: by their lowest ancestor of each level, from the second highest down.
func (t *tree) orderLeaves() {
	n := int32(t.g.NumSwitches)
	lowest := make([]int32, n*(t.top+1)) // by switch and level: an ancestor
	of := func(s int32) []int32 { return lowest[s*(t.top+1) : (s+1)*(t.top+1)] }
	for _, s := range t.byLevel(true) {
		mine := of(s)
		for h := range mine {
			mine[h] = n
		}
		mine[t.level[s]] = s
		for _, c := range t.g.OutOf(s) {
			if p := t.g.To[c]; t.level[p] > t.level[s] {
				for h, a := range of(p) {
					mine[h] = min(mine[h], a)
				}
			}
		}
		if t.level[s] == 0 {
			t.leaves = append(t.leaves, s)
		}
	}
	slices.SortFunc(t.leaves, func(a, b int32) int {
		for h := t.top - 1; h > 0; h-- {
			if d := cmp.Compare(of(a)[h], of(b)[h]); d != 0 {
				return d
			}
		}
		return cmp.Compare(a, b)
	})
}
