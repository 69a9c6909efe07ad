package sssp

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    "sssp",
		Summary: "fewest hops, each path where earlier ones put the least load; may deadlock on one lane",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithm 1; Hoefler, Schneider and Lumsdaine 2009",
		Cost:    "time O((switches + LIDs) x channels), memory O(channels) and the tables",
		Lanes:   "none",
		New:     func(route.Options) (route.Engine, error) { return engine{}, nil },
	}
}

type engine struct{}

// Route implements route.Engine.
func (engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := Build(ctx, in)
	if err != nil {
		return nil, err
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

const (
	batch   = 64      // destination switches searched at once
	written = 1 << 22 // entries that are chosen before they are written
)

// Build routes every LID of in.Ends.
func Build(ctx context.Context, in *route.Input) (*route.Tables, error) {
	b := newBuilder(in)
	if err := b.each(ctx, b.routeSwitch); err != nil {
		return nil, err
	}
	return b.tables, nil
}

// each searches for the ways to every switch, and has them used in order.
func (b *builder) each(ctx context.Context, use func(w *ways)) error {
	g := b.in.Graph
	ways := make([]ways, min(batch, g.NumSwitches))
	targets := b.targets()
	for first := 0; first < g.NumSwitches; first += batch {
		now := ways[:min(batch, g.NumSwitches-first)]
		err := par.For(ctx, b.in.Workers, len(now), func(_, i int) error {
			now[i].search(g, b.head, targets[first+i])
			return nil
		})
		if err != nil {
			return err
		}
		for i := range now {
			use(&now[i])
			if i+1 == len(now) || len(b.columns)*g.NumSwitches > written {
				if err := b.write(ctx); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// targets lists the switches, those with the most hosts first: the others are better
// at evening out what these leave.
func (b *builder) targets() []int32 {
	g := b.in.Graph
	targets := make([]int32, g.NumSwitches)
	for s := range targets {
		targets[s] = int32(s)
	}
	hosts := func(s int32) int32 { return g.HostStart[s+1] - g.HostStart[s] }
	slices.SortStableFunc(targets, func(x, y int32) int { return cmp.Compare(hosts(y), hosts(x)) })
	return targets
}

// builder routes one LID after the other.
type builder struct {
	in     *route.Input
	tables *route.Tables
	head   []int32 // switch behind a channel, by position in Out
	port   []uint8 // its port, by position in Out
	load   []int64 // by position in Out
	dist   []int64 // by switch: load on its path to the LID
	flow   []int64 // by switch: weight of the paths through it

	columns []column
	ports   []uint8 // of the columns in use, by column and switch
}

// column is a LID whose ports are chosen, but not yet written.
type column struct {
	lid fabric.LID
	at  int // of its first port in ports
}

func newBuilder(in *route.Input) *builder {
	g := in.Graph
	b := &builder{
		in: in, tables: route.NewTables(g.NumSwitches, in.Ends.Top()),
		head: make([]int32, len(g.Out)), port: make([]uint8, len(g.Out)), load: make([]int64, len(g.Out)),
		dist: make([]int64, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	for i, c := range g.Out {
		b.head[i], b.port[i] = g.To[c], g.FromPort[c]
	}
	return b
}

// routeSwitch routes the LIDs of the hosts of a switch, then those of its port 0.
func (b *builder) routeSwitch(w *ways) {
	g, t := b.in.Graph, w.order[0]
	for _, h := range g.HostsOf(t) {
		b.routeEnd(w, h, func(ports []uint8) {
			b.choose(w, ports)
			b.count(w)
		})
	}
	b.routeEnd(w, g.PortZero(t), func(ports []uint8) { b.chooseLowest(w, ports) })
}

// routeEnd has the ports of all switches chosen for each LID of an end port.
func (b *builder) routeEnd(w *ways, end int32, choose func(ports []uint8)) {
	g := b.in.Graph
	n := g.NumSwitches
	for k := range b.in.Ends.Count(end) {
		at := len(b.columns) * n
		if len(b.ports) < at+n {
			b.ports = append(b.ports, make([]uint8, at+n-len(b.ports))...)
		}
		b.columns = append(b.columns, column{b.in.Ends.Base[end] + fabric.LID(k), at})
		ports := b.ports[at : at+n]
		for s := range ports {
			ports[s] = route.NoPort
		}
		ports[w.order[0]] = g.EndPort[end]
		choose(ports)
	}
}

// choose finds the least loaded of the shortest paths from every switch.
func (b *builder) choose(w *ways, ports []uint8) {
	b.dist[w.order[0]] = 0
	for k, s := range w.order[1:] {
		best, least := int32(-1), int64(0)
		for _, i := range w.allowed[w.start[k]:w.start[k+1]] {
			if d := b.load[i] + b.dist[b.head[i]]; best < 0 || d < least {
				best, least = i, d
			}
		}
		b.dist[s] = least
		ports[s] = b.port[best]
		w.taken[k] = best
	}
}

// chooseLowest takes at every switch the shortest path to the neighbour of the lowest
// number, and of parallel links the first.
func (b *builder) chooseLowest(w *ways, ports []uint8) {
	for k, s := range w.order[1:] {
		allowed := w.allowed[w.start[k]:w.start[k+1]]
		best := allowed[0]
		for _, i := range allowed[1:] {
			if b.head[i] < b.head[best] {
				best = i
			}
		}
		ports[s] = b.port[best]
	}
}

// count adds the paths to the load of their channels, farthest switches first.
func (b *builder) count(w *ways) {
	g := b.in.Graph
	for _, s := range w.order {
		b.flow[s] = int64(g.HostStart[s+1] - g.HostStart[s])
	}
	for k := len(w.order) - 2; k >= 0; k-- {
		i := w.taken[k]
		f := b.flow[w.order[k+1]]
		b.load[i] += f
		b.flow[b.head[i]] += f
	}
}

// write enters the columns into the tables and forgets them.
func (b *builder) write(ctx context.Context) error {
	err := par.For(ctx, b.in.Workers, b.in.Graph.NumSwitches, func(_, s int) error {
		for _, c := range b.columns {
			b.tables.Set(int32(s), c.lid, b.ports[c.at+s])
		}
		return nil
	})
	b.columns = b.columns[:0]
	return err
}
