package fluid

import "math"

// group holds flows of crowded links: their begin or end has not changed any rate yet. Rates are
// computed once for all of them. An all-to-all operation begins and ends a flow at a million
// instants, and at each of them all rates of all flows would change a little.
type group struct {
	begun, over []int32 // flows by slot
	until       picoseconds
}

// crowd is the number of flows of a crowded link. One flow more changes the others' rates by
// 1/crowd at most.
const crowd = 64

// join adds a flow that begins; it may wait for some picoseconds.
func (g *group) join(s int32, at picoseconds, wait float64) {
	g.begun = append(g.begun, s)
	g.wake(at, wait)
}

// leave adds a flow that has ended; its links may stay taken for some picoseconds.
func (g *group) leave(s int32, at picoseconds, wait float64) {
	g.over = append(g.over, s)
	g.wake(at, wait)
}

func (g *group) wake(at picoseconds, wait float64) {
	g.until = min(g.until, at+picoseconds(math.Min(wait, 1<<60)))
}

// regroup marks the links of all flows of the group as changed.
func (n *Network) regroup() {
	g := &n.group
	for _, s := range g.begun {
		n.dirty = append(n.dirty, n.path[s*int32(n.stride)])
	}
	for _, s := range g.over {
		n.remove(s)
	}
	g.begun, g.over, g.until = g.begun[:0], g.over[:0], never
}

// isCrowded reports whether a link of a flow is crowded.
func (n *Network) isCrowded(s int32) bool {
	base := s * int32(n.stride)
	for _, link := range n.path[base : base+n.flows[s].hops] {
		if n.count[link] >= crowd {
			return true
		}
	}
	return false
}

// levelOf returns a rate that a flow on a link will not exceed.
func (n *Network) levelOf(link int32) float64 {
	if n.count[link] < crowd {
		return n.capacity[link]
	}
	return n.fill.links[link].full
}
