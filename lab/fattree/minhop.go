package fattree

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/traffic"
)

// The thesis's MinHop and LASH are OpenSM's of 2010. Weft's minhop counts paths and
// its lash spreads destinations over parallel links, so the plain forms are here.
// What they give hangs on the order of LIDs, which the thesis does not say.

// order is an order of hosts' LIDs.
type order string

const (
	byLeaf   order = "by leaf" // all hosts of a switch, then those of the next
	inTurn   order = "in turn" // one host of every switch, then the next of each
	atRandom order = "random"
)

var orders = []order{byLeaf, inTurn, atRandom}

// hosts lists the hosts in this order.
func (o order) hosts(in *route.Input) []int32 {
	g := in.Graph
	hosts := make([]int32, g.NumHosts)
	for h := range hosts {
		hosts[h] = int32(h)
	}
	switch o {
	case atRandom:
		traffic.Shuffle(hosts, rand.NewPCG(in.Seed, 0))
	case inTurn:
		slices.SortStableFunc(hosts, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g.EndPort[a], g.EndPort[b]), cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]))
		})
	case byLeaf:
		slices.SortStableFunc(hosts, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]), cmp.Compare(g.EndPort[a], g.EndPort[b]))
		})
	}
	return hosts
}

// plain takes minimal paths; at each switch, LID by LID, the port with the fewest table
// entries so far, or always the first.
type plain struct {
	order order
	first bool
}

// minhopOf is OpenSM's MinHop: it counts entries whether or not a path comes that way.
func minhopOf(o order) *route.Spec {
	return plainSpec("minhop by entries, "+string(o), plain{order: o})
}

// firstPort is the first shortest path, as OpenSM's LASH has it; without its lanes.
func firstPort() *route.Spec { return plainSpec("first port", plain{order: byLeaf, first: true}) }

func plainSpec(name string, e route.Engine) *route.Spec {
	return &route.Spec{Name: name, Lanes: "none", New: func(route.Options) (route.Engine, error) { return e, nil }}
}

// Route implements route.Engine.
func (e plain) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	away := make([][]int32, g.NumSwitches) // hops to each switch
	if err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		away[s] = make([]int32, g.NumSwitches)
		g.HopsFrom(int32(s), away[s], make([]int32, g.NumSwitches))
		return nil
	}); err != nil {
		return nil, err
	}
	ends := e.order.hosts(in)
	for s := range int32(g.NumSwitches) {
		ends = append(ends, g.PortZero(s))
	}
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		entries := make([]int32, int(g.SwitchPorts[s])+1)
		for _, end := range ends {
			port := g.EndPort[end]
			if int(g.EndSwitch[end]) != s {
				port = e.port(g, away[g.EndSwitch[end]], int32(s), entries)
			}
			for k := range in.Ends.Count(end) {
				tables.Set(int32(s), in.Ends.Base[end]+fabric.LID(k), port)
			}
			if port != route.NoPort && !g.IsPortZero(end) {
				entries[port]++
			}
		}
		return nil
	})
	return &route.Plan{Ends: in.Ends, Tables: tables}, err
}

// port chooses the port of switch s to a switch that is away hops from each.
func (e plain) port(g *fabric.Graph, away []int32, s int32, entries []int32) uint8 {
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
