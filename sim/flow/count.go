package flow

import (
	"math"
	"slices"
)

// counter puts the flows of one round on the links, in parts: one part, or one for each LID of the
// target. It is scratch memory of one worker.
type counter struct {
	n    *Network
	load []int32 // by link: parts of flows of the round
	path []int32 // links of the paths, one part after the other
	end  []int32 // by part: where its path ends in path
	hist []int64 // by congestion, in parts and units: parts of flows since settle; 0 is undelivered
	all  []int64 // by congestion: parts of flows before the last settle

	rates *rateWeights // nil where all links are equal
}

func newCounter(n *Network, rates *rateWeights) *counter {
	return &counter{n: n, load: make([]int32, n.links()), hist: make([]int64, 2), rates: rates}
}

// rateWeights weights links by rate. A flow asks for what the slower link of its two hosts can
// carry; the congestion of a link is the sum of these demands divided by its capacity.
type rateWeights struct {
	asks    []int32   // demand by host, in rateUnits of the fastest link
	inverse []float64 // by link: 1 / capacity
}

// rateUnits divides the demand of a flow between hosts of the fastest rate: the ratios of most
// rates are whole numbers of 60ths.
const rateUnits = 60

// rateRounding is subtracted before a congestion is rounded up to units.
const rateRounding = 1e-6

// rateWeights returns the weights of all links; nil if all links are equal.
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

// asked returns the demand of a flow, in parts of unit.
func (r *rateWeights) asked(src, dst int32) int32 {
	if r == nil {
		return 1
	}
	return min(r.asks[src], r.asks[dst])
}

// unit returns the demand of a flow between hosts of the fastest rate.
func (r *rateWeights) unit() int {
	if r == nil {
		return 1
	}
	return rateUnits
}

// place walks the paths of the flows from end ports src[i] to dst[i] and counts the flows on each
// link. Call reset before the next round.
func (c *counter) place(src, dst []int32) {
	n := c.n
	parts := n.lids.parts
	c.path = slices.Grow(c.path[:0], (len(src)+atOnce)*parts*n.hops)
	c.end = c.end[:0]
	path, at, first := c.path[:cap(c.path)], 0, 0
	if parts == 1 {
		for ; first+atOnce <= len(src); first += atOnce {
			at = c.placeSome((*[atOnce]int32)(src[first:]), (*[atOnce]int32)(dst[first:]), path, at)
		}
	}
	c.path = path[:c.placeRest(src[first:], dst[first:], path, at)]
}

// atOnce is the number of flows that are walked together. Each step of a walk waits for memory;
// several walks wait together.
const atOnce = 8

// placeSome walks flows of one part together. Paths continue at a place of path; it returns their
// end. There is room for a path of most links for each.
func (c *counter) placeSome(src, dst *[atOnce]int32, path []int32, at int) int {
	n := c.n
	var (
		column [atOnce][]uint8
		s      [atOnce]int32 // switch of each flow, negative at its end
		links  [atOnce]int   // of each path
		asked  [atOnce]int32
		inject = int32(len(n.to))
		most   = n.hops
		some   = path[at:][:atOnce*most]
	)
	for k := range atOnce {
		column[k] = n.column(n.lids.column(src[k], dst[k], 0))
		s[k], asked[k] = n.g.EndSwitch[src[k]], c.rates.asked(src[k], dst[k])
	}
	for k := range atOnce {
		if column[k][s[k]] == 0 {
			s[k] = arrived
			continue
		}
		c.load[inject+src[k]] += asked[k]
		some[k*most], links[k] = inject+src[k], 1
	}
	for going := true; going; {
		going = false
		for k := range atOnce {
			if s[k] < 0 {
				continue
			}
			slot := n.base[s[k]] + int32(column[k][s[k]])
			c.load[slot] += asked[k]
			some[k*most+links[k]] = slot
			links[k]++
			s[k] = n.to[slot]
			going = true
		}
	}
	for k := range atOnce {
		at += copy(path[at:], some[k*most:][:links[k]])
		c.end = append(c.end, int32(at))
	}
	return at
}

// placeRest walks flows one after the other. Paths continue at a place of path; it returns their
// end.
func (c *counter) placeRest(src, dst, path []int32, at int) int {
	n := c.n
	parts := n.lids.parts
	var (
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
	return at
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

// reset removes the flows from the links.
func (c *counter) reset() {
	if len(c.path) > len(c.load)/8 {
		clear(c.load)
		return
	}
	for _, link := range c.path {
		c.load[link] = 0
	}
}

// settle adds the histogram to the total and returns its sum of 1/c. The bandwidth of a flow is the
// mean of 1/c over its parts, with c counted in flows, and so the sum of 1/c with c in parts.
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
