package updn

import (
	"context"

	"weft/route"
	"weft/route/engine/internal/forest"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    "updn",
		Summary: "up*/down*: first towards a root, then away from it; free of deadlock on one lane",
		Paper:   "Schroeder et al. 1991 (Autonet); as forwarding tables Duato 2001, described in paper 002, section 2.1",
		Cost:    "time O(switches x (channels + LIDs)), memory O(channels) and the tables",
		Lanes:   "none",
		Options: []route.Option{{
			Name: "roots", Default: []string(nil), Switches: true,
			Doc: "switches at the top, by GUID or description (a;b;c), while they are not drained; chosen when none is given",
		}, route.Relief},
		New: func(o route.Options) (route.Engine, error) { return &engine{roots: o.List("roots")}, nil },
	}
}

type engine struct {
	roots []string
}

// Route implements route.Engine.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	given, err := findRoots(in.Graph, e.roots)
	if err != nil {
		return nil, err
	}
	net := forest.NewNet(in.Graph)
	orient(net, rankSwitches(net, given))
	searches := newSearches(net, max(1, in.Workers))
	tables, err := forest.Build(ctx, in, net, func(worker int, t int32, h *forest.Hops) { searches[worker].run(t, h) })
	if err != nil {
		return nil, err
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}
