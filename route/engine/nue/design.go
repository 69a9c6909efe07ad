package nue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"weft/internal/par"
	"weft/route"
	"weft/route/cdg"
	"weft/route/engine/internal/sample"
)

// What is tried for a lane: as much as keeps it short.
const (
	mostRoots  = 8
	startWork  = 1 << 22 // turns of all orders that are sifted alone
	mostGrants = 4
	grantWork  = 1 << 28 // turns x channels of those that get edges first
	grantSteps = 1 << 24 // turns looked at for the edges of one order
	mostBoosts = 2       // orders that are improved further
)

// designer finds the order of the channels of one lane.
type designer struct {
	in      *route.Input
	t       *cdg.Index
	p       *parts
	lanes   int     // that share the work
	to      []int32 // destination switches of the lane
	weight  []int64 // by turn
	earlier []int64 // loads of the lanes before, by position in Out
	sample  []int32 // destination switches of the trials
	wanted  []wish  // turns with weight, the weightiest first
}

// wish is a turn with its weight.
type wish struct {
	c, d   int32
	weight int64
}

// design finds the order for the destinations of a lane. The first is that of
// up*/down* from a switch with hosts: where it allows every shortest path between
// hosts, as in a fat-tree, nothing else is tried, and little else where sifted it
// nearly does. Otherwise the orders from several roots are sifted, the best of these
// roots start again with edges, the best of all are boosted, and the order is taken that
// spreads the traffic of a sample of destinations best.
func (d *designer) design(ctx context.Context) (attempt, error) {
	if o := d.start(0); o.against(d.weight) == 0 {
		return attempt{order: o, verdict: verdict{load: d.earlier}}, nil
	}
	d.pick()
	list, err := d.try(ctx, 0, 1, d.start)
	if err != nil || d.good(&list[0]) {
		return list[0], err
	}
	roots := d.part(min(mostRoots, startWork/d.t.Size))
	more, err := d.try(ctx, 1, roots, d.start)
	if err != nil {
		return attempt{}, err
	}
	list = append(list, more...)
	rank(list)
	d.wish()
	grants := d.part(min(roots, mostGrants, grantWork/(d.t.Size*d.t.Graph.NumChannels)))
	more, err = d.try(ctx, 0, grants, func(i int) *order {
		e := d.escape(list[i].root)
		o := newOrder(d.t, e.channels())
		e.fix(o)
		o = newOrder(d.t, d.byDemand(e.channels(), o.fixed, rand.New(rand.NewPCG(d.in.Seed, uint64(i)))))
		e.fix(o)
		return o
	})
	if err != nil {
		return attempt{}, err
	}
	list = append(list, more...)
	rank(list)
	list = list[:min(len(list), d.part(mostBoosts))]
	err = par.For(ctx, d.in.Workers, len(list), func(_, i int) error {
		list[i] = d.boost(ctx, list[i])
		return ctx.Err()
	})
	rank(list)
	return list[0], err
}

// part is the part of some work that one lane may do.
func (d *designer) part(n int) int { return max(1, n/d.lanes) }

// attempt is an order that was tried.
type attempt struct {
	order *order
	root  int
	verdict
}

// rank sorts attempts, the best first.
func rank(list []attempt) {
	slices.SortStableFunc(list, func(x, y attempt) int { return cmp.Compare(x.crowding, y.crowding) })
}

// try makes the orders of some numbers, sifts and tries each.
func (d *designer) try(ctx context.Context, from, to int, start func(i int) *order) ([]attempt, error) {
	list := make([]attempt, to-from)
	err := par.For(ctx, d.in.Workers, len(list), func(_, i int) error {
		o := start(from + i)
		o.sift(d.weight)
		list[i] = attempt{o, from + i, d.trial(o, newShare(d.t, nil))}
		return ctx.Err()
	})
	return list, err
}

// start returns the order of up*/down* from the k-th choice of roots.
func (d *designer) start(k int) *order {
	e := d.escape(k)
	o := newOrder(d.t, e.channels())
	e.fix(o)
	return o
}

// escape returns the spanning trees from the k-th choice of roots.
func (d *designer) escape(k int) *escape {
	var roots []int32
	for _, hosted := range d.p.hosted {
		few := sample.Spread(hosted, mostRoots)
		roots = append(roots, few[k%len(few)])
	}
	return newEscape(d.t.Graph, roots)
}

// wish lists the turns that shortest paths make.
func (d *designer) wish() {
	for c := range int32(len(d.t.Row)) {
		row := d.t.Row[c]
		for k, next := range d.t.Graph.OutOf(d.t.Graph.To[c]) {
			if w := d.weight[row+k]; w > 0 {
				d.wanted = append(d.wanted, wish{c, next, w})
			}
		}
	}
	slices.SortStableFunc(d.wanted, func(x, y wish) int { return int(min(1, max(-1, y.weight-x.weight))) })
}

// byDemand orders channels anew: as many turns as it can ascend, the weightiest first,
// equal ones in random order. Fixed turns go before all.
func (d *designer) byDemand(channels []int32, fixed []bool, rng *rand.Rand) []int32 {
	o := cdg.NewOrder(d.t, channels, cdg.Exchange)
	for c, row := range d.t.Row {
		for k := range d.t.Graph.OutOf(d.t.Graph.To[c]) {
			if fixed[row+k] {
				o.Link(int32(c), int32(k))
			}
		}
	}
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
	for _, w := range list {
		if o.Steps() > grantSteps {
			break
		}
		if g := d.t.Graph; !g.Drained[g.From[w.c]] && !g.Drained[g.To[w.c]] && !g.Drained[g.To[w.d]] {
			o.Add([]cdg.Edge{{C: w.c, D: w.d}})
		}
	}
	return o.Channels()
}
