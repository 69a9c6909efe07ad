package dor

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Name is the engine's name.
const Name = "dor"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "dimension order on meshes, tori and hypercubes; minimal and deadlock-free",
		Paper:   "Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, 1987",
		Cost:    "time switches x LIDs, memory the tables",
		Lanes:   "dateline", // two VLs with a ring of 5 or more, one otherwise
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route routes a network whose parts are all meshes, tori or hypercubes, or refuses it.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	for s, drained := range g.Drained {
		if drained {
			return nil, route.Refuse(Name, "", "%s is drained, and dimension order cannot route around it", fabric.SwitchName(g, int32(s)))
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

// fillTables routes the LIDs of one part. Each switch is a task of its own: it writes its own rows
// and the load of its own channels. The base LIDs of all ports come first, so they take the same
// paths as with one LID a port.
func fillTables(ctx context.Context, in *route.Input, m grid, t *route.Tables) error {
	flow := m.flows()
	load, own := make([]int64, in.Graph.NumChannels), make([][]int64, in.NumKinds()+1)
	for k := range own {
		own[k] = make([]int64, in.Graph.NumChannels)
	}
	lids := 1 << in.Ends.MaxLMC()
	return par.For(ctx, in.Workers, len(m.Switches), func(_, s int) error {
		r := tableFiller{in: in, m: m, t: t, flow: flow, load: load, own: own, s: int32(s)}
		for d := range m.Switches {
			r.route(int32(d), 0, 1)
		}
		for d := range m.Switches {
			r.route(int32(d), 1, lids)
		}
		return nil
	})
}

// tableFiller fills the forwarding table of one switch.
type tableFiller struct {
	in   *route.Input
	m    grid
	t    *route.Tables
	flow [][]int64
	load []int64   // by number of a channel in m.Links: sources over it so far
	own  [][]int64 // by kind of the destination end ports
	s    int32
	ends []int32 // end ports of the destination switch
	used []int32 // by parallel link: LIDs of one port over it
}

// route writes the LIDs of switch d and its hosts, for each port the numbers from to end-1.
func (r *tableFiller) route(d int32, from, end int) {
	if from >= end {
		return
	}
	g := r.in.Graph
	there := r.m.Switches[d]
	r.ends = append(append(r.ends[:0], g.HostsOf(there)...), g.OthersOf(there)...)
	if r.s == d {
		for _, e := range r.ends {
			r.enter(e, from, end, g.EndPort[e])
		}
		return
	}
	dim, dir := r.m.next(r.s, d)
	group := r.m.LinkGroup(r.s, dim, dir)
	links := r.m.Links(group)
	if len(links) == 1 {
		for _, e := range r.ends {
			r.enter(e, from, end, g.FromPort[links[0]])
		}
		return
	}
	first := r.m.FirstLink(group)
	weight := r.m.through(r.flow, r.s, d, dim, dir)
	for _, e := range r.ends {
		if g.IsHost(e) {
			r.spread(e, from, end, links, int(first), weight*hostWeight)
		} else {
			r.spread(e, from, end, links, int(first), weight)
		}
	}
}

// hostWeight is the weight of a LID of a host, if a LID of a switch weighs 1: the little traffic to
// switches only breaks ties.
const hostWeight = 1 << 16

// enter writes one port for some LIDs of an end port.
func (r *tableFiller) enter(e int32, from, end int, port uint8) {
	for k := from; k < min(end, r.in.Ends.Count(e)); k++ {
		r.t.Set(r.m.Switches[r.s], r.in.Ends.Base[e]+fabric.LID(k), port)
	}
}

// spread writes some LIDs of a remote end port. Each takes, of parallel links, the one with the
// fewest LIDs of the port, then with the least load of its kind, then of all. So the first LIDs of
// a port share no link if there are enough.
func (r *tableFiller) spread(e int32, from, end int, links []int32, first int, weight int64) {
	if r.in.Ends.Count(e) <= from {
		return
	}
	g, here, base := r.in.Graph, r.m.Switches[r.s], r.in.Ends.Base[e]
	own, load := r.own[r.in.KindOf(e)][first:], r.load[first:]
	r.used = append(r.used[:0], make([]int32, len(links))...)
	for k := range from {
		port := r.t.Port(here, base+fabric.LID(k))
		r.used[slices.IndexFunc(links, func(c int32) bool { return g.FromPort[c] == port })]++
	}
	for k := from; k < min(end, r.in.Ends.Count(e)); k++ {
		best := 0
		for i := range links {
			if u, v := r.used[i], r.used[best]; u < v || u == v && (own[i] < own[best] || own[i] == own[best] && load[i] < load[best]) {
				best = i
			}
		}
		r.used[best]++
		load[best] += weight
		own[best] += weight
		r.t.Set(here, base+fabric.LID(k), g.FromPort[links[best]])
	}
}
