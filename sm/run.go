package sm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"weft/mad"
	"weft/route/job"
	"weft/wire"
)

// Runner drives a Core over a Transport, through the requester of wire, which does
// transaction IDs, window, timeouts and retries.
type Runner struct {
	Config
	Routing job.Request // what to route by; the LIDs to keep are added

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
	d := &run{Runner: r, core: New(r.Config), inbox: inbox{wake: make(chan struct{}, 1)}}
	if d.Grace <= 0 {
		d.Grace = 200 * time.Millisecond
	}
	if d.Wire.Window <= 0 {
		d.Wire.Window = defaultWindow
	}
	d.request.Done = d.inbox.put
	begun := d.Clock()
	d.phaseBegun = begun
	d.requester = wire.New(t, wire.Options{Config: r.Wire, Now: r.Clock})
	d.step(ctx, &Event{Kind: Start})
	err := d.loop(ctx)
	d.endPhase()
	rep := d.core.Report()
	rep.Time.Seconds = (d.Clock() - begun).Seconds()
	for _, step := range r.Routing.Chain {
		rep.Routing.Asked = append(rep.Routing.Asked, step.Engine.Name)
	}
	return d.core, errors.Join(err, d.requester.Close(context.Background()))
}

// run is one Run of a Runner.
type run struct {
	*Runner
	inbox
	core      *Core
	requester *wire.Requester
	request   wire.Request
	actions   []Action
	packet    [mad.Size]byte
	loss      lossCount
	done      bool
	stopped   bool
	failure   error

	phase      string
	phaseBegun time.Duration
}

// inbox takes the ends of requests on the requester's goroutine, and keeps them for the
// one that steps the Core.
type inbox struct {
	mu    sync.Mutex
	queue []Event // ended, not yet stepped
	spare []Event // memory for the next queue
	dead  error   // why the Transport has ended by itself
	wake  chan struct{}
}

// put adds the end of a request.
func (b *inbox) put(res *wire.Result) {
	b.mu.Lock()
	b.queue = append(b.queue, answerEvent(res))
	first := len(b.queue) == 1
	if res.Err != nil && b.dead == nil && errors.Is(res.Err, wire.ErrClosed) {
		b.dead = res.Err
	}
	b.mu.Unlock()
	if first {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	}
}

// take returns what has ended since the last call, until the next one.
func (b *inbox) take() (events []Event, dead error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events = b.queue
	b.queue, b.spare = b.spare[:0], events
	return events, b.dead
}

// answerEvent translates the end of a request.
func answerEvent(res *wire.Result) Event {
	ev := Event{Kind: Answer, Tag: res.Tag, Attempts: res.Attempts}
	var status *wire.StatusError
	switch {
	case res.Err == nil:
		copy(ev.Data[:], res.Reply.MAD.Data())
	case errors.As(res.Err, &status):
		ev.Outcome, ev.Status = Refused, status.Status
	case errors.Is(res.Err, wire.ErrTimeout):
		ev.Outcome = Silent
	default:
		ev.Outcome = Cancelled
	}
	return ev
}

// loop steps the core until it is done.
func (d *run) loop(ctx context.Context) error {
	stop := ctx.Done()
	var grace <-chan time.Time
	for !d.done {
		select {
		case <-d.wake:
			d.stepEnded(ctx)
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
func (d *run) stop(ctx context.Context) {
	if !d.stopped {
		d.stopped = true
		d.step(ctx, &Event{Kind: Stop})
	}
}

// stepEnded steps the core through the requests that have ended.
func (d *run) stepEnded(ctx context.Context) {
	for {
		events, dead := d.inbox.take()
		if len(events) == 0 {
			return
		}
		if dead != nil && !d.stopped {
			d.failure = fmt.Errorf("sm: %w", dead)
			d.stop(ctx)
		}
		for i := range events {
			d.loss.add(&events[i])
			d.step(ctx, &events[i])
		}
	}
}

// step feeds the core one event and does what it wants done. Of one Step, Claim and Route
// are the last actions that wait for an event.
func (d *run) step(ctx context.Context, ev *Event) {
	var next *Event
	d.actions = d.core.Step(ev, d.actions[:0])
	for i := range d.actions {
		switch a := &d.actions[i]; a.Kind {
		case Send:
			d.send(a)
		case Route:
			next = plan(ctx, d.Routing, a.Graph, a.Held)
		case Claim:
			next = &Event{Kind: Claimed}
			if err := d.requester.Transport().SetIsSM(ctx, true); err != nil {
				d.failure = fmt.Errorf("sm: cannot be a subnet manager here: %w", err)
				next.Kind = Stop
			}
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
	switch {
	case next == nil:
		return
	case next.Kind == Stop || ctx.Err() != nil:
		d.stop(ctx)
	}
	if next.Kind != Stop {
		d.step(ctx, next)
	}
}

// send builds an SMP and starts its request.
func (d *run) send(a *Action) {
	m, err := mad.Request{Method: a.Method, Attr: a.Attr, Modifier: a.Modifier, Key: d.MKey}.Directed(d.packet[:], a.Path)
	if err != nil {
		d.inbox.put(&wire.Result{Tag: a.Tag, Err: err})
		return
	}
	copy(m.Data(), a.Data)
	d.request.Addr, d.request.MAD, d.request.Tag = wire.Directed(), m, a.Tag
	d.request.Retries = d.loss.retries(d.Wire.Retries)
	d.requester.Start(&d.request)
}

// defaultWindow is the number of SMPs in flight at a time unless Config says another.
const defaultWindow = 32

// lossCount counts what gets lost on the way, to say how often a request must be repeated:
// on a bad wire more often, so that a live node does not pass for a dead one, and on a good
// one not more often than a dead node needs.
type lossCount struct{ sent, again int }

// add counts the end of a request. A silent node says nothing about the wire.
func (l *lossCount) add(ev *Event) {
	if ev.Kind == Answer && (ev.Outcome == Answered || ev.Outcome == Refused) {
		l.sent += ev.Attempts
		l.again += ev.Attempts - 1
	}
}

// The repetitions where nothing is lost and on the worst wire, and how improbable it must be
// that a live node is given up: 10 to the power of minus certainty.
const (
	usualRetries = 7
	mostRetries  = 60
	certainty    = 12
)

// retries returns how often to repeat a request; least is the caller's least (--retries of
// the commands), 0 for the usual.
func (l *lossCount) retries(least int) int {
	if least == 0 {
		least = usualRetries
	}
	if l.again == 0 || least < 0 {
		return least
	}
	lost := float64(l.again) / float64(l.sent+10)
	return min(max(least, int(math.Ceil(-certainty/math.Log10(lost)))), max(least, mostRetries))
}

// endPhase adds what the phase has taken to its time.
func (d *run) endPhase() {
	now := d.Clock()
	if d.phase != "" {
		phases := &d.core.Report().Time.Phases
		at := slices.IndexFunc(*phases, func(p PhaseTime) bool { return p.Name == d.phase })
		if at < 0 {
			at = len(*phases)
			*phases = append(*phases, PhaseTime{Name: d.phase})
		}
		(*phases)[at].Seconds += (now - d.phaseBegun).Seconds()
	}
	d.phaseBegun = now
}
