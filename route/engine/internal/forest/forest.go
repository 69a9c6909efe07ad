package forest

import (
	"context"
	"sync/atomic"

	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/columns"
)

const (
	batch = 32 // destinations searched ahead, and written to the tables together
	chunk = 64 // switches handed to a worker at once
)

// Build routes every LID of in.Ends along the hops that find allows: all base LIDs first, then the
// others.
func Build(ctx context.Context, in *route.Input, n *Net, find Finder) (*route.Tables, error) {
	b, order := newBuilder(in, n), destinations(n)
	for _, part := range columns.Parts(&in.Ends) {
		search := func(worker int, to int32, h *Hops) {
			if h.Near == nil {
				*h = *NewHops(n.G.NumSwitches)
			}
			find(worker, to, h)
		}
		err := columns.Route(ctx, in, b.tables, part, order, batch, search, func(c *columns.Columns, h *Hops) error {
			b.Columns, b.h = c, h
			return b.route(ctx, part.First == 0)
		})
		if err != nil {
			return nil, err
		}
	}
	return b.tables, nil
}

// builder routes one destination switch after another.
type builder struct {
	n      *Net
	tables *route.Tables
	port   []uint8 // by position in Out
	load   []int64 // paths from hosts to LIDs, by position in Out
	kindLoads
	workers []worker

	// The current destination.
	*columns.Columns
	h    *Hops
	seq  int      // its number in the order
	flow []uint32 // hosts whose path to a LID passes a switch: flow[s*N+column]
	pathSet
}

// worker is the scratch memory of one goroutine.
type worker struct {
	allowed []int32 // hops to choose from, as positions in Out
	load    []int64 // their loads
	bundle
}

func newBuilder(in *route.Input, n *Net) *builder {
	b := &builder{
		n: n, kindLoads: newKindLoads(in, len(n.Head)),
		tables:  route.NewTables(n.G.NumSwitches, in.Ends.Top()),
		port:    make([]uint8, len(n.Head)),
		load:    make([]int64, len(n.Head)),
		workers: make([]worker, max(1, in.Workers)),
	}
	for i, c := range n.G.Out {
		b.port[i] = n.G.FromPort[c]
	}
	for w := range b.workers {
		b.workers[w].allowed = make([]int32, n.widest())
		if in.Ends.MaxLMC() > 0 {
			b.workers[w].mark = make([]int32, len(n.Head))
		}
	}
	if in.Ends.MaxLMC() > 0 {
		b.position = make([]int32, n.G.NumChannels)
		for i, c := range n.G.Out {
			b.position[c] = int32(i)
		}
	}
	return b
}

// route chooses the hops of every switch for all columns of the destination: separately for base
// LIDs, by port for other LIDs.
func (b *builder) route(ctx context.Context, base bool) error {
	b.seq++
	if b.N == 0 {
		return nil
	}
	b.startFlow()
	inwards := b.chooseHops
	if !base {
		inwards = b.countTraffic
		b.startPaths()
		for d := 1; d+1 < len(b.h.Level); d++ {
			if err := b.level(ctx, d, b.choosePaths); err != nil {
				return err
			}
		}
	}
	for d := len(b.h.Level) - 2; d >= 1; d-- {
		if err := b.level(ctx, d, inwards); err != nil {
			return err
		}
	}
	return nil
}

// level works the switches at a distance of d hops.
func (b *builder) level(ctx context.Context, d int, work func(w *worker, s int32)) error {
	switches := b.h.Order[b.h.Level[d]:b.h.Level[d+1]]
	return par.For(ctx, b.in.Workers, (len(switches)+chunk-1)/chunk, func(worker, i int) error {
		for _, s := range switches[i*chunk : min(len(switches), (i+1)*chunk)] {
			work(&b.workers[worker], s)
		}
		return nil
	})
}

// startFlow counts the hosts of each switch. Traffic to port 0 does not count: it is management,
// and rare.
func (b *builder) startFlow() {
	g, S := b.n.G, b.n.G.NumSwitches
	if need := S * b.N; cap(b.flow) < need {
		b.flow = make([]uint32, need)
	}
	b.flow = b.flow[:S*b.N]
	for s := range S {
		hosts := uint32(g.HostCount(int32(s)))
		row := b.flow[s*b.N : (s+1)*b.N]
		for c := range row {
			row[c] = hosts
		}
		clear(row[b.Hosts:])
	}
}

// listAllowed lists the hops that switch s may use.
func (b *builder) listAllowed(w *worker, s int32) {
	w.allowed = w.allowed[:cap(w.allowed)]
	w.allowed = w.allowed[:b.h.Allowed(b.n, s, w.allowed)]
}

// chooseHops takes the least loaded hop at switch s for the base LID of every port.
func (b *builder) chooseHops(w *worker, s int32) {
	b.listAllowed(w, s)
	flow := b.flow[int(s)*b.N : (int(s)+1)*b.N]
	ports := b.Row(s)
	idle := b.seq % len(w.allowed)
	var turn leastFirst
	last := uint8(0)
	for col, f := range flow {
		if f > 0 {
			kind := b.kindOf(col)
			if turn.load == nil || kind != last {
				turn, last = leastFirst{load: b.loads(w, kind)}, kind
			}
			i := w.allowed[turn.take(int64(f)*b.cost(kind))]
			b.load[i] += int64(f)
			b.count(kind, i, int64(f))
			b.pass(b.n.Head[i], col, f)
			ports[col] = b.port[i]
			continue
		}
		ports[col] = b.port[w.allowed[idle]] // no traffic: any will do
		if idle++; idle == len(w.allowed) {
			idle = 0
		}
	}
}

// loads fills in and returns the loads of the allowed hops for hosts of a kind.
func (b *builder) loads(w *worker, kind uint8) []int64 {
	w.load = w.load[:0]
	for _, i := range w.allowed {
		load := b.load[i]
		if b.own != nil {
			load = 2*wholePrice*load + b.price[kind]*b.own[kind][i]
		}
		w.load = append(w.load, load)
	}
	return w.load
}

// pass adds traffic to the next switch. Switches of one level may pass to the same one at once.
func (b *builder) pass(v int32, col int, f uint32) {
	at := &b.flow[int(v)*b.N+col]
	if len(b.workers) == 1 {
		*at += f
		return
	}
	atomic.AddUint32(at, f)
}

// leastFirst hands out the least loaded element, the first of equals. It scans the list once for
// every value of the least load, not once for every call.
type leastFirst struct {
	load  []int64
	least int64
	at    int
	known bool
}

func (l *leastFirst) take(f int64) int {
	for {
		if l.known {
			for ; l.at < len(l.load); l.at++ {
				if l.load[l.at] == l.least {
					k := l.at
					l.load[k] += f
					l.at++
					return k
				}
			}
		}
		l.least = l.load[0]
		for _, v := range l.load[1:] {
			l.least = min(l.least, v)
		}
		l.at, l.known = 0, true
	}
}
