package sssp

import (
	"cmp"
	"context"
	"math"
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
		Options: []route.Option{Passes},
		New:     func(o route.Options) (route.Engine, error) { return engine{o.Int(Passes.Name)}, nil },
	}
}

// Passes is the option of the engines whose paths are chosen here.
var Passes = route.Option{
	Name: "passes", Default: 1, Min: 1, Max: 16,
	Doc: "times every LID is routed; from the second on each is taken back and chosen anew beside all others, which evens out the load where links are missing",
}

type engine struct{ passes int }

// Route implements route.Engine.
func (e engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := Build(ctx, in, e.passes)
	if err != nil {
		return nil, err
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

const (
	batch   = 16      // destination switches searched at once
	written = 1 << 22 // entries that are chosen before they are written
	grain   = 1 << 17 // entries that are worth a worker more to write
)

// Build routes every LID of in.Ends, so many times.
func Build(ctx context.Context, in *route.Input, passes int) (*route.Tables, error) {
	b := newBuilder(in)
	for b.pass = range passes {
		if err := b.each(ctx, b.targets(), b.routeSwitch); err != nil {
			return nil, err
		}
	}
	return b.tables, nil
}

// each searches for the ways to some switches, and has them used in order. The next
// are searched for while these are used.
func (b *builder) each(ctx context.Context, targets []int32, use func(w *ways)) error {
	g := b.in.Graph
	now, next := []ways(nil), make([]ways, batch)
	for first := -batch; first < len(targets); first += batch {
		ahead := targets[min(first+batch, len(targets)):min(first+2*batch, len(targets))]
		err := par.For(ctx, b.in.Workers, 1+len(ahead), func(_, i int) error {
			if i > 0 {
				next[i-1].search(g, b.head, ahead[i-1])
				return nil
			}
			return b.useAll(ctx, now, use)
		})
		if err != nil {
			return err
		}
		if now == nil {
			now = make([]ways, batch)
		}
		now, next = next[:len(ahead)], now[:batch]
	}
	return nil
}

// useAll has ways used in order, and writes what is chosen.
func (b *builder) useAll(ctx context.Context, ways []ways, use func(w *ways)) error {
	for k := range ways {
		use(&ways[k])
		if len(b.columns)*b.in.Graph.NumSwitches > written {
			if err := b.write(ctx); err != nil {
				return err
			}
		}
	}
	return b.write(ctx)
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
	pass   int     // so many have routed all LIDs before
	place  []int32 // of a channel in Out
	head   []int32 // switch behind a channel, by position in Out
	port   []uint8 // of a channel, by position in Out
	load   []int64 // of a channel, by position in Out: in units, below them its number among those of its switch
	dist   []int64 // by switch: load on its path to the LID, in units
	hosts  []int64 // by switch: paths that start at it
	flow   []int64 // by switch: paths that pass it or start at it
	first  []int32 // by switch: position in Out of the first channel of its path to the LID

	columns []column
	ports   []uint8 // of the columns in use, by column and switch
}

// unit of load. Below it is room for a number, so that of equally loaded paths from a
// switch the first has the least sum, and the sum tells which one that is.
const unit = 1 << 8

// whole leaves out what is below units.
func whole(load int64) int64 { return load &^ (unit - 1) }

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
		place: make([]int32, g.NumChannels), dist: make([]int64, g.NumSwitches), first: make([]int32, g.NumSwitches),
		hosts: make([]int64, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	for s := range b.hosts {
		b.hosts[s] = int64(g.HostStart[s+1] - g.HostStart[s])
	}
	for i, c := range g.Out {
		b.place[c] = int32(i)
		b.head[i], b.port[i], b.load[i] = g.To[c], g.FromPort[c], int64(i)-int64(g.OutStart[g.From[c]])
	}
	return b
}

// routeSwitch routes the LIDs of the hosts of a switch, then those of its port 0.
func (b *builder) routeSwitch(w *ways) {
	g, t := b.in.Graph, w.order[0]
	for _, h := range g.HostsOf(t) {
		b.routeEnd(t, h, func(ports []uint8) {
			b.takeBack(w)
			b.choose(w, ports)
			b.count(w, unit)
		})
	}
	if b.pass == 0 { // its paths do not go by load, and stay
		b.routeEnd(t, g.PortZero(t), func(ports []uint8) { b.chooseLowest(w, ports) })
	}
}

// routeEnd has the ports of all switches chosen for each LID of an end port of switch t.
func (b *builder) routeEnd(t, end int32, choose func(ports []uint8)) {
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
		ports[t] = g.EndPort[end]
		choose(ports)
	}
}

// choose finds the least loaded of the shortest paths from every switch.
func (b *builder) choose(w *ways, ports []uint8) {
	load, dist := b.load, b.dist
	dist[w.order[0]] = 0
	for k, s := range w.order[1:] {
		least := int64(math.MaxInt64)
		for _, e := range w.exits(k) {
			least = min(least, load[e.at()]+dist[e.head()])
		}
		best := b.in.Graph.OutStart[s] + int32(least%unit)
		dist[s] = whole(least)
		ports[s] = b.port[best]
		b.first[s] = best
	}
}

// chooseLowest takes at every switch the shortest path to the neighbour of the lowest
// number, and of parallel links the first.
func (b *builder) chooseLowest(w *ways, ports []uint8) {
	for k, s := range w.order[1:] {
		exits := w.exits(k)
		best := exits[0]
		for _, e := range exits[1:] {
			if e.head() < best.head() {
				best = e
			}
		}
		ports[s] = b.port[best.at()]
	}
}

// count adds so much for each path to the load of its channels, farthest switches first.
func (b *builder) count(w *ways, path int64) {
	flow, head, load, first := b.flow, b.head, b.load, b.first
	copy(flow, b.hosts)
	for k := len(w.order) - 1; k > 0; k-- {
		s := w.order[k]
		i := first[s]
		load[i] += flow[s] * path
		flow[head[i]] += flow[s]
	}
}

// takeBack takes the paths to the LID at hand, which an earlier pass chose, off the load.
func (b *builder) takeBack(w *ways) {
	if b.pass == 0 {
		return
	}
	g, lid := b.in.Graph, b.columns[len(b.columns)-1].lid
	for _, s := range w.order[1:] {
		c, _ := g.At(s, b.tables.Port(s, lid))
		b.first[s] = b.place[c]
	}
	b.count(w, -unit)
}

// write enters the columns into the tables and forgets them.
func (b *builder) write(ctx context.Context) error {
	workers := min(b.in.Workers, 1+len(b.columns)*b.in.Graph.NumSwitches/grain)
	err := par.For(ctx, workers, b.in.Graph.NumSwitches, func(_, s int) error {
		for _, c := range b.columns {
			b.tables.Set(int32(s), c.lid, b.ports[c.at+s])
		}
		return nil
	})
	b.columns = b.columns[:0]
	return err
}
