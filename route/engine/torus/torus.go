package torus

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/internal/par"
	"weft/route"
)

// Name is the engine's name.
const Name = "torus"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on tori and meshes, around failed links and a failed switch; deadlock-free",
		Paper:   "OpenSM's Torus-2QoS, 2010: torus-2QoS(8); datelines of Dally and Seitz, 1987",
		Cost:    "time switches x LIDs, with failures also switches^2 x hops; memory the tables",
		Lanes:   "dateline", // and as many again for the hop after a turn against the order
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route routes every part of a network that is a torus or mesh with few failures,
// or refuses it.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(in.Graph.NumSwitches, in.Ends.Top())}
	var tori []*torus
	for _, part := range coords.Parts(in.Graph) {
		m, err := find(part)
		if err != nil {
			return nil, err
		}
		if err := m.findHops(ctx, in.Workers); err != nil {
			return nil, err
		}
		err = par.For(ctx, in.Workers, len(m.Switches), func(_, d int) error {
			m.write(in, plan.Tables, int32(d))
			return nil
		})
		if err != nil {
			return nil, err
		}
		tori = append(tori, m)
	}
	return plan, addLanes(ctx, in, tori, plan)
}

// write writes the LIDs of switch d and its hosts. If several links lead to the next switch, the
// LIDs are dealt out over them: the base LIDs in their order, as with one LID a port, each further
// LID of a port by the next link, and each kind of hosts separately.
func (m *torus) write(in *route.Input, t *route.Tables, d int32) {
	g, there := in.Graph, m.Switches[d]
	ends := slices.Clone(g.HostsOf(there))
	slices.SortFunc(ends, func(a, b int32) int {
		return cmp.Or(cmp.Compare(in.KindOf(a), in.KindOf(b)), cmp.Compare(in.Ends.Base[a], in.Ends.Base[b]))
	})
	ends = slices.DeleteFunc(ends, func(end int32) bool { return in.Ends.Count(end) == 0 })
	ends = append(ends, g.OthersOf(there)...)
	turn := fabric.Numbers(len(ends)) // by place in ends: number of places before it, for a host those of its kind
	for i := 1; i < len(g.HostsOf(there)) && g.IsHost(ends[i]); i++ {
		if turn[i] = turn[i-1] + 1; in.KindOf(ends[i]) != in.KindOf(ends[i-1]) {
			turn[i] = 0
		}
	}
	for s, sw := range m.Switches {
		for i, end := range ends {
			for k := range in.Ends.Count(end) {
				port := g.EndPort[end]
				if int32(s) != d {
					links := m.Links(m.hop(int32(s), d))
					port = g.FromPort[links[(int(d+turn[i])+k)%len(links)]]
				}
				t.Set(sw, in.Ends.Base[end]+fabric.LID(k), port)
			}
		}
	}
}
