package fattree

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"weft/fabric"
)

// Tree holds the levels of a network seen as a fat-tree, and its links by neighbour.
type Tree struct {
	G     *fabric.Graph
	Level []int32 // by switch: 0 is a leaf
	Top   int32

	// The links of a switch to one neighbour are a bundle. The bundles of switch s are
	// bundleStart[s]:bundleStart[s+1], in the same order for switches with the same place in
	// different pods.
	bundleStart []int32
	Neighbour   []int32 // by bundle: the switch at its other end
	LinkStart   []int32 // by bundle: its first link; the last entry is the number of links
	LinkPort    []uint8 // by link: the port
	LinkRate    []int32 // by link: Mbit/s, 0 when unknown

	Leaves []int32 // leaves in order: pod by pod
}

// BundlesOf returns the first bundle of a switch and the one after its last.
func (t *Tree) BundlesOf(s int32) (int32, int32) { return t.bundleStart[s], t.bundleStart[s+1] }

// Bundles iterates over the bundles of a switch and the switches at their other ends.
func (t *Tree) Bundles(s int32) iter.Seq2[int32, int32] {
	return func(yield func(bundle, v int32) bool) {
		first, last := t.BundlesOf(s)
		for i := first; i < last && yield(i, t.Neighbour[i]); i++ {
		}
	}
}

// NeighboursOf lists the switches at the other ends of a switch's bundles.
func (t *Tree) NeighboursOf(s int32) []int32 {
	return t.Neighbour[t.bundleStart[s]:t.bundleStart[s+1]]
}

// FirstLink returns the first link of a switch.
func (t *Tree) FirstLink(s int32) int32 { return t.LinkStart[t.bundleStart[s]] }

// PortsOf lists the ports of a bundle.
func (t *Tree) PortsOf(bundle int32) []uint8 {
	return t.LinkPort[t.LinkStart[bundle]:t.LinkStart[bundle+1]]
}

// Recognise finds the levels and bundles of a network. Roots and leaves are the given ones, or else
// the switches with that role in the fabric.
func Recognise(g *fabric.Graph, roots, leaves []int32) *Tree {
	roots, leaves = givenOrRole(g, roots, fabric.RoleRoot), givenOrRole(g, leaves, fabric.RoleLeaf)
	t := &Tree{G: g, Level: levelsOf(g, roots, leaves)}
	if len(roots) == 0 {
		t.lowerFlippedLeaves()
		t.lowerEmptyRackSwitches()
	}
	for s := range t.Level {
		t.Top = max(t.Top, t.Level[s])
	}
	t.makeBundles()
	t.orderLeaves()
	return t
}

// givenOrRole returns the given switches, or the ones with a role if none are given.
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

// levelsOf returns the level of every switch: its distance from the leaves. The roots are half way
// between the leaves farthest apart. Beyond them levels decrease again, because a leaf that has
// lost its hosts is still a leaf (the flipping switch of paper IV). If roots are given, levels are
// counted down from them, and only the given leaves are at level 0.
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
// each part it measures from the leaf farthest from the first one; from the first one itself it may
// be less, if trees of several heights are merged.
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
// rlft(8,2), merged). They are near the leaves of the lower tree, and have links to switches of the
// higher tree at their level. But they reach most leaves in no more hops than a root of the higher
// tree.
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

// isLeaf reports whether a switch has hosts, and not just a few among neighbours that all have
// many: such hosts are on a spine, often as storage. A switch with another role is not a leaf.
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

// lowerFlippedLeaves puts leaves without hosts that seemed to be roots back to level 0. The
// neighbours of a root have different leaves below them; the neighbours of a leaf are in its pod
// and have mostly the same leaves below.
func (t *Tree) lowerFlippedLeaves() {
	g := t.G
	words := (g.NumSwitches + 63) / 64
	below := make([]leafSet, g.NumSwitches)
	slab := make(leafSet, g.NumSwitches*words)
	for _, s := range t.ByLevel(false) {
		below[s], slab = slab[:words], slab[words:]
		if t.Level[s] == 0 {
			below[s][s/64] |= 1 << (s % 64)
		}
		for _, c := range g.OutOf(s) {
			if v := g.To[c]; t.Level[v] < t.Level[s] {
				for w, x := range below[v] {
					below[s][w] |= x
				}
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if t.Level[s] < 2 || len(g.HostsOf(s)) > 0 || g.SwitchRole[s] != fabric.NoRole {
			continue
		}
		first, alike := leafSet(nil), true
		for _, c := range g.OutOf(s) {
			b := below[g.To[c]]
			if first == nil {
				first = b
			}
			alike = alike && t.Level[g.To[c]] < t.Level[s] && 2*first.common(b) >= min(first.common(first), b.common(b))
		}
		if alike {
			t.Level[s] -= 2
		}
	}
}

// lowerEmptyRackSwitches puts a rack switch that has lost its hosts at the level of its partner: no
// switch is above it, and most of its links lead to its apparent level.
func (t *Tree) lowerEmptyRackSwitches() {
	g := t.G
	level := slices.Clone(t.Level)
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
			t.Level[s]--
		}
	}
}

