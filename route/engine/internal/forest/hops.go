package forest

import "weft/fabric"

// Net is a Graph made ready for the search: what lies behind each channel, in the
// order of Graph.Out, and on which of two sides the channel is. Engines that treat
// all channels alike have them all on side 0; up*/down* has up and down.
type Net struct {
	G    *fabric.Graph
	Head []int32 // switch at the far end, by position in Out
	Side []uint8 // 0 or 1, by position in Out
}

// NewNet prepares a Graph with every channel on side 0.
func NewNet(g *fabric.Graph) *Net {
	n := &Net{G: g, Head: make([]int32, len(g.Out)), Side: make([]uint8, len(g.Out))}
	for i, c := range g.Out {
		n.Head[i] = g.To[c]
	}
	return n
}

// Transit reports whether packets for destination switch t may pass through
// switch s or end there.
func (n *Net) Transit(s, t int32) bool { return s == t || !n.G.Drained[s] }

// Never in Near and Nothing in Want match nothing.
const (
	Never  uint16 = 0xFFFF
	Absent uint16 = 0xFFFE
)

// Hops are the hops that an engine allows towards one destination switch.
type Hops struct {
	// Order lists the switches that can reach the destination, nearest first. The
	// destination is Order[0]; Order[Level[d]:Level[d+1]] are d hops away.
	Order []int32
	Level []int32
	// A channel of side e from switch s to switch v may be used when
	// Near[e*NumSwitches+v] == Want[e*NumSwitches+s]. It must lead to a switch of
	// the level before.
	Near, Want []uint16
}

// NewHops makes room for the hops towards one destination.
func NewHops(switches int) *Hops {
	return &Hops{
		Order: make([]int32, 0, switches),
		Near:  make([]uint16, 2*switches), Want: make([]uint16, 2*switches),
	}
}

// Reset forbids everything and empties the order.
func (h *Hops) Reset() {
	h.Order, h.Level = h.Order[:0], h.Level[:0]
	for i := range h.Near {
		h.Near[i], h.Want[i] = Never, Absent
	}
}

// Finder fills in the hops towards destination switch t. Several may run at once;
// worker picks scratch memory. It writes every field of h (see Hops.Reset).
type Finder func(worker int, t int32, h *Hops)

// Allowed puts the positions in Out of the channels that switch s may use into
// list, which has room for all, and returns their number.
func (h *Hops) Allowed(n *Net, s int32, list []int32) int {
	S := int32(len(h.Near) / 2)
	want := [2]uint16{h.Want[s], h.Want[S+s]}
	k, lo, hi := 0, n.G.OutStart[s], n.G.OutStart[s+1]
	side := n.Side[lo:hi]
	for p, v := range n.Head[lo:hi] {
		e := side[p] & 1
		list[k] = lo + int32(p)
		if h.Near[int32(e)*S+v] == want[e] { // rarely predictable: no branch around a store
			k++
		}
	}
	return k
}

// widest is the largest number of channels that leave a switch.
func (n *Net) widest() int {
	w := int32(0)
	for s := range n.G.NumSwitches {
		w = max(w, n.G.OutStart[s+1]-n.G.OutStart[s])
	}
	return int(w)
}
