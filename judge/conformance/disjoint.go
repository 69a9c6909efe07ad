package conformance

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/route"
)

// Allowed returns the channels that an engine may use towards destination switch t. They must lead
// nearer, so that any walk over them ends at t.
type Allowed func(t int32) func(c int32) bool

// Spread says how well the LIDs of a port use disjoint paths.
type Spread struct {
	Pairs     int
	Min, Mean float64 // realised share, over pairs
	Short     int     // pairs below 0.8
}

// MeasureSpread samples pairs of a host's switch and a host of another switch. The path to the
// host's base LID is fixed, as with LMC 0. The paths of the other LIDs can share no channel with it
// or each other, up to the maximum flow over the remaining allowed channels. MeasureSpread measures
// which share of these disjoint paths, with the fixed one, the LIDs realise.
func MeasureSpread(g *fabric.Graph, p *route.Plan, allowed Allowed, samples int, seed uint64) Spread {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := Spread{Min: 1}
	if g.NumHosts == 0 {
		return out
	}
	for range samples {
		s, end := g.EndSwitch[rng.IntN(g.NumHosts)], int32(rng.IntN(g.NumHosts))
		t := g.EndSwitch[end]
		if s == t {
			continue
		}
		given, used := map[int32]bool{}, map[int32]bool{}
		for k := range p.Ends.Count(end) {
			path, got, err := walk(g, p, s, p.Ends.Base[end]+fabric.LID(k))
			if err != nil || got != end {
				path = nil
			}
			for _, c := range path {
				given[c] = given[c] || k == 0
				used[c] = true
			}
		}
		may := allowed(t)
		most := min(p.Ends.Count(end)-1, disjointPaths(g, s, t, func(c int32) bool { return may(c) && !given[c] }))
		have := disjointPaths(g, s, t, func(c int32) bool { return used[c] && !given[c] })
		share := float64(1+min(most, have)) / float64(1+most)
		out.Pairs++
		out.Mean += share
		out.Min = min(out.Min, share)
		if share < 0.8 {
			out.Short++
		}
	}
	if out.Pairs > 0 {
		out.Mean /= float64(out.Pairs)
	}
	return out
}

// disjointPaths returns the maximum number of paths from s to t over usable channels without a
// shared channel, by augmenting paths with capacity 1 a channel.
func disjointPaths(g *fabric.Graph, s, t int32, usable func(c int32) bool) int {
	taken := map[int32]bool{}
	for n := 0; ; n++ {
		seen := make([]bool, g.NumSwitches)
		if !augment(g, s, t, usable, taken, seen) {
			return n
		}
	}
}

// augment finds one more path, and takes back channels of earlier ones where it must.
func augment(g *fabric.Graph, s, t int32, usable func(c int32) bool, taken map[int32]bool, seen []bool) bool {
	if s == t {
		return true
	}
	seen[s] = true
	for _, c := range g.OutOf(s) {
		v, back := g.To[c], c^1
		forward := usable(c) && !taken[c]
		if seen[v] || (!forward && !taken[back]) {
			continue
		}
		if !augment(g, v, t, usable, taken, seen) {
			continue
		}
		if taken[back] {
			delete(taken, back)
		} else {
			taken[c] = true
		}
		return true
	}
	return false
}
