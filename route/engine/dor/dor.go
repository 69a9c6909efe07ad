package dor

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Name is the engine's name.
const Name = "dor"

const useUpdn = "use updn, which routes any network"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on meshes, tori and hypercubes; minimal and deadlock-free",
		Paper:   "Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, 1987",
		Cost:    "time switches x LIDs, memory the tables",
		Lanes:   "dateline", // two VLs where a ring of 5 or more is, one elsewhere
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route routes every part of a network that is a mesh, torus or hypercube, or
// refuses it.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	for s, drained := range g.Drained {
		if drained {
			return nil, route.Refuse(Name, useUpdn, "%s is drained, and dimension order cannot go round it", route.SwitchName(g, int32(s)))
		}
	}
	grids, err := findGrids(g)
	if err != nil {
		return nil, err
	}
	if err := fitLanes(grids, in.MaxVLs); err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends, Tables: route.NewTables(g.NumSwitches, in.Ends.Top())}
	for _, m := range grids {
		if err := fillTables(ctx, in, m, plan.Tables); err != nil {
			return nil, err
		}
	}
	if err := addLanes(ctx, in, grids, plan); err != nil {
		return nil, err
	}
	return plan, nil
}

// fillTables routes the LIDs of one part. Each switch is a job of its own: it
// writes its own rows and the load of its own channels.
func fillTables(ctx context.Context, in *route.Input, m *grid, t *route.Tables) error {
	flow := m.flows()
	load := make([]int64, len(m.bundle))
	return par.For(ctx, in.Workers, len(m.sw), func(_, s int) error {
		r := row{in: in, m: m, t: t, flow: flow, load: load, s: int32(s)}
		for d := range m.sw {
			r.to(int32(d))
		}
		return nil
	})
}

// row fills the forwarding table of one switch.
type row struct {
	in   *route.Input
	m    *grid
	t    *route.Tables
	flow [][]int64
	load []int64 // sources that each place of m.bundle carries so far
	s    int32
	used []int32 // LIDs of one port that each link of a bundle carries
}

// to enters the LIDs of switch d and its hosts.
func (r *row) to(d int32) {
	g := r.in.Graph
	here, there := r.m.sw[r.s], r.m.sw[d]
	if r.s == d {
		for _, h := range g.HostsOf(here) {
			r.all(here, h, g.EndPort[h])
		}
		r.all(here, g.PortZero(here), 0)
		return
	}
	dim, dir := r.m.next(r.s, d)
	lo, hi := r.m.bundleAt(r.s, dim, dir)
	if hi-lo == 1 {
		port := g.FromPort[r.m.bundle[lo]]
		for _, h := range g.HostsOf(there) {
			r.all(here, h, port)
		}
		r.all(here, g.PortZero(there), port)
		return
	}
	weight := r.m.through(r.flow, r.s, d, dim, dir)
	for _, h := range g.HostsOf(there) {
		r.spread(here, h, lo, hi, weight*hostWeight)
	}
	r.spread(here, g.PortZero(there), lo, hi, weight)
}

// hostWeight is how much more a LID of a host weighs than one of a switch, whose
// little traffic shall only break ties.
const hostWeight = 1 << 16

// all enters the LIDs of an end port with one port.
func (r *row) all(here, end int32, port uint8) {
	for k := range r.in.Ends.Count(end) {
		r.t.Set(here, r.in.Ends.Base[end]+fabric.LID(k), port)
	}
}

// spread enters the LIDs of an end port elsewhere: each takes, of the links
// bundle[lo:hi], one that the fewest LIDs of the port take, then the least loaded.
// So the first LIDs of a port share no link of any bundle that has enough.
func (r *row) spread(here, end, lo, hi int32, weight int64) {
	r.used = append(r.used[:0], make([]int32, hi-lo)...)
	for k := range r.in.Ends.Count(end) {
		best := lo
		for i := lo + 1; i < hi; i++ {
			u, v := r.used[i-lo], r.used[best-lo]
			if u < v || u == v && r.load[i] < r.load[best] {
				best = i
			}
		}
		r.used[best-lo]++
		r.load[best] += weight
		r.t.Set(here, r.in.Ends.Base[end]+fabric.LID(k), r.in.Graph.FromPort[r.m.bundle[best]])
	}
}
