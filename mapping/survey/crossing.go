package survey

import (
	"slices"

	"weft/mapping"
	"weft/mapping/partial"
)

// A probe may be silent because it crossed its own way, where a wire is used once. The
// way to a switch is a shortest one on the map, so that this happens only if two
// switches on it are one and the map does not know. Of the first such pair, x before y,
// the ways to both and the wires between them are used once by a comparison, which is
// answered. So when no port is in doubt, pairs of switches on one way that may be one
// are compared, and what was probed by ways that are now known to cross is probed again.

// pair is port i of y being port i+shift of x.
type pair struct {
	x, y  int32
	shift int
}

// ambiguous says whether there is something to look at again: two switches were one, a
// way crosses itself, or pairs were compared, among which the allowed error is shared.
func (e *Explorer) ambiguous() bool {
	m := e.Map
	again := false
	sent := e.Probes.Compare.Sent
	for v := int32(0); int(v) < m.Len(); v++ {
		if m.Root(v) && !m.IsHost(v) && slices.ContainsFunc(m.Tested(v), e.crosses) {
			m.Doubt(v)
			again = true
		}
	}
	for v := int32(0); int(v) < m.Len() && !again && !e.spent(); v++ {
		if !m.Root(v) || m.IsHost(v) {
			continue
		}
		again = slices.ContainsFunc(e.ways(v), e.overlap)
	}
	return again || e.Probes.Compare.Sent > sent
}

// ways lists those by which a switch was probed, each once, as they are known now.
func (e *Explorer) ways(v int32) (ways [][]int32) {
	for _, way := range e.Map.Tested(v) {
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

// crosses says whether a way comes to a switch twice.
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

// overlap compares the last switch of a way with those before it. It says whether it
// was one of them.
func (e *Explorer) overlap(way []int32) bool {
	for _, p := range e.doubtfulPairs(way) {
		for !e.tooOften(p) && e.pairs[p] < most && !e.spent() {
			e.doubt.control(e, p.y, e.Tree().Turns(p.y))
			e.pairs[p]++
			if e.isOne(p) {
				return true
			}
		}
	}
	return false
}

// most is the comparisons of one pair that are sent.
const most = 255

// doubtfulPairs lists how the last switch of a way may be one before it.
func (e *Explorer) doubtfulPairs(way []int32) (pairs []pair) {
	t, y := e.Tree(), way[len(way)-1]
	for _, x := range way[:len(way)-1] {
		if !t.Reaches(x) || !t.Reaches(y) {
			continue
		}
		for shift := 2 - 2*e.Map.Radix; shift <= 2*e.Map.Radix-2; shift++ {
			p := pair{x, y, shift}
			if turn := e.turn(p); turn != 0 && e.legal(turn) && !e.tooOften(p) && e.fits(x, y, shift) {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

// tooOften says that a pair was compared in vain too often to be one switch.
func (e *Explorer) tooOften(p pair) bool {
	return e.doubt.believes(p.y, uint8(e.pairs[p]))
}

// turn is the one at y that leads back by the way to x, if they are one.
func (e *Explorer) turn(p pair) int {
	return e.Tree().Entry(p.x) - p.shift - e.Tree().Entry(p.y)
}

// isOne goes to y and back by the way to x.
func (e *Explorer) isOne(p pair) bool {
	t := e.Tree()
	e.buf = append(append(e.buf[:0], t.Turns(p.y)...), mapping.Turn(e.turn(p)))
	e.back(t.Turns(p.x))
	if !e.own(e.send(&e.Probes.Compare)) {
		return false
	}
	e.Map.Same(p.x, p.y, p.shift)
	return true
}

// fits says whether port i of y may be port i+shift of x for all i. Wires must not
// contradict each other, all ports lie within one switch, and what is silent at one is
// not wired at the other; but y, when its way goes through x, cannot be heard by the
// two ports of x that the way uses.
func (e *Explorer) fits(x, y int32, shift int) bool {
	m := e.Map
	low, high := m.Radix*4, -m.Radix*4
	unheard := 0
	for i := 1 - m.Radix - abs(shift); i <= m.Radix-1+abs(shift); i++ {
		a, b := m.At(x, i+shift), m.At(y, i)
		if a.To == partial.Open && b.To == partial.Open {
			continue
		}
		low, high = min(low, i), max(high, i)
		switch {
		case b.To == partial.Open:
			if b.Silent != [2]uint8{} {
				if unheard++; m.IsHost(a.To) || unheard > 2 {
					return false
				}
			}
		case a.To == partial.Open:
			if a.Silent != [2]uint8{} {
				return false
			}
		case m.IsHost(a.To) || m.IsHost(b.To):
			return false // the same host would have made them one
		}
	}
	return high-low < m.Radix
}

func abs(n int) int { return max(n, -n) }

// Place is where a map is in doubt.
type Place struct {
	Node   int32          // of the map, -1 for one that no host is behind
	Port   int32          // of that node; it may be below 0 or beyond the last
	Tries  int            // probes that were not answered
	Chance float64        // that all of them were lost
	Route  []mapping.Turn // from the host that maps to the port
}

// places names the ports in doubt, and the ports that lead to switches which may be
// another one on the map.
func (e *Explorer) places(r *Result, nodes []partial.Node, index []int32) {
	e.doubt.begin(e)
	t := e.Tree()
	for _, v := range t.Order {
		if e.Map.IsHost(v) {
			continue
		}
		low, high := e.Map.Window(v)
		for i := low; i <= high; i++ {
			if !e.doubtful(v, i) {
				continue
			}
			k := e.Map.At(v, i)
			tries := min(k.Silent[0], k.Silent[1])
			r.Uncertain = append(r.Uncertain, Place{
				Node: index[nodes[v].Index], Port: int32(i + nodes[v].Shift), Tries: int(tries), Chance: e.doubt.chance(v, int(tries)),
				Route: append(t.Turns(v), mapping.Turn(i-t.Entry(v))),
			})
		}
		for _, way := range e.ways(v) {
			for _, p := range e.doubtfulPairs(way) {
				r.Uncertain = append(r.Uncertain, Place{
					Node: index[nodes[v].Index], Port: int32(t.Entry(v) + nodes[v].Shift), Tries: e.pairs[p], Chance: e.doubt.chance(v, e.pairs[p]),
					Route: t.Turns(v),
				})
			}
		}
	}
}
