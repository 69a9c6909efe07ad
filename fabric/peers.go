package fabric

import (
	"iter"
	"slices"
)

// Cabled iterates over the cabled ports of a node and their cables, for cables that takes accepts;
// nil accepts all, including cables that are down.
func (f *Fabric) Cabled(id NodeID, takes func(LinkID) bool) iter.Seq2[uint8, LinkID] {
	return func(yield func(uint8, LinkID) bool) {
		for p, port := range f.Nodes[id].Ports {
			if port.Link != NoLink && (takes == nil || takes(port.Link)) && !yield(uint8(p), port.Link) {
				return
			}
		}
	}
}

// SwitchPeers iterates over the switches that a node is cabled to, by port, over cables that takes
// accepts, as in Cabled.
func (f *Fabric) SwitchPeers(id NodeID, takes func(LinkID) bool) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for p := range f.Cabled(id, takes) {
			peer := f.Peer(End{id, p}).Node
			if f.Nodes[peer].Type == Switch && !yield(peer) {
				return
			}
		}
	}
}

// SwitchHops returns, by node, the fewest cables from the nearest start to every switch, over
// cables that takes accepts; Unreached for other nodes and unreachable switches. It needs no Graph
// and so can follow cables that are down.
func (f *Fabric) SwitchHops(from []NodeID, takes func(LinkID) bool) []int32 {
	hops := slices.Repeat([]int32{Unreached}, len(f.Nodes))
	queue := slices.Clone(from)
	for _, s := range from {
		hops[s] = 0
	}
	for head := 0; head < len(queue); head++ {
		s := queue[head]
		for p := range f.SwitchPeers(s, takes) {
			if hops[p] == Unreached {
				hops[p] = hops[s] + 1
				queue = append(queue, p)
			}
		}
	}
	return hops
}
