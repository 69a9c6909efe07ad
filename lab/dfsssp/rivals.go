package dfsssp

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

// The rivals of the paper are the engines of OpenSM of 2010. Two of weft's under the
// same names do better or refuse, so experiments also use the plain forms below.
// What they give hangs on the order in which destinations are taken: the paper does
// not say in which order its LIDs were.

// order is an order of destinations.
type order string

const (
	byLeaf   order = "by leaf" // all hosts of a switch, then those of the next
	inTurn   order = "in turn" // one host of every switch, then the next of each
	atRandom order = "random"
)

var orders = []order{byLeaf, inTurn, atRandom}

// lids lists the LIDs of the end ports, those of switches last.
func (o order) lids(in *route.Input) []fabric.LID {
	g := in.Graph
	ends := make([]int32, g.NumEnds)
	place := make([]int32, g.NumEnds) // of a host on its switch
	for s := range int32(g.NumSwitches) {
		for i, h := range g.HostsOf(s) {
			place[h] = int32(i)
		}
		place[g.PortZero(s)] = int32(g.NumHosts)
	}
	for e := range ends {
		ends[e] = int32(e)
	}
	hosts := ends[:g.NumHosts]
	switch o {
	case atRandom:
		rng := rand.NewPCG(in.Seed, 0)
		traffic.Shuffle(hosts, rng)
	case inTurn:
		slices.SortStableFunc(hosts, func(a, b int32) int {
			return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]))
		})
	case byLeaf:
		slices.SortStableFunc(hosts, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]), cmp.Compare(place[a], place[b]))
		})
	}
	var lids []fabric.LID
	for _, e := range ends {
		for k := range in.Ends.Count(e) {
			lids = append(lids, in.Ends.Base[e]+fabric.LID(k))
		}
	}
	return lids
}

// plainMinHop is MinHop that counts, at each switch for itself and LID by LID, the
// table entries of a port, whether or not a path to that LID comes that way. It is
// what OpenSM does. Weft's minhop counts the paths that a channel really carries.
func plainMinHop(o order) *route.Spec {
	fewer := func(entries []int32, a, b uint8) bool { return entries[a] < entries[b] }
	return plainSpec("minhop by entries "+string(o), plain{o, fewer})
}

// plainDOR takes the first port of those on shortest paths: dimension order where
// ports are numbered by dimension, and no balance elsewhere. Weft's dor refuses
// what has no dimensions.
func plainDOR() *route.Spec {
	first := func(_ []int32, a, b uint8) bool { return a < b }
	return plainSpec("dor by first port", plain{byLeaf, first})
}

func plainSpec(name string, e route.Engine) *route.Spec {
	return &route.Spec{Name: name, Lanes: "none", New: func(route.Options) (route.Engine, error) { return e, nil }}
}

// plain takes minimal paths, and at each switch the port that is better than all
// others by the entries that each has so far.
type plain struct {
	order  order
	better func(entries []int32, a, b uint8) bool
}

// Route implements route.Engine.
func (e plain) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	away := make([][]int16, g.NumSwitches) // hops to each switch
	if err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		away[s] = distances(g, int32(s))
		return nil
	}); err != nil {
		return nil, err
	}
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	ends, lids := in.Ends.ByLID(), e.order.lids(in)
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		entries := make([]int32, int(g.SwitchPorts[s])+1)
		for _, lid := range lids {
			end := ends[lid]
			port := e.port(g, away[g.EndSwitch[end]], int32(s), entries)
			if int(g.EndSwitch[end]) == s {
				port = g.EndPort[end]
			}
			tables.Set(int32(s), lid, port)
			if port != route.NoPort {
				entries[port]++
			}
		}
		return nil
	})
	return &route.Plan{Ends: in.Ends, Tables: tables}, err
}

// port chooses the port of switch s to a switch that is away hops from each.
func (e plain) port(g *fabric.Graph, away []int16, s int32, entries []int32) uint8 {
	best := route.NoPort
	for _, c := range g.OutOf(s) {
		if away[s] < 0 || away[g.To[c]] != away[s]-1 {
			continue
		}
		if p := g.FromPort[c]; best == route.NoPort || e.better(entries, p, best) {
			best = p
		}
	}
	return best
}

// distances are the hops from a switch to all others, -1 where there is no way.
func distances(g *fabric.Graph, from int32) []int16 {
	away := make([]int16, g.NumSwitches)
	for s := range away {
		away[s] = -1
	}
	away[from] = 0
	queue := []int32{from}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, c := range g.OutOf(s) {
			if t := g.To[c]; away[t] < 0 {
				away[t] = away[s] + 1
				queue = append(queue, t)
			}
		}
	}
	return away
}
