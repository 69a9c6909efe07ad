// Package shortest is shared by the engines of shortest paths: it finds the channels of all
// shortest paths to a destination, and counts the loads of chosen paths.
package shortest

import "weft/fabric"

// Ways holds the channels of all shortest paths to a destination switch.
type Ways struct {
	Order []int32 // switches that reach it, nearest first; the destination itself is the first

	hops    []int32 // by switch, -1 without a way, from far on for drained switches
	listed  []span  // by k: the exits of Order[k+1], as a part of allowed
	allowed []Exit
	used    int32 // of allowed
}

// Exit is a channel that leads nearer: its position in Out above, the switch at its end in the 32
// bits below. The inner loops take both from one word.
type Exit uint64

// At returns the position of the channel in Out.
func (e Exit) At() uint32 { return uint32(e >> 32) }

// Head returns the switch at the end of the channel.
func (e Exit) Head() uint32 { return uint32(e) }

// span is a part of a list, empty until it is listed.
type span struct{ start, end int32 }

// far is added to the hops of a drained switch, so that no way passes it.
const far = 1 << 30

// Hops returns the hops of each switch, -1 without a way. Those of a drained switch are larger than
// all others.
func (w *Ways) Hops() []int32 { return w.hops }

// Search finds the ways to switch t. head holds the switch at the end of each channel of Out.
func (w *Ways) Search(g *fabric.Graph, head []int32, t int32) {
	w.Reach(g, head, t)
	for k := range w.listed {
		w.list(g, head, k)
	}
}

// Reach finds the switches that reach t, and their hops. ListExits lists the exits on demand.
func (w *Ways) Reach(g *fabric.Graph, head []int32, t int32) {
	if w.hops == nil {
		w.hops, w.Order, w.listed = make([]int32, g.NumSwitches), make([]int32, 0, g.NumSwitches), make([]span, g.NumSwitches)
		w.allowed = make([]Exit, len(head)/2+1) // of a cable's two channels one leads nearer
	}
	hops := w.hops
	for s := range hops {
		hops[s] = -1
	}
	hops[t] = 0
	order := append(w.Order[:0], t)
	for k := 0; k < len(order); k++ {
		s := order[k]
		if hops[s] >= far {
			continue
		}
		for _, v := range head[g.OutStart[s]:g.OutStart[s+1]] {
			if hops[v] < 0 {
				hops[v] = hops[s] + 1
				if g.Drained[v] {
					hops[v] += far
				}
				order = append(order, v)
			}
		}
	}
	w.Order, w.used, w.listed = order, 0, w.listed[:len(order)-1]
	clear(w.listed)
}

// list lists the exits of Order[k+1].
func (w *Ways) list(g *fabric.Graph, head []int32, k int) {
	s := w.Order[k+1]
	near := w.hops[s]&^far - 1
	hops, exits, n := w.hops, w.allowed[w.used:], 0
	e := Exit(g.OutStart[s]) << 32
	for _, v := range head[g.OutStart[s]:g.OutStart[s+1]] {
		exits[n] = e | Exit(v) // stays if n moves past it
		if hops[v] == near {
			n++
		}
		e += 1 << 32
	}
	w.listed[k] = span{w.used, w.used + int32(n)}
	w.used += int32(n)
}

// Exits returns the first channels of shortest paths from Order[k+1], after Search.
func (w *Ways) Exits(k int) []Exit { return w.allowed[w.listed[k].start:w.listed[k].end] }

// Narrow keeps some of the channels from each switch, after Search: first may sort a list of exits,
// and returns the number to keep.
func (w *Ways) Narrow(first func(s int32, exits []Exit) int) {
	for k := range w.listed {
		w.listed[k].end = w.listed[k].start + int32(first(w.Order[k+1], w.Exits(k)))
	}
}

// ListExits is Exits after Reach.
func (w *Ways) ListExits(g *fabric.Graph, head []int32, k int) []Exit {
	if w.listed[k].end == 0 {
		w.list(g, head, k)
	}
	return w.Exits(k)
}
