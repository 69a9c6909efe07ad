package route

import (
	"errors"
	"math/bits"

	"weft/fabric"
)

// Multicast is a pool of spanning trees for multicast groups, which all send on one SL. A group
// uses one tree, cut down to its members. For any members the pool has all turns of the group's
// packets, and the judge proves the pool together with the paths of the Plan.
type Multicast struct {
	SL    uint8
	Trees []SpanningTree
}

// SpanningTree holds by switch the channel to its parent. Packets pass the channels both ways.
type SpanningTree struct {
	Root int32
	Up   []int32 // by switch: the channel to its parent; fabric.Nothing at the root, Outside if not in the tree
}

// Outside marks a switch that is not in the tree.
const Outside int32 = -2

// Covers reports whether a switch is in the tree.
func (t *SpanningTree) Covers(s int32) bool { return t.Up[s] != Outside }

// PortSet is a set of ports of a switch, including port 0.
type PortSet [4]uint64

// Add adds a port.
func (p *PortSet) Add(port uint8) { p[port>>6] |= 1 << (port & 63) }

// Has reports whether a port is in the set.
func (p *PortSet) Has(port uint8) bool { return p[port>>6]>>(port&63)&1 != 0 }

// Each visits the ports in ascending order.
func (p *PortSet) Each(visit func(port uint8)) {
	for i, w := range p {
		for ; w != 0; w &= w - 1 {
			visit(uint8(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// Bits returns the bits of ports 16*position to 16*position+15, as in a MulticastForwardingTable.
func (p *PortSet) Bits(position int) uint16 { return uint16(p[position/4] >> (16 * (position % 4))) }

// Group is a multicast group: its members as end ports of the Graph.
type Group struct {
	MLID      fabric.LID
	Receivers []int32 // ascending
	Senders   []int32 // not receivers, ascending
}

// GroupTree holds the output ports of a group's switches. A switch sends no copy to a packet's
// input port.
type GroupTree struct {
	Tree     int     // in Multicast.Trees
	Switches []int32 // ascending
	Ports    []PortSet
}

// NoTree is the tree of a group that no tree covers.
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
			return errors.New("a tree for other switches")
		}
		for s, c := range t.Up {
			if c < Outside || int(c) >= g.NumChannels || c >= 0 && g.From[c] != int32(s) {
				return errors.New("a channel that does not leave its switch")
			}
		}
	}
	return nil
}
