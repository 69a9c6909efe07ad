package dfsssp

import (
	"context"

	"weft/lab/plain"
	"weft/route"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// oneTreeName is dfsssp in the paper's form, but for the search: one for a switch, not
// one for each of its hosts, which all get the tree that it finds. The paper does not
// say which it was. Paths that differ by host make more dependencies.
const oneTreeName = "dfsssp of one tree a switch"

const oneTreeNote = "One tree a switch: all hosts of a switch get the tree of one search, where plain DFSSSP searches for each, as algorithm 1 does with all nodes as V. The paper does not say which it was; fewer different paths make fewer dependencies."

func oneTree(h offline.Heuristic) *route.Spec {
	return plain.Spec(oneTreeName, oneTreeDFSSSP{h})
}

type oneTreeDFSSSP struct{ heuristic offline.Heuristic }

// Route implements route.Engine.
func (e oneTreeDFSSSP) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	weight := make([]int64, g.NumChannels)
	paths := make([]int64, g.NumSwitches) // of hosts that pass a switch
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
				plain.SetAll(tables, s, in, end, g.FromPort[taken[s]])
			}
			plain.SetAll(tables, t, in, end, g.EndPort[end])
		}
	}
	found, err := offline.Layer(ctx, lanes.ByEnd(in, tables).WithoutSwitches(), offline.Options{
		Heuristic: e.heuristic, OneWay: true, Most: lanes.MaxLanes,
	})
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(oneTreeName, g, in.MaxVLs, plan)
}
