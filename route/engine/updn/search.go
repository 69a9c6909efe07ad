package updn

import (
	"weft/route/engine/internal/forest"
	"weft/route/internal/updown"
)

// The sides of a channel.
const (
	down uint8 = 0
	up   uint8 = 1
)

// orient puts every channel on its side: up leads to the higher switch.
func orient(n *forest.Net, order updown.Order) {
	n.Divide(func(s, v int32) uint8 {
		if order.Above(v, s) {
			return up
		}
		return down
	})
}

// search finds the hops allowed towards a destination.
type search struct {
	n    *forest.Net
	down []int32 // switches that reach the destination downwards, nearest first
}

func newSearches(n *forest.Net, workers int) []search {
	s := make([]search, workers)
	for i := range s {
		s[i] = search{n: n, down: make([]int32, 0, n.G.NumSwitches)}
	}
	return s
}

// run allows the shortest way down from each switch that has one, and elsewhere the way up that
// makes the whole path shortest.
func (f *search) run(t int32, h *forest.Hops) {
	h.Reset()
	f.findDown(t, h)
	f.findUp(t, h)
}

// findDown finds the switches that reach t by going down only.
func (f *search) findDown(t int32, h *forest.Hops) {
	h.Want[t] = 0
	f.down = append(f.down[:0], t)
	for head := 0; head < len(f.down); head++ {
		u := f.down[head]
		if !f.n.Transit(u, t) {
			continue
		}
		hops := h.Want[u] + 1
		h.Near[u] = hops
		for _, v := range f.n.Heads(up, u) {
			if h.Want[v] == forest.Absent {
				h.Want[v] = hops
				f.down = append(f.down, v)
			}
		}
	}
}

// findUp gives every other switch its hops: to a switch above it that has some. It goes level by
// level, so that each path is the shortest that the rule allows.
func (f *search) findUp(t int32, h *forest.Hops) {
	S := int32(f.n.G.NumSwitches)
	ups := h.Want[S:]
	rest := f.down
	start := 0
	for hops := uint16(0); ; hops++ {
		for len(rest) > 0 && h.Want[rest[0]] == hops {
			h.Order = append(h.Order, rest[0])
			rest = rest[1:]
		}
		h.Level = append(h.Level, int32(start))
		end := len(h.Order)
		if start == end && len(rest) == 0 {
			return
		}
		for _, u := range h.Order[start:end] {
			if !f.n.Transit(u, t) {
				continue
			}
			h.Near[S+u] = hops + 1
			for _, v := range f.n.Heads(down, u) {
				if h.Want[v] == forest.Absent && ups[v] == forest.Absent {
					ups[v] = hops + 1
					h.Order = append(h.Order, v)
				}
			}
		}
		start = end
	}
}
