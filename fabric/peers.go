package fabric

import (
	"iter"
	"slices"
)

// Cabled gives the ports of a node with cables that takes accepts, and the cables; nil
// accepts all, also those that are down.
func (f *Fabric) Cabled(id NodeID, takes func(LinkID) bool) iter.Seq2[uint8, LinkID] {
	return func(yield func(uint8, LinkID) bool) {
		for p, port := range f.Nodes[id].Ports {
			if port.Link != NoLink && (takes == nil || takes(port.Link)) && !yield(uint8(p), port.Link) {
				return
			}
		}
	}
}

// SwitchPeers gives the switches that a node is cabled to, by port, over the cables that
// takes accepts, as in Cabled.
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

// SwitchHops counts the fewest cables from the nearest of some switches to every switch,
// over those that takes accepts, by node; Unreached for what is no switch or has no way. It
// also serves where there is no Graph: for cables that are down.
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
