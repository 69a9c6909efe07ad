package opensm

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// MinHop is OpenSM's: among the ports on shortest paths it takes the one with the fewest table
// entries so far, whether or not paths to these destinations come this way.
func MinHop(o Order) *route.Spec {
	return Spec("minhop by entries, "+string(o), shortest{order: o})
}

// FirstPort always takes the first port on shortest paths. It is OpenSM's LASH without lanes, and
// OpenSM's DOR if ports are numbered by dimension; it does not balance anything else.
func FirstPort() *route.Spec { return Spec("first port", shortest{order: ByLeaf, first: true}) }

// Spec returns the Spec of an experiment's own engine without options.
func Spec(name string, e route.Engine) *route.Spec {
	return &route.Spec{Name: name, Lanes: "none", New: func(route.Options) (route.Engine, error) { return e, nil }}
}

// shortest takes minimal paths. At each switch, host by host, it takes the port with the fewest
// table entries so far, or always the first. Entries for port 0 of switches do not count.
type shortest struct {
	order Order
	first bool
}

// Route implements route.Engine.
func (e shortest) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	away := make([][]int32, g.NumSwitches) // hops to each switch
	if err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		search := g.NewSearch(nil)
		search.From(int32(s))
		away[s] = search.Hops
		return nil
	}); err != nil {
		return nil, err
	}
	ends := e.order.Ends(in)
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		entries := make([]int32, int(g.SwitchPorts[s])+1)
		for _, end := range ends {
			port := g.EndPort[end]
			if int(g.EndSwitch[end]) != s {
				port = e.port(g, away[g.EndSwitch[end]], int32(s), entries)
			}
			SetAll(tables, int32(s), in, end, port)
			if port != route.NoPort && !g.IsPortZero(end) {
				entries[port]++
			}
		}
		return nil
	})
	return &route.Plan{Ends: in.Ends, Tables: tables}, err
}

// port chooses the port of switch s towards a switch; away has the hops to it from each switch.
func (e shortest) port(g *fabric.Graph, away []int32, s int32, entries []int32) uint8 {
	best := route.NoPort
	for _, c := range g.OutOf(s) {
		if away[s] < 0 || away[g.To[c]] != away[s]-1 {
			continue
		}
		if p := g.FromPort[c]; best == route.NoPort || !e.first && entries[p] < entries[best] {
			best = p
		}
	}
	return best
}
