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

	// Where links count by their rates: what a flow asks for, by host of its ends, and the
	// inverse of the capacity of each link; nil where all are equal.
	asks    []int32
	inverse []float64
	unit    int // what a flow between hosts of the fastest link asks for
}

func newCounter(n *Network) *counter {
	return &counter{n: n, load: make([]int32, n.links()), hist: make([]int64, 2), unit: 1}
}

// rateUnits is what a flow asks for whose hosts have links of the fastest rate: the ratios
// of most rates are whole numbers of 60ths.
const rateUnits = 60

// rounding is taken off before a congestion is rounded up to units.
const rounding = 1e-6

// weigh makes links count by their rates: a flow asks for what the slower link of its two
// hosts can carry, and congestion is what the flows on a link ask for over what it carries.
func (c *counter) weigh() {
	_, capacity := c.n.rates(false)
	if !slices.ContainsFunc(capacity, func(share float64) bool { return share != 1 }) {
		return
	}
	c.unit, c.inverse, c.asks = rateUnits, make([]float64, len(capacity)), make([]int32, c.n.g.NumHosts)
	for link, share := range capacity {
		c.inverse[link] = 1 / share
	}
	for h := range c.asks {
		c.asks[h] = max(1, int32(math.Ceil(rateUnits*capacity[len(c.n.to)+h]-rounding)))
	}
}

// asked is what a flow asks for.
func (c *counter) asked(src, dst int32) int32 {
	if c.asks == nil {
		return 1
	}
	return min(c.asks[src], c.asks[dst])
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
		asked := c.asked(h, dst[i])
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
		if c.inverse == nil {
			for _, link := range c.path[at:end] {
				most = max(most, c.load[link])
			}
		} else {
			worst := 0.0
			for _, link := range c.path[at:end] {
				worst = max(worst, float64(c.load[link])*c.inverse[link])
			}
			most = int32(math.Ceil(worst - rounding))
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
			inverse += float64(flows) / float64(congestion) * float64(c.unit)
		}
		c.all[congestion] += flows
	}
	clear(c.hist)
	return inverse
}
