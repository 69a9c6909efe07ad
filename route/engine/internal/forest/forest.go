package forest

import (
	"cmp"
	"context"
	"sync/atomic"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

const (
	batch = 32 // destinations searched ahead, and written to the tables together
	chunk = 64 // switches handed to a worker at once
)

// Build routes every LID of in.Ends along the hops that find allows. While one batch
// of destinations is routed, the next one is searched.
func Build(ctx context.Context, in *route.Input, n *Net, find Finder) (*route.Tables, error) {
	b := newBuilder(in, n)
	order := destinations(n)
	found := b.search(ctx, order, 0, find)
	for k := 0; len(order) > 0; k = 1 - k {
		if err := <-found; err != nil {
			return nil, err
		}
		now := order[:min(batch, len(order))]
		order = order[len(now):]
		found = b.search(ctx, order, 1-k, find)
		if err := b.routeBatch(ctx, b.jobs[k][:len(now)]); err != nil {
			return nil, cmp.Or(err, <-found) // the search ends before its jobs are given up
		}
	}
	return b.tables, <-found
}

// search fills one of the two batches of jobs with the destinations that come
// next, and answers on the channel when that is done.
func (b *builder) search(ctx context.Context, order []int32, k int, find Finder) <-chan error {
	done := make(chan error, 1)
	now := order[:min(batch, len(order))]
	work := func() {
		done <- par.For(ctx, b.in.Workers, len(now), func(worker, i int) error {
			j := &b.jobs[k][i]
			find(worker, now[i], j.h)
			j.open(b.in, b.n.G, now[i])
			return nil
		})
	}
	if b.in.Workers > 1 {
		go work()
	} else {
		work()
	}
	return done
}

// routeBatch routes and writes a batch of destinations, in their order.
func (b *builder) routeBatch(ctx context.Context, jobs []job) error {
	for i := range jobs {
		if err := b.route(ctx, &jobs[i]); err != nil {
			return err
		}
	}
	return b.write(ctx, jobs)
}

// builder routes one destination switch after the other.
type builder struct {
	in      *route.Input
	n       *Net
	tables  *route.Tables
	port    []uint8  // by position in Out
	load    []int64  // paths from hosts to LIDs, by position in Out
	jobs    [2][]job // batches: one is searched while the other is routed
	workers []worker

	// The destination at hand.
	*job
	seq  int      // its number in the order
	flow []uint32 // hosts whose path to a LID comes through a switch: flow[s*cols+column]
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
		in: in, n: n,
		tables:  route.NewTables(n.G.NumSwitches, in.Ends.Top()),
		port:    make([]uint8, len(n.Head)),
		load:    make([]int64, len(n.Head)),
		workers: make([]worker, max(1, in.Workers)),
	}
	for k := range b.jobs {
		b.jobs[k] = make([]job, min(batch, n.G.NumSwitches))
		for i := range b.jobs[k] {
			b.jobs[k][i].h = NewHops(n.G.NumSwitches)
		}
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
	return b
}

// route chooses the hops of every switch for all LIDs of a destination.
func (b *builder) route(ctx context.Context, j *job) error {
	b.job = j
	b.seq++
	if b.cols == 0 {
		return nil
	}
	b.startFlow()
	inwards := b.chooseHops
	if b.several {
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

// level works the switches that are d hops away.
func (b *builder) level(ctx context.Context, d int, work func(w *worker, s int32)) error {
	switches := b.h.Order[b.h.Level[d]:b.h.Level[d+1]]
	return par.For(ctx, b.in.Workers, (len(switches)+chunk-1)/chunk, func(worker, i int) error {
		for _, s := range switches[i*chunk : min(len(switches), (i+1)*chunk)] {
			work(&b.workers[worker], s)
		}
		return nil
	})
}

// startFlow counts the hosts that start at each switch. Traffic to port 0 counts
// for nothing: it is management, and rare.
func (b *builder) startFlow() {
	g, S := b.n.G, b.n.G.NumSwitches
	if need := S * b.cols; cap(b.flow) < need {
		b.flow = make([]uint32, need)
	}
	b.flow = b.flow[:S*b.cols]
	for s := range S {
		hosts := uint32(g.HostStart[s+1] - g.HostStart[s])
		row := b.flow[s*b.cols : (s+1)*b.cols]
		for c := range row {
			row[c] = hosts
		}
		clear(row[b.hostCols:])
	}
}

// look lists the hops that switch s may use.
func (b *builder) look(w *worker, s int32) {
	w.allowed = w.allowed[:cap(w.allowed)]
	w.allowed = w.allowed[:b.h.Allowed(b.n, s, w.allowed)]
}

// chooseHops takes one hop at switch s for every LID: the least loaded one. Each
// LID is the only one of its port.
func (b *builder) chooseHops(w *worker, s int32) {
	b.look(w, s)
	flow := b.flow[int(s)*b.cols : (int(s)+1)*b.cols]
	ports := b.row(s)
	idle := b.seq % len(w.allowed)
	var turn leastFirst
	for col, f := range flow {
		if f > 0 {
			if turn.load == nil {
				turn.load = b.loads(w)
			}
			i := w.allowed[turn.take(int64(f))]
			b.load[i] += int64(f)
			b.pass(b.n.Head[i], col, f)
			ports[col] = b.port[i]
			continue
		}
		ports[col] = b.port[w.allowed[idle]] // nobody comes this way: any will do
		if idle++; idle == len(w.allowed) {
			idle = 0
		}
	}
}

// loads fills in and returns the loads of the hops to choose from.
func (b *builder) loads(w *worker) []int64 {
	w.load = w.load[:0]
	for _, i := range w.allowed {
		w.load = append(w.load, b.load[i])
	}
	return w.load
}

// pass hands traffic on to the next switch. Switches of one level may pass to the
// same one at once.
func (b *builder) pass(v int32, col int, f uint32) {
	at := &b.flow[int(v)*b.cols+col]
	if len(b.workers) == 1 {
		*at += f
		return
	}
	atomic.AddUint32(at, f)
}

// write copies the ports that were chosen into the tables.
func (b *builder) write(ctx context.Context, jobs []job) error {
	S := b.n.G.NumSwitches
	return par.For(ctx, b.in.Workers, (S+chunk-1)/chunk, func(_, i int) error {
		for s := int32(i * chunk); s < int32(min(S, (i+1)*chunk)); s++ {
			for k := range jobs {
				row := jobs[k].row(s)
				for _, r := range jobs[k].runs {
					b.tables.SetRun(s, fabric.LID(r.base), row[r.from:r.to])
				}
			}
		}
		return nil
	})
}

// leastFirst hands out the least loaded of several, the first of equals. It looks
// at each once for every value that the least load takes, not once for every hand-out.
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
