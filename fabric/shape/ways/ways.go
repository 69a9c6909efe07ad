// Package ways finds the switches on shortest paths.
package ways

import (
	"slices"

	"weft/fabric"
)

// Between marks the switches on shortest paths between the given ones, by node. It follows paths
// from each of them, in O(n m) for m cables.
func Between(f *fabric.Fabric, leaves []fabric.NodeID) []bool {
	peers := make([][]fabric.NodeID, len(f.Nodes))
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch {
			list := slices.Collect(f.SwitchPeers(fabric.NodeID(id), nil))
			slices.Sort(list)
			peers[id] = slices.Compact(list)
		}
	}
	needed, leaf := make([]bool, len(f.Nodes)), make([]bool, len(f.Nodes))
	for _, id := range leaves {
		leaf[id], needed[id] = true, true
	}
	hops, on := make([]int32, len(f.Nodes)), make([]bool, len(f.Nodes))
	for _, from := range leaves {
		order := breadthFirst(peers, from, hops)
		for _, id := range slices.Backward(order) {
			on[id] = leaf[id] || slices.ContainsFunc(peers[id], func(p fabric.NodeID) bool { return hops[p] == hops[id]+1 && on[p] })
			needed[id] = needed[id] || on[id]
		}
	}
	return needed
}

// breadthFirst lists the switches that one reaches, the nearest first, and sets their hops.
func breadthFirst(peers [][]fabric.NodeID, from fabric.NodeID, hops []int32) []fabric.NodeID {
	for i := range hops {
		hops[i] = -1
	}
	hops[from] = 0
	order := []fabric.NodeID{from}
	for i := 0; i < len(order); i++ {
		for _, p := range peers[order[i]] {
			if hops[p] < 0 {
				hops[p] = hops[order[i]] + 1
				order = append(order, p)
			}
		}
	}
	return order
}
