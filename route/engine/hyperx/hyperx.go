package hyperx

import (
	"context"
	"math"

	"weft/fabric"
	"weft/route"
	"weft/route/coords"
	"weft/route/engine/internal/columns"
	"weft/route/lanes"
)

// Name is the engine's name.
const Name = "hyperx"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on HyperX, full meshes and hypercubes, and shortest paths round what failed; deadlock-free",
		Paper:   "Ahn, Binkert, Davis, McLaren and Schreiber, HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks, 2009",
		Cost:    "time O(switches x (channels + LIDs)), with failures also the dependencies of all pairs of switches; memory the tables, with failures 8 bytes a pair",
		Lanes:   "online", // one on whole networks
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route implements route.Engine. It refuses networks of another shape, and what needs more lanes
// than there are.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	boxes := make([]*box, in.Graph.NumSwitches)
	whole := true
	for _, part := range coords.Parts(in.Graph) {
		box, err := find(part)
		if err != nil {
			return nil, route.Refuse(Name, "", "not a HyperX: %v", err)
		}
		for _, s := range part.Switches {
			boxes[s] = box
		}
		whole = whole && box.whole
	}
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(in.Graph.NumSwitches, in.Ends.Top())}
	if err := fill(ctx, in, boxes, plan.Tables); err != nil || whole {
		return plan, err
	}
	found, err := lanes.LongestFirst(ctx, lanes.BySwitch(in, plan.Tables), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	return plan, found.Fill(Name, in.Graph, in.MaxVLs, plan)
}

// batch is the number of destinations searched at once.
const batch = 32

// fill routes every LID: all base LIDs first, then the others, one kind of hosts after the other.
func fill(ctx context.Context, in *route.Input, boxes []*box, tables *route.Tables) error {
	g := in.Graph
	b := &builder{
		g: g, load: make([]int64, g.NumChannels),
		out: make([]int32, g.NumSwitches), path: make([]int64, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	search := func(_ int, to int32, w *ways) { w.search(g, boxes, to) }
	for _, part := range columns.PartsByKind(in) {
		err := columns.Route(ctx, in, tables, part, fabric.Numbers(g.NumSwitches), batch, search, func(c *columns.Columns, w *ways) error {
			for column := range c.N {
				b.route(c, column, w)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ways holds the channels that may be taken towards a destination.
type ways struct {
	near  *fabric.Search
	start []int32 // by place in near.Order: its channels are exits[start[k]:start[k+1]]
	exits []int32
}

// search finds the ways to switch t: from every switch the channels to the neighbours that are nearer,
// of these those in the first dimension that has any.
func (w *ways) search(g *fabric.Graph, boxes []*box, t int32) {
	if w.near == nil {
		w.near = g.NewSearch(g.Drained)
	}
	w.near.From(t)
	w.start, w.exits = append(w.start[:0], 0, 0), w.exits[:0]
	hops := w.near.Hops
	for _, s := range w.near.Order[1:] {
		box, from, first := boxes[s], len(w.exits), math.MaxInt
		for _, c := range g.OutOf(s) {
			v := g.To[c]
			if hops[v] != hops[s]-1 || v != t && g.Drained[v] {
				continue
			}
			dim := box.dimension(box.Local[s], box.Local[v])
			if dim < first {
				w.exits, first = w.exits[:from], dim
			}
			if dim == first {
				w.exits = append(w.exits, c)
			}
		}
		w.start = append(w.start, int32(len(w.exits)))
	}
}

// builder routes one LID after the other.
type builder struct {
	g    *fabric.Graph
	load []int64 // by channel: paths between hosts
	out  []int32 // by switch: channel towards the LID being routed
	path []int64 // by switch: sum of the loads on its path
	flow []int64 // by switch: hosts whose packets come through
}

// route takes of the ways to a LID of a host those with the least load, and adds the paths from all hosts
// to it to the loads. To port 0 of a switch it takes the first ones.
func (b *builder) route(c *columns.Columns, column int, w *ways) {
	g, order := b.g, w.near.Order
	b.path[c.To] = 0
	for k, s := range order[1:] {
		exits := w.exits[w.start[k+1]:w.start[k+2]]
		best := exits[0]
		least := b.load[best] + b.path[g.To[best]]
		if column < c.Hosts {
			for _, e := range exits[1:] {
				if sum := b.load[e] + b.path[g.To[e]]; sum < least {
					best, least = e, sum
				}
			}
		}
		b.out[s], b.path[s] = best, least
		c.Set(s, column, g.FromPort[best])
	}
	if column >= c.Hosts {
		return
	}
	for _, s := range order {
		b.flow[s] = int64(g.HostCount(s))
	}
	for k := len(order) - 1; k > 0; k-- {
		s := order[k]
		b.load[b.out[s]] += b.flow[s]
		b.flow[g.To[b.out[s]]] += b.flow[s]
	}
}
