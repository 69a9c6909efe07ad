package nue

import (
	"context"
	"slices"

	"weft/route/engine/internal/sample"
)

const (
	trialWork  = 1 << 20 // channels looked at in a trial
	trialLIDs  = 4       // trees to a destination switch that are chosen, when it has as many hosts
	boostWork  = 1 << 22 // channels looked at for all rounds of one order
	mostRounds = 16

	// An order is good when at most one path of these goes around, and it forbids at most one
	// of these turns.
	pathsAround    = 256
	turnsForbidden = 16
)

// result holds what a trial says of an order.
type result struct {
	squares float64 // sum of the squares of the loads of channels
	load    []int64 // by position in Out, with that of the lanes before
	around  int64   // paths that are longer than the shortest of the network
	paths   int64
}

// isGood reports whether no other order needs to be tried. That few paths go around is not
// enough: up*/down* can do with shortest paths alone in a small torus, but has few of
// the many, and crowds its root.
func (d *designer) isGood(a *attempt) bool {
	all := int64(0)
	for _, w := range d.weight {
		all += w
	}
	return a.around <= a.paths/pathsAround && a.order.forbiddenWeight(d.weight) <= all/turnsForbidden
}

// pickSample picks destinations with hosts for the trials.
func (d *designer) pickSample() {
	d.sample = sample.Spread(sample.Hosted(d.turns.Graph, d.to), max(1, trialWork/len(d.turns.Graph.Out)))
}

// trial routes the sample by an order. The pairs whose paths go around gain weight in
// the spreader, if it has weights.
func (d *designer) trial(o *order, s *spreader) result {
	g := d.turns.Graph
	l, b, w := newLane(o, d.parts), newChooser(g), &ways{}
	copy(b.load, d.earlier)
	v := result{load: b.load}
	for _, to := range d.sample {
		w.search(l, to)
		n := sample.Weight(g, to)
		for k, trees := int64(0), min(n, trialLIDs); k < trees; k++ {
			b.choose(l, w, n*(k+1)/trees-n*k/trees)
		}
		s.search.From(to)
		around := func(u int32) int64 {
			if b.hops[u] > s.search.Hops[u] {
				return sample.Weight(g, u) * n
			}
			return 0
		}
		for _, u := range w.order[1:] {
			v.paths += sample.Weight(g, u) * n
			v.around += around(u)
		}
		if s.weight != nil {
			s.deal(to, around)
		}
	}
	v.squares = b.squares()
	return v
}

// boost improves an order in rounds: the turns of the paths that are longer than the
// shortest gain the weight of their pairs, and the channels are sifted again. The best
// of all rounds is returned.
func (d *designer) boost(ctx context.Context, best attempt) attempt {
	s := newSpreader(d.turns, slices.Clone(d.weight))
	o := best.order.clone()
	d.trial(o, s)
	rounds := min(mostRounds, d.share(boostWork/(len(d.sample)*len(d.turns.Graph.Out))))
	for ; rounds > 0 && ctx.Err() == nil; rounds-- {
		o.sift(s.weight)
		if v := d.trial(o, s); v.squares < best.squares {
			best = attempt{o.clone(), best.root, v}
		}
	}
	return best
}
