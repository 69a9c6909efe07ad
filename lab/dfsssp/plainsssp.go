package dfsssp

import (
	"context"

	"weft/fabric"
	"weft/lab/plain"
	"weft/route"
)

// plainSSSP is algorithm 1 to the letter, V being hosts and switches alike: a path
// counts from every node, and those to and from switches are balanced with the
// rest. Weft's sssp takes the hosts switch by switch, and counts only what hosts
// send to hosts.
func plainSSSP(o plain.Order) *route.Spec {
	return plain.Spec("sssp of all nodes, "+string(o), literalSSSP{o})
}

type literalSSSP struct{ order plain.Order }

// Route implements route.Engine.
func (e literalSSSP) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	weight := make([]int64, g.NumChannels) // beside the |V|^2 that keeps paths minimal
	for _, end := range e.order.Ends(in) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := g.EndSwitch[end]
		order, taken := lightest(g, t, weight)
		paths := make([]int64, g.NumSwitches) // that pass a switch
		for s := range paths {
			paths[s] = int64(len(g.HostsOf(int32(s)))) + 1
		}
		for k := len(order) - 1; k > 0; k-- {
			s := order[k]
			c := taken[s]
			weight[c] += paths[s]
			paths[g.To[c]] += paths[s]
			plain.SetAll(tables, s, in, end, g.FromPort[c])
		}
		plain.SetAll(tables, t, in, end, g.EndPort[end])
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

// lightest finds, of the paths of fewest hops from every switch to t, those of the
// least weight: the switches by distance, and the channel that each takes.
func lightest(g *fabric.Graph, t int32, weight []int64) (order, taken []int32) {
	away := make([]int32, g.NumSwitches)
	sum := make([]int64, g.NumSwitches)
	taken = make([]int32, g.NumSwitches)
	for s := range away {
		away[s] = -1
	}
	away[t] = 0
	order = append(order, t)
	for k := 0; k < len(order); k++ {
		u := order[k]
		for _, out := range g.OutOf(u) {
			c, s := out^1, g.To[out] // c leads from s to u
			d := sum[u] + weight[c]
			switch {
			case away[s] < 0:
				away[s], sum[s], taken[s] = away[u]+1, d, c
				order = append(order, s)
			case away[s] == away[u]+1 && d < sum[s]:
				sum[s], taken[s] = d, c
			}
		}
	}
	return order, taken
}
