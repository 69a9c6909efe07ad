package dfsssp

import (
	"context"

	"weft/fabric"
	"weft/lab/opensm"
	"weft/route"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// layers puts the paths between hosts in some tables on lanes, by algorithm 2.
func layers(ctx context.Context, name string, in *route.Input, tables *route.Tables, h offline.Heuristic) (*route.Plan, error) {
	found, err := offline.Layer(ctx, lanes.ByEnd(in, tables).WithoutSwitches(), offline.Options{Heuristic: h, OneWay: true, Most: lanes.MaxLanes})
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(name, in.Graph, in.MaxVLs, plan)
}

// search is an engine with tables of its own, layered by algorithm 2 or not at all.
type search struct {
	name      string
	tables    func(context.Context, *route.Input) (*route.Tables, error)
	layered   bool
	heuristic offline.Heuristic
}

func (e search) spec() *route.Spec {
	if e.layered {
		e.name += ", layered by the " + string(e.heuristic) + " edge"
	}
	return opensm.Spec(e.name, e)
}

// Route implements route.Engine.
func (e search) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := e.tables(ctx, in)
	if err != nil {
		return nil, err
	}
	if !e.layered {
		return &route.Plan{Ends: in.Ends, Tables: tables}, nil
	}
	return layers(ctx, e.name, in, tables, e.heuristic)
}

// allNodes is algorithm 1 with hosts and switches alike in V: paths from and to switches are
// balanced with the rest. Weft's sssp counts only traffic between hosts.
func allNodes(layered bool, h offline.Heuristic) *route.Spec {
	return search{"sssp of all nodes", balancedOverAll, layered, h}.spec()
}

// treeOfSwitch is algorithm 1 with one search per switch instead of one per host.
func treeOfSwitch(layered bool, h offline.Heuristic) *route.Spec {
	return search{"sssp of one tree a switch", oneTreeEach, layered, h}.spec()
}

// onLanes returns an engine with the tables of a Plan.
func onLanes(name string, plan *route.Plan) *route.Spec {
	given := func(context.Context, *route.Input) (*route.Tables, error) { return plan.Tables, nil }
	return search{name, given, true, offline.Weakest}.spec()
}

func balancedOverAll(ctx context.Context, in *route.Input) (*route.Tables, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	weight := make([]int64, g.NumChannels) // on top of |V|^2, which keeps paths minimal
	paths := make([]int64, g.NumSwitches)  // through a switch
	for _, end := range opensm.ByLeaf.Ends(in) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := g.EndSwitch[end]
		order, taken := lightest(g, t, weight)
		for s := range paths {
			paths[s] = int64(len(g.HostsOf(int32(s)))) + 1
		}
		for k := len(order) - 1; k > 0; k-- {
			s := order[k]
			c := taken[s]
			weight[c] += paths[s]
			paths[g.To[c]] += paths[s]
			opensm.SetAll(tables, s, in, end, g.FromPort[c])
		}
		opensm.SetAll(tables, t, in, end, g.EndPort[end])
	}
	return tables, nil
}

func oneTreeEach(ctx context.Context, in *route.Input) (*route.Tables, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	weight := make([]int64, g.NumChannels)
	paths := make([]int64, g.NumSwitches) // of hosts, through a switch
	for t := range int32(g.NumSwitches) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hosts := g.HostsOf(t)
		order, taken := lightest(g, t, weight)
		for s := range paths {
			paths[s] = int64(len(g.HostsOf(int32(s))))
		}
		for k := len(order) - 1; k > 0; k-- {
			s := order[k]
			weight[taken[s]] += paths[s] * int64(len(hosts))
			paths[g.To[taken[s]]] += paths[s]
		}
		for _, end := range append([]int32{g.PortZero(t)}, hosts...) {
			for _, s := range order[1:] {
				opensm.SetAll(tables, s, in, end, g.FromPort[taken[s]])
			}
			opensm.SetAll(tables, t, in, end, g.EndPort[end])
		}
	}
	return tables, nil
}

// lightest finds the path of least weight among those with the fewest hops, from every switch to t.
// It returns the switches by distance, and the channel that each takes.
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
