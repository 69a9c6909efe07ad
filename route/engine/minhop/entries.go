package minhop

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// ByEntries returns shortest paths as OpenSM's Min Hop balances them: each switch goes through the
// end ports in the order of a list, and takes the port with the fewest table entries so far,
// whether or not paths to these destinations come its way. With first it always takes the first
// port instead: OpenSM's LASH without lanes, and its DOR if ports are numbered by dimension.
// Entries for port 0 of switches do not count.
func ByEntries(ctx context.Context, in *route.Input, order []int32, first bool) (*route.Tables, error) {
	g := in.Graph
	away := make([][]int32, g.NumSwitches) // hops to each switch
	if err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		search := g.NewSearch(g.Drained)
		search.From(int32(s))
		away[s] = search.Hops
		return nil
	}); err != nil {
		return nil, err
	}
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		entries := make([]int32, int(g.SwitchPorts[s])+1)
		for _, end := range order {
			port := g.EndPort[end]
			if int(g.EndSwitch[end]) != s {
				port = portByEntries(g, away[g.EndSwitch[end]], int32(s), entries, first)
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
	return tables, err
}

// portByEntries chooses the port of switch s towards a switch; away has the hops to it from each
// switch.
func portByEntries(g *fabric.Graph, away []int32, s int32, entries []int32, first bool) uint8 {
	best := route.NoPort
	for _, c := range g.OutOf(s) {
		if v := g.To[c]; away[s] < 0 || away[v] != away[s]-1 || away[v] > 0 && g.Drained[v] {
			continue
		}
		if p := g.FromPort[c]; best == route.NoPort || !first && entries[p] < entries[best] {
			best = p
		}
	}
	return best
}

// byLID lists the end ports with a LID in order of their base LIDs, as OpenSM does.
func byLID(in *route.Input) []int32 {
	return slices.Compact(slices.DeleteFunc(in.Ends.ByLID(), func(end int32) bool { return end < 0 }))
}
