package nue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

// Limits of the attempts for a lane, to keep them short.
const (
	mostRoots   = 8
	siftedWork  = 1 << 22 // turns of all orders that are only sifted
	mostOrdered = 4       // orders made by demand
	orderedWork = 1 << 28 // turns x channels of these
	orderSteps  = 1 << 24 // turns visited for one of these
	mostBoosts  = 2       // orders that are improved further
	undivided   = 128     // switches up to which each of several lanes makes as many attempts as one
)

// designer finds the order of the channels of one lane.
type designer struct {
	in      *route.Input
	turns   *cdg.Index
	parts   *parts
	lanes   int            // number that share the work
	to      []int32        // destination switches of the lane
	weight  []int64        // by turn
	earlier []int64        // loads of the previous lanes, by position in Out
	sample  []int32        // destination switches of the trials
	wanted  []weightedTurn // turns with weight, the weightiest first
}

// weightedTurn is a turn from channel c into channel d, with its weight.
type weightedTurn struct {
	c, d   int32
	weight int64
}

// design finds the order for the destinations of a lane. The first attempt is up*/down* from a
// switch with hosts. If that allows every shortest path between hosts, as in a fat-tree, design
// tries nothing else; if it nearly does after sifting, little else. Otherwise design sifts the
// orders from several roots. The best of these roots start again with an order by demand. The best
// orders of all are boosted, and the winner spreads the traffic of a sample of destinations best.
func (d *designer) design(ctx context.Context) (attempt, error) {
	if o := d.start(0); o.forbiddenWeight(d.weight) == 0 {
		return attempt{order: o, result: result{load: d.earlier}}, nil
	}
	d.pickSample()
	list, err := d.tryAll(ctx, 0, 1, d.start)
	if err != nil || d.isGood(&list[0]) {
		return list[0], err
	}
	roots := d.share(min(mostRoots, siftedWork/d.turns.Size))
	more, err := d.tryAll(ctx, 1, roots, d.start)
	if err != nil {
		return attempt{}, err
	}
	list = append(list, more...)
	sortByLoads(list)
	d.listWanted()
	ordered := d.share(min(roots, mostOrdered, orderedWork/(d.turns.Size*d.turns.Graph.NumChannels)))
	more, err = d.tryAll(ctx, 0, ordered, func(i int) *order {
		return d.byDemand(d.escape(list[i].root), rand.New(rand.NewPCG(d.in.Seed, uint64(i))))
	})
	if err != nil {
		return attempt{}, err
	}
	list = append(list, more...)
	sortByLoads(list)
	list = list[:min(len(list), d.share(mostBoosts))]
	err = par.For(ctx, d.in.Workers, len(list), func(_, i int) error {
		list[i] = d.boost(ctx, list[i])
		return ctx.Err()
	})
	sortByLoads(list)
	return list[0], err
}

// share returns one lane's share of some work: all of it in a small network.
func (d *designer) share(n int) int {
	if d.turns.Graph.NumSwitches <= undivided {
		return n
	}
	return max(1, n/d.lanes)
}

// attempt is a tried order with its result.
type attempt struct {
	order *order
	root  int
	result
}

// sortByLoads sorts attempts, the one with the most even loads first.
func sortByLoads(list []attempt) {
	slices.SortStableFunc(list, func(x, y attempt) int { return cmp.Compare(x.squares, y.squares) })
}

// tryAll makes the orders of a range of numbers, sifts and tries each.
func (d *designer) tryAll(ctx context.Context, from, to int, start func(i int) *order) ([]attempt, error) {
	list := make([]attempt, to-from)
	err := par.For(ctx, d.in.Workers, len(list), func(_, i int) error {
		o := start(from + i)
		o.sift(d.weight)
		list[i] = attempt{o, from + i, d.trial(o, newSpreader(d.turns, nil))}
		return ctx.Err()
	})
	return list, err
}

// start returns the up*/down* order from the k-th choice of roots.
func (d *designer) start(k int) *order {
	e := d.escape(k)
	o := newOrder(d.turns, e.channels())
	e.fix(o)
	return o
}

// escape returns the spanning trees from the k-th choice of roots.
func (d *designer) escape(k int) *escape {
	var roots []int32
	for _, hosted := range d.parts.hosted {
		few := sample.Spread(hosted, mostRoots)
		roots = append(roots, few[k%len(few)])
	}
	return newEscape(d.turns.Graph, roots)
}

// listWanted lists the turns of shortest paths.
func (d *designer) listWanted() {
	g := d.turns.Graph
	for c, row := range d.turns.Row {
		for k, next := range g.OutOf(g.To[c]) {
			if w := d.weight[row+k]; w > 0 {
				d.wanted = append(d.wanted, weightedTurn{int32(c), next, w})
			}
		}
	}
	slices.SortStableFunc(d.wanted, func(x, y weightedTurn) int { return cmp.Compare(y.weight, x.weight) })
}

// byDemand returns an order of the channels. First it fixes the turns of an escape tree so that
// they ascend. Then it adds wanted turns while there are steps left, the weightiest first, equal
// ones in random order. A turn that closes a cycle is not added.
func (d *designer) byDemand(e *escape, rng *rand.Rand) *order {
	list := slices.Clone(d.wanted)
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].weight == list[from].weight {
			to++
		}
		equal := list[from:to]
		rng.Shuffle(len(equal), func(i, j int) { equal[i], equal[j] = equal[j], equal[i] })
		from = to
	}
	g, start := d.turns.Graph, newOrder(d.turns, e.channels())
	e.fix(start)
	o := cdg.NewOrder(d.turns, e.channels(), cdg.Exchange)
	for c, row := range d.turns.Row {
		for k := range g.OutOf(g.To[c]) {
			if start.fixed[row+k] {
				o.Link(int32(c), int32(k))
			}
		}
	}
	for _, w := range list {
		if o.Steps() > orderSteps {
			break
		}
		if start.free(w.c) && start.free(w.d) {
			o.Add([]cdg.Edge{{C: w.c, D: w.d}})
		}
	}
	done := newOrder(d.turns, o.Channels())
	done.fixed = start.fixed
	return done
}
