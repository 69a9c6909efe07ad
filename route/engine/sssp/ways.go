package sssp

import "weft/fabric"

// ways are the channels of all shortest paths to a destination switch.
type ways struct {
	order   []int32 // switches that reach it, nearest first; the destination itself is the first
	start   []int32 // of the channels of order[k+1] in allowed
	allowed []int32 // positions in Out
	taken   []int32 // by k: the channel that order[k+1] takes for the LID at hand
	hops    []int32 // by switch, -1 where there is no way, beyond far where nothing passes
}

// far is added to the hops of a drained switch, which is then on nobody's way.
const far = 1 << 30

// search fills in the ways to switch t.
func (w *ways) search(g *fabric.Graph, head []int32, t int32) {
	if w.hops == nil {
		w.hops = make([]int32, g.NumSwitches)
		w.taken = make([]int32, g.NumSwitches)
		w.order, w.start = make([]int32, 0, g.NumSwitches), make([]int32, 0, g.NumSwitches)
		w.allowed = make([]int32, len(head)/2+1) // of the two channels of a cable one leads nearer
	}
	for s := range w.hops {
		w.hops[s] = -1
	}
	w.hops[t] = 0
	w.order, w.start = append(w.order[:0], t), append(w.start[:0], 0)
	allowed, n := w.allowed[:cap(w.allowed)], 0
	for k := 0; k < len(w.order); k++ {
		s := w.order[k]
		hops := w.hops[s] &^ far
		passed := w.hops[s] < far
		first := g.OutStart[s]
		for i, v := range head[first:g.OutStart[s+1]] {
			allowed[n] = first + int32(i) // for good if counted
			if w.hops[v] == hops-1 {
				n++
			}
			if w.hops[v] < 0 && passed {
				w.hops[v] = hops + 1
				if g.Drained[v] {
					w.hops[v] += far
				}
				w.order = append(w.order, v)
			}
		}
		if k > 0 {
			w.start = append(w.start, int32(n))
		} else {
			n = 0
		}
	}
	w.allowed = allowed[:n]
}
