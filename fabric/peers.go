package fabric

import (
	"iter"
	"slices"
)

// SwitchPeers gives the switches that a node is cabled to, by port, over the cables that
// takes accepts; nil accepts all, also those that are down.
func (f *Fabric) SwitchPeers(id NodeID, takes func(LinkID) bool) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for p := 1; p < len(f.Nodes[id].Ports); p++ {
			l := f.Nodes[id].Ports[p].Link
			if l == NoLink || takes != nil && !takes(l) {
				continue
			}
			peer := f.Peer(End{id, uint8(p)}).Node
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
