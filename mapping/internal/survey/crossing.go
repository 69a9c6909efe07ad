package survey

import (
	"slices"

	"weft/mapping"
	"weft/mapping/internal/graph"
)

// A probe may be silent because it crossed its own path and needed a wire twice. The path to a
// switch is a shortest one on the map, so this happens only if two switches on it are one and the
// map does not know. Take the first such pair, x before y: a comparison uses the paths to both and
// the wires between them only once, so it is answered. So when no port is in doubt, pairs of
// switches on one path that may be one are compared, and ports probed over paths now known to cross
// are probed again.

// pair says that x and y may be one switch, port i of y being port i+shift of x.
type pair struct {
	x, y  int32
	shift int
}

// recheckCrossings reports whether there is something to look at again: two switches were one, a
// path crosses itself, or pairs were compared, which also get a share of the allowed error.
func (e *Explorer) recheckCrossings() bool {
	m := e.Map
	again := false
	sent := e.Probes.Compare.Sent
	for v := int32(0); int(v) < m.Len(); v++ {
		if m.IsRoot(v) && !m.IsHost(v) && slices.ContainsFunc(m.Ways(v), e.crosses) {
			m.ForgetSilence(v)
			again = true
		}
	}
	for v := int32(0); int(v) < m.Len() && !again && !e.isSpent(); v++ {
		if !m.IsRoot(v) || m.IsHost(v) {
			continue
		}
		again = slices.ContainsFunc(e.waysTo(v), e.mergeOnWay)
	}
	return again || e.Probes.Compare.Sent > sent
}

// waysTo lists the paths of the probes of a switch's ports, each once, in current vertices.
func (e *Explorer) waysTo(v int32) (ways [][]int32) {
	for _, way := range e.Map.Ways(v) {
		roots := make([]int32, len(way))
		for k, x := range way {
			roots[k], _ = e.Map.Find(x)
		}
		if !slices.ContainsFunc(ways, func(w []int32) bool { return slices.Equal(w, roots) }) {
			ways = append(ways, roots)
		}
	}
	return ways
}

// crosses reports whether a path visits a switch twice.
func (e *Explorer) crosses(way []int32) bool {
	seen := make(map[int32]bool, len(way))
	for _, x := range way {
		root, _ := e.Map.Find(x)
		if seen[root] {
			return true
		}
		seen[root] = true
	}
	return false
}

// mergeOnWay compares the last switch of a path with the earlier ones. It reports whether it merged
// the switch with one of them.
func (e *Explorer) mergeOnWay(way []int32) bool {
	for _, p := range e.doubtfulPairs(way) {
		for !e.isPairSettled(p) && e.compared.pairs[p] < mostComparisons && !e.isSpent() {
			if !e.sendControl(p.y, e.Tree().Turns(p.y)) {
				return false
			}
			e.compared.pairs[p]++
			if e.mergePair(p) {
				return true
			}
		}
	}
	return false
}

// mostComparisons is the maximum number of comparisons sent for one pair.
const mostComparisons = 255

// doubtfulPairs lists the pairs of the last switch of a path with an earlier one that may be one
// switch.
func (e *Explorer) doubtfulPairs(way []int32) (pairs []pair) {
	t, y := e.Tree(), way[len(way)-1]
	for _, x := range way[:len(way)-1] {
		if !t.Reaches(x) || !t.Reaches(y) {
			continue
		}
		for shift := 2 - 2*e.Map.Radix; shift <= 2*e.Map.Radix-2; shift++ {
			p := pair{x, y, shift}
			if turn := e.turnOf(p); turn != 0 && e.isLegal(turn) && !e.isPairSettled(p) && e.mayBeOne(x, y, shift) {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

// isPairSettled reports whether a pair had too many silent comparisons to be one switch.
func (e *Explorer) isPairSettled(p pair) bool {
	return e.evidence.isEnough(p.y, uint8(e.compared.pairs[p]))
}

// turnOf returns the turn at y that leads back along the path to x, if they are one.
func (e *Explorer) turnOf(p pair) int {
	return e.Tree().Entry(p.x) - p.shift - e.Tree().Entry(p.y)
}

// mergePair sends a probe to y and back along the path to x. It merges them if the probe returns.
func (e *Explorer) mergePair(p pair) bool {
	t := e.Tree()
	if !e.Compare(t.Turns(p.y), mapping.Turn(e.turnOf(p)), t.Turns(p.x)) {
		return false
	}
	e.Map.Merge(p.x, p.y, p.shift)
	return true
}

// mayBeOne reports whether port i of y may be port i+shift of x for all i. Wires must not
// contradict each other, all ports must lie within one switch, and a silent port of one must not be
// wired at the other. But if y's path goes through x, y cannot be heard through the two ports of x
// on that path.
func (e *Explorer) mayBeOne(x, y int32, shift int) bool {
	m := e.Map
	low, high := m.Radix*4, -m.Radix*4
	unheard := 0
	reach := m.Radix - 1 + max(shift, -shift)
	for i := -reach; i <= reach; i++ {
		a, b := m.At(x, i+shift), m.At(y, i)
		if a.To == graph.None && b.To == graph.None {
			continue
		}
		low, high = min(low, i), max(high, i)
		switch {
		case b.IsSilent():
			if unheard++; m.IsHost(a.To) || unheard > 2 {
				return false
			}
		case a.IsSilent():
			return false
		case a.To != graph.None && b.To != graph.None && (m.IsHost(a.To) || m.IsHost(b.To)):
			return false // the same host would have merged them
		}
	}
	return high-low < m.Radix
}
