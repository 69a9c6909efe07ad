package ftree

import (
	"cmp"
	"math/bits"
	"slices"

	"weft/fabric"
)

// tree is a network seen as a fat-tree.
type tree struct {
	g      *fabric.Graph
	height []int32 // by switch: 0 is a leaf
	top    int32

	// Links of a switch grouped by neighbour: start[s]:start[s+1]. Groups are sorted
	// so that switches in the same place of different pods list theirs alike.
	start []int32
	to    []int32 // by group: the neighbour
	link  []int32 // by group: its first link, and at the end the number of links
	port  []uint8 // by link: the port

	leaves []int32 // leaves in order: pod by pod
}

// groupsOf returns the first group of a switch and the one after its last.
func (t *tree) groupsOf(s int32) (int32, int32) { return t.start[s], t.start[s+1] }

// base is the first link of a switch.
func (t *tree) base(s int32) int32 { return t.link[t.start[s]] }

// portsOf lists the ports of a group.
func (t *tree) portsOf(group int32) []uint8 { return t.port[t.link[group]:t.link[group+1]] }

// recognise finds the levels and groups of a network. Roots and leaves that are
// given are taken as such, or else those of which the fabric says so.
func recognise(g *fabric.Graph, roots, leaves []int32) *tree {
	roots, leaves = orRole(g, roots, fabric.RoleRoot), orRole(g, leaves, fabric.RoleLeaf)
	t := &tree{g: g, height: heights(g, roots, leaves)}
	if len(roots) == 0 {
		t.unflip()
		t.lower()
	}
	for s := range t.height {
		t.top = max(t.top, t.height[s])
	}
	t.group()
	t.orderLeaves()
	return t
}

