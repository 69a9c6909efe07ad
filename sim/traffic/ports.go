package traffic

import (
	"math/bits"

	"weft/fabric"
)

// TwoPortNodes lists the nodes with two end ports.
func TwoPortNodes(g *fabric.Graph) []int32 {
	var nodes []int32
	for n := range int32(g.NumNodes) {
		if g.NodeStart[n+1]-g.NodeStart[n] == 2 {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// DoublingOfNodes returns recursive doubling of nodes with two ports, as flows of end ports by
// round: first port to first port and second to second, at once. Nodes beyond the largest power of
// two are idle.
func DoublingOfNodes(g *fabric.Graph, nodes []int32) []Flows {
	levels := bits.Len(uint(len(nodes))) - 1
	rounds := make([]Flows, levels)
	for l := range levels {
		for i := range 1 << levels {
			a, b := nodes[i], nodes[i^1<<l]
			for k := range int32(2) {
				rounds[l].Add(g.NodeEnds[g.NodeStart[a]+k], g.NodeEnds[g.NodeStart[b]+k])
			}
		}
	}
	return rounds
}

// ShiftsOfPorts returns the shifts of end ports by 1, 1+step and so on, by round. A node sends
// nothing to itself.
func ShiftsOfPorts(g *fabric.Graph, ends []int32, step int) []Flows {
	var rounds []Flows
	for by := 1; by < len(ends); by += step {
		var f Flows
		for i, h := range ends {
			if to := ends[(i+by)%len(ends)]; g.EndNode[to] != g.EndNode[h] {
				f.Add(h, to)
			}
		}
		rounds = append(rounds, f)
	}
	return rounds
}
