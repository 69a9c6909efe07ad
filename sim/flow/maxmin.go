package flow

import (
	"math"
	"slices"

	"weft/fabric"
)

// filler computes max-min fair shares by progressive filling: all flows grow alike
// until a link is full; its flows are frozen, and the others go on. All of it is
// scratch memory of one worker.
type filler struct {
	capacity []float64 // by link

	room  []float64 // by link: capacity that frozen flows leave
	alive []int32   // by link: flows that still grow
	start []int32   // by link: its flows are users[start:start+all]
	all   []int32
	used  []int32 // links with flows
	users []int32
	rate  []float64 // by flow; 0 while it grows, and for good if it is undelivered
}

func newFiller(capacity []float64) *filler {
	links := len(capacity)
	return &filler{
		capacity: capacity,
		room:     make([]float64, links), alive: make([]int32, links),
		start: make([]int32, links), all: make([]int32, links),
	}
}

// full is the share of rounding that two links may differ by and count as full at
// once. It only saves rounds: a link that is left waits for the next one.
const full = 1 + 1e-12

// shares computes the rates of flows, which path and end give as counter does, and
// returns their sum.
func (f *filler) shares(path, end []int32) float64 {
	f.index(path, end)
	f.rate = slices.Grow(f.rate[:0], len(end))[:len(end)]
	clear(f.rate)
	for active := slices.Clone(f.used); len(active) > 0; {
		least := math.Inf(1)
		for _, l := range active {
			least = min(least, f.room[l]/float64(f.alive[l]))
		}
		for _, l := range active {
			if f.alive[l] > 0 && f.room[l] <= least*full*float64(f.alive[l]) {
				f.freeze(l, least, path, end)
			}
		}
		active = slices.DeleteFunc(active, func(l int32) bool { return f.alive[l] == 0 })
	}
	for _, l := range f.used {
		f.all[l] = 0
	}
	sum := 0.0
	for _, r := range f.rate {
		sum += r
	}
	return sum
}

// index lists the flows of every link.
func (f *filler) index(path, end []int32) {
	f.used = f.used[:0]
	for _, l := range path {
		if f.all[l] == 0 {
			f.used = append(f.used, l)
		}
		f.all[l]++
	}
	at := int32(0)
	for _, l := range f.used {
		f.start[l] = at
		at += f.all[l]
		f.room[l], f.alive[l] = f.capacity[l], 0
	}
	f.users = slices.Grow(f.users[:0], int(at))[:at]
	from := int32(0)
	for flow, to := range end {
		for _, l := range path[from:to] {
			f.users[f.start[l]+f.alive[l]] = int32(flow)
			f.alive[l]++
		}
		from = to
	}
}

// freeze stops the flows of a full link at a rate.
func (f *filler) freeze(link int32, rate float64, path, end []int32) {
	for _, flow := range f.users[f.start[link] : f.start[link]+f.all[link]] {
		if f.rate[flow] > 0 {
			continue
		}
		f.rate[flow] = rate
		from := int32(0)
		if flow > 0 {
			from = end[flow-1]
		}
		for _, l := range path[from:end[flow]] {
			f.room[l] -= rate
			f.alive[l]--
		}
	}
}

// Rates say what the capacities of links are.
type Rates struct {
	Gbps    float64 `json:"gbps"`    // of the fastest link, whose capacity is 1; 0 when no rate is known
	Unknown int     `json:"unknown"` // cables whose rate is not known: they are taken to be as fast
}

// rates are the capacities of all links by their width and speed, or 1 each.
func (n *Network) rates(equal bool) (r Rates, capacity []float64) {
	capacity = make([]float64, n.links())
	fastest := int32(0)
	for l := range capacity {
		capacity[l] = 1
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

// rate is the rate of a link in Mbit/s, 0 when it is not known.
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
