package routes

import (
	"math/rand/v2"

	"weft/mapping"
)

// ways holds the shortest legal paths from one host to another: states by distance.
type ways struct {
	*order
	dist []int32
	rng  *rand.Rand
	best map[int32]step // by state
}

// step is the last wire of the best path to a state, and the previous state. The best path is the
// one whose wires carry the fewest routes in total.
type step struct {
	before int32
	wire   mapping.Wire
	load   int
}

// bestTo returns the last step of the best path to a state other than the first.
func (w *ways) bestTo(s int32) step {
	if known, ok := w.best[s]; ok {
		return known
	}
	var best step
	equal := 0
	u, down := s/2, s%2
	for p := range w.n.Ports(u) {
		here := mapping.End{Node: u, Port: p}
		there, ok := w.n.Peer(here)
		if !ok || there.Node == u || w.leadsUp(there.Node, u) != (down == 0) {
			continue
		}
		for before := 2 * there.Node; before <= 2*there.Node+down; before++ {
			if w.dist[before] < 0 || w.dist[before] != w.dist[s]-1 {
				continue
			}
			load := w.load[there]
			if w.dist[before] > 0 {
				load += w.bestTo(before).load
			}
			if equal > 0 && load > best.load {
				continue
			}
			if equal > 0 && load < best.load {
				equal = 0
			}
			if equal++; w.rng.IntN(equal) == 0 {
				best = step{before, mapping.Wire{there, here}, load}
			}
		}
	}
	w.best[s] = best
	return best
}

// turns returns the best path to a state as turns, and counts it.
func (w *ways) turns(s int32) []mapping.Turn {
	turns := make([]mapping.Turn, w.dist[s]-1)
	for out := int32(0); w.dist[s] > 0; {
		b := w.bestTo(s)
		if k := int(w.dist[s]) - 1; k < len(turns) {
			turns[k] = mapping.Turn(out - b.wire[1].Port)
		}
		w.load[b.wire[0]]++
		s, out = b.before, b.wire[0].Port
	}
	return turns
}
