package minhop

import (
	"context"

	"weft/route"
	"weft/route/engine/internal/forest"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    "minhop",
		Summary: "fewest hops, balanced by load; may deadlock on one lane",
		Paper:   "OpenSM Min Hop; compared in Domke, Hoefler and Nagel 2011 (paper 003)",
		Cost:    "time O(switches x (channels + LIDs)), memory O(channels) and the tables",
		Lanes:   "none",
		Options: []route.Option{{
			Name: "balance", Default: "load", OneOf: []string{"load", "entries", "first"},
			Doc: "load: the least loaded port; entries: the port with the fewest table entries at this switch, LID after LID, as OpenSM has it; first: always the first port, as OpenSM's LASH takes its paths",
		}},
		New: func(o route.Options) (route.Engine, error) { return engine{o.String("balance")}, nil },
	}
}

type engine struct{ balance string }

// Route implements route.Engine.
func (e engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	if e.balance != "load" {
		tables, err := ByEntries(ctx, in, byLID(in), e.balance == "first")
		return &route.Plan{Ends: in.Ends, Tables: tables}, err
	}
	net := forest.NewNet(in.Graph)
	tables, err := forest.Build(ctx, in, net, func(_ int, t int32, h *forest.Hops) { search(net, t, h) })
	if err != nil {
		return nil, err
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

// search allows every channel that leads one hop nearer to t.
func search(n *forest.Net, t int32, h *forest.Hops) {
	h.Reset()
	h.Want[t] = 0
	h.Order = append(h.Order, t)
	for head, hops := 0, uint16(0); head < len(h.Order); hops++ {
		h.Level = append(h.Level, int32(head))
		for end := len(h.Order); head < end; head++ {
			u := h.Order[head]
			if !n.Transit(u, t) {
				continue
			}
			h.Near[u] = hops + 1
			for _, v := range n.Heads(0, u) {
				if h.Want[v] == forest.Absent {
					h.Want[v] = hops + 1
					h.Order = append(h.Order, v)
				}
			}
		}
	}
	h.Level = append(h.Level, int32(len(h.Order)))
}
