package updn

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/forest"
	"weft/route/updown"
)

// findRoots finds the switches that the option names; none of them may be drained.
func findRoots(g *fabric.Graph, names []string) ([]int32, error) {
	roots, err := route.NamedSwitches(g, "updn", "roots", names)
	if err != nil {
		return nil, err
	}
	for _, s := range roots {
		if g.Drained[s] {
			return nil, route.Refuse("updn", "name another root or none", "%s is drained and cannot be a root", fabric.SwitchName(g, s))
		}
	}
	return roots, nil
}

// rankSwitches ranks the switches by their distance from the nearest root, part by part of
// the network. A part without a given root has one chosen.
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

// ranker ranks the switches of one part of the network after the other, as often as asked.
type ranker struct {
	g      *fabric.Graph
	order  updown.Order
	search *fabric.Search
}

func newRanker(g *fabric.Graph) *ranker {
	return &ranker{g, updown.New(g.NumSwitches), g.NewSearch(g.Drained)}
}

// rank ranks what is connected to some roots, with one peak.
func (r *ranker) rank(roots []int32) {
	r.distances(roots...)
	r.order.JoinPeaks(r.g, roots)
}

// distances ranks what is connected to some switches by the distance from them, and returns
// the last switch found.
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
