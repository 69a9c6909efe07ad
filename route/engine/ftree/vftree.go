package ftree

import (
	"weft/route"
)

// spread puts the hosts of every two leaves on a virtual lane of their own, so far
// as there are lanes, the same both ways (paper II, algorithms 1 and 2): packets for
// hosts that share a link upwards are not held up by each other. Any lanes are free
// of deadlock, since the paths are on a single one. Traffic of switches is on the
// first lane.
//
// Deviations: line 3 of algorithm 1 gives a lane that does not exist when the number
// of lanes is odd, so it is taken modulo that number. In an oversubscribed tree
// hosts of one leaf share a link upwards too: there the hosts of a leaf are classed
// by the round in which the links were dealt to them, and the lane moves on with the
// rounds of both ends.
func spread(in *route.Input, t *tree, lanes int, plan *route.Plan) {
	g := in.Graph
	place := make([]int32, g.NumSwitches)
	for s := range place {
		place[s] = -1
	}
	for i, l := range t.leaves {
		place[l] = int32(i)
	}
	class := make([]int32, g.NumEnds) // 0 for what is on no leaf
	leaf, round := []int32{-1}, []int32{0}
	for _, l := range t.leaves {
		links := max(1, int32(linksUp(t, l)))
		for i, h := range g.HostsOf(l) {
			if r := int32(i) / links; leaf[len(leaf)-1] != place[l] || round[len(round)-1] != r {
				leaf, round = append(leaf, place[l]), append(round, r)
			}
			class[h] = int32(len(leaf) - 1)
		}
	}
	of := make([]int32, int(in.Ends.Top())+1)
	for lid, end := range in.Ends.ByLID() {
		of[lid] = -1
		if end >= 0 {
			of[lid] = class[end]
		}
	}
	n := len(leaf)
	plan.SL = route.NewSLs(class, of, n, n)
	for a := range n {
		for b := range n {
			if leaf[a] >= 0 && leaf[b] >= 0 && leaf[a] != leaf[b] {
				lane := pairLane(leaf[a], leaf[b], int32(lanes)) + round[a] + round[b]
				plan.SL.Set(int32(a), int32(b), uint8(lane%int32(lanes)))
			}
		}
	}
	var table route.VLTable
	for sl := range lanes {
		table[sl] = uint8(sl)
	}
	plan.SL2VL, plan.VLs = route.UniformVL(g, table), lanes
}

// pairLane is the lane of algorithm 1 for two leaves.
func pairLane(a, b, lanes int32) int32 {
	a, b = min(a, b), max(a, b)
	first := (2 * a) % lanes
	if (2*a/lanes)%2 == 1 {
		first = (first + 1) % lanes
	}
	return (first + b - a - 1) % lanes
}

// linksUp counts the links of a switch to higher ones.
func linksUp(t *tree, s int32) int {
	n := 0
	first, last := t.groupsOf(s)
	for i := first; i < last; i++ {
		if t.height[t.to[i]] > t.height[s] {
			n += len(t.portsOf(i))
		}
	}
	return n
}
