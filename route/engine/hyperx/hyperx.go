package hyperx

import (
	"context"
	"math"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
	"weft/route/lanes"
)

// Name is the engine's name.
const Name = "hyperx"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on HyperX, full meshes and hypercubes, shortest paths around failures; deadlock-free",
		Paper:   "Ahn, Binkert, Davis, McLaren and Schreiber, HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks, 2009",
		Cost:    "time O(switches x (channels + LIDs)), with failures also the dependencies of all pairs of switches; memory the tables, with failures 8 bytes a pair",
		Lanes:   "online", // one on whole networks
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route implements route.Engine. It refuses networks of another shape, and networks that need too
// many lanes.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	boxes := make([]*coords.HyperX, in.Graph.NumSwitches)
	whole := true
	for _, part := range coords.Parts(in.Graph) {
		box, err := coords.FindHyperX(part)
		if err != nil {
			return nil, route.Refuse(Name, "", "not a HyperX: %v", err)
		}
		for _, s := range part.Switches {
			boxes[s] = box
		}
		whole = whole && box.Whole
	}
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(in.Graph.NumSwitches, in.Ends.Top())}
	if err := fill(ctx, in, boxes, plan.Tables); err != nil || whole {
		return plan, err
	}
	found, err := lanes.LongestFirst(ctx, lanes.BySwitch(in, plan.Tables), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	return plan, found.Fill(Name, in.Graph, in.MaxVLs, plan)
}

// batch is the number of destinations searched at once.
const batch = 32

// fill routes every LID: all base LIDs first, then the others, one kind of hosts after another.
func fill(ctx context.Context, in *route.Input, boxes []*coords.HyperX, tables *route.Tables) error {
	g := in.Graph
	l := shortest.NewLoads(g)
	search := func(_ int, to int32, w *shortest.Ways) {
		w.Search(g, l.Head, to)
		w.Narrow(func(s int32, exits []shortest.Exit) int { return inFirst(boxes[s], s, exits) })
	}
	for _, part := range columns.PartsByKind(in) {
		err := columns.Route(ctx, in, tables, part, fabric.Numbers(g.NumSwitches), batch, search, func(c *columns.Columns, w *shortest.Ways) error {
			for column := range c.N {
				if column < c.Hosts {
					l.Choose(c, column, w)
					l.Count(w.Order, shortest.Unit)
					continue
				}
				for k, s := range w.Order[1:] {
					c.Set(s, column, l.Port[w.Exits(k)[0].At()])
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inFirst moves a switch's channels in the first dimension that has any to the front, and counts
// them.
func inFirst(b *coords.HyperX, s int32, exits []shortest.Exit) (n int) {
	first := math.MaxInt
	for _, e := range exits {
		dim := b.Dimension(b.Local[s], b.Local[e.Head()])
		if dim < first {
			first, n = dim, 0
		}
		if dim == first {
			exits[n] = e
			n++
		}
	}
	return n
}
