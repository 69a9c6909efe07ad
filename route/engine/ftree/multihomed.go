package ftree

import (
	"slices"
)

// separateByIndex separates the paths to the ports of one host (multihomed=mftree; paper VI has the
// same aim by other means). The balance depends on the set of indexes of a leaf's hosts, but not on
// which host has which. So hosts swap indexes within their leaf until the ways up by the indexes of
// one host share no switch. A swap may put two ports of another host on one way. Then the second of
// these swaps the same two ways within its own leaf, and so on: a chain of swaps, as in the proof
// that a bipartite graph has an equitable colouring of its edges (de Werra 1971). Leaves and hosts
// are the two sides, ports the edges, spines the colours. So in a whole tree of two levels no two
// ports of a host share a spine if there are as many spines as ports, and else as few as possible.
func separateByIndex(t *tree, k *hostKinds, indexes []int32) {
	h := &indexSwapper{t: t, k: k, indexes: indexes, fixed: make([]bool, len(indexes)), touched: map[int32]int32{}, nodes: map[int32]bool{}}
	h.divisor, _ = t.divisors(nil)
	h.uplinks = make([][]int32, t.G.NumSwitches)
	for s := range h.uplinks {
		h.uplinks[s] = t.uplinkNeighbours(int32(s))
	}
	leaves := t.ByLevel(false)
	for _, leaf := range leaves {
		byKind := map[uint8][]int32{}
		var order []uint8
		for _, host := range t.G.HostsOf(leaf) {
			kind := k.kindOf(host)
			if byKind[kind] == nil {
				order = append(order, kind)
			}
			byKind[kind] = append(byKind[kind], host)
		}
		for _, kind := range order {
			h.assign(byKind[kind])
		}
	}
	for better := true; better; {
		better = false
		for _, leaf := range leaves {
			for _, host := range t.G.HostsOf(leaf) {
				better = h.sharedSwitches(host) > 0 && h.separate(host) || better
			}
		}
	}
}

// indexSwapper holds the indexes of hosts while they are swapped.
type indexSwapper struct {
	t       *tree
	k       *hostKinds
	indexes []int32
	fixed   []bool
	divisor []int32
	uplinks [][]int32 // by switch: the switches above its links, in the order of the closed form
	path    [2][]int32
	touched map[int32]int32 // hosts of the chain under way, with their index before it
	nodes   map[int32]bool  // their nodes
}

// assign redistributes the indexes of some hosts of a leaf. Each host takes the index that shares
// the fewest switches with ports of its node that already have one.
func (h *indexSwapper) assign(hosts []int32) {
	free := make([]int32, len(hosts))
	for i, host := range hosts {
		free[i] = h.indexes[host]
	}
	for i, host := range hosts {
		best, fewest := i, -1
		for j := range free {
			slot := (i + j) % len(free)
			if free[slot] < 0 {
				continue
			}
			if n := h.sharedBy(host, free[slot]); fewest < 0 || n < fewest {
				best, fewest = slot, n
			}
			if fewest == 0 {
				break
			}
		}
		h.indexes[host], free[best] = free[best], -1
		h.fixed[host] = true
	}
}

// separate moves a host to another way up from its leaf, by a chain of swaps, so that all hosts of
// the chain together share fewer switches. It reports whether it found one. Ways that no host of
// the leaf has come last: they change how many hosts have each.
func (h *indexSwapper) separate(host int32) bool {
	now, ways := h.sharedSwitches(host), h.ways(host)
	clear(h.touched)
	for _, taken := range []bool{true, false} {
		for way := range ways {
			if h.way(host, way) != way || h.sharedBy(host, h.onWay(h.indexes[host], way, ways)) >= now || (h.hostOnWay(host, way) >= 0) != taken {
				continue
			}
			if h.chain(host, way) {
				return true
			}
			clear(h.touched)
		}
	}
	return false
}

// ways returns the number of ways up from the leaf of a host, counted to the roots.
func (h *indexSwapper) ways(host int32) int32 {
	n := int32(1)
	for s := h.t.G.EndSwitch[host]; len(h.uplinks[s]) > 0; s = h.uplinks[s][0] {
		n *= int32(len(h.uplinks[s]))
	}
	return n
}

// way returns the way up of a host by an index: of indexes that lead over parallel links the least.
func (h *indexSwapper) way(host, index int32) (way int32) {
	for s := h.t.G.EndSwitch[host]; len(h.uplinks[s]) > 0; {
		up := h.uplinks[s]
		next := up[int(index/h.divisor[s])%len(up)]
		way += int32(slices.Index(up, next)) * h.divisor[s]
		s = next
	}
	return way
}

// onWay returns the index nearest to another one that leads up by a way.
func (h *indexSwapper) onWay(index, way, ways int32) int32 { return index - index%ways + way }

