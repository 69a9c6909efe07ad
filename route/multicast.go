package route

import (
	"errors"
	"math/bits"

	"weft/fabric"
)

// Multicast is a pool of spanning trees for multicast groups, which all send on one SL. A group uses one of the trees, cut down to its
// members: whatever they are, no turn of its packets is missing in the pool, which the judge proves together with the paths of the Plan.
type Multicast struct {
	SL    uint8
	Trees []SpanningTree
}

// SpanningTree holds the channel by which each switch is joined to a tree. Packets pass its channels both ways.
type SpanningTree struct {
	Root int32
	Up   []int32 // by switch: the channel to its parent; fabric.Nothing at the root, Outside where it is not in the tree
}

// Outside stands for a switch that is in no tree.
const Outside int32 = -2

// Covers reports whether a switch is in the tree.
func (t *SpanningTree) Covers(s int32) bool { return t.Up[s] != Outside }

// PortSet is a set of ports of a switch, port 0 among them.
type PortSet [4]uint64

// Add adds a port.
func (p *PortSet) Add(port uint8) { p[port>>6] |= 1 << (port & 63) }

// Has reports whether a port is in the set.
func (p *PortSet) Has(port uint8) bool { return p[port>>6]>>(port&63)&1 != 0 }

// Each visits the ports, the least first.
func (p *PortSet) Each(visit func(port uint8)) {
	for i, w := range p {
		for ; w != 0; w &= w - 1 {
			visit(uint8(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// Bits returns those of ports 16*position to 16*position+15, as a MulticastForwardingTable has them.
func (p *PortSet) Bits(position int) uint16 { return uint16(p[position/4] >> (16 * (position % 4))) }

// Group is a multicast group: its members as end ports of the Graph.
type Group struct {
	MLID      fabric.LID
	Receivers []int32 // ascending
	Senders   []int32 // that are no receivers, ascending
}

// GroupTree holds the ports to which the switches of a group copy its packets; of these, a switch leaves out the one by which a packet came.
type GroupTree struct {
	Tree     int     // in Multicast.Trees
	Switches []int32 // ascending
	Ports    []PortSet
}

// NoTree is the tree of a group that none covers.
const NoTree = -1

// At returns the ports of a switch.
func (t *GroupTree) At(s int32) (ports PortSet) {
	for lo, hi := 0, len(t.Switches); lo < hi; {
		switch mid := (lo + hi) / 2; {
		case t.Switches[mid] == s:
			return t.Ports[mid]
		case t.Switches[mid] < s:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return PortSet{}
}

// Fits reports the first index of a pool that does not fit a Graph.
func (m *Multicast) Fits(g *fabric.Graph) error {
	if m == nil {
		return nil
	}
	if m.SL >= NumSLs {
		return errors.New("an SL beyond 15")
	}
	for _, t := range m.Trees {
		if len(t.Up) != g.NumSwitches || t.Root < 0 || int(t.Root) >= g.NumSwitches {
			return errors.New("a tree of other switches")
		}
		for s, c := range t.Up {
			if c < Outside || int(c) >= g.NumChannels || c >= 0 && g.From[c] != int32(s) {
				return errors.New("a channel that does not leave its switch")
			}
		}
	}
	return nil
}
