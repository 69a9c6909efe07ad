package flow

import (
	"math"
	"slices"

	"weft/fabric"
)

// filler computes max-min fair shares by progressive filling. The rates of all flows grow alike
// until a link is full; its flows are frozen, and the others continue. It is scratch memory of one
// worker.
type filler struct {
	capacity []float64 // by link

	links []linkFill // by link
	used  []int32    // links with flows
	users []int32    // flows, grouped by link
	rate  []float64  // by flow
}

// linkFill is the state of a link. Its flows are users[start:start+all].
type linkFill struct {
	room       float64 // capacity left by frozen flows
	growing    int32   // number of flows not frozen
	start, all int32
}

// notFrozen marks a flow whose rate still grows.
const notFrozen = -1

// flowSet lists flows: flow i crosses links path[end[i-1]:end[i]].
type flowSet struct{ path, end []int32 }

func (s *flowSet) start(flow int32) int32 {
	if flow == 0 {
		return 0
	}
	return s.end[flow-1]
}

// rounding is the largest ratio of the fill levels of two links that both count as full.
const rounding = 1 + 1e-12

func newFiller(capacity []float64) *filler {
	return &filler{capacity: capacity, links: make([]linkFill, len(capacity))}
}

// shares computes the rates of flows and returns their sum.
func (f *filler) shares(s *flowSet) float64 {
	f.index(s)
	active := slices.Clone(f.used)
	for {
		active = slices.DeleteFunc(active, func(l int32) bool { return f.links[l].growing == 0 })
		if len(active) == 0 {
			break
		}
		f.round(s, active)
	}
	for _, l := range f.used {
		f.links[l].all = 0
	}
	sum := 0.0
	for _, r := range f.rate {
		sum += r
	}
	return sum
}

// round raises all rates until links are full.
func (f *filler) round(s *flowSet, active []int32) {
	full := math.Inf(1)
	for _, l := range active {
		full = min(full, max(0, f.links[l].room)/float64(f.links[l].growing))
	}
	for _, l := range active {
		link := &f.links[l]
		if link.growing > 0 && link.room <= full*rounding*float64(link.growing) {
			for _, flow := range f.users[link.start : link.start+link.all] {
				f.freeze(s, flow, full)
			}
		}
	}
}

// index lists the flows of every link. A flow without links gets 0.
func (f *filler) index(s *flowSet) {
	f.used = f.used[:0]
	for _, l := range s.path {
		if f.links[l].all == 0 {
			f.used = append(f.used, l)
		}
		f.links[l].all++
	}
	at := int32(0)
	for _, l := range f.used {
		all := f.links[l].all
		f.links[l] = linkFill{room: f.capacity[l], start: at, all: all}
		at += all
	}
	f.users = slices.Grow(f.users[:0], int(at))[:at]
	f.rate = slices.Grow(f.rate[:0], len(s.end))[:len(s.end)]
	from := int32(0)
	for flow, to := range s.end {
		f.rate[flow] = notFrozen
		if from == to {
			f.rate[flow] = 0
		}
		for k := from; k < to; k++ {
			link := &f.links[s.path[k]]
			f.users[link.start+link.growing] = int32(flow)
			link.growing++
		}
		from = to
	}
}

// freeze stops a flow at a rate, unless it is frozen.
func (f *filler) freeze(s *flowSet, flow int32, rate float64) {
	if f.rate[flow] != notFrozen {
		return
	}
	f.rate[flow] = rate
	for k := s.start(flow); k < s.end[flow]; k++ {
		link := &f.links[s.path[k]]
		link.room -= rate
		link.growing--
	}
}

// Rates describe the capacities of links.
type Rates struct {
	Gbps    float64 `json:"gbps"`    // of the fastest link, whose capacity is 1; 0 when no rate is known
	Unknown int     `json:"unknown"` // cables of unknown rate: assumed to be as fast
}

// rates returns the capacities of all links by their width and speed, or 1 each if equal is set.
func (n *Network) rates(equal bool) (r Rates, capacity []float64) {
	capacity = slices.Repeat([]float64{1}, n.links())
	fastest := int32(0)
	for l := range capacity {
		rate, _ := n.rate(l)
		fastest = max(fastest, rate)
	}
	if equal {
		return r, capacity
	}
	r.Gbps = float64(fastest) / 1000
	for l := range capacity {
		switch rate, exists := n.rate(l); {
		case rate > 0:
			capacity[l] = float64(rate) / float64(fastest)
		case exists:
			r.Unknown++
		}
	}
	r.Unknown /= 2
	return r, capacity
}

// rate returns the rate of a link in Mbit/s; 0 if unknown.
func (n *Network) rate(link int) (mbps int32, exists bool) {
	if h := link - len(n.to); h >= 0 {
		return n.g.EndRate[h], true
	}
	switch what := n.g.Attached[link]; {
	case what >= 0:
		return n.g.ChanRate[what], true
	case what == fabric.Nothing:
		return 0, false
	default:
		return n.g.EndRate[-2-what], true
	}
}
