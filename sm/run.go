package sm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"weft/mad"
	"weft/wire"
)

// Runner drives a Core over a Transport, through the requester of wire, which does
// transaction IDs, window, timeouts and retries.
type Runner struct {
	Config
	Planner

	Wire  wire.Config          // of the requester
	Clock func() time.Duration // what the seconds of the report are measured by
	Note  func(Incident)       // told of incidents as they come; may be nil
	Phase func(name string)    // told of phases as they begin; may be nil
	Grace time.Duration        // how long answers are waited for once ctx has ended; 200 ms
}

// Run brings up, or with Config.ReadOnly discovers, the subnet behind a Transport.
// It owns the Transport, and closes it. When ctx ends it sends nothing more, waits
// for what is under way, and reports; the error is then that of ctx. Otherwise the
// error says why the Transport failed; what the fabric did is in the Report.
func (r *Runner) Run(ctx context.Context, t wire.Transport) (*Core, error) {
	d := &drive{Runner: r, core: New(r.Config), wake: make(chan struct{}, 1)}
	if d.Grace <= 0 {
		d.Grace = 200 * time.Millisecond
	}
	if d.Wire.Window <= 0 {
		d.Wire.Window = usualWindow
	}
	d.request.Done = d.ended
	d.begun = d.Clock()
	d.lap = d.begun
	d.requester = wire.New(t, wire.Options{Config: r.Wire, Now: r.Clock})
	d.step(ctx, &Event{Kind: Start})
	err := d.loop(ctx)
	d.endPhase()
	rep := d.core.Report()
	rep.Time.Seconds = (d.Clock() - d.begun).Seconds()
	for _, req := range r.Chain {
		rep.Routing.Asked = append(rep.Routing.Asked, req.Engine.Name)
	}
	return d.core, errors.Join(err, d.requester.Close(context.Background()))
}

// drive is one Run.
type drive struct {
	*Runner
	core      *Core
	requester *wire.Requester
	request   wire.Request
	actions   []Action
	packet    [mad.Size]byte
	patience  patience
	done      bool
	stopped   bool
	failure   error

	begun, lap time.Duration
	phase      string

	mu    sync.Mutex
	queue []Event // ended, not yet stepped
	spare []Event
	dead  error // why the Transport has ended by itself
	wake  chan struct{}
}

// ended takes the end of a request, on the requester's goroutine.
func (d *drive) ended(res *wire.Result) {
	d.mu.Lock()
	d.queue = append(d.queue, Event{Kind: Answer, Tag: res.Tag, Attempts: res.Attempts})
	fill(&d.queue[len(d.queue)-1], res)
	first := len(d.queue) == 1
	if res.Err != nil && d.dead == nil && errors.Is(res.Err, wire.ErrClosed) {
		d.dead = res.Err
	}
	d.mu.Unlock()
	if first {
		select {
		case d.wake <- struct{}{}:
		default:
		}
	}
}

// fill translates a Result.
func fill(ev *Event, res *wire.Result) {
	if res.Err == nil {
		copy(ev.Data[:], res.Reply.MAD.Data())
		return
	}
	var status *wire.StatusError
	switch {
	case errors.As(res.Err, &status):
		ev.Outcome, ev.Status = Refused, status.Status
	case errors.Is(res.Err, wire.ErrTimeout):
		ev.Outcome = Silent
	default:
		ev.Outcome = Cancelled
	}
}