// chain gives a host a way, and the host of its leaf that had the way the old one. As long as that
// one then shares switches with a port of its node, this port makes the same exchange in its leaf.
// If all nodes of the chain together share no fewer switches, everything stays as it was.
func (h *indexSwapper) chain(host, way int32) bool {
	old, ways := h.way(host, h.indexes[host]), h.ways(host)
	clear(h.nodes)
	shared := 0 // before the chain
	for next := host; next >= 0; {
		a, b := next, h.hostOnWay(next, way)
		shared += h.touch(a)
		if b < 0 {
			h.indexes[a] = h.onWay(h.indexes[a], way, ways)
			break
		}
		shared += h.touch(b)
		h.indexes[a], h.indexes[b] = h.indexes[b], h.indexes[a]
		next = h.partnerOnWay(b, old)
	}
	for node := range h.nodes {
		shared -= h.sharedOfNode(node)
	}
	if shared > 0 {
		return true
	}
	for touched, index := range h.touched {
		h.indexes[touched] = index
	}
	return false
}

// touch notes the index of a host before the chain. It returns the switches that its node shares,
// if the chain meets the node for the first time.
func (h *indexSwapper) touch(host int32) int {
	h.touched[host] = h.indexes[host]
	node := h.t.G.EndNode[host]
	if h.nodes[node] {
		return 0
	}
	h.nodes[node] = true
	return h.sharedOfNode(node)
}

// sharedOfNode counts the switches that ports of a node share.
func (h *indexSwapper) sharedOfNode(node int32) (n int) {
	g := h.t.G
	for _, end := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if g.IsHost(end) {
			n += h.sharedSwitches(end)
		}
	}
	return n
}

// hostOnWay returns a host of the same leaf and kind that has a way and is not in the chain, -1 if
// there is none.
func (h *indexSwapper) hostOnWay(host, way int32) int32 {
	for _, other := range h.t.G.HostsOf(h.t.G.EndSwitch[host]) {
		if _, met := h.touched[other]; !met && other != host && h.way(other, h.indexes[other]) == way && h.k.kindOf(other) == h.k.kindOf(host) {
			return other
		}
	}
	return -1
}

// partnerOnWay returns another port of a host's node that has a way too, shares switches with it,
// and is not in the chain; -1 if there is none.
func (h *indexSwapper) partnerOnWay(host, way int32) int32 {
	g := h.t.G
	node := g.EndNode[host]
	for _, other := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if _, met := h.touched[other]; !met && other != host && g.IsHost(other) && h.way(other, h.indexes[other]) == way && h.sharedSwitches(host) > 0 {
			return other
		}
	}
	return -1
}

// sharedSwitches counts the switches that a host shares with the other ports of its node.
func (h *indexSwapper) sharedSwitches(host int32) int { return h.sharedBy(host, h.indexes[host]) }

// sharedBy counts the switches that a host with this index shares with the other ports of its node.
// Ways down to the ports are ways up from their leaves. The ways up from its own leaf stand for
// those from any other leaf.
func (h *indexSwapper) sharedBy(host, index int32) int {
	g := h.t.G
	n, leaf := 0, g.EndSwitch[host]
	node := g.EndNode[host]
	for _, other := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if other == host || !g.IsHost(other) || !h.fixed[other] {
			continue
		}
		n += h.sharedOnWayUp(leaf, index, g.EndSwitch[other], h.indexes[other]) + h.sharedOnWayUp(leaf, index, leaf, h.indexes[other])
	}
	return n
}

// sharedOnWayUp counts the switches common to two ways up.
func (h *indexSwapper) sharedOnWayUp(a, indexA, b, indexB int32) int {
	h.followUp(0, a, indexA)
	h.followUp(1, b, indexB)
	n := 0
	for _, s := range h.path[0] {
		if slices.Contains(h.path[1], s) {
			n++
		}
	}
	return n
}

// followUp lists the switches above a leaf on the way up of an index.
func (h *indexSwapper) followUp(path int, s, index int32) {
	h.path[path] = h.path[path][:0]
	for n := len(h.uplinks[s]); n > 0; n = len(h.uplinks[s]) {
		s = h.uplinks[s][int(index/h.divisor[s])%n]
		h.path[path] = append(h.path[path], s)
	}
}

// uplinkNeighbours lists the switches above the links of a switch: first one link to each
// neighbour, then the next.
func (t *tree) uplinkNeighbours(s int32) []int32 {
	var up []int32
	first, last := t.BundlesOf(s)
	for link, more := 0, true; more; link++ {
		more = false
		for i := first; i < last; i++ {
			if n := len(t.PortsOf(i)); t.Level[t.Neighbour[i]] > t.Level[s] && link < n {
				up = append(up, t.Neighbour[i])
				more = more || link+1 < n
			}
		}
	}
	return up
}
