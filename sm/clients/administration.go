package clients

import (
	"bytes"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Administration answers the queries of hosts and tools beside the loop of a Runner.
type Administration struct {
	transport wire.Transport
	clock     func() time.Duration
	store     func(replaces bool, list []sa.Entry) error
	Serving   atomic.Pointer[Serving]
	In        *waiting
	control   chan func() []RegistrarAction // what is to be done between two queries
	News      Newsbox                       // for the Manager
	done      chan struct{}
	stopped   chan struct{}
	Counts    queryCounts
	*Members  // of multicast groups
	Clients   atomic.Pointer[terms.Registered]
	requester *wire.Requester // for reports, and copies of what must not be lost

	registrar *Registrar // of the goroutine
	timer     *time.Timer
	Responder sa.Responder
	Packet    wire.Datagram

	manager ledger.Standing // as it was told last
	Term    int             // see managerState
}

// Serving says by what queries are answered, and whether they are at all.
type Serving struct {
	Subnet *sa.Subnet // nil: not yet known
	Open   bool       // this manager is the one to answer
}

// NewAdministration makes one that does not answer yet: Start has it begin.
func NewAdministration(t wire.Transport, clock func() time.Duration) *Administration {
	a := &Administration{
		transport: t, clock: clock, In: NewWaiting(runtime.GOMAXPROCS(0)), control: make(chan func() []RegistrarAction, 64), News: Newsbox{Wake: make(chan struct{}, 1)},
		done: make(chan struct{}), stopped: make(chan struct{}), timer: time.NewTimer(time.Hour), Members: NewMembers(),
	}
	a.Serving.Store(&Serving{Open: true})
	a.Clients.Store(&terms.Registered{})
	return a
}

// Start begins to answer, by a registrar.
func (a *Administration) Start(q *wire.Requester, r *Registrar, store func(replaces bool, list []sa.Entry) error) {
	a.requester, a.registrar, a.store = q, r, store
	go a.serve()
}

// do calls a function between two queries.
func (a *Administration) do(what func() []RegistrarAction) {
	select {
	case a.control <- what:
	case <-a.done:
	}
}

// MostQuery bounds the bytes of a query: more than paths between as many ports as MultiPathRecord can name.
const MostQuery = 16 << 10

// Ask takes a query: it is queued for serve, or answered busy where too many wait.
func (a *Administration) Ask(d *wire.Datagram) {
	if len(d.MAD) > MostQuery || !a.Serving.Load().Open && d.MAD.Attr() != replica.Attr {
		a.Counts.count(d.MAD, nil)
		return
	}
	without := a.In.Push(d)
	if without == nil {
		return
	}
	now := a.clock()
	if !a.In.mayRefuse(now) {
		a.Counts.count(without.MAD, nil)
		return
	}
	var busy sa.Responder
	a.answer(&busy, nil, without)
	a.In.refused(now, a.clock())
}

// serve answers until close.
func (a *Administration) serve() {
	defer close(a.done)
	for {
		select {
		case what := <-a.control:
			a.perform(what())
			continue
		case <-a.stopped:
			return
		default:
		}
		now, room := a.clock(), a.registrar.Room(a.In.AtWork.Load())
		if a.In.Pop(now, room, &a.Packet) {
			beside := a.serveOne()
			a.In.Took(now, a.clock()+beside)
			continue
		}
		if due := min(a.registrar.Deadline(), a.In.Due(room)); due < notDue {
			a.timer.Reset(max(0, due-a.clock()))
		} else {
			a.timer.Stop()
		}
		select {
		case what := <-a.control:
			a.perform(what())
		case <-a.In.wake:
		case <-a.timer.C:
			a.tick()
		case <-a.stopped:
			return
		}
	}
}

// What answers take of the processor later, beside the goroutine that gives them.
const (
	timeOfStoring = 20 * time.Microsecond // a change
	timeOfSegment = 5 * time.Microsecond  // each segment of a message but the first
)

// serveOne answers the query that was taken. It returns what that takes of the processor later.
func (a *Administration) serveOne() (beside time.Duration) {
	d, o := &a.Packet, a.Serving.Load()
	segments := 0
	switch {
	case len(d.MAD) >= mad.SAHeader.Size && a.registrar.Serves(d.MAD) && (o.Open || d.MAD.Attr() == replica.Attr):
		if len(d.MAD) < mad.Size {
			break
		}
		deeds := a.registrar.Request(a.clock(), d)
		for i := range deeds {
			segments += max(0, len(deeds[i].Datagram.MAD)-1) / wire.Size
		}
		if a.store != nil && a.In.Last == ForChange {
			beside = timeOfStoring
		}
		a.perform(deeds)
	case o.Open: // still
		segments = max(0, len(a.answer(&a.Responder, o.Subnet, d))-1) / wire.Size
	default:
		a.Counts.count(d.MAD, nil)
	}
	a.tick()
	return beside + time.Duration(segments)*timeOfSegment
}

// tick lets the registrar do what is due.
func (a *Administration) tick() {
	if now := a.clock(); a.registrar.Deadline() <= now {
		a.perform(a.registrar.Tick(now))
	}
}

// perform does what the registrar wants done.
func (a *Administration) perform(deeds []RegistrarAction) {
	if now := a.registrar.Counts(); now != *a.Clients.Load() {
		a.Clients.Store(&now)
	}
	for i := range deeds {
		switch d := &deeds[i]; d.Kind {
		case SendAnswer:
			if d.Datagram.MAD.Attr() != replica.Attr {
				a.Counts.count(d.Datagram.MAD, d.Datagram.MAD)
			}
			a.send(&d.Datagram, true)
		case SendReport:
			a.request(d, 0, 0, func(err error, _ mad.Datagram) []RegistrarAction {
				return a.registrar.Reported(a.clock(), d.Tag, err == nil)
			})
		case SendCopy:
			a.request(d, replica.Timeout, wire.NoRetries, func(err error, reply mad.Datagram) []RegistrarAction {
				var status *wire.StatusError
				return a.registrar.Copied(a.clock(), d.Tag, reply, errors.As(err, &status))
			})
		case StoreEntries:
			go func() {
				err := a.store(d.Replaces, d.Entries)
				a.do(func() []RegistrarAction { return a.registrar.StoredAll(a.clock(), err) })
			}()
		case TellManager:
			a.News.Put(&d.News)
		case Committed:
			d.Done(d.Err)
		}
	}
}

// Trapped has subscribers told of a trap, unless too much is to be done already: it comes again.
func (a *Administration) Trapped(notice []byte) {
	notice = bytes.Clone(notice)
	select {
	case a.control <- func() []RegistrarAction { return a.registrar.Notify(a.clock(), notice) }:
	default:
	}
}

// request sends what wants an answer.
func (a *Administration) request(d *RegistrarAction, timeout time.Duration, retries int, ended func(err error, reply mad.Datagram) []RegistrarAction) {
	a.requester.Start(&wire.Request{Addr: d.Datagram.Addr, MAD: d.Datagram.MAD, Timeout: timeout, Retries: retries, Done: func(res *wire.Result) {
		var reply mad.Datagram
		if res.Reply != nil {
			reply = append(reply, res.Reply.MAD...)
		}
		err := res.Err
		go a.do(func() []RegistrarAction { return ended(err, reply) }) // Done must not wait
	}})
}

// Commit returns when all managers that stand by know what follows from a round.
func (a *Administration) Commit(c *copied) error {
	return a.wait(func(done func(error)) []RegistrarAction { return a.registrar.Commit(a.clock(), c, done) })
}

// CommitRules returns when all managers that stand by know rules that have changed between rounds.
func (a *Administration) CommitRules(rules *terms.RulesToTell) error {
	return a.wait(func(done func(error)) []RegistrarAction { return a.registrar.CommitRules(a.clock(), rules, done) })
}

// wait has the registrar do something, and returns when that is done.
func (a *Administration) wait(what func(done func(error)) []RegistrarAction) error {
	ended := make(chan error, 1)
	a.do(func() []RegistrarAction { return what(func(err error) { ended <- err }) })
	select {
	case err := <-ended:
		return err
	case <-a.done:
		return wire.ErrClosed
	}
}

// sendTries and sendPause say how often, and how soon, an answer is sent again that the medium had no room for.
const (
	sendTries = 100
	sendPause = time.Millisecond
)

// answer sends the answer to a query, and returns it.
func (a *Administration) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	m := a.Members.Answer(r, s, d)
	a.Counts.count(d.MAD, m)
	if m != nil {
		a.send(&wire.Datagram{Addr: d.Addr.Reply(), MAD: m}, s != nil)
	}
	return m
}

// send sends an answer. What is lost is asked again.
func (a *Administration) send(reply *wire.Datagram, patient bool) {
	for range sendTries {
		if err := a.transport.Send(reply); !errors.Is(err, wire.ErrBusy) || !patient {
			return
		}
		<-time.NewTimer(sendPause).C
	}
}

// Close ends the answers.
func (a *Administration) Close() {
	close(a.stopped)
	<-a.done
	a.timer.Stop()
}