// leafSet is a set of leaves, a bit each.
type leafSet []uint64

// common counts the leaves in both sets.
func (s leafSet) common(o leafSet) int {
	n := 0
	for w, x := range o {
		n += bits.OnesCount64(x & s[w])
	}
	return n
}

// makeBundles collects the links of every switch by neighbour.
func (t *Tree) makeBundles() {
	g := t.G
	key := t.podKeys()
	t.bundleStart = make([]int32, 1, g.NumSwitches+1)
	t.LinkPort, t.LinkRate = make([]uint8, 0, g.NumChannels), make([]int32, 0, g.NumChannels)
	var out []int32
	for s := range int32(g.NumSwitches) {
		out = append(out[:0], g.OutOf(s)...)
		slices.SortStableFunc(out, func(a, b int32) int {
			u, v := g.To[a], g.To[b]
			return cmp.Or(cmp.Compare(key[u], key[v]), cmp.Compare(u, v))
		})
		for i, c := range out {
			if v := g.To[c]; i == 0 || v != g.To[out[i-1]] {
				t.Neighbour = append(t.Neighbour, v)
				t.LinkStart = append(t.LinkStart, int32(len(t.LinkPort)))
			}
			t.LinkPort = append(t.LinkPort, g.FromPort[c])
			t.LinkRate = append(t.LinkRate, g.ChanRate[c])
		}
		t.bundleStart = append(t.bundleStart, int32(len(t.Neighbour)))
	}
	t.LinkStart = append(t.LinkStart, int32(len(t.LinkPort)))
}

// podKeys returns, by switch, the lowest root above it. In each pod the switches below the same
// roots have the same key.
func (t *Tree) podKeys() []int32 {
	key := make([]int32, t.G.NumSwitches)
	for _, s := range t.ByLevel(true) {
		key[s] = s
		lowest := int32(-1)
		for _, c := range t.G.OutOf(s) {
			if p := t.G.To[c]; t.Level[p] > t.Level[s] && (lowest < 0 || key[p] < lowest) {
				lowest = key[p]
			}
		}
		if lowest >= 0 {
			key[s] = lowest
		}
	}
	return key
}

// ByLevel lists all switches, the lowest or the highest first.
func (t *Tree) ByLevel(topFirst bool) []int32 {
	order := fabric.Numbers(t.G.NumSwitches)
	slices.SortStableFunc(order, func(a, b int32) int {
		if topFirst {
			a, b = b, a
		}
		return cmp.Compare(t.Level[a], t.Level[b])
	})
	return order
}

// orderLeaves sorts the switches of level 0 so that leaves with common ancestors are together, the
// largest pods first: by their lowest ancestor of each level, from the second highest down.
func (t *Tree) orderLeaves() {
	n := int32(t.G.NumSwitches)
	lowest := make([]int32, n*(t.Top+1)) // by switch and level: an ancestor
	of := func(s int32) []int32 { return lowest[s*(t.Top+1) : (s+1)*(t.Top+1)] }
	for _, s := range t.ByLevel(true) {
		mine := of(s)
		for h := range mine {
			mine[h] = n
		}
		mine[t.Level[s]] = s
		for _, c := range t.G.OutOf(s) {
			if p := t.G.To[c]; t.Level[p] > t.Level[s] {
				for h, a := range of(p) {
					mine[h] = min(mine[h], a)
				}
			}
		}
		if t.Level[s] == 0 {
			t.Leaves = append(t.Leaves, s)
		}
	}
	slices.SortFunc(t.Leaves, func(a, b int32) int {
		for h := t.Top - 1; h > 0; h-- {
			if d := cmp.Compare(of(a)[h], of(b)[h]); d != 0 {
				return d
			}
		}
		return cmp.Compare(a, b)
	})
}
