package sm

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/fabric"
	"weft/internal/par"
	"weft/internal/share"
	"weft/planner"
	"weft/route"
	"weft/sm/clients"
	"weft/sm/perf"
	"weft/sm/recording"
	"weft/sm/replica"
	"weft/sm/round"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
)

// Runner drives a Manager over a Transport. The requester of package wire does transaction IDs,
// window, timeouts and retries.
type Runner struct {
	terms.Config
	Watch   terms.Watch     // the zero value ends the Manager after one round
	Routing planner.Request // how to route; the LIDs to keep are added

	Asked      <-chan *terms.Event                        // requests of operators, and new Settings; may be nil
	Wire       wire.Config                                // of the requester
	Clock      func() time.Duration                       // measures the seconds of the report
	Today      func() time.Duration                       // the time since 1970 in UTC, for Watch.NoMoves and Windows
	Note       func(terms.Incident)                       // told of incidents as they come, from several goroutines; may be nil
	Phase      func(name string)                          // told of phases as they begin; may be nil
	Round      func(*round.Result)                        // told of rounds as they end; may be nil
	Store      func(*terms.Record) error                  // makes a Record durable, beside the loop, before ports get its LIDs; nil: nothing is stored
	Registered []sa.Entry                                 // registrations that Remember was told last; nil if it never was
	Remember   func(replaces bool, list []sa.Entry) error // makes registrations durable, beside the loop, before clients are answered: in place of all earlier ones, or as well; nil: they are not
	Show       func(*watch.Snapshot)                      // shown the state of the Manager after events; may be nil
	Grace      time.Duration                              // time to wait for answers after ctx has ended; 200 ms
	Decided    func(*terms.Action)                        // told the outcome of an Asked request, by its Tag; may be nil
	Record     io.Writer                                  // gets all events of the Manager, for Replay; may be nil
	Share      share.Rule                                 // what one port may hold of groups, services and other places
	Leaves     bool                                       // Run ends with ErrNoLink when the link of our port goes down
	Gate       *par.Gate                                  // shut while the Manager is at work: other work on the processor rests; nil: one of its own

	Counters perf.Config   // how to read counters of ports; the zero value reads none
	Exchange time.Duration // interval of the exchange with other subnets' managers, through the routers; 0: none

	monitor *perf.Monitor // of the last Run; the next one goes on with its counts
	wrote   uint64        // counts what programs wrote, and changes of jobs
}

// Run brings up the subnet behind a Transport, or discovers it with Config.ReadOnly, and with a
// Watch keeps it up until ctx ends. It owns the Transport and closes it. When ctx ends it sends
// nothing more, waits for requests under way, and reports; the error is then that of ctx. Otherwise
// the error says why the Transport failed. Faults of the subnet are in the Report of the last
// round, which Run returns. After ErrNoLink another Run, over another port, continues from there.
func (r *Runner) Run(ctx context.Context, t wire.Transport) (*round.Result, error) {
	r.prepare(ctx, t)
	defer r.Gate.Set(true)
	d := r.newRun(ctx, t)
	defer d.timer.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.begin(ctx)
	err := errors.Join(d.loop(ctx), d.endRecording())
	cancel()
	err = errors.Join(err, d.close())
	if errors.Is(err, ErrNoLink) {
		r.Config, r.Watch, r.Routing, r.Record = d.manager.Successor(), d.manager.Watch(), d.routing, nil
	}
	return d.manager.Result(), err
}

// prepare completes the settings: from the registrations, from the port, and by defaults.
func (r *Runner) prepare(ctx context.Context, t wire.Transport) {
	r.Config.Store, r.Replicates = r.Store != nil || r.Elect, true
	if r.Config.Trees == nil {
		r.Config.Trees = clients.StoredTrees(r.Registered)
	}
	if r.Config.Aliases == nil {
		r.Config.Aliases = sa.AliasesIn(r.Registered)
	}
	if r.OwnPort == 0 {
		if p, err := t.Port(ctx); err == nil { // the medium may know it without an SMP
			r.OwnPort = fabric.GUID(p.PortGUID)
		}
	}
	if r.Gate == nil {
		r.Gate = new(par.Gate)
	}
	if r.Grace <= 0 {
		r.Grace = 200 * time.Millisecond
	}
	if r.Wire.Window <= 0 {
		r.Wire.Window = defaultWindow
	}
	r.Watch.Epoch = r.epoch(&r.Watch, 0)
}

// run is one Run of a Runner.
type run struct {
	*Runner
	inbox
	routing planner.Request
	chain   route.Chain // of the last Route
	manager *watch.Manager
	*clients.Administration
	counting   *counting   // nil if no counters are read
	easing     *easing     // nil if congestion control is not set
	exchanging *exchanging // nil without exchange with other subnets
	requester  *wire.Requester
	request    wire.Request
	burst      burst // SMPs that are not sent yet
	errands
	timer    *time.Timer // of the last Wake
	actions  []terms.Action
	loss     terms.LossCount
	done     bool
	stopped  bool
	failure  error
	linkless int                 // checks in a row that found no link at our port
	recorder *recording.Recorder // nil if nothing is recorded
	rejected bool                // it was logged that another manager has another key

	begun time.Duration
	measures
}

