package wire

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"weft/wire/mad"
)

// Options configure a Requester.
type Options struct {
	Config
	// Handler receives the datagrams that answer no request: traps, requests from others. It runs
	// on the receiving goroutine, must not wait, and must copy data that it keeps. It may call
	// Start, and Send of the Transport. Nil: such datagrams are only counted.
	Handler func(d *Datagram)
	// Now reads a monotonic clock. Nil: the machine's.
	Now func() time.Duration
}

// Requester drives a Core over a Transport in real time. It is safe for concurrent use.
type Requester struct {
	t       Transport
	handler func(*Datagram)
	now     func() time.Duration
	done    chan struct{} // closed when the receiving goroutine has ended
	batches sync.Pool     // of *batch
	patient atomic.Bool   // Core.IsPatient

	mu    sync.Mutex
	core  *Core
	timer *time.Timer
	armed time.Duration // when the timer fires, or never
}

const never = time.Duration(1<<63 - 1)

// New starts a Requester, which owns the Transport from now on.
func New(t Transport, o Options) *Requester {
	r := &Requester{t: t, handler: o.Handler, now: o.Now, done: make(chan struct{}), core: NewCore(o.Config), armed: never}
	if r.now == nil {
		r.now = machineClock()
	}
	r.batches.New = func() any { return new(batch) }
	r.timer = time.AfterFunc(never, r.tick)
	go r.receive()
	return r
}

// machineClock returns a clock that starts now. No other package below the commands reads the time:
// without it, a missed deadline would be a hang.
func machineClock() func() time.Duration {
	origin := time.Now()                                      //nolint:forbidigo // see above
	return func() time.Duration { return time.Since(origin) } //nolint:forbidigo // see above
}

// Transport returns the Transport given to New, for Port, SetIsSM, and to Send datagrams that
// expect no answer: an answer, a TrapRepress.
func (r *Requester) Transport() Transport { return r.t }

// Counters returns the counts so far.
func (r *Requester) Counters() Counters {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.counters
}

// Start starts a request and does not wait. It calls Done when the request ends, on another
// goroutine or before Start returns; Done must not wait, and may call Start. Requests beyond the
// window are queued without limit: the caller bounds them.
func (r *Requester) Start(q *Request) {
	b := r.begin()
	_, actions := r.core.Request(r.now(), q, b.actions)
	r.finish(b, actions)
}

// StartAll starts requests, as Start does, and sends them together.
func (r *Requester) StartAll(list []Request) {
	b := r.begin()
	now := r.now()
	for i := range list {
		_, b.actions = r.core.Request(now, &list[i], b.actions)
	}
	r.finish(b, b.actions)
}

// End ends the requests of a group, see Core.End. Done is called before it returns for requests
// that end at once.
func (r *Requester) End(group uint64) {
	b := r.begin()
	r.finish(b, r.core.End(r.now(), group, b.actions))
}

// Ask starts a request and waits until it or ctx ends. It sets Done. The answer is a copy.
func (r *Requester) Ask(ctx context.Context, q *Request) (mad.Datagram, error) {
	type end struct {
		answer mad.Datagram
		err    error
	}
	ended := make(chan end, 1)
	q.Done = func(res *Result) {
		e := end{err: res.Err}
		if res.Err == nil {
			e.answer = append(e.answer, res.Reply.MAD...)
		}
		ended <- e
	}
	r.Start(q)
	select {
	case e := <-ended:
		return e.answer, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close closes the Transport, ends all requests with ErrClosed, and waits until the receiving
// goroutine or ctx ends. Done and Handler must not call it.
func (r *Requester) Close(ctx context.Context) error {
	err := r.t.Close()
	select {
	case <-r.done:
		return err
	case <-ctx.Done():
		return Cancelled(ctx.Err())
	}
}

// receive processes datagrams until the transport is closed or fails.
func (r *Requester) receive() {
	defer close(r.done)
	err := Feed(r.t, &Feeder{Take: r.arrived, IsPatient: r.patient.Load})
	b := r.begin()
	r.timer.Stop()
	r.finish(b, r.core.Close(Closed(err), b.actions))
}

func (r *Requester) arrived(d *Datagram) {
	b := r.begin()
	r.finish(b, r.core.Arrived(r.now(), d, b.actions))
}

// tick is the timer's function.
func (r *Requester) tick() {
	b := r.begin()
	r.armed = never
	r.finish(b, r.core.Tick(r.now(), b.actions))
}

// batch holds the actions of one event, and the memory of the datagrams to be sent: they are sent
// after the lock is released, when the Core may reuse its own memory.
type batch struct {
	actions []Action
	memory  []byte
	sends   []*Datagram // of the actions
	ids     []ID        // of sends
	refused []refusal
}

type refusal struct {
	id  ID
	err error
}

// begin locks the core for one event.
func (r *Requester) begin() *batch {
	b := r.batches.Get().(*batch)
	r.mu.Lock()
	return b
}

// finish unlocks the core and carries out the actions. If the medium refuses datagrams, it also
// carries out the actions that follow.
func (r *Requester) finish(b *batch, actions []Action) {
	b.actions = actions
	for {
		b.keepDatagrams()
		r.arm()
		r.patient.Store(r.core.IsPatient())
		r.mu.Unlock()
		r.send(b)
		for i := range b.actions {
			r.perform(&b.actions[i])
		}
		clear(b.actions)
		b.actions = b.actions[:0]
		if len(b.refused) == 0 {
			break
		}
		r.mu.Lock()
		now := r.now()
		for _, f := range b.refused {
			b.actions = r.core.Refused(now, f.id, f.err, b.actions)
		}
		b.refused = b.refused[:0]
	}
	r.batches.Put(b)
}

// keepDatagrams copies the datagrams to be sent out of the Core's memory.
func (b *batch) keepDatagrams() {
	b.memory = b.memory[:0]
	for i := range b.actions {
		if a := &b.actions[i]; a.Kind == Send {
			// When append moves the memory, earlier datagrams keep the old one.
			n := len(b.memory)
			b.memory = append(b.memory, a.Datagram.MAD...)
			a.Datagram.MAD = mad.Datagram(b.memory[n:])
		}
	}
}

// arm sets the timer to fire no later than the core's deadline. It may fire early and is then set
// again.
func (r *Requester) arm() {
	if due, ok := r.core.Deadline(); ok && due < r.armed && r.core.closed == nil {
		r.armed = due
		r.timer.Reset(max(0, due-r.now()))
	}
}

// send sends the datagrams of the actions.
func (r *Requester) send(b *batch) {
	b.sends, b.ids = b.sends[:0], b.ids[:0]
	for i := range b.actions {
		if a := &b.actions[i]; a.Kind == Send {
			b.sends, b.ids = append(b.sends, &a.Datagram), append(b.ids, a.ID)
		}
	}
	for first := 0; first < len(b.sends); {
		sent, err := SendAll(r.t, b.sends[first:])
		if first += sent; err == nil {
			break
		}
		last := first + 1
		if errors.Is(err, ErrBusy) { // there is no room for the others either
			last = len(b.ids)
		}
		for ; first < last; first++ {
			b.refused = append(b.refused, refusal{b.ids[first], err})
		}
	}
	clear(b.sends)
}

// perform carries out an action; sends are done.
func (r *Requester) perform(a *Action) {
	switch a.Kind {
	case Send:
	case Complete:
		if a.Done != nil {
			a.Done(&a.Result)
		}
	case Deliver:
		if r.handler != nil {
			r.handler(&a.Datagram)
		}
	}
}
