package flow

import (
	"math"
	"slices"
)

// counter puts the flows of one round on the links, in parts: one, or as many as a flow is
// dealt out in. All of it is scratch memory of one worker.
type counter struct {
	n    *Network
	load []int32 // by link: parts of flows of the round
	path []int32 // links of the paths, one part after the other
	end  []int32 // by part: where its path ends in path
	hist []int64 // by congestion, in parts and units: parts of flows since settle; 0 is undelivered
	all  []int64 // by congestion: those before that

	rates *rateWeights // nil where all links are equal
}

func newCounter(n *Network, rates *rateWeights) *counter {
	return &counter{n: n, load: make([]int32, n.links()), hist: make([]int64, 2), rates: rates}
}

// rateWeights makes links count by their rates: a flow asks for what the slower link of its
// two hosts can carry, and congestion is what the flows on a link ask for over what it
// carries.
type rateWeights struct {
	asks    []int32   // by host, in rateUnits of the fastest link
	inverse []float64 // by link: of its capacity
}

// rateUnits divides what a flow asks for whose hosts have links of the fastest rate: the
// ratios of most rates are whole numbers of 60ths.
const rateUnits = 60

// rateRounding is taken off before a congestion is rounded up to units.
const rateRounding = 1e-6

// rateWeights returns nil where all links are equal.
func (n *Network) rateWeights() *rateWeights {
	_, capacity := n.rates(false)
	if !slices.ContainsFunc(capacity, func(share float64) bool { return share != 1 }) {
		return nil
	}
	r := &rateWeights{asks: make([]int32, n.g.NumHosts), inverse: make([]float64, len(capacity))}
	for link, share := range capacity {
		r.inverse[link] = 1 / share
	}
	for h := range r.asks {
		r.asks[h] = max(1, int32(math.Ceil(rateUnits*capacity[len(n.to)+h]-rateRounding)))
	}
	return r
}

// asked returns what a flow asks for, in parts of unit.
func (r *rateWeights) asked(src, dst int32) int32 {
	if r == nil {
		return 1
	}
	return min(r.asks[src], r.asks[dst])
}

// unit returns what a flow asks for between hosts of the fastest link.
func (r *rateWeights) unit() int {
	if r == nil {
		return 1
	}
	return rateUnits
}

// place walks the paths of the flows (end ports src[i] to dst[i]) and counts their
// links. reset must be called before the next round.
func (c *counter) place(src, dst []int32) {
	n := c.n
	parts := n.lids.parts
	c.path = slices.Grow(c.path[:0], len(src)*parts*n.hops)
	c.end = c.end[:0]
	var (
		path   = c.path[:cap(c.path)]
		at     = 0
		load   = c.load
		base   = n.base
		to     = n.to
		home   = n.g.EndSwitch
		inject = int32(len(to))
	)
	for i, h := range src {
		asked := c.rates.asked(h, dst[i])
		for part := range parts {
			column := n.column(n.lids.column(h, dst[i], part))
			s := home[h]
			if column[s] != 0 {
				load[inject+h] += asked
				path[at] = inject + h
				at++
				for s >= 0 {
					slot := base[s] + int32(column[s])
					load[slot] += asked
					path[at] = slot
					at++
					s = to[slot]
				}
			}
			c.end = append(c.end, int32(at))
		}
	}
	c.path = path[:at]
}

// measure adds the congestion of every part to the histogram and returns the largest.
func (c *counter) measure() int32 {
	worst, at := int32(0), int32(0)
	for _, end := range c.end {
		most := int32(0)
		if c.rates == nil {
			for _, link := range c.path[at:end] {
				most = max(most, c.load[link])
			}
		} else {
			worst := 0.0
			for _, link := range c.path[at:end] {
				worst = max(worst, float64(c.load[link])*c.rates.inverse[link])
			}
			most = int32(math.Ceil(worst - rateRounding))
		}
		at = end
		if int(most) >= len(c.hist) {
			c.hist = append(c.hist, make([]int64, int(most)+1-len(c.hist))...)
		}
		c.hist[most]++
		worst = max(worst, most)
	}
	return worst
}

// reset takes the flows off the links.
func (c *counter) reset() {
	if len(c.path) > len(c.load)/8 {
		clear(c.load)
		return
	}
	for _, link := range c.path {
		c.load[link] = 0
	}
}

// settle moves the histogram to the total and returns its sum of 1/c: the bandwidth of a
// flow is the mean over its parts of 1/c, with c in flows, and so the sum with c in parts.
func (c *counter) settle() float64 {
	inverse := 0.0
	if len(c.all) < len(c.hist) {
		c.all = append(c.all, make([]int64, len(c.hist)-len(c.all))...)
	}
	for congestion, flows := range c.hist {
		if flows > 0 && congestion > 0 {
			inverse += float64(flows) / float64(congestion) * float64(c.rates.unit())
		}
		c.all[congestion] += flows
	}
	clear(c.hist)
	return inverse
}
