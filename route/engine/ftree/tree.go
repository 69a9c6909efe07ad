package ftree

import (
	"cmp"
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
	to    []int32   // by group: the neighbour
	ports [][]uint8 // by group: ports that lead there

	leaves []int32 // leaves in order: pod by pod
}

// groupsOf returns the first group of a switch and the one after its last.
func (t *tree) groupsOf(s int32) (int32, int32) { return t.start[s], t.start[s+1] }

// recognise finds the levels and groups of a network. Roots and leaves that are
// given are taken as such.
func recognise(g *fabric.Graph, roots, leaves []int32) *tree {
	t := &tree{g: g, height: heights(g, roots, leaves)}
	if len(roots) == 0 {
		t.unflip()
	}
	for s := range t.height {
		t.top = max(t.top, t.height[s])
	}
	t.group()
	t.orderLeaves()
	return t
}

// heights is the distance of every switch from the leaves. Beyond the roots, which
// are half way between the leaves that are farthest apart, it is counted down
// again: a leaf that has lost its hosts is still a leaf (the flipping switch of
// paper IV). With roots given it is counted down from them.
func heights(g *fabric.Graph, roots, leaves []int32) []int32 {
	for s := range int32(g.NumSwitches) {
		if isLeaf(g, s) && !slices.Contains(leaves, s) {
			leaves = append(leaves, s)
		}
	}
	if len(roots) > 0 {
		return downFrom(g, roots)
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
// that all have many: those are on a spine, as storage often is.
func isLeaf(g *fabric.Graph, s int32) bool {
	hosts := g.HostStart[s+1] - g.HostStart[s]
	if hosts == 0 {
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
	below := make([]set, g.NumSwitches)
	slab := make(set, g.NumSwitches*words)
	for _, s := range t.byHeight(false) {
		below[s], slab = slab[:words], slab[words:]
		if t.height[s] == 0 {
			below[s][s/64] |= 1 << (s % 64)
		}
		for _, c := range g.OutOf(s) {
			if v := g.To[c]; t.height[v] < t.height[s] {
				below[s].add(below[v])
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if t.height[s] < 2 || len(g.HostsOf(s)) > 0 {
			continue
		}
		first, alike := set(nil), true
		for _, c := range g.OutOf(s) {
			b := below[g.To[c]]
			if first == nil {
				first = b
			}
			alike = alike && t.height[g.To[c]] < t.height[s] && 2*first.common(b) >= min(first.count(), b.count())
		}
		if alike {
			t.height[s] -= 2
		}
	}
}

// group collects the links of every switch by neighbour.
func (t *tree) group() {
	g := t.g
	key := t.keys()
	t.start = make([]int32, g.NumSwitches+1)
	for s := range int32(g.NumSwitches) {
		out := slices.Clone(g.OutOf(s))
		slices.SortStableFunc(out, func(a, b int32) int {
			u, v := g.To[a], g.To[b]
			return cmp.Or(cmp.Compare(key[u], key[v]), cmp.Compare(u, v))
		})
		for i, c := range out {
			if v := g.To[c]; i == 0 || v != g.To[out[i-1]] {
				t.to = append(t.to, v)
				t.ports = append(t.ports, nil)
			}
			last := len(t.ports) - 1
			t.ports[last] = append(t.ports[last], g.FromPort[c])
		}
		t.start[s+1] = int32(len(t.to))
	}
}

// keys is the place of every switch among those of its height: its lowest root. In
// each pod the switches that lead to the same roots have the same key.
func (t *tree) keys() []int32 {
	key := make([]int32, t.g.NumSwitches)
	for _, s := range t.byHeight(true) {
		key[s] = s
		if parents := t.above(s); len(parents) > 0 {
			key[s] = key[parents[0]]
			for _, p := range parents[1:] {
				key[s] = min(key[s], key[p])
			}
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

// above lists the higher neighbours of a switch.
func (t *tree) above(s int32) []int32 {
	var up []int32
	for _, c := range t.g.OutOf(s) {
		if v := t.g.To[c]; t.height[v] > t.height[s] {
			up = append(up, v)
		}
	}
	return up
}

// orderLeaves sorts the switches of height 0 so that those with common ancestors
// are together, the largest pods first: by their lowest ancestor of each height,
// from the second highest down.
func (t *tree) orderLeaves() {
	lowest := make([][]int32, t.g.NumSwitches) // by switch and height: an ancestor
	for _, s := range t.byHeight(true) {
		lowest[s] = make([]int32, t.top+1)
		for h := range lowest[s] {
			lowest[s][h] = int32(t.g.NumSwitches)
		}
		lowest[s][t.height[s]] = s
		for _, p := range t.above(s) {
			for h, a := range lowest[p] {
				lowest[s][h] = min(lowest[s][h], a)
			}
		}
		if t.height[s] == 0 {
			t.leaves = append(t.leaves, s)
		}
	}
	slices.SortFunc(t.leaves, func(a, b int32) int {
		for h := t.top - 1; h > 0; h-- {
			if d := cmp.Compare(lowest[a][h], lowest[b][h]); d != 0 {
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
