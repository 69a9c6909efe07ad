package sssp

import (
	"context"

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
	g := in.Graph
	b := newBuilder(in)
	ways := make([]ways, min(batch, g.NumSwitches))
	for first := 0; first < g.NumSwitches; first += batch {
		now := ways[:min(batch, g.NumSwitches-first)]
		err := par.For(ctx, in.Workers, len(now), func(_, i int) error {
			now[i].search(g, b.head, int32(first+i))
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i := range now {
			b.routeSwitch(&now[i])
			if i+1 == len(now) || len(b.columns)*g.NumSwitches > written {
				if err := b.write(ctx); err != nil {
					return nil, err
				}
			}
		}
	}
	return b.tables, ctx.Err()
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
		b.routeEnd(w, h)
	}
	b.routeEnd(w, g.PortZero(t))
}

func (b *builder) routeEnd(w *ways, end int32) {
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
		if g.IsPortZero(end) {
			b.chooseLowest(w, ports)
			continue
		}
		b.choose(w, ports)
		b.count(w)
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

// ways are the channels of all shortest paths to a destination switch.
type ways struct {
	order   []int32 // switches that reach it, nearest first; the destination itself is the first
	start   []int32 // of the channels of order[k+1] in allowed
	allowed []int32 // positions in Out
	taken   []int32 // by k: the channel that order[k+1] takes for the LID at hand
	hops    []int32 // by switch, -1 where there is no way
}

// search fills in the ways to switch t.
func (w *ways) search(g *fabric.Graph, head []int32, t int32) {
	if w.hops == nil {
		w.hops = make([]int32, g.NumSwitches)
		w.taken = make([]int32, g.NumSwitches)
	}
	for s := range w.hops {
		w.hops[s] = -1
	}
	w.hops[t] = 0
	w.order = append(w.order[:0], t)
	w.allowed, w.start = w.allowed[:0], append(w.start[:0], 0)
	for k := 0; k < len(w.order); k++ {
		s := w.order[k]
		reached := s == t || !g.Drained[s]
		for i := g.OutStart[s]; i < g.OutStart[s+1]; i++ {
			v := head[i]
			if w.hops[v] < 0 && reached {
				w.hops[v] = w.hops[s] + 1
				w.order = append(w.order, v)
			}
			if w.hops[v] == w.hops[s]-1 && (v == t || !g.Drained[v]) {
				w.allowed = append(w.allowed, i)
			}
		}
		if k > 0 {
			w.start = append(w.start, int32(len(w.allowed)))
		}
	}
}
