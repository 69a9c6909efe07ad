package sssp

import "weft/fabric"

// ways are the channels of all shortest paths to a destination switch.
type ways struct {
	order   []int32 // switches that reach it, nearest first; the destination itself is the first
	start   []int32 // of the channels of order[k+1] in allowed
	allowed []int32 // positions in Out
	taken   []int32 // by k: the channel that order[k+1] takes for the LID at hand
	hops    []int32 // by switch, -1 where there is no way
}

// search fills in the ways to switch t.
func (w *ways) search(g *fabric.Graph, head []int32, t int32) {
	if w.hops == nil {
		w.hops = make([]int32, g.NumSwitches)
		w.taken = make([]int32, g.NumSwitches)
	}
	for s := range w.hops {
		w.hops[s] = -1
	}
	w.hops[t] = 0
	w.order = append(w.order[:0], t)
	w.allowed, w.start = w.allowed[:0], append(w.start[:0], 0)
	for k := 0; k < len(w.order); k++ {
		s := w.order[k]
		reached := s == t || !g.Drained[s]
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			v := head[i]
			if w.hops[v] < 0 && reached {
				w.hops[v] = w.hops[s] + 1
				w.order = append(w.order, v)
			}
			if w.hops[v] == w.hops[s]-1 && (v == t || !g.Drained[v]) {
				w.allowed = append(w.allowed, i)
			}
		}
		if k > 0 {
			w.start = append(w.start, int32(len(w.allowed)))
		}
	}
}
