package sssp

import (
	"context"

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
		Summary: "fewest hops, each path over the least load of earlier ones; may deadlock on one lane",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithm 1; Hoefler, Schneider and Lumsdaine 2009",
		Cost:    "time O((switches + LIDs) x channels), memory O(channels) and the tables",
		Lanes:   "none",
		Options: []route.Option{UsualPasses, firstWeight},
		New: func(o route.Options) (route.Engine, error) {
			return engine{passes: o.Int(UsualPasses.Name), first: o.Int(firstWeight.Name)}, nil
		},
	}
}

// firstWeight is the option for algorithm 1 with a finite first weight.
var firstWeight = route.Option{
	Name: "first", Default: 0, Min: 0, Max: 1 << 40,
	Doc: "the first weight of all channels, with one pass: 1 lets paths make detours, the square of the number of nodes is the paper's; 0: infinite, so that paths are minimal",
}

// UsualPasses is the option passes of engines that choose a default by network size (PassesFor).
var UsualPasses = route.Option{
	Name: "passes", Default: 0, Min: 0, Max: Passes.Max,
	Doc: "number of passes over all LIDs; from the second on each is routed again beside all others, which evens out the load; 0: three in small networks, two in larger ones, one in the largest",
}

// Size is the size of a network by switches x LIDs, which limits the forms to try on it.
type Size uint8

// The sizes.
const (
	Small  Size = iota // up to 2^17
	Medium             // up to 2^24
	Large
)

// SizeOf returns the size of a network.
func SizeOf(in *route.Input) Size {
	switch n := in.Graph.NumSwitches * int(in.Ends.Top()); {
	case n <= 1<<17:
		return Small
	case n <= 1<<24:
		return Medium
	}
	return Large
}

// PassesFor returns passes, or for 0 a number by the size of a network.
func PassesFor(in *route.Input, passes int) int {
	if passes > 0 {
		return passes
	}
	return [...]int{Small: 3, Medium: 2, Large: 1}[SizeOf(in)]
}

// Passes is the option passes of engines that by default route every LID once, as the paper does.
var Passes = route.Option{
	Name: "passes", Default: 1, Min: 1, Max: 16,
	Doc: "number of passes over all LIDs; from the second on each is routed again beside all others, which evens out the load if links are missing",
}

type engine struct{ passes, first int }

// Route implements route.Engine.
func (e engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	if e.first > 0 {
		tables, err := weighted(ctx, in, int64(e.first))
		return &route.Plan{Ends: in.Ends, Tables: tables}, err
	}
	tables, err := Build(ctx, in, PassesFor(in, e.passes))
	if err != nil {
		return nil, err
	}
	if in.Ends.MaxLMC() > 0 && sample.Bandwidth(in, tables, true) < sample.AsGood*sample.Bandwidth(in, tables, false) {
		followBase(in, tables)
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

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

// Build routes every LID of in.Ends in so many passes: all base LIDs first, then the others.
func Build(ctx context.Context, in *route.Input, passes int) (*route.Tables, error) {
	b := NewBuilder(in)
	for _, part := range columns.PartsByKind(in) {
		if err := b.Route(ctx, part, passes); err != nil {
			return nil, err
		}
	}
	return b.Tables, nil
}

// Builder routes one part of the LIDs after another.
type Builder struct {
	*shortest.Loads // of the paths so far
	Tables          *route.Tables
	in              *route.Input
	order           []int32 // destinations
	hosted          []int32 // destinations with hosts
}

// NewBuilder returns a Builder with empty tables.
func NewBuilder(in *route.Input) *Builder {
	b := &Builder{Loads: shortest.NewLoads(in.Graph), Tables: route.NewTables(in.Graph.NumSwitches, in.Ends.Top()), in: in}
	b.order = b.ByHosts()
	b.hosted = b.Hosted(b.order)
	return b
}

// Route routes the LIDs of a part in so many passes.
func (b *Builder) Route(ctx context.Context, part columns.Part, passes int) error {
	search := func(_ int, to int32, w *shortest.Ways) { w.Search(b.G, b.Head, to) }
	for pass := range passes {
		part.PortZero = part.PortZero && pass == 0 // its paths do not go by load, and stay
		order := b.hosted
		if part.PortZero {
			order = b.order
		}
		part.Again = pass > 0
		err := columns.Route(ctx, b.in, b.Tables, part, order, batch, search, func(c *columns.Columns, w *shortest.Ways) error {
			b.choose(c, w, part.Again)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// choose chooses the paths to the LIDs of a destination: by load to hosts, always the same to port
// 0. In later passes (again) it first takes the paths of the previous pass off the loads.
func (b *Builder) choose(c *columns.Columns, w *shortest.Ways, again bool) {
	for column := range c.LIDs {
		if column >= c.Hosts {
			b.chooseLowest(c, column, w)
			continue
		}
		if again {
			b.Read(c, column, w.Order)
			b.Count(w.Order, -shortest.Unit)
		}
		b.Choose(c, column, w)
		b.Count(w.Order, shortest.Unit)
	}
}

// chooseLowest takes at every switch the shortest path to the neighbour with the lowest number,
// over the first of parallel links.
func (b *Builder) chooseLowest(c *columns.Columns, column int, w *shortest.Ways) {
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
