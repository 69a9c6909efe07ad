package lash

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/lanes"
)

// Name is the engine's name.
const Name = "lash"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "one shortest path for each pair of switches, on the first lane where it closes no cycle",
		Paper:   "Lysne, Skeie, Reinemo and Theiss 2006; compared in Domke, Hoefler and Nagel 2011 (paper 003)",
		Cost:    "time O(switches x (channels + LIDs)) and the dependencies of all pairs of switches; memory 8 bytes a pair of switches",
		Lanes:   "online",
		Options: []route.Option{
			{Name: "balance", Default: false, Doc: "spread the pairs over all lanes that are allowed"},
			{Name: "lean", Default: false, Doc: "let equal ways meet, which can save a lane and costs bandwidth"},
		},
		New: func(o route.Options) (route.Engine, error) {
			return &engine{balance: o.Bool("balance"), lean: o.Bool("lean")}, nil
		},
	}
}

// batch is the number of destinations searched at once.
const batch = 32

type engine struct {
	balance bool
	lean    bool
}

// Route implements route.Engine. It refuses a network that needs more lanes than
// there are.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	b, tables := newBuilder(in, e.lean), route.NewTables(g.NumSwitches, in.Ends.Top())
	all := columns.Part{First: 0, End: 1 << in.Ends.MaxLMC(), Hosts: true, PortZero: true}
	order := fabric.Numbers(g.NumSwitches)
	search := func(_ int, to int32, s **fabric.Search) {
		if *s == nil {
			*s = g.NewSearch(g.Drained)
		}
		(*s).From(to)
	}
	err := columns.Route(ctx, in, tables, all, order, batch, search, func(c *columns.Columns, s **fabric.Search) error {
		b.addTree(*s, c.To)
		b.enter(c, (*s).Order)
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := lanes.LongestFirst(ctx, lanes.ByTree(in, tables, b.followed(&in.Ends)), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	if e.balance {
		found.Balance(in.MaxVLs)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(Name, g, in.MaxVLs, plan)
}
