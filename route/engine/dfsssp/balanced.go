package dfsssp

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
	"weft/route/engine/sssp"
	"weft/route/internal/cdg"
	"weft/route/lanes"
)

// buildBalanced routes hosts over the paths of package sssp, all on the first lane, or fails if
// they do not fit there. Then it adds paths to hosts from switches that no path between hosts
// passes, and from all switches to port 0 of each other, on the first lane where possible. Unless
// others is set, all LIDs of a port take the path to its base LID.
func buildBalanced(ctx context.Context, in *route.Input, u *upDown, passes int, others bool) (*route.Tables, *lanes.Acyclic, error) {
	b := sssp.NewBuilder(in)
	r := newRouter(in, b.Loads, b.Tables, u)
	r.slack = 16 // twice the least load: no host starts these paths
	order := r.ByHosts()
	hosted := r.Hosted(order)
	for _, part := range columns.PartsByKind(in) {
		if part.First > 0 && !others {
			r.followBase(&in.Ends)
			break
		}
		last := part.PortZero
		part.PortZero = false
		if err := b.Route(ctx, part, passes); err != nil {
			return nil, nil, err
		}
		if !last {
			continue
		}
		part.Kind = 0
		edges, err := r.edgesOfHosts(ctx, part, hosted)
		if err != nil {
			return nil, nil, err
		}
		if !r.lanes.First().Add(edges) {
			return nil, nil, errLanes
		}
		if err := r.completeHosts(ctx, part, hosted); err != nil {
			return nil, nil, err
		}
		part.Hosts, part.PortZero = false, true
		if err := r.routePortZeros(ctx, part, order); err != nil {
			return nil, nil, err
		}
	}
	if r.failed {
		return nil, nil, errLanes
	}
	return r.tables, r.lanes, nil
}

// hostPaths reads the paths between hosts from tables, one destination after another.
type hostPaths struct {
	columns columns.Columns
	ways    shortest.Ways
	first   []int32 // by switch: position in Out of the first channel
	flow    []int64 // by switch: number of hosts' paths from it or through it
}

func newHostPaths(g *fabric.Graph) *hostPaths {
	return &hostPaths{first: make([]int32, g.NumSwitches), flow: make([]int64, g.NumSwitches)}
}

// open reads the columns of a destination.
func (p *hostPaths) open(r *router, to int32, part columns.Part) {
	p.columns.Open(r.in, to, part)
	p.columns.Read(r.tables)
}

// read finds the paths of a column.
func (p *hostPaths) read(l *shortest.Loads, column int) {
	order := p.ways.Order
	for _, s := range order {
		p.flow[s] = l.Hosts[s]
	}
	for k := len(order) - 1; k > 0; k-- {
		s := order[k]
		i := l.Position(s, p.columns.Row(s)[column])
		p.first[s] = i
		p.flow[l.Head[i]] += p.flow[s]
	}
}

// edgeSet collects edges on several cores.
type edgeSet struct {
	index *cdg.Index
	of    [][]uint64 // by worker: a bit for each number of an edge; nil until used
}

func newEdgeSet(workers int, index *cdg.Index) *edgeSet {
	return &edgeSet{index, make([][]uint64, max(1, workers))}
}

// add adds the edge from channel c to channel d.
func (e *edgeSet) add(worker int, c, d int32) {
	if e.of[worker] == nil {
		e.of[worker] = make([]uint64, e.index.Size/64+1)
	}
	i := e.index.Number(c, d)
	e.of[worker][i/64] |= 1 << (i % 64)
}

// each visits the edges: from channel c to the k-th out of its end.
func (e *edgeSet) each(visit func(c, k int32)) {
	all := make([]uint64, e.index.Size/64+1)
	for _, set := range e.of {
		for w, word := range set {
			all[w] |= word
		}
	}
	for c := range int32(e.index.Graph.NumChannels) {
		e.index.EachFrom(all, c, func(k int32) { visit(c, k) })
	}
}

// edgesOfHosts lists the edges of the paths between hosts.
func (r *router) edgesOfHosts(ctx context.Context, part columns.Part, hosted []int32) (list []cdg.Edge, err error) {
	edges, paths := newEdgeSet(r.in.Workers, r.lanes.First().Index), make([]*hostPaths, max(1, r.in.Workers))
	err = par.For(ctx, r.in.Workers, len(hosted), func(worker, i int) error {
		if paths[worker] == nil {
			paths[worker] = newHostPaths(r.G)
		}
		p := paths[worker]
		p.open(r, hosted[i], part)
		p.ways.Reach(r.G, r.Head, hosted[i])
		for column := range p.columns.LIDs {
			p.read(r.Loads, column)
			for _, s := range p.ways.Order[1:] {
				if v := r.Head[p.first[s]]; p.flow[s] > 0 && v != hosted[i] {
					edges.add(worker, r.G.Out[p.first[s]], r.G.Out[p.first[v]])
				}
			}
		}
		return nil
	})
	edges.each(func(c, k int32) { list = append(list, cdg.Edge{C: c, D: r.G.OutOf(r.G.To[c])[k]}) })
	return list, err
}