// orRole is the switches that are given, or those with a role where none is.
func orRole(g *fabric.Graph, given []int32, role fabric.Role) []int32 {
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

// heights is the distance of every switch from the leaves. Beyond the roots, which
// are half way between the leaves that are farthest apart, it is counted down
// again: a leaf that has lost its hosts is still a leaf (the flipping switch of
// paper IV). With roots given it is counted down from them, and only leaves that are
// given as well are held to be such.
func heights(g *fabric.Graph, roots, leaves []int32) []int32 {
	if len(roots) > 0 {
		height := downFrom(g, roots)
		for _, l := range leaves {
			height[l] = 0
		}
		return height
	}
	for s := range int32(g.NumSwitches) {
		if isLeaf(g, s) && !slices.Contains(leaves, s) {
			leaves = append(leaves, s)
		}
	}
	height := distances(g, leaves, nil)
	top := int32(0)
	reached := make([]bool, g.NumSwitches)
	for _, first := range leaves {
		if reached[first] {
			continue
		}
		far := distances(g, []int32{first}, nil)
		for _, l := range leaves {
			if far[l] >= 0 {
				top, reached[l] = max(top, far[l]/2), true
			}
		}
	}
	for s, h := range height {
		if h > top && top > 0 {
			height[s] = max(0, 2*top-h)
		}
		height[s] = max(0, height[s])
	}
	return height
}

// downFrom is the height below given roots: the farthest switches are leaves.
func downFrom(g *fabric.Graph, roots []int32) []int32 {
	height := distances(g, roots, nil)
	deepest := slices.Max(height)
	for s, d := range height {
		height[s] = 0
		if d >= 0 {
			height[s] = deepest - d
		}
	}
	return height
}

// isLeaf reports whether a switch has hosts, and not just a few amid neighbours
// that all have many: those are on a spine, as storage often is. One with another role
// is none.
func isLeaf(g *fabric.Graph, s int32) bool {
	hosts := g.HostStart[s+1] - g.HostStart[s]
	if hosts == 0 || g.SwitchRole[s] == fabric.RoleRoot || g.SwitchRole[s] == fabric.RoleMiddle {
		return false
	}
	others, sum := int32(0), int32(0)
	for _, c := range g.OutOf(s) {
		n := g.HostStart[g.To[c]+1] - g.HostStart[g.To[c]]
		if n == 0 {
			return true
		}
		others++
		sum += n
	}
	return others < 2 || 2*hosts*others >= sum
}

// distances is the number of hops from the nearest of some switches, -1 where there
// is no way. Closed switches are reached, but not passed.
func distances(g *fabric.Graph, from []int32, closed []bool) []int32 {
	far := make([]int32, g.NumSwitches)
	for s := range far {
		far[s] = -1
	}
	queue := slices.Clone(from)
	for _, s := range from {
		far[s] = 0
	}
	for head := 0; head < len(queue); head++ {
		if closed != nil && closed[queue[head]] {
			continue
		}
		for _, c := range g.OutOf(queue[head]) {
			if v := g.To[c]; far[v] < 0 {
				far[v] = far[queue[head]] + 1
				queue = append(queue, v)
			}
		}
	}
	return far
}

// unflip puts leaves without hosts that ended up among the roots back to where they
// belong. What is below the neighbours of a root differs; those of a leaf are in its
// own pod, and most of what is below them is the same.
func (t *tree) unflip() {
	g := t.g
	words := (g.NumSwitches + 63) / 64
	below := make([]leafSet, g.NumSwitches)
	slab := make(leafSet, g.NumSwitches*words)
	for _, s := range t.byHeight(false) {
		below[s], slab = slab[:words], slab[words:]
		if t.height[s] == 0 {
			below[s][s/64] |= 1 << (s % 64)
		}
		for _, c := range g.OutOf(s) {
			if v := g.To[c]; t.height[v] < t.height[s] {
				for w, x := range below[v] {
					below[s][w] |= x
				}
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if t.height[s] < 2 || len(g.HostsOf(s)) > 0 || g.SwitchRole[s] != fabric.NoRole {
			continue
		}
		first, alike := leafSet(nil), true
		for _, c := range g.OutOf(s) {
			b := below[g.To[c]]
			if first == nil {
				first = b
			}
			alike = alike && t.height[g.To[c]] < t.height[s] && 2*first.common(b) >= min(first.common(first), b.common(b))
		}
		if alike {
			t.height[s] -= 2
		}
	}
}

// lower puts a rack switch that has lost its hosts beside its partner: nothing is above
// it, and most of its links lead to what seems to be its own level.
func (t *tree) lower() {
	g := t.g
	height := slices.Clone(t.height)
	for s := range int32(g.NumSwitches) {
		above, beside, below := 0, 0, 0
		for _, c := range g.OutOf(s) {
			switch v := g.To[c]; {
			case height[v] > height[s]:
				above++
			case height[v] == height[s]:
				beside++
			default:
				below++
			}
		}
		if len(g.HostsOf(s)) == 0 && g.SwitchRole[s] == fabric.NoRole && above == 0 && below > 0 && beside >= below {
			t.height[s]--
		}
	}
}

// leafSet is a set of leaves, a bit each.
type leafSet []uint64

// common counts what is in both sets.
func (s leafSet) common(o leafSet) int {
	n := 0
	for w, x := range o {
		n += bits.OnesCount64(x & s[w])
	}
	return n
}

// group collects the links of every switch by neighbour.
func (t *tree) group() {
	g := t.g
	key := t.keys()
	t.start = make([]int32, 1, g.NumSwitches+1)
	t.port = make([]uint8, 0, g.NumChannels)
	var out []int32
	for s := range int32(g.NumSwitches) {
		out = append(out[:0], g.OutOf(s)...)
		slices.SortStableFunc(out, func(a, b int32) int {
			u, v := g.To[a], g.To[b]
			return cmp.Or(cmp.Compare(key[u], key[v]), cmp.Compare(u, v))
		})
		for i, c := range out {
			if v := g.To[c]; i == 0 || v != g.To[out[i-1]] {
				t.to = append(t.to, v)
				t.link = append(t.link, int32(len(t.port)))
			}
			t.port = append(t.port, g.FromPort[c])
		}
		t.start = append(t.start, int32(len(t.to)))
	}
	t.link = append(t.link, int32(len(t.port)))
}

// keys is the place of every switch among those of its height: its lowest root. In
// each pod the switches that lead to the same roots have the same key.
func (t *tree) keys() []int32 {
	key := make([]int32, t.g.NumSwitches)
	for _, s := range t.byHeight(true) {
		key[s] = s
		lowest := int32(-1)
		for _, c := range t.g.OutOf(s) {
			if p := t.g.To[c]; t.height[p] > t.height[s] && (lowest < 0 || key[p] < lowest) {
				lowest = key[p]
			}
		}
		if lowest >= 0 {
			key[s] = lowest
		}
	}
	return key
}

// byHeight lists all switches, the lowest or the highest first.
func (t *tree) byHeight(highest bool) []int32 {
	order := make([]int32, t.g.NumSwitches)
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		if highest {
			a, b = b, a
		}
		return cmp.Compare(t.height[a], t.height[b])
	})
	return order
}

// orderLeaves sorts the switches of height 0 so that those with common ancestors
// are together, the largest pods first: by their lowest ancestor of each height,
// from the second highest down.
func (t *tree) orderLeaves() {
	n := int32(t.g.NumSwitches)
	lowest := make([]int32, n*(t.top+1)) // by switch and height: an ancestor
	of := func(s int32) []int32 { return lowest[s*(t.top+1) : (s+1)*(t.top+1)] }
	for _, s := range t.byHeight(true) {
		mine := of(s)
		for h := range mine {
			mine[h] = n
		}
		mine[t.height[s]] = s
		for _, c := range t.g.OutOf(s) {
			if p := t.g.To[c]; t.height[p] > t.height[s] {
				for h, a := range of(p) {
					mine[h] = min(mine[h], a)
				}
			}
		}
		if t.height[s] == 0 {
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

// dividers is, for every switch, the product of the numbers of neighbours above
// that the levels below it have: the ways up to it from one leaf. Beside it is that
// of the level below.
func (t *tree) dividers() (div, below []int32) {
	div, below = make([]int32, t.g.NumSwitches), make([]int32, t.g.NumSwitches)
	for _, s := range t.byHeight(false) {
		div[s], below[s] = max(div[s], 1), max(below[s], 1)
		up := int32(0)
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			if t.height[t.to[i]] > t.height[s] {
				up++
			}
		}
		for i := first; i < last; i++ {
			if v := t.to[i]; t.height[v] > t.height[s] && div[s]*up > div[v] {
				div[v], below[v] = min(div[s]*up, 1<<20), div[s]
			}
		}
	}
	return div, below
}
