package sm

import (
	"context"
	"sync"

	"weft/planner"
	"weft/sm/round"
	"weft/sm/terms"
)

// improving plans a better Plan beside the loop of a Runner. It leaves one core to the loop, and
// rests while the Manager is at work, so that a repair has all cores. Engines poll their context
// all the time: that is where they rest.
type improving struct {
	cancel context.CancelFunc // of the last job; nil for none
	number uint64             // of that job, from 1 on
	gate   gate
}

// begin ends the job under way, and begins another one if there is a request. An event has the
// number of its job as its Tag, so that one that was on its way when its job ended is dropped.
func (i *improving) begin(ctx context.Context, d *run, q *terms.RouteRequest) {
	if i.cancel != nil {
		i.cancel()
		i.cancel = nil
	}
	i.number++
	if q == nil {
		return
	}
	ctx, i.cancel = context.WithCancel(ctx)
	req, number := besideRequest(d.routing), i.number
	d.work(func() *terms.Event {
		ev := round.Plan(resting{ctx, &i.gate}, req, q)
		ev.Tag = number
		return ev
	})
}

// isOver reports whether an event is of a job that was ended.
func (i *improving) isOver(ev *terms.Event) bool {
	return ev.Kind == terms.Improved && ev.Tag != i.number
}

// besideRequest leaves a core to the loop.
func besideRequest(req planner.Request) planner.Request {
	req.Workers = max(1, req.Workers-1)
	return req
}

// gate lets goroutines pass while it is open, as it is at first.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // closed when the gate opens; nil while it is open
}

// set opens or shuts the gate.
func (g *gate) set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case open && g.opened != nil:
		close(g.opened)
		g.opened = nil
	case !open && g.opened == nil:
		g.opened = make(chan struct{})
	}
}

// pass waits until the gate is open or the context ends.
func (g *gate) pass(ctx context.Context) {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened == nil {
		return
	}
	select {
	case <-opened:
	case <-ctx.Done():
	}
}

// resting is a context whose Err waits while a gate is shut.
type resting struct {
	context.Context
	gate *gate
}

// Err returns why the context has ended, nil if it has not.
func (r resting) Err() error {
	r.gate.pass(r.Context)
	return r.Context.Err()
}
