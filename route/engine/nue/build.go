package nue

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

const (
	batch   = 64      // destination switches searched at once
	written = 1 << 22 // entries that are chosen before they are written
)

// builder routes one LID after the other.
type builder struct {
	*chooser
	in     *route.Input
	tables *route.Tables

	columns []column
	ports   []uint8 // of the columns in use, by column and switch
}

// column is a LID whose ports are chosen, but not yet written.
type column struct {
	lid fabric.LID
	at  int // of its first port in ports
}

// build routes every LID of in.Ends on the lane of its switch.
func build(ctx context.Context, in *route.Input, lanes []*lane, laneOf []int32) (*route.Tables, error) {
	g := in.Graph
	b := &builder{chooser: newChooser(g), in: in, tables: route.NewTables(g.NumSwitches, in.Ends.Top())}
	found := make([]ways, min(batch, g.NumSwitches))
	for begin := 0; begin < g.NumSwitches; begin += batch {
		now := found[:min(batch, g.NumSwitches-begin)]
		err := par.For(ctx, in.Workers, len(now), func(_, i int) error {
			now[i].search(lanes[laneOf[begin+i]], int32(begin+i))
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i := range now {
			b.routeSwitch(lanes[laneOf[begin+i]], &now[i])
			if i+1 == len(now) || len(b.columns)*g.NumSwitches > written {
				if err := b.write(ctx); err != nil {
					return nil, err
				}
			}
		}
	}
	return b.tables, ctx.Err()
}

// routeSwitch routes the LIDs of the hosts of a switch, then those of its port 0.
// Traffic to port 0 counts for nothing: it is management, and rare.
func (b *builder) routeSwitch(l *lane, w *ways) {
	g := b.in.Graph
	for _, h := range g.HostsOf(w.to) {
		b.routeEnd(l, w, h, 1)
	}
	b.routeEnd(l, w, g.PortZero(w.to), 0)
}

func (b *builder) routeEnd(l *lane, w *ways, end int32, paths int64) {
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
		b.choose(l, w, paths)
		for _, s := range w.order[1:] {
			ports[s] = g.FromPort[g.Out[b.taken[s]]]
		}
		ports[w.to] = g.EndPort[end]
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
