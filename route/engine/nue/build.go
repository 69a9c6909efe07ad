package nue

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/sample"
)

const (
	batch      = 64 // destination switches searched at once
	block      = 64 // switches whose tables are written at once
	mostPasses = 4
	passWork   = 1 << 27 // LIDs x channels of all passes, if more than two

	none uint8 = 255 // where a switch has no way
)

// builder routes one LID after the other, all of them several times.
type builder struct {
	*chooser
	in     *route.Input
	lanes  []*lane
	laneOf []int32 // by switch: lane of its LIDs

	columns []column
	next    int     // column to route
	taken   []uint8 // by column and switch: which of the channels that leave the switch, or none
	leading []int32 // by switch: those that lead to it and are still to be taken back
	again   bool    // whether all have been routed before
	moved   bool    // whether one was routed anew
}

// column is a LID.
type column struct {
	lid fabric.LID
	end int32
}

// build routes every LID of in.Ends on the lane of its switch. In later passes every
// LID is taken back and routed anew beside all others: the first were routed before
// anybody could know where the load would be. That ends when it gains nothing, as it
// does at once in a fat-tree that is complete.
func build(ctx context.Context, in *route.Input, lanes []*lane, laneOf []int32) (*route.Tables, error) {
	b := newBuilder(in, lanes, laneOf)
	for range max(2, min(mostPasses, passWork/(len(b.columns)*len(in.Graph.Out)+1))) {
		if more, err := b.pass(ctx); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	return b.write(ctx)
}

// newBuilder lists the LIDs in the order in which they are routed: by switch, those of its
// hosts before those of its port 0.
func newBuilder(in *route.Input, lanes []*lane, laneOf []int32) *builder {
	g := in.Graph
	b := &builder{chooser: newChooser(g), in: in, lanes: lanes, laneOf: laneOf}
	add := func(end int32) {
		for k := range in.Ends.Count(end) {
			b.columns = append(b.columns, column{in.Ends.Base[end] + fabric.LID(k), end})
		}
	}
	for s := range int32(g.NumSwitches) {
		for _, h := range g.HostsOf(s) {
			add(h)
		}
		add(g.PortZero(s))
	}
	b.leading = make([]int32, g.NumSwitches)
	b.taken = make([]uint8, len(b.columns)*g.NumSwitches)
	for i := range b.taken {
		b.taken[i] = none
	}
	return b
}

// pass routes every LID, or in later passes as many as gain from it; it tells whether
// all have been.
func (b *builder) pass(ctx context.Context) (bool, error) {
	n := b.in.Graph.NumSwitches
	found := make([]ways, min(batch, n))
	b.next = 0
	for begin := 0; begin < n; begin += batch {
		now := found[:min(batch, n-begin)]
		err := par.For(ctx, b.in.Workers, len(now), func(_, i int) error {
			now[i].search(b.lanes[b.laneOf[begin+i]], int32(begin+i))
			return nil
		})
		if err != nil {
			return false, err
		}
		before := b.crowding()
		b.moved = false
		for i := range now {
			b.routeSwitch(b.lanes[b.laneOf[begin+i]], &now[i])
		}
		if b.moved && b.crowding() >= before {
			return false, ctx.Err()
		}
	}
	b.again = true
	return true, ctx.Err()
}

// routeSwitch routes the LIDs of a switch. Traffic to port 0 counts for nothing: it is
// management, and rare.
func (b *builder) routeSwitch(l *lane, w *ways) {
	g := b.in.Graph
	for ; b.next < len(b.columns) && g.EndSwitch[b.columns[b.next].end] == w.to; b.next++ {
		paths := int64(1)
		if b.columns[b.next].end == g.PortZero(w.to) {
			paths = 0
		}
		taken := b.taken[b.next*g.NumSwitches:][:g.NumSwitches]
		if b.again {
			if paths == 0 {
				continue
			}
			b.moved = true
			b.takeBack(l, w, taken, paths)
		}
		b.choose(l, w, paths)
		for _, s := range w.order[1:] {
			taken[s] = uint8(b.chosen[s] - g.OutStart[s])
		}
	}
}

// takeBack takes the paths to a LID off the loads, each switch after all that lead to it.
func (b *builder) takeBack(l *lane, w *ways, taken []uint8, paths int64) {
	out := func(s int32) int32 { return l.g.OutStart[s] + int32(taken[s]) }
	for _, s := range w.order {
		b.flow[s], b.leading[s] = sample.Weight(l.g, s)*paths, 0
	}
	for _, s := range w.order[1:] {
		b.leading[l.head[out(s)]]++
	}
	for _, s := range w.order[1:] {
		for u := s; u != w.to && b.leading[u] == 0; {
			i := out(u)
			v := l.head[i]
			b.load[i] -= b.flow[u]
			b.flow[v] += b.flow[u]
			b.leading[u] = -1 // done
			b.leading[v]--
			u = v
		}
	}
}

// write makes the tables.
func (b *builder) write(ctx context.Context) (*route.Tables, error) {
	g := b.in.Graph
	n := g.NumSwitches
	tables := route.NewTables(n, b.in.Ends.Top())
	err := par.For(ctx, b.in.Workers, (n+block-1)/block, func(_, k int) error {
		for c, col := range b.columns {
			to := int(g.EndSwitch[col.end])
			for s := k * block; s < min(n, (k+1)*block); s++ {
				switch i := b.taken[c*n+s]; {
				case s == to:
					tables.Set(int32(s), col.lid, g.EndPort[col.end])
				case i == none:
					tables.Set(int32(s), col.lid, route.NoPort)
				default:
					tables.Set(int32(s), col.lid, g.FromPort[g.Out[g.OutStart[s]+int32(i)]])
				}
			}
		}
		return nil
	})
	return tables, err
}
