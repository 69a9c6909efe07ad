package ftree

import (
	"slices"
)

// separateByIndex keeps the paths to the ports of one host apart (multihomed=mftree; paper VI
// has the same aim by other means). The balance depends on the indexes that the hosts of a leaf
// have together, but not on which host has which: so hosts swap indexes within their leaf, until
// the ways up by the indexes of one host share no switch.
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
	uplinks [][]int32 // by switch: where its links up lead, in the order of the closed form
	path    [2][]int32
}

// assign gives the indexes of some hosts of a leaf out anew: each takes the next one by which it
// shares the fewest switches with the ports of its node that have theirs.
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

// swap lets hosts whose ports still share a switch swap indexes with others.
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

// sharedSwitches counts the switches that a host with this index shares with the other ports of
// its node: on the ways down to them, which are ways up from their leaves, and on those up from
// any other leaf, for which the ways up from its own leaf stand.
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

// sharedOnWayUp counts the switches on both of two ways up.
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

// followUp lists the switches above a leaf on the way up by an index.
func (h *indexSwapper) followUp(path int, s, index int32) {
	h.path[path] = h.path[path][:0]
	for n := len(h.uplinks[s]); n > 0; n = len(h.uplinks[s]) {
		s = h.uplinks[s][int(index/h.divisor[s])%n]
		h.path[path] = append(h.path[path], s)
	}
}

// uplinkNeighbours lists where the links up from a switch lead: first one to each neighbour,
// then the next.
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
