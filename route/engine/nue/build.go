package nue

import (
	"context"
	"errors"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

const (
	batch      = 32 // destination switches searched at once
	gainEvery  = 64 // destination switches after which a later pass must show a gain
	mostPasses = 4
	passWork   = 1 << 27 // LIDs x channels of all passes, if more than two
)

// errNoGain ends a pass without a gain.
var errNoGain = errors.New("nue: the loads are no more even than before")

// builder routes one LID after another, all of them several times.
type builder struct {
	*chooser
	in      *route.Input
	turns   *cdg.Index
	lanes   []*lane
	laneOf  []int32 // by switch: lane of its LIDs
	tables  *route.Tables
	senders []int32 // scratch of takeBack, by switch: unfinished switches that send to it
}

// build routes every LID of in.Ends on the lane of its switch, base LIDs before all others. In
// later passes every LID is taken off the loads and routed again beside all others, since the first
// ones were routed before the load was known. That ends without a gain, which happens at once in a
// complete fat-tree.
func build(ctx context.Context, in *route.Input, turns *cdg.Index, lanes []*lane, laneOf []int32) (*route.Tables, error) {
	b := newBuilder(in, turns, lanes, laneOf)
	for _, part := range columns.PartsByKind(in) {
		lids := 0
		for end := range in.Ends.Base {
			lids += max(0, part.Count(&in.Ends, int32(end)))
		}
		for pass := range max(2, min(mostPasses, passWork/(lids*len(in.Graph.Out)+1))) {
			part.PortZero = part.PortZero && pass == 0 // its paths put no load on channels
			part.Again = pass > 0
			err := b.routeAll(ctx, part)
			if errors.Is(err, errNoGain) {
				break
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return b.tables, nil
}

func newBuilder(in *route.Input, turns *cdg.Index, lanes []*lane, laneOf []int32) *builder {
	n := in.Graph.NumSwitches
	return &builder{
		chooser: newChooser(in.Graph), in: in, turns: turns, lanes: lanes, laneOf: laneOf,
		tables: route.NewTables(n, in.Ends.Top()), senders: make([]int32, n),
	}
}

// routeAll routes the LIDs of a part in order of their switches; a repetition ends when it gains
// nothing.
func (b *builder) routeAll(ctx context.Context, part columns.Part) error {
	order := fabric.Numbers(b.in.Graph.NumSwitches)
	before, routed, done := b.squares(), false, 0
	gained := func() bool {
		now := b.squares()
		ok := !part.Again || !routed || now < before
		before, routed = now, false
		return ok
	}
	search := func(_ int, to int32, w *ways) { w.search(b.lanes[b.laneOf[to]], to) }
	err := columns.Route(ctx, b.in, b.tables, part, order, batch, search, func(c *columns.Columns, w *ways) error {
		if done > 0 && done%gainEvery == 0 && !gained() {
			return errNoGain
		}
		done++
		routed = routed || c.N > 0
		b.routeSwitch(c, w, part.Again)
		return nil
	})
	if err == nil && !gained() {
		return errNoGain
	}
	return err
}

// routeSwitch chooses the columns of a destination. Traffic to port 0 does not count: it is
// management, and rare.
func (b *builder) routeSwitch(c *columns.Columns, w *ways, again bool) {
	g, l := b.in.Graph, b.lanes[b.laneOf[c.To]]
	for column := range c.LIDs {
		paths := int64(1)
		if column >= c.Hosts {
			paths = 0
		}
		if again {
			b.takeBack(l, w, c, column, paths)
		}
		b.choose(l, w, paths)
		for _, s := range w.order[1:] {
			c.Set(s, column, g.FromPort[g.Out[b.chosen[s]]])
		}
	}
}

// takeBack takes the paths of a column off the loads, each switch after all switches that send to
// it.
func (b *builder) takeBack(l *lane, w *ways, c *columns.Columns, column int, paths int64) {
	for _, s := range w.order {
		b.flow[s], b.senders[s] = sample.Weight(l.g, s)*paths, 0
	}
	for _, s := range w.order[1:] {
		out, _ := l.g.At(s, c.Row(s)[column])
		b.chosen[s] = b.turns.Place[out]
		b.senders[l.head[b.chosen[s]]]++
	}
	for _, s := range w.order[1:] {
		for u := s; u != w.to && b.senders[u] == 0; {
			i := b.chosen[u]
			v := l.head[i]
			b.load[i] -= b.flow[u]
			b.flow[v] += b.flow[u]
			b.senders[u] = -1 // done
			b.senders[v]--
			u = v
		}
	}
}
