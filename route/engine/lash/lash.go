package lash

import (
	"context"

	"weft/route"
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

type engine struct {
	balance bool
	lean    bool
}

// Route implements route.Engine. It refuses a network that needs more lanes than
// there are.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	b := newBuilder(in)
	b.lean = e.lean
	for t := range int32(in.Graph.NumSwitches) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.tree(t)
		b.write(t)
	}
	found, err := lanes.LongestFirst(ctx, lanes.ByTree(in, b.tables, b.widest), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	if e.balance {
		found.Balance(in.MaxVLs)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: b.tables}
	return plan, found.Fill(Name, in.Graph, in.MaxVLs, plan)
}
