package updn

import (
	"math"
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/forest"
	"weft/route/engine/internal/sample"
	"weft/route/internal/updown"
)

const (
	rootTries = 16 // switches with hosts tried as the root of a part, and half as many of all
	// Destinations for each try: as many as keep it short.
	leastTests = 16
	mostTests  = 64
	testWork   = 1 << 20 // channels visited in a try
	allWork    = 1 << 24 // channels visited in all tries; beyond this limit the first good one wins
)

// topLevels are factors: switches within such a factor of the least distance to hosts form a top
// level. In a fat-tree this is its top level, even with missing links.
var topLevels = []float64{1, 1.1, 1.25}

// chooseRoots finds the roots of a part of the network. It routes a sample of destinations for each
// of several choices and takes the choice with the least sum of squared loads: short paths and few
// crowded channels. Single switches with hosts come first: in an intact fat-tree any leaf leaves
// all minimal paths between hosts legal. With missing links the whole top level is mostly better.
func chooseRoots(n *forest.Net, part []int32, r *ranker) []int32 {
	hosted := sample.Hosted(n.G, part)
	t := newTrial(n, sample.Spread(hosted, max(leastTests, min(mostTests, testWork/(len(n.Head)+1)))))
	choices := [][]int32{{hosted[0]}}
	for _, share := range topLevels {
		if top := t.nearest(part, share); len(top) < len(part) {
			choices = append(choices, top)
		}
	}
	single := []int32{r.centre(part), busiest(n.G, part)}
	single = append(append(single, sample.Spread(hosted, rootTries)...), sample.Spread(part, rootTries/2)...)
	for _, s := range single {
		choices = append(choices, []int32{s})
	}
	hasty := len(choices)*len(t.tests)*len(n.Head) > allWork
	best, least := choices[0], math.Inf(1)
	for _, roots := range choices {
		r.rank(roots)
		orient(n, r.order)
		squares, minimal := t.run(hosted)
		if squares < least {
			best, least = roots, squares
		}
		if minimal && hasty {
			break
		}
	}
	return best
}

// trial measures orientations by a sample of destinations.
type trial struct {
	n       *forest.Net
	tests   []int32
	hops    [][]int32 // shortest distance of every switch from each test
	find    search
	h       *forest.Hops
	allowed []int32
	flow    []float64 // by switch: hosts whose packets pass it
	load    []float64 // by position in Out
}

func newTrial(n *forest.Net, tests []int32) *trial {
	t := &trial{
		n: n, tests: tests, find: newSearches(n, 1)[0], h: forest.NewHops(n.G.NumSwitches),
		allowed: make([]int32, len(n.Head)),
		flow:    make([]float64, n.G.NumSwitches), load: make([]float64, len(n.Head)),
	}
	search := n.G.NewSearch(nil)
	for _, to := range tests {
		search.From(to)
		t.hops = append(t.hops, slices.Clone(search.Hops))
	}
	return t
}

// nearest lists the switches whose sum of distances from the tests is at most share times the least
// such sum.
func (t *trial) nearest(part []int32, share float64) []int32 {
	sum := make([]int64, t.n.G.NumSwitches)
	least := int64(math.MaxInt64)
	for _, s := range part {
		for i, to := range t.tests {
			sum[s] += int64(t.hops[i][s]) * sample.Weight(t.n.G, to)
		}
		least = min(least, sum[s])
	}
	var list []int32
	for _, s := range part {
		if float64(sum[s]) <= share*float64(least) {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	return list
}

// run sends the hosts' traffic to the tests, divided evenly over the allowed hops at each switch.
// squares is the sum of the squares of the loads; minimal says that every path is a shortest one.
func (t *trial) run(hosted []int32) (squares float64, minimal bool) {
	clear(t.load)
	minimal = true
	for i, to := range t.tests {
		t.find.run(to, t.h)
		clear(t.flow)
		for _, s := range hosted {
			t.flow[s] = float64(sample.Weight(t.n.G, s) * sample.Weight(t.n.G, to))
		}
		for d := len(t.h.Level) - 2; d >= 1; d-- {
			for _, s := range t.h.Order[t.h.Level[d]:t.h.Level[d+1]] {
				if t.flow[s] > 0 {
					minimal = minimal && int32(d) == t.hops[i][s]
					t.deal(s)
				}
			}
		}
	}
	for _, l := range t.load {
		squares += l * l
	}
	return squares, minimal
}

// deal divides the traffic at a switch over its allowed hops.
func (t *trial) deal(s int32) {
	allowed := t.allowed[:t.h.Allowed(t.n, s, t.allowed)]
	share := t.flow[s] / float64(len(allowed))
	for _, i := range allowed {
		t.load[i] += share
		t.flow[t.n.Head[i]] += share
	}
}

// centre returns a switch near the middle of a longest shortest path, found by two searches.
func (r *ranker) centre(part []int32) int32 {
	at := r.distances(r.distances(part[0]))
	for half := r.order[at] / 2; r.order[at] > half; {
		at = updown.Nearest(r.g, at, r.order)
	}
	return at
}

// busiest returns the switch with the most channels, the first of equals.
func busiest(g *fabric.Graph, part []int32) int32 {
	best := part[0]
	for _, s := range part {
		if d := len(g.OutOf(s)) - len(g.OutOf(best)); d > 0 || (d == 0 && s < best) {
			best = s
		}
	}
	return best
}
