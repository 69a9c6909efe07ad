package sssp

import "weft/fabric"

// ways are the channels of all shortest paths to a destination switch.
type ways struct {
	order   []int32 // switches that reach it, nearest first; the destination itself is the first
	hops    []int32 // by switch, -1 where there is no way, beyond far where nothing passes
	listed  []span  // by k: where the exits of order[k+1] are in allowed
	allowed []exit
	used    int32 // of allowed
}

// exit is a channel that leads nearer: its position in Out above, the switch behind it
// in the 32 bits below. The inner loops take both from one word.
type exit uint64

func (e exit) at() uint32   { return uint32(e >> 32) }
func (e exit) head() uint32 { return uint32(e) }

// span is a part of a list, empty as long as nothing is listed.
type span struct{ start, end int32 }

// far is added to the hops of a drained switch, which is then on nobody's way.
const far = 1 << 30

// search finds the ways to switch t.
func (w *ways) search(g *fabric.Graph, head []int32, t int32) {
	w.reach(g, head, t)
	for k := range w.listed {
		w.list(g, head, k)
	}
}

// reach finds the switches that reach t, and their hops. Exits are still to be listed.
func (w *ways) reach(g *fabric.Graph, head []int32, t int32) {
	if w.hops == nil {
		w.hops, w.order, w.listed = make([]int32, g.NumSwitches), make([]int32, 0, g.NumSwitches), make([]span, g.NumSwitches)
		w.allowed = make([]exit, len(head)/2+1) // of the two channels of a cable one leads nearer
	}
	hops := w.hops
	for s := range hops {
		hops[s] = -1
	}
	hops[t] = 0
	order := append(w.order[:0], t)
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
	w.order, w.used, w.listed = order, 0, w.listed[:len(order)-1]
	clear(w.listed)
}

// list lists the exits of order[k+1].
func (w *ways) list(g *fabric.Graph, head []int32, k int) {
	s := w.order[k+1]
	near := w.hops[s]&^far - 1
	hops, exits, n := w.hops, w.allowed[w.used:], 0
	e := exit(g.OutStart[s]) << 32
	for _, v := range head[g.OutStart[s]:g.OutStart[s+1]] {
		exits[n] = e | exit(v) // for good if counted
		if hops[v] == near {
			n++
		}
		e += 1 << 32
	}
	w.listed[k] = span{w.used, w.used + int32(n)}
	w.used += int32(n)
}

// exits are those of order[k+1], which are listed.
func (w *ways) exits(k int) []exit { return w.allowed[w.listed[k].start:w.listed[k].end] }
