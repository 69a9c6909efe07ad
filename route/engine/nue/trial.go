package nue

import (
	"context"
	"slices"

	"weft/route/engine/internal/sample"
)

const (
	trialWork  = 1 << 20 // channels visited in a trial
	trialLIDs  = 4       // trees to a destination switch in a trial, if it has as many hosts
	boostWork  = 1 << 22 // channels visited in all rounds of one order
	mostRounds = 16

	// An order is good if at most one path in pathsAround takes a detour, and it forbids at most
	// one turn in turnsForbidden.
	pathsAround    = 256
	turnsForbidden = 16
)

// result holds the figures of a trial.
type result struct {
	squares float64 // sum of the squares of the loads of channels
	load    []int64 // by position in Out, including the previous lanes
	around  int64   // paths longer than the shortest of the network
	paths   int64
}

// isGood reports whether no other order needs a try. Few detours are not enough: in a small torus
// up*/down* can use shortest paths alone, but has few of the many, and crowds its root.
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

// trial routes the sample by an order. Pairs with a detour gain weight in the spreader, if it has
// weights.
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

// boost improves an order in rounds: the turns of paths longer than the shortest gain the weight of
// their pairs, and the channels are sifted again. It returns the best of all rounds.
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
