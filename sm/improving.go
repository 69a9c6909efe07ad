package sm

import (
	"context"

	"weft/planner"
	"weft/sm/round/planning"
	"weft/sm/terms"
)

// improving plans a better Plan beside the loop of a Runner. It leaves one core to the loop, and
// rests while the Manager is at work, so that a repair has all cores. Engines poll their context
// all the time: that is where they rest.
type improving struct {
	cancel context.CancelFunc // of the last job; nil for none
	number uint64             // of that job, from 1 on
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
		ev := planning.Plan(d.Gate.Rest(ctx), req, q)
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
