package nue

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

// Name is the engine's name.
const Name = "nue"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "short balanced paths inside an acyclic dependency graph; routes any network on any number of lanes",
		Paper:   "Domke, Hoefler and Matsuoka, Routing on the Dependency Graph, HPDC 2016",
		Cost:    "time O((switches + LIDs) x channels) and the orders tried, memory O(turns) and the tables twice",
		Lanes:   "by destination",
		Options: []route.Option{{
			Name: "vls", Default: 1, Min: 0, Max: int(route.DropVL),
			Doc: "maximum number of lanes, each for a share of the destinations, 0 for all allowed ones: the best of 1, 2, 4 or 8; with one, answers and clients that never ask are safe on any SL, with more an answer must use the SL of its own path",
		}, route.Relief},
		New: func(o route.Options) (route.Engine, error) { return &engine{vls: o.Int("vls")}, nil },
	}
}

type engine struct {
	vls int
}

// Route implements route.Engine. It never refuses. It routes with one lane, two, four and so on up
// to the allowed number, and keeps the result with the most bandwidth: more lanes than needed leave
// each of them fewer orders to choose from.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	turns, p := cdg.NewIndex(in.Graph), newParts(in.Graph)
	most := e.lanes(in)
	var best *routing
	for n := 1; n <= most; n *= 2 {
		r, err := routeWith(ctx, in, turns, p, n)
		if err != nil {
			return nil, err
		}
		if most > 1 {
			r.bandwidth = sample.Bandwidth(in, r.tables, false)
		}
		if best == nil || r.bandwidth > best.bandwidth {
			best = r
		}
		if r.unblocked {
			break
		}
	}
	return best.plan(in), nil
}

// routing is the outcome for a number of lanes.
type routing struct {
	lanes     int
	laneOf    []int32 // by switch: the lane of its LIDs
	tables    *route.Tables
	unblocked bool // one lane allows every shortest path between hosts
	bandwidth float64
}

func (r *routing) plan(in *route.Input) *route.Plan {
	plan := &route.Plan{Ends: in.Ends, Tables: r.tables}
	if r.lanes > 1 {
		fill(in, plan, r.laneOf, r.lanes)
	}
	return plan
}

// routeWith routes with so many lanes, each for a share of the destinations.
func routeWith(ctx context.Context, in *route.Input, turns *cdg.Index, p *parts, n int) (*routing, error) {
	shares := divide(in.Graph, p, n)
	r := &routing{lanes: n, laneOf: make([]int32, in.Graph.NumSwitches)}
	lanes := make([]*lane, n)
	var load []int64
	for k, to := range shares {
		for _, s := range to {
			r.laneOf[s] = int32(k)
		}
		weight, err := demand(ctx, turns, in.Workers, to)
		if err != nil {
			return nil, err
		}
		d := &designer{in: in, turns: turns, parts: p, lanes: n, to: to, weight: weight, earlier: load}
		a, err := d.design(ctx)
		if err != nil {
			return nil, err
		}
		r.unblocked = n == 1 && a.order.forbiddenWeight(weight) == 0
		lanes[k], load = newLane(a.order, p), a.load
	}
	var err error
	r.tables, err = build(ctx, in, turns, lanes, r.laneOf)
	return r, err
}

// lanes returns the number of lanes to use.
func (e *engine) lanes(in *route.Input) int {
	if e.vls == 0 {
		return in.MaxVLs
	}
	return min(e.vls, in.MaxVLs)
}

// divide deals the switches out to lanes: shares of about equally many hosts, on switches near each
// other.
func divide(g *fabric.Graph, p *parts, lanes int) [][]int32 {
	var near []int32
	for _, part := range p.list {
		near = append(near, part...)
	}
	for s := range int32(g.NumSwitches) {
		if g.Drained[s] {
			near = append(near, s)
		}
	}
	all, seen := int64(0), int64(0)
	for _, s := range near {
		all += sample.Weight(g, s)
	}
	shares := make([][]int32, lanes)
	for _, s := range near {
		k := min(int64(lanes-1), seen*int64(lanes)/max(1, all))
		shares[k] = append(shares[k], s)
		seen += sample.Weight(g, s)
	}
	return shares
}

// fill gives the LIDs of each lane the lane's number as SL.
func fill(in *route.Input, p *route.Plan, laneOf []int32, lanes int) {
	dst := in.Ends.SwitchByLID(in.Graph)
	for lid, s := range dst {
		if s >= 0 {
			dst[lid] = laneOf[s]
		}
	}
	p.SL = route.NewSLs(make([]int32, in.Graph.NumEnds), dst, 1, lanes)
	p.SL.OneWay = true
	var table route.VLTable
	for sl := range table {
		table[sl] = uint8(sl % lanes)
	}
	for k := range lanes {
		p.SL.Set(0, int32(k), uint8(k))
	}
	p.SL2VL = route.UniformVL(in.Graph, table)
	p.VLs = lanes
}
