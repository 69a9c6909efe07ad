package forest

import "weft/fabric"

// Net is a Graph made ready for the search: the switch at the end of each channel, in the order of
// Graph.Out, and the channel's side, one of two. Engines without a direction have all channels on
// side 0; up*/down* has up and down.
type Net struct {
	G     *fabric.Graph
	Head  []int32 // switch at the far end, by position in Out
	sides [2]side
}

// side lists the channels of one side, by their first switch and by port.
type side struct {
	start []int32 // of a switch, in the lists below
	at    []int32 // positions in Out
	head  []int32 // switches at the far end
}

// NewNet prepares a Graph with every channel on side 0.
func NewNet(g *fabric.Graph) *Net {
	n := &Net{G: g, Head: make([]int32, len(g.Out))}
	for i, c := range g.Out {
		n.Head[i] = g.To[c]
	}
	n.Divide(func(_, _ int32) uint8 { return 0 })
	return n
}

// Divide puts every channel from a switch s to a switch v on a side, 0 or 1.
func (n *Net) Divide(sideOf func(s, v int32) uint8) {
	for k := range n.sides {
		n.sides[k] = side{start: make([]int32, n.G.NumSwitches+1)}
	}
	for s := range int32(n.G.NumSwitches) {
		for i := n.G.OutStart[s]; i < n.G.OutStart[s+1]; i++ {
			half := &n.sides[sideOf(s, n.Head[i])]
			half.at = append(half.at, i)
			half.head = append(half.head, n.Head[i])
		}
		for k := range n.sides {
			n.sides[k].start[s+1] = int32(len(n.sides[k].at))
		}
	}
}

// Heads lists the switches at the end of switch s's channels of one side.
func (n *Net) Heads(k uint8, s int32) []int32 {
	half := &n.sides[k]
	return half.head[half.start[s]:half.start[s+1]]
}

// Transit reports whether packets for destination switch t may pass through
// switch s or end there.
func (n *Net) Transit(s, t int32) bool { return s == t || !n.G.Drained[s] }

// Never in Near and Absent in Want match nothing.
const (
	Never  uint16 = 0xFFFF
	Absent uint16 = 0xFFFE
)

// Hops holds the hops that an engine allows towards one destination switch.
type Hops struct {
	// Order lists the switches that can reach the destination, nearest first. The
	// destination is Order[0]; Order[Level[d]:Level[d+1]] are d hops away.
	Order []int32
	Level []int32
	// A channel of side e from switch s to switch v is allowed if Near[e*NumSwitches+v] ==
	// Want[e*NumSwitches+s]. It must lead to a switch of the previous level.
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

// Allowed writes the positions in Out of switch s's allowed channels into list, which has room for
// all, and returns their number: side 0 first, by port.
func (h *Hops) Allowed(n *Net, s int32, list []int32) int {
	S, k := len(h.Near)/2, 0
	for e := range n.sides {
		want := h.Want[e*S+int(s)]
		if want == Absent {
			continue
		}
		near, half := h.Near[e*S:(e+1)*S], &n.sides[e]
		lo, hi := half.start[s], half.start[s+1]
		at := half.at[lo:hi]
		for p, v := range half.head[lo:hi] {
			list[k] = at[p]
			if near[v] == want { // rarely predictable: no branch around a store
				k++
			}
		}
	}
	return k
}

// widest returns the largest number of output channels of a switch.
func (n *Net) widest() int {
	w := int32(0)
	for s := range n.G.NumSwitches {
		w = max(w, n.G.OutStart[s+1]-n.G.OutStart[s])
	}
	return int(w)
}
