package sssp

import (
	"context"
	"math"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
	"weft/route/engine/internal/shortest"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    "sssp",
		Summary: "fewest hops, each path where earlier ones put the least load; may deadlock on one lane",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithm 1; Hoefler, Schneider and Lumsdaine 2009",
		Cost:    "time O((switches + LIDs) x channels), memory O(channels) and the tables",
		Lanes:   "none",
		Options: []route.Option{UsualPasses},
		New:     func(o route.Options) (route.Engine, error) { return engine{o.Int(UsualPasses.Name)}, nil },
	}
}

// UsualPasses is the option passes of the engines that choose by the size of a network (PassesFor).
var UsualPasses = route.Option{
	Name: "passes", Default: 0, Min: 0, Max: Passes.Max,
	Doc: "times every LID is routed, from the second on beside all others, which evens out the load; 0: three in small networks, two in larger ones, one in the largest",
}

// Sizes of networks, in switches x LIDs.
const (
	small  = 1 << 18
	medium = 1 << 24
)

// PassesFor returns so many passes, or with 0 as many as suit the size of a network.
func PassesFor(in *route.Input, passes int) int {
	switch size := in.Graph.NumSwitches * int(in.Ends.Top()); {
	case passes > 0:
		return passes
	case size <= small:
		return 3
	case size <= medium:
		return 2
	}
	return 1
}

// Passes is the option of the engines that route every LID once, as the paper does, or several
// times.
var Passes = route.Option{
	Name: "passes", Default: 1, Min: 1, Max: 16,
	Doc: "times every LID is routed; from the second on each is taken back and chosen anew beside all others, which evens out the load where links are missing",
}

type engine struct{ passes int }

// Route implements route.Engine.
func (e engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := Build(ctx, in, PassesFor(in, e.passes))
	if err != nil {
		return nil, err
	}
	if in.Ends.MaxLMC() > 0 && sample.Bandwidth(in, tables, true) < alike*sample.Bandwidth(in, tables, false) {
		followBase(in, tables)
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

// alike is the share of the bandwidth over base LIDs that is as good.
const alike = .99

// followBase gives all other LIDs the path to their base LID.
func followBase(in *route.Input, tables *route.Tables) {
	for end, base := range in.Ends.Base {
		for k := 1; k < in.Ends.Count(int32(end)); k++ {
			for s := range int32(in.Graph.NumSwitches) {
				tables.Set(s, base+fabric.LID(k), tables.Port(s, base))
			}
		}
	}
}

// batch is the number of destination switches searched at once.
const batch = 16

// Build routes every LID of in.Ends, so many times: all base LIDs first, then the others.
func Build(ctx context.Context, in *route.Input, passes int) (*route.Tables, error) {
	g := in.Graph
	b := &builder{Loads: shortest.NewLoads(g), tables: route.NewTables(g.NumSwitches, in.Ends.Top()), load: make([]int64, g.NumSwitches)}
	order := b.ByHosts()
	search := func(_ int, to int32, w *shortest.Ways) { w.Search(g, b.Head, to) }
	for _, part := range columns.PartsByKind(in) {
		for pass := range passes {
			part.PortZero = part.PortZero && pass == 0 // its paths do not go by load, and stay
			err := columns.Route(ctx, in, b.tables, part, order, batch, search, func(c *columns.Columns, w *shortest.Ways) error {
				b.route(c, w, pass > 0)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return b.tables, nil
}

// builder routes one LID after the other.
type builder struct {
	*shortest.Loads
	tables *route.Tables
	load   []int64 // by switch: load on its path to the LID being routed, in units
}

// route chooses the paths to the LIDs of a destination: by load to hosts, always the same to
// port 0. In later passes (again) the paths of the earlier one are taken off the loads first.
func (b *builder) route(c *columns.Columns, w *shortest.Ways, again bool) {
	for column, lid := range c.LIDs {
		if column >= c.Hosts {
			b.chooseLowest(c, column, w)
			continue
		}
		if again {
			b.TakeBack(w.Order, b.tables, lid)
		}
		b.choose(c, column, w)
		b.Count(w.Order, shortest.Unit)
	}
}

// choose finds the least loaded of the shortest paths from every switch.
func (b *builder) choose(c *columns.Columns, column int, w *shortest.Ways) {
	channel, path := b.Load, b.load
	path[c.To] = 0
	for k, s := range w.Order[1:] {
		least := int64(math.MaxInt64)
		for _, e := range w.Exits(k) {
			least = min(least, channel[e.At()]+path[e.Head()])
		}
		best := b.G.OutStart[s] + int32(least%shortest.Unit)
		path[s] = shortest.Whole(least)
		c.Set(s, column, b.Port[best])
		b.First[s] = best
	}
}

// chooseLowest takes at every switch the shortest path to the neighbour of the lowest
// number, and of parallel links the first.
func (b *builder) chooseLowest(c *columns.Columns, column int, w *shortest.Ways) {
	for k, s := range w.Order[1:] {
		exits := w.Exits(k)
		best := exits[0]
		for _, e := range exits[1:] {
			if e.Head() < best.Head() {
				best = e
			}
		}
		c.Set(s, column, b.Port[best.At()])
	}
}
