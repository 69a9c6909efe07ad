package ftree

import (
	"slices"
)

// separateByIndex separates the paths to the ports of one host (multihomed=mftree; paper VI has the
// same aim by other means). The balance depends on the set of indexes of a leaf's hosts, but not on
// which host has which. So hosts swap indexes within their leaf until the ways up by the indexes of
// one host share no switch.
func separateByIndex(t *tree, k *hostKinds, indexes []int32) {
	h := &indexSwapper{t: t, indexes: indexes, fixed: make([]bool, len(indexes))}
	h.divisor, _ = t.divisors(nil)
	h.uplinks = make([][]int32, t.G.NumSwitches)
	for s := range h.uplinks {
		h.uplinks[s] = t.uplinkNeighbours(int32(s))
	}
	for _, leaf := range t.ByLevel(false) {
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
			h.swap(byKind[kind])
		}
	}
}

// indexSwapper holds the indexes of hosts while they are swapped.
type indexSwapper struct {
	t       *tree
	indexes []int32
	fixed   []bool
	divisor []int32
	uplinks [][]int32 // by switch: the switches above its links, in the order of the closed form
	path    [2][]int32
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
			if n := h.sharedSwitches(host, free[slot]); fewest < 0 || n < fewest {
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

// swap lets hosts swap indexes while their node's ports share a switch.
func (h *indexSwapper) swap(hosts []int32) {
	for _, a := range hosts {
		mine := h.sharedSwitches(a, h.indexes[a])
		for _, b := range hosts {
			if mine == 0 {
				break
			}
			x, y := h.indexes[a], h.indexes[b]
			if n := h.sharedSwitches(a, y); n < mine && n+h.sharedSwitches(b, x) < mine+h.sharedSwitches(b, y) {
				h.indexes[a], h.indexes[b], mine = y, x, n
			}
		}
	}
}

// sharedSwitches counts the switches that a host with this index shares with the other ports of its
// node. Ways down to the ports are ways up from their leaves. The ways up from its own leaf stand
// for those from any other leaf.
func (h *indexSwapper) sharedSwitches(host, index int32) int {
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
