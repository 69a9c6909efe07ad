package fabric

import (
	"context"
	"slices"
)

// Diameter returns the largest hop count between two switches of one component; 0 for a single
// switch or none. It fails only if ctx ends.
//
// A switch is open until its farthest switch is known to be no farther than the most distant pair
// found. First, four switches of a component, the centres, are searched from. A switch is closed if
// its distance to a centre plus the distance from there to the farthest open switch does not exceed
// the most distant pair found (triangle inequality). Closing it may bring the farthest open switch
// of another centre nearer. This closes most switches of grids, tori, hypercubes and irregular
// networks. The others are searched from, 64 at a time in the bits of a word, the switches farthest
// from a centre first. At worst that costs O(switches / 64 x diameter x channels).
func (g *Graph) Diameter(ctx context.Context) (int, error) {
	var (
		most   int32
		search = g.NewSearch(nil)
		parts  = g.NewSearch(nil)
		wide   = g.newWideSearch()
		closed = make([]bool, g.NumSwitches)
	)
	for s := range int32(g.NumSwitches) {
		if len(parts.Extend(s)) == 0 {
			continue
		}
		centres, eccentricity := findCentres(search, s)
		most = max(most, eccentricity)
		for n := 0; !closeAll(centres, closed, most); n++ {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			batch := centres[n%len(centres)].takeFarthest(closed)
			most = max(most, wide.eccentricity(batch))
		}
	}
	return int(most), nil
}

// centre is a switch whose distances to all others are known.
type centre struct {
	hops  []int32 // by switch
	order []int32 // switches, nearest first; closed ones are trimmed at both ends
}

// findCentres searches from four switches: start, the one farthest from it, the one farthest from
// that, and one half way between these two. It returns the largest hop count found.
func findCentres(search *Search, start int32) (centres []centre, eccentricity int32) {
	for range 3 {
		search.From(start)
		centres = append(centres, centre{slices.Clone(search.Hops), slices.Clone(search.Order)})
		start = search.Order[len(search.Order)-1]
		eccentricity = max(eccentricity, search.Hops[start])
	}
	for half := search.Hops[start] / 2; search.Hops[start] > half; {
		start = search.g.From[search.Via[start]]
	}
	search.From(start)
	return append(centres, centre{slices.Clone(search.Hops), slices.Clone(search.Order)}), eccentricity
}

// closeAll closes all switches that, as the centres show, are at most most hops from any open
// switch. It reports whether no switch of the component is open any more.
func closeAll(centres []centre, closed []bool, most int32) bool {
	for changed := true; changed; {
		changed = false
		for i := range centres {
			c := &centres[i]
			for len(c.order) > 0 && closed[c.order[len(c.order)-1]] {
				c.order = c.order[:len(c.order)-1]
			}
			if len(c.order) == 0 {
				return true
			}
			farthest := c.hops[c.order[len(c.order)-1]]
			for len(c.order) > 0 && c.hops[c.order[0]]+farthest <= most {
				closed[c.order[0]], changed = true, true
				c.order = c.order[1:]
			}
		}
	}
	return false
}

// takeFarthest closes and returns up to 64 open switches, the farthest from the centre.
func (c *centre) takeFarthest(closed []bool) []int32 {
	batch := make([]int32, 0, 64)
	for _, s := range slices.Backward(c.order) {
		if len(batch) == cap(batch) {
			break
		}
		if !closed[s] {
			closed[s] = true
			batch = append(batch, s)
		}
	}
	return batch
}

// wideSearch searches breadth first from up to 64 switches at once: bit i of a word stands for the
// i-th start.
type wideSearch struct {
	g                  *Graph
	reached, last, now []uint64 // by switch: reached so far, at the previous hop, at this hop
}

func (g *Graph) newWideSearch() *wideSearch {
	n := g.NumSwitches
	words := make([]uint64, 3*n)
	return &wideSearch{g: g, reached: words[:n], last: words[n : 2*n], now: words[2*n:]}
}

// eccentricity returns the largest hop count from a start to a switch.
func (w *wideSearch) eccentricity(starts []int32) int32 {
	clear(w.reached)
	clear(w.last)
	for i, s := range starts {
		w.reached[s] |= 1 << i
		w.last[s] |= 1 << i
	}
	for hops := int32(1); ; hops++ {
		for s, from := range w.last {
			if from == 0 {
				continue
			}
			for _, c := range w.g.OutOf(int32(s)) {
				w.now[w.g.To[c]] |= from
			}
		}
		arrived := uint64(0)
		for s, at := range w.now {
			at &^= w.reached[s]
			w.reached[s] |= at
			w.last[s], w.now[s] = at, 0
			arrived |= at
		}
		if arrived == 0 {
			return hops - 1
		}
	}
}