// errands holds the work beside the loop.
type errands struct {
	worked  chan *terms.Event // a Route, a Store or a tellNow has ended
	working int               // number of those under way
	telling telling
}

// measures holds the phases of a run, the bandwidth of its Plan, and the work on a better one.
type measures struct {
	improving improving
	stopwatch stopwatch
	gauge     *gauge
}

// newRun makes the Manager and the parts that run beside its loop. It starts the administration and
// the counters.
func (r *Runner) newRun(ctx context.Context, t wire.Transport) *run {
	exchanging := newExchanging(r.Exchange, &r.Between, r.Note) // before the Manager: it sets Between.Router
	d := &run{
		Runner: r, routing: r.Routing, chain: r.Routing.Chain, manager: watch.NewManager(r.Config, r.Watch), inbox: inbox{wake: make(chan struct{}, 1)},
		errands: errands{worked: make(chan *terms.Event)}, timer: time.NewTimer(time.Hour), exchanging: exchanging,
	}
	d.request.Done = d.inbox.put
	d.begun = d.Clock()
	d.Administration = clients.NewAdministration(t, r.Clock, r.Share, r.Note)
	d.requester = wire.New(t, wire.Options{Config: r.Wire, Now: r.Clock, Handler: d.unasked})
	o := r.registrarOptions(ctx, t)
	o.Members = d.Administration.Members
	d.Administration.Start(d.requester, clients.NewRegistrar(o), r.Remember)
	d.counting = startCounting(r.Counters, r.monitor, r.Clock, d.requester, r.Note)
	d.gauge = newGauge(r.Clock, d.inbox.wake)
	return d
}

// begin starts the exchange and the recording, and gives the Manager its first events.
func (d *run) begin(ctx context.Context) {
	d.exchanging.start(ctx, d.requester)
	if d.Record != nil {
		d.recorder = recording.NewRecorder(d.Record, &d.Config, &d.Watch, &d.Routing)
	}
	told := &terms.Event{Kind: terms.NeighboursTold}
	if d.Keys.NeedsNeighbours() {
		told = d.askNeighbours(ctx)
	}
	if d.step(ctx, &terms.Event{Kind: terms.Start}); len(told.Neighbours) > 0 {
		d.step(ctx, told)
	}
}

// close waits for the parts beside the loop to end, and closes the Transport. Their context must
// have ended.
func (d *run) close() error {
	for ; d.working > 0; d.working-- {
		<-d.worked
	}
	d.Administration.Close()
	d.monitor = d.counting.close()
	d.exchanging.wait()
	d.easing.close()
	d.gauge.close()
	return d.requester.Close(context.Background())
}