// loop feeds the core until it is done.
func (d *drive) loop(ctx context.Context) error {
	stop := ctx.Done()
	var grace <-chan time.Time
	for !d.done {
		select {
		case <-d.wake:
			d.drain(ctx)
		case <-stop:
			stop = nil
			d.stop(ctx)
			timer := time.NewTimer(d.Grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			// What is still under way ends now, cancelled.
			d.failure = errors.Join(d.failure, d.requester.Close(context.Background()))
			grace = nil
		}
	}
	if d.core.Report().State == Interrupted {
		return errors.Join(ctx.Err(), d.failure)
	}
	return d.failure
}

// stop tells the core to end.
func (d *drive) stop(ctx context.Context) {
	if !d.stopped {
		d.stopped = true
		d.step(ctx, &Event{Kind: Stop})
	}
}

// drain steps through what has ended.
func (d *drive) drain(ctx context.Context) {
	for {
		d.mu.Lock()
		events := d.queue
		d.queue = d.spare[:0]
		d.spare = events
		dead := d.dead
		d.mu.Unlock()
		if len(events) == 0 {
			return
		}
		if dead != nil && !d.stopped {
			d.failure = fmt.Errorf("sm: %w", dead)
			d.stop(ctx)
		}
		for i := range events {
			d.patience.learn(&events[i])
			d.step(ctx, &events[i])
		}
	}
}

// step feeds the core one event and does what it wants done.
func (d *drive) step(ctx context.Context, ev *Event) {
	d.actions = d.core.Step(ev, d.actions[:0])
	for i := 0; i < len(d.actions); i++ {
		a := &d.actions[i]
		switch a.Kind {
		case Ask:
			d.send(a)
		case Route:
			planned := d.Plan(ctx, a.Graph, a.Held)
			if ctx.Err() != nil {
				d.stop(ctx)
			}
			d.step(ctx, planned)
			return
		case Claim:
			if err := d.requester.Transport().SetIsSM(ctx, true); err != nil {
				d.failure = fmt.Errorf("sm: cannot be a subnet manager here: %w", err)
				d.stop(ctx)
				return
			}
			d.step(ctx, &Event{Kind: Claimed})
			return
		case Phase:
			d.endPhase()
			d.phase = a.Name
			if d.Runner.Phase != nil {
				d.Runner.Phase(a.Name)
			}
		case Note:
			if d.Note != nil {
				d.Note(a.Incident)
			}
		case Done:
			d.done = true
		}
	}
}

// send builds an SMP and starts its request.
func (d *drive) send(a *Action) {
	m, err := mad.Request{Method: a.Method, Attr: a.Attr, Modifier: a.Modifier, Key: d.MKey}.Directed(d.packet[:], a.Path)
	if err != nil {
		d.ended(&wire.Result{Tag: a.Tag, Err: err})
		return
	}
	copy(m.Data(), a.Data)
	d.request.Addr, d.request.MAD, d.request.Tag = wire.Directed(), m, a.Tag
	d.request.Retries = d.patience.retries(d.Wire.Retries)
	d.requester.Start(&d.request)
}

// usualWindow is how many SMPs are in flight at a time where nobody says.
const usualWindow = 32

// patience counts what gets lost on the way, to tell the requester how often to
// repeat: on a bad wire more often, so that a live node does not pass for a dead
// one, and on a good one not longer than needed to give up a dead one.
type patience struct{ sent, again int }

// learn counts what was answered; a node that is dead says nothing about the wire.
func (p *patience) learn(ev *Event) {
	if ev.Kind == Answer && (ev.Outcome == Answered || ev.Outcome == Refused) {
		p.sent += ev.Attempts
		p.again += ev.Attempts - 1
	}
}

// The repetitions on a good wire and on any, and how improbable it must be that a
// live node is given up: 10 to the power of minus certainty.
const (
	fewestRetries = 7
	mostRetries   = 60
	certainty     = 12
)

// retries is how often to repeat a request; least is what the caller wants at the
// least, 0 for the usual.
func (p *patience) retries(least int) int {
	if least == 0 {
		least = fewestRetries
	}
	if p.again == 0 || least < 0 {
		return least
	}
	lost := float64(p.again) / float64(p.sent+10)
	return min(max(least, int(math.Ceil(-certainty/math.Log10(lost)))), max(least, mostRetries))
}

// endPhase adds what the phase has taken to its time.
func (d *drive) endPhase() {
	now := d.Clock()
	if d.phase != "" {
		phases := &d.core.Report().Time.Phases
		at := -1
		for i := range *phases {
			if (*phases)[i].Name == d.phase {
				at = i
			}
		}
		if at < 0 {
			at = len(*phases)
			*phases = append(*phases, PhaseTime{Name: d.phase})
		}
		(*phases)[at].Seconds += (now - d.lap).Seconds()
	}
	d.lap = now
}
