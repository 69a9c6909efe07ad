package gen

import (
	"slices"

	"weft/fabric"
)

// later removes the hosts that come later, and the switches that only they need. A switch stays if
// it is on a shortest path between leaves of the remaining hosts. All else keeps its GUID and its
// cables, so that nothing is plugged again when the hosts come: the ports for them are free.
func later(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	hosts := byGUID(f, func(id fabric.NodeID) bool { return isHost(f, id) })
	from, to := a.int("from"), a.int("to")
	if to < 0 {
		to = len(hosts) - 1
	}
	if from > to || to >= len(hosts) {
		return nil, problemf(a.pos, "hosts %d to %d: there are %d hosts, numbered from 0", from, to, len(hosts))
	}
	drop := make([]bool, len(f.Nodes))
	for _, h := range hosts[from : to+1] {
		drop[h] = true
	}
	for id, needed := range between(f, standingLeaves(f, drop)) {
		drop[id] = drop[id] || isSwitch(f, fabric.NodeID(id)) && !needed
	}
	return f.Without(func(id fabric.NodeID) bool { return drop[id] || isOrphan(f, id, drop) }, nil), nil
}

// isOrphan reports whether a node is an aggregation node of a dropped switch.
func isOrphan(f *fabric.Fabric, id fabric.NodeID, drop []bool) bool {
	if !f.IsAggregationNode(id) {
		return false
	}
	for p := range f.Cabled(id, nil) {
		return drop[f.Peer(fabric.End{Node: id, Port: p}).Node]
	}
	return false
}

// standingLeaves lists the switches with hosts that are not dropped.
func standingLeaves(f *fabric.Fabric, drop []bool) (leaves []fabric.NodeID) {
	for id := range f.Nodes {
		if !isSwitch(f, fabric.NodeID(id)) {
			continue
		}
		stays := func(p uint8) bool { return !drop[f.Peer(fabric.End{Node: fabric.NodeID(id), Port: p}).Node] }
		if slices.ContainsFunc(hostPorts(f, fabric.NodeID(id)), stays) {
			leaves = append(leaves, fabric.NodeID(id))
		}
	}
	return leaves
}

// between marks the switches on shortest paths between the given ones, by node. It follows paths
// from each of them, in O(n m) for m cables.
func between(f *fabric.Fabric, leaves []fabric.NodeID) []bool {
	peers := make([][]fabric.NodeID, len(f.Nodes))
	for id := range f.Nodes {
		if isSwitch(f, fabric.NodeID(id)) {
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
