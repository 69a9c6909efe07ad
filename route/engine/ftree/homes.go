package ftree

import (
	"slices"

	"weft/route"
)

// partHomes keeps the paths to the ports of one host apart (multihomed=mftree, the aim
// of paper VI by other means). The balance depends on the turns that the hosts of a leaf
// have, but not on which of them has which: so they trade turns within their leaf, until
// the ways up by the turns of one host share no switch.
func partHomes(t *tree, ends *route.Ends, k *kinds, turns []int32) {
	h := &homes{t: t, ends: ends, turns: turns, placed: make([]bool, len(turns))}
	h.div, _ = t.dividers()
	h.above = make([][]int32, t.g.NumSwitches)
	for s := range h.above {
		h.above[s] = t.linesUp(int32(s))
	}
	for _, leaf := range t.byHeight(false) {
		byKind := map[uint8][]int32{}
		var order []uint8
		for _, host := range t.g.HostsOf(leaf) {
			kind := k.of(host)
			if byKind[kind] == nil {
				order = append(order, kind)
			}
			byKind[kind] = append(byKind[kind], host)
		}
		for _, kind := range order {
			h.deal(byKind[kind])
			h.trade(byKind[kind])
		}
	}
}

// homes are the turns as far as they are fixed.
type homes struct {
	t      *tree
	ends   *route.Ends
	turns  []int32
	placed []bool
	div    []int32
	above  [][]int32 // by switch: where its links up lead, in the order of the closed form
	ways   [2][]int32
}

// deal gives the turns of some hosts of a leaf out anew: each takes the next one by
// which it shares the fewest switches with the ports of its node that have theirs.
func (h *homes) deal(hosts []int32) {
	free := make([]int32, len(hosts))
	for i, host := range hosts {
		free[i] = h.turns[host]
	}
	for i, host := range hosts {
		best, fewest := i, -1
		for j := range free {
			slot := (i + j) % len(free)
			if free[slot] < 0 {
				continue
			}
			if n := h.shared(host, free[slot]); fewest < 0 || n < fewest {
				best, fewest = slot, n
			}
			if fewest == 0 {
				break
			}
		}
		h.turns[host], free[best] = free[best], -1
		h.placed[host] = true
	}
}

// trade lets hosts whose ports still share a switch trade turns with others.
func (h *homes) trade(hosts []int32) {
	for _, a := range hosts {
		mine := h.shared(a, h.turns[a])
		for _, b := range hosts {
			if mine == 0 {
				break
			}
			x, y := h.turns[a], h.turns[b]
			if n := h.shared(a, y); n < mine && n+h.shared(b, x) < mine+h.shared(b, y) {
				h.turns[a], h.turns[b], mine = y, x, n
			}
		}
	}
}

// shared counts the switches that a host with this turn shares with the other ports of
// its node: on the ways down to them, which are ways up from their leaves, and on those
// up from any other leaf, for which their own stand.
func (h *homes) shared(host, turn int32) int {
	g := h.t.g
	n, leaf := 0, g.EndSwitch[host]
	node := g.EndNode[host]
	for _, other := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if other == host || g.IsPortZero(other) || !h.placed[other] {
			continue
		}
		at, with := g.EndSwitch[other], h.turns[other]<<h.ends.LMC[other]
		mine := turn << h.ends.LMC[host]
		n += h.meet(leaf, mine, at, with) + h.meet(leaf, mine, leaf, with)
	}
	return n
}

// meet counts the switches on both of two ways up.
func (h *homes) meet(a, turnA, b, turnB int32) int {
	h.climb(0, a, turnA)
	h.climb(1, b, turnB)
	n := 0
	for _, s := range h.ways[0] {
		if slices.Contains(h.ways[1], s) {
			n++
		}
	}
	return n
}

// climb lists the switches above a leaf on the way by a turn.
func (h *homes) climb(way int, s, turn int32) {
	h.ways[way] = h.ways[way][:0]
	for n := len(h.above[s]); n > 0; n = len(h.above[s]) {
		s = h.above[s][int(turn/h.div[s])%n]
		h.ways[way] = append(h.ways[way], s)
	}
}

// linesUp lists where the links up from a switch lead: first one to each neighbour, then
// the next.
func (t *tree) linesUp(s int32) []int32 {
	var up []int32
	first, last := t.groupsOf(s)
	for link, more := 0, true; more; link++ {
		more = false
		for i := first; i < last; i++ {
			if n := len(t.portsOf(i)); t.height[t.to[i]] > t.height[s] && link < n {
				up = append(up, t.to[i])
				more = more || link+1 < n
			}
		}
	}
	return up
}
