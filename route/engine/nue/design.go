package nue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"weft/internal/par"
	"weft/route"
)

// What is tried for a lane: as much as keeps it short.
const (
	mostRoots  = 8
	startWork  = 1 << 22 // turns of all orders that are sifted alone
	grantWork  = 1 << 28 // turns x channels of those that get edges first
	grantSteps = 1 << 26 // turns looked at for the edges of one order
	trialWork  = 1 << 22 // channels looked at in a trial
)

// designer finds the order of the channels of one lane.
type designer struct {
	in     *route.Input
	t      *turns
	p      *parts
	to     []int32 // destination switches of the lane
	weight []int64 // by turn
	wanted []wish  // turns with weight, the weightiest first
}

// wish is a turn with its weight.
type wish struct {
	c, d   int32
	weight int64
}

// design finds the order for the destinations of a lane. The first is that of
// up*/down* from a switch with hosts: where it allows every shortest path between
// hosts, as in a fat-tree, nothing else is tried. Otherwise the orders from several
// roots are sifted, the best of these roots start again with edges, and the order that
// spreads the traffic of a sample of destinations best is taken.
func (d *designer) design(ctx context.Context) (*order, error) {
	first := d.start(0)
	if first.against(d.weight) == 0 {
		return first, nil
	}
	roots := min(mostRoots, max(1, startWork/d.t.size))
	starts, err := d.try(ctx, roots, d.start)
	if err != nil {
		return nil, err
	}
	d.wish()
	grants := min(roots, max(1, grantWork/(d.t.size*d.t.g.NumChannels)))
	granted, err := d.try(ctx, grants, func(i int) *order {
		o := d.start(starts[i].root)
		d.grant(o, rand.New(rand.NewPCG(d.in.Seed, uint64(i))))
		return o
	})
	if err != nil {
		return nil, err
	}
	if granted[0].crowding < starts[0].crowding {
		return granted[0].order, nil
	}
	return starts[0].order, nil
}

// attempt is an order that was tried.
type attempt struct {
	order    *order
	root     int
	crowding float64
}

// try makes n orders, improves and tries each, and sorts them, the best first.
func (d *designer) try(ctx context.Context, n int, start func(i int) *order) ([]attempt, error) {
	list := make([]attempt, n)
	err := par.For(ctx, d.in.Workers, n, func(_, i int) error {
		o := start(i)
		o.sift(d.weight)
		list[i] = attempt{o, i, d.trial(o)}
		return ctx.Err()
	})
	slices.SortStableFunc(list, func(x, y attempt) int { return cmp.Compare(x.crowding, y.crowding) })
	return list, err
}

// start is the order of up*/down* from the k-th choice of roots, with its tree's turns.
func (d *designer) start(k int) *order {
	var roots []int32
	for _, hosted := range d.p.hosted {
		few := spread(hosted, mostRoots)
		roots = append(roots, few[k%len(few)])
	}
	e := newEscape(d.t.g, roots)
	o := newOrder(d.t, e.channels())
	e.use(o)
	return o
}

// wish lists the turns that shortest paths make.
func (d *designer) wish() {
	for c := range int32(len(d.t.row)) {
		row := d.t.row[c]
		for k, next := range d.t.g.OutOf(d.t.g.To[c]) {
			if w := d.weight[row+k]; w > 0 {
				d.wanted = append(d.wanted, wish{c, next, w})
			}
		}
	}
	slices.SortStableFunc(d.wanted, func(x, y wish) int { return int(min(1, max(-1, y.weight-x.weight))) })
}

// grant makes edges of the turns, the weightiest first, where they close no cycle;
// equal ones in random order, as long as there are steps left.
func (d *designer) grant(o *order, rng *rand.Rand) {
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
		if o.steps > grantSteps {
			break
		}
		if o.free(w.c) && o.free(w.d) {
			o.use(w.c, w.d)
		}
	}
}

// trial routes a sample of destinations with hosts, and adds up the squares of the
// loads of the channels.
func (d *designer) trial(o *order) float64 {
	var hosted []int32
	for _, s := range d.to {
		if weight(d.t.g, s) > 0 {
			hosted = append(hosted, s)
		}
	}
	l := newLane(o, d.p)
	b := newChooser(d.t.g)
	w := &ways{}
	for _, s := range spread(hosted, max(1, trialWork/len(d.t.g.Out))) {
		w.search(l, s)
		b.choose(l, w, weight(d.t.g, s))
	}
	sum := 0.0
	for _, n := range b.load {
		sum += float64(n) * float64(n)
	}
	return sum
}
