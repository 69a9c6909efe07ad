// Package nodes lists nodes, links and ports of a fabric by kind, in an order that does not depend
// on that of a file, and finds the levels of switches.
package nodes

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// NoLevel is the level of a node that is not a switch, and of a switch that no leaf reaches.
const NoLevel = fabric.Unreached

// Levels returns the level of every node (see gen.Levels).
func Levels(f *fabric.Fabric) []int32 {
	return LevelsAbove(f, ByGUID(f, func(id fabric.NodeID) bool { return IsSwitch(f, id) && len(HostPorts(f, id)) > 0 }))
}

// LevelsAbove returns the levels above the given leaves.
func LevelsAbove(f *fabric.Fabric, leaves []fabric.NodeID) []int32 {
	level := f.SwitchHops(leaves, nil)
	if top := rootLevel(f, leaves); top > 0 {
		for id, l := range level {
			if l > top {
				level[id] = max(0, 2*top-l)
			}
		}
	}
	return level
}

// rootLevel returns half the distance between the leaves farthest apart, for each part of the
// fabric measured from the leaf farthest from the first one; 0 for a single leaf. It is rounded
// down: an odd distance has a cable between leaves.
func rootLevel(f *fabric.Fabric, leaves []fabric.NodeID) int32 {
	most := int32(0)
	reached := make([]bool, len(f.Nodes))
	for _, first := range leaves {
		if reached[first] {
			continue
		}
		for range 2 {
			far := f.SwitchHops([]fabric.NodeID{first}, nil)
			for _, leaf := range leaves {
				if far[leaf] > far[first] {
					first = leaf
				}
				most = max(most, far[leaf])
				reached[leaf] = reached[leaf] || far[leaf] != NoLevel
			}
		}
	}
	return most / 2
}

// IsSwitch reports whether a node is a switch.
func IsSwitch(f *fabric.Fabric, id fabric.NodeID) bool { return f.Nodes[id].Type == fabric.Switch }

// IsHost reports whether a node is a host: neither a switch nor an aggregation node.
func IsHost(f *fabric.Fabric, id fabric.NodeID) bool {
	return !IsSwitch(f, id) && !f.IsAggregationNode(id)
}

// HostPorts lists the ports of a switch that are cabled to a host.
func HostPorts(f *fabric.Fabric, s fabric.NodeID) []uint8 {
	var out []uint8
	for p := range f.Cabled(s, nil) {
		if IsHost(f, f.Peer(fabric.End{Node: s, Port: p}).Node) {
			out = append(out, p)
		}
	}
	return out
}

// ByGUID lists the nodes that want accepts, in order of GUID, so that a choice among them does not
// depend on the order of a file.
func ByGUID(f *fabric.Fabric, want func(fabric.NodeID) bool) []fabric.NodeID {
	var out []fabric.NodeID
	for i := range f.Nodes {
		if want(fabric.NodeID(i)) {
			out = append(out, fabric.NodeID(i))
		}
	}
	slices.SortFunc(out, func(a, b fabric.NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	return out
}

// SwitchLinks lists the switch-to-switch links that are up and that want accepts, in order of the
// GUID and port of their lower ends.
func SwitchLinks(f *fabric.Fabric, want func(*fabric.Link) bool) []fabric.LinkID {
	lower := func(id fabric.LinkID) fabric.End {
		l := &f.Links[id]
		if cmp.Or(cmp.Compare(f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID), cmp.Compare(l.A.Port, l.B.Port)) < 0 {
			return l.A
		}
		return l.B
	}
	var out []fabric.LinkID
	for i := range f.Links {
		id := fabric.LinkID(i)
		if f.IsSwitchLink(id) && f.LinkUp(id) && want(&f.Links[i]) {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b fabric.LinkID) int {
		x, y := lower(a), lower(b)
		return cmp.Or(cmp.Compare(f.Nodes[x.Node].GUID, f.Nodes[y.Node].GUID), cmp.Compare(x.Port, y.Port))
	})
	return out
}

// FreePorts lists the ports of a node without a cable.
func FreePorts(f *fabric.Fabric, id fabric.NodeID) (free []uint8) {
	for p := 1; p <= f.Nodes[id].NumPorts(); p++ {
		if f.Nodes[id].Ports[p].Link == fabric.NoLink {
			free = append(free, uint8(p))
		}
	}
	return free
}
