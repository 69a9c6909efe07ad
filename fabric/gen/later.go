package gen

import (
	"slices"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/shape/ways"
)

// later removes the hosts that come later, and the switches that only they need. A switch stays if
// it is on a shortest path between leaves of the remaining hosts. All else keeps its GUID and its
// cables, so that nothing is plugged again when the hosts come: the ports for them are free.
func later(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	hosts := nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsHost(f, id) })
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
	for id, needed := range ways.Between(f, standingLeaves(f, drop)) {
		drop[id] = drop[id] || nodes.IsSwitch(f, fabric.NodeID(id)) && !needed
	}
	for id := range f.Nodes {
		for p := range f.Cabled(fabric.NodeID(id), nil) {
			drop[id] = drop[id] || f.IsAggregationNode(fabric.NodeID(id)) && drop[f.Peer(fabric.End{Node: fabric.NodeID(id), Port: p}).Node]
		}
	}
	return f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil), nil
}

// standingLeaves lists the switches with hosts that are not dropped.
func standingLeaves(f *fabric.Fabric, drop []bool) (leaves []fabric.NodeID) {
	for id := range f.Nodes {
		if !nodes.IsSwitch(f, fabric.NodeID(id)) {
			continue
		}
		stays := func(p uint8) bool { return !drop[f.Peer(fabric.End{Node: fabric.NodeID(id), Port: p}).Node] }
		if slices.ContainsFunc(nodes.HostPorts(f, fabric.NodeID(id)), stays) {
			leaves = append(leaves, fabric.NodeID(id))
		}
	}
	return leaves
}
