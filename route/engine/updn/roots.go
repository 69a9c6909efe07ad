package updn

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/forest"
	"weft/route/internal/updown"
)

// findRoots finds the switches named by the option, without the drained ones: nothing may pass
// these.
func findRoots(g *fabric.Graph, names []string) ([]int32, error) {
	roots, err := route.NamedSwitches(g, "updn", "roots", names)
	return slices.DeleteFunc(roots, func(s int32) bool { return g.Drained[s] }), err
}

// rankSwitches ranks the switches by their distance from the nearest root, part by part. A part
// without a given root gets one.
func rankSwitches(n *forest.Net, given []int32) updown.Order {
	isRoot := make([]bool, n.G.NumSwitches)
	for _, r := range given {
		isRoot[r] = true
	}
	r := newRanker(n.G)
	for _, part := range updown.Parts(n.G) {
		var roots []int32
		for _, u := range part {
			if isRoot[u] {
				roots = append(roots, u)
			}
		}
		if len(roots) == 0 {
			roots = chooseRoots(n, part, r)
		}
		r.rank(roots)
	}
	return r.order
}

// ranker ranks the switches of one part of the network after another, any number of times.
type ranker struct {
	g      *fabric.Graph
	order  updown.Order
	search *fabric.Search
}

func newRanker(g *fabric.Graph) *ranker {
	return &ranker{g, updown.New(g.NumSwitches), g.NewSearch(g.Drained)}
}

// rank ranks the switches connected to some roots, with one peak.
func (r *ranker) rank(roots []int32) {
	r.distances(roots...)
	r.order.JoinPeaks(r.g, roots)
}

// distances ranks the switches connected to some others by the distance from them, and returns the
// last switch found.
func (r *ranker) distances(from ...int32) (last int32) {
	r.search.From(from...)
	r.order.SetRanks(r.g, r.search)
	for _, s := range slices.Backward(r.search.Order) {
		if !r.g.Drained[s] {
			return s
		}
	}
	return from[0]
}