// loop steps the Manager until it is done.
func (d *run) loop(ctx context.Context) error {
	stop := ctx.Done()
	asking := time.NewTicker(askAgain)
	defer asking.Stop()
	ask := asking.C
	var grace, look <-chan time.Time
	if d.Leaves {
		ticker := time.NewTicker(lookAtLink)
		defer ticker.Stop()
		look = ticker.C
	}
	for !d.done {
		d.burst.send(d.requester)
		d.follow()
		select {
		case <-d.wake:
			d.stepEnded(ctx)
		case ev := <-d.worked:
			d.takeWork(ctx, ev)
		case <-d.Administration.News.Wake:
			if n := d.Administration.News.Take(); n != nil {
				d.step(ctx, terms.NewsEvent(n))
			}
		case <-d.timer.C:
			d.step(ctx, &terms.Event{Kind: terms.Tick})
		case <-d.counting.news(): // follow shows them
		case <-d.Administration.Changed:
			d.step(ctx, &terms.Event{Kind: terms.MembersChanged})
		case ev := <-d.Asked:
			if ev.Settings != nil {
				d.reconfigure(ev.Settings)
			}
			d.step(ctx, ev)
		case <-look:
			if look = d.lookAtLink(ctx, look); look == nil {
				stop = nil
			}
		case <-ask:
			d.lookAtClock(ctx)
			if d.manager.NeedsNeighbours() {
				d.work(func() *terms.Event { return d.askNeighbours(ctx) })
			}
		case <-stop:
			stop, look, ask = nil, nil, nil
			d.stop(ctx)
			timer := time.NewTimer(d.Grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			// Requests under way end now, cancelled.
			d.failure = errors.Join(d.failure, d.requester.Close(context.Background()))
			grace = nil
		}
	}
	d.snapshot()
	if d.manager.Result().Report.State == terms.Interrupted {
		return errors.Join(ctx.Err(), d.failure)
	}
	return d.failure
}

// follow passes the state of the Manager to everything beside the loop.
func (d *run) follow() {
	standing := d.manager.Standing()
	d.Administration.Follow(&standing)
	d.counting.look(d.manager)
	d.exchanging.look(d.manager)
	if want := d.manager.Congestion(); !d.easing.does(want) { // after new settings, or the previous master's
		d.easing.close()
		d.easing = startEasing(want, d.Clock, d.requester, d.Note)
	}
	d.easing.look(d.manager.Reigning())
	d.snapshot()
}

// reconfigure takes the Runner's own part of new settings.
func (d *run) reconfigure(s *terms.Settings) {
	s.Watch.Epoch = d.epoch(&s.Watch, d.Clock()-d.begun)
	d.routing = s.Routing
	if s.Counters == d.Counters {
		return
	}
	d.Counters = s.Counters
	switch on := d.Counters.Interval > 0; {
	case on && d.counting != nil:
		d.counting.configure(d.Counters)
	case on:
		d.counting = startCounting(d.Counters, nil, d.Clock, d.requester, d.Note)
	default:
		d.counting.close()
		d.counting = nil
	}
}

// epoch returns Watch.Epoch, where the time of the Manager is now; 0 without hours that need it.
func (r *Runner) epoch(w *terms.Watch, now time.Duration) time.Duration {
	if len(w.NoMoves)+len(w.Windows) == 0 || r.Today == nil {
		return 0
	}
	return r.Today() - now
}

// leastShift is the least difference that is told to the Manager as a change of the clock: hours
// begin with minutes, and clocks that are kept right by small steps need no event each.
const leastShift = time.Second

// lookAtClock tells the Manager when the clock of the machine was set, which may have been wrong at
// the start.
func (d *run) lookAtClock(ctx context.Context) {
	w := d.manager.Watch()
	if epoch := d.epoch(&w, d.Clock()-d.begun); (epoch - w.Epoch).Abs() >= leastShift {
		d.step(ctx, &terms.Event{Kind: terms.ClockSet, Epoch: epoch})
	}
}

// takeWork gives the Manager the result of work that ran beside the loop.
func (d *run) takeWork(ctx context.Context, ev *terms.Event) {
	d.working--
	if ctx.Err() != nil {
		d.stop(ctx)
	}
	if ev == rulesTold {
		if d.telling.under = false; len(d.telling.waiting) > 0 {
			d.tellNow()
		}
		return
	}
	if ev != nil && !d.improving.isOver(ev) {
		d.step(ctx, ev)
	}
}

// snapshot shows the state of the Manager.
func (d *run) snapshot() {
	if d.Show == nil {
		return
	}
	s := d.manager.Snapshot(d.Clock() - d.begun)
	s.Engines = namesOf(d.routing.Chain)
	n := d.requester.Counters()
	s.Tally.Dropped.Malformed += int(n.Malformed)
	s.Tally.Dropped.Stray = int(n.Stray)
	d.inbox.mu.Lock()
	s.Tally.Dropped.Overflow = d.inbox.dropped
	d.inbox.mu.Unlock()
	var unheeded int
	s.Queries, unheeded = d.Administration.Counts.Now()
	s.Clients = *d.Administration.Clients.Load()
	if s.Clients.Rejected > 0 && !d.rejected && d.Note != nil {
		d.rejected = true
		d.Note(terms.Incident{Kind: terms.OtherRules, Text: "another manager signs its data with another key, so this manager keeps no copy: give both the same mkey-secret, or the same sm-key if there is no secret"})
	}
	s.Tally.Dropped.Unheeded += unheeded
	s.Counters, s.Congestion = d.counting.shown(s.Role), d.easing.shown()
	if !d.stopped {
		d.gauge.look(s, &d.routing)
	}
	d.gauge.show(s)
	d.Show(s)
}

// namesOf names the engines of a chain.
func namesOf(chain route.Chain) (names []string) {
	for _, step := range chain {
		names = append(names, step.Engine.Name)
	}
	return names
}

// stop tells the Manager to end.
func (d *run) stop(ctx context.Context) {
	if !d.stopped {
		d.stopped = true
		d.step(ctx, &terms.Event{Kind: terms.Stop})
	}
}

// stepEnded steps the Manager through the requests that have ended.
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
			d.loss.Add(&events[i])
			d.step(ctx, &events[i])
		}
		d.burst.send(d.requester)
	}
}

// registrarOptions returns the initial state of the registrar. If our port cannot be read, all else
// fails too.
func (r *Runner) registrarOptions(ctx context.Context, t wire.Transport) clients.RegistrarOptions {
	o := clients.RegistrarOptions{Stores: r.Remember != nil, Disk: r.Registered, Limits: sa.Limits{Share: r.Share}}
	secret := r.Keys.Secret
	if len(secret) == 0 {
		secret = binary.BigEndian.AppendUint64(nil, r.SMKey)
	}
	o.Key = replica.KeyOf(secret)
	if port, err := t.Port(ctx); err == nil {
		o.GUID = fabric.GUID(port.PortGUID)
	}
	o.Nonce = func() uint64 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		return max(1, binary.BigEndian.Uint64(b[:]))
	}
	return o
}

// defaultWindow is the number of SMPs in flight unless Config says otherwise.
const defaultWindow = 32
