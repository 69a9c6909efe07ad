package torus

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/coords"
)

// Name is the engine's name.
const Name = "torus"

const useOther = "use updn, which routes any network"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on tori and meshes, round failed links and a failed switch; deadlock-free",
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
	parts, local := coords.Parts(in.Graph)
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(in.Graph.NumSwitches, in.Ends.Top())}
	lids := lidsOf(in)
	var tori []*torus
	for _, sw := range parts {
		m, err := find(in.Graph, local, sw)
		if err != nil {
			return nil, err
		}
		if err := m.plan(ctx, in.Workers); err != nil {
			return nil, err
		}
		err = par.For(ctx, in.Workers, len(m.sw), func(_, d int) error {
			m.write(in, plan.Tables, lids[m.sw[d]], int32(d))
			return nil
		})
		if err != nil {
			return nil, err
		}
		tori = append(tori, m)
	}
	return plan, addLanes(in, tori, plan)
}

// lidsOf lists the LIDs of each switch and its hosts, ascending.
func lidsOf(in *route.Input) [][]lid {
	of := make([][]lid, in.Graph.NumSwitches)
	for number, end := range in.Ends.ByLID() {
		if end >= 0 {
			s := in.Graph.EndSwitch[end]
			of[s] = append(of[s], lid{number, end})
		}
	}
	return of
}

// lid is a LID and the end port that it names.
type lid struct {
	number int
	end    int32
}

// write enters the LIDs of switch d and its hosts. Where several links lead to the
// next switch, the LIDs are dealt out over them.
func (m *torus) write(in *route.Input, t *route.Tables, lids []lid, d int32) {
	g := in.Graph
	for s, sw := range m.sw {
		var ports []uint8
		if int32(s) != d {
			ports = m.ports[m.hop(int32(s), d)]
		}
		for k, lid := range lids {
			port := g.EndPort[lid.end]
			if int32(s) != d {
				port = ports[(int(d)+k)%len(ports)]
			}
			t.Set(sw, fabric.LID(lid.number), port)
		}
	}
}
