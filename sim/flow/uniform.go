package flow

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Uniform is uniform traffic: every message goes to a target drawn anew.
type Uniform struct {
	// Hosts send to all end ports of other nodes at the full rate of a link.
	Hosts bool
	// Switches send to all other switches at this share of a link.
	Switches float64
}

// Shares of a link that senders got.
type Shares struct {
	Hosts    float64 // mean over hosts
	Least    float64 // that a host got
	Switches float64 // mean over switches
}

// InOrder estimates what senders get when all send at once, without end, to base LIDs. It
// takes a sender for a queue: what is first in it waits, and all behind it. So its targets
// get the same each, and its rate is that of its worst path; rates are max-min fair over
// senders, and links between switches all of capacity 1.
func InOrder(ctx context.Context, g *fabric.Graph, p *route.Plan, u Uniform) (Shares, error) {
	return estimate(ctx, g, p, u, false)
}

// Independent estimates the same where no message waits for one to another target: rates
// are max-min fair over pairs, and no pair gets more than its part of the load.
func Independent(ctx context.Context, g *fabric.Graph, p *route.Plan, u Uniform) (Shares, error) {
	return estimate(ctx, g, p, u, true)
}

// demandSource is a group of end ports of a switch that send alike: its hosts, or itself.
type demandSource struct {
	at    int32
	n     float64
	rate  float64 // that each asks for
	ofEnd bool    // port 0
	pairs float64 // to how many targets, all together
	first int     // its demands are first, first+1, ...
	last  int
}

func estimate(ctx context.Context, g *fabric.Graph, p *route.Plan, u Uniform, each bool) (Shares, error) {
	w := &demandWalker{g: g, p: p, hits: make([]float64, g.NumChannels)}
	d := &demands{}
	var all []demandSource
	for s := range int32(w.g.NumSwitches) {
		if err := ctx.Err(); err != nil {
			return Shares{}, err
		}
		if n := len(w.g.HostsOf(s)); u.Hosts && n > 0 {
			all = append(all, w.send(d, demandSource{at: s, n: float64(n), rate: 1}, each))
		}
		if u.Switches > 0 {
			all = append(all, w.send(d, demandSource{at: s, n: 1, rate: u.Switches, ofEnd: true}, each))
		}
	}
	rate := d.fair(w.g.NumChannels)
	out := Shares{Least: 1}
	hosts, switches := 0.0, 0.0
	for _, s := range all {
		got := s.share(rate, w.weights)
		if s.ofEnd {
			out.Switches += got
			switches++
			continue
		}
		out.Hosts += got * s.n
		hosts += s.n
		out.Least = min(out.Least, got)
	}
	if hosts > 0 {
		out.Hosts /= hosts
	}
	if switches > 0 {
		out.Switches /= switches
	}
	return out, nil
}

// share is the rate of one end port of the group.
func (s *demandSource) share(rate, weights []float64) float64 {
	sum := 0.0
	for i := s.first; i < s.last; i++ {
		sum += rate[i] * weights[i]
	}
	return sum / s.n
}

// demandWalker turns paths to base LIDs into demands.
type demandWalker struct {
	g       *fabric.Graph
	p       *route.Plan
	hits    []float64 // by channel
	touched []int32
	path    []int32
	weights []float64 // by demand: senders that have its rate
}

// send adds the demands of a sender: one, or one for each target.
func (w *demandWalker) send(d *demands, s demandSource, each bool) demandSource {
	targets := w.targets(&s)
	s.first = len(d.asked)
	for _, t := range targets {
		s.pairs += t.pairs
	}
	per := s.rate * s.n / max(s.pairs, 1) // what a pair asks for
	if each {
		for _, t := range targets {
			for _, c := range w.follow(s.at, t.end) {
				d.addLink(c, t.pairs)
			}
			d.close(per)
			w.weights = append(w.weights, t.pairs)
		}
		s.last = len(d.asked)
		return s
	}
	for _, t := range targets {
		for _, c := range w.follow(s.at, t.end) {
			if w.hits[c] == 0 {
				w.touched = append(w.touched, c)
			}
			w.hits[c] += t.pairs
		}
	}
	for _, c := range w.touched {
		d.addLink(c, w.hits[c]*s.n/s.pairs)
		w.hits[c] = 0
	}
	w.touched = w.touched[:0]
	d.close(s.rate)
	w.weights = append(w.weights, s.n)
	s.last = len(d.asked)
	return s
}

// demandTarget is an end port, and how many of a group send to it.
type demandTarget struct {
	end   int32
	pairs float64
}

// targets are the end ports that a sender reaches: for hosts, all hosts that are not
// on their own node; for a switch, all others.
func (w *demandWalker) targets(s *demandSource) []demandTarget {
	var out []demandTarget
	if s.ofEnd {
		for t := range int32(w.g.NumSwitches) {
			if end := w.g.PortZero(t); t != s.at && w.arrives(s.at, end) {
				out = append(out, demandTarget{end, 1})
			}
		}
		return out
	}
	own := map[int32]float64{} // by node: its ports here
	for _, h := range w.g.HostsOf(s.at) {
		own[w.g.EndNode[h]]++
	}
	for end := range int32(w.g.NumHosts) {
		if n := s.n - own[w.g.EndNode[end]]; n > 0 && w.g.IsHost(end) && w.arrives(s.at, end) {
			out = append(out, demandTarget{end, n})
		}
	}
	return out
}

func (w *demandWalker) arrives(s, end int32) bool { return w.follow(s, end) != nil }

// follow is the path to an end port: nil when the tables do not lead there, empty
// but not nil when it is on this switch.
func (w *demandWalker) follow(s, end int32) []int32 {
	lid := w.p.Ends.Base[end]
	if w.path == nil {
		w.path = make([]int32, 0, 16)
	}
	w.path = w.path[:0]
	for len(w.path) <= w.g.NumSwitches {
		if w.g.IsPortZero(end) && w.g.PortZero(s) == end {
			return w.path
		}
		c, host := w.g.At(s, w.p.Tables.Port(s, lid))
		if c < 0 {
			if host == end {
				return w.path
			}
			return nil
		}
		w.path = append(w.path, c)
		s = w.g.To[c]
	}
	return nil
}

// demands lists kinds of traffic that want shares of links: flows that ask for rates.
type demands struct{ flowSet }

// addLink adds a link to the demand that close completes; a unit of its rate takes an amount.
func (d *demands) addLink(link int32, amount float64) {
	d.path = append(d.path, link)
	d.amount = append(d.amount, amount)
}

// close completes a demand.
func (d *demands) close(asked float64) {
	d.asked = append(d.asked, asked)
	d.end = append(d.end, int32(len(d.path)))
}

// fair computes the max-min fair rates on links of capacity 1.
func (d *demands) fair(links int) []float64 {
	f := newFiller(slices.Repeat([]float64{1}, links))
	f.rounding = 1 + 1e-9 // sums of amounts are rounded
	f.shares(&d.flowSet)
	return f.rate
}
