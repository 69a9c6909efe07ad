package sm

import (
	"bytes"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"weft/sm/replica"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// administration answers the queries of hosts and tools beside the loop of a Runner.
type administration struct {
	transport wire.Transport
	clock     func() time.Duration
	store     func(replaces bool, list []sa.Entry) error
	serving   atomic.Pointer[serving]
	in        *waiting
	control   chan func() []registrarAction // what is to be done between two queries
	news      newsbox                       // for the Manager
	done      chan struct{}
	stopped   chan struct{}
	counts    queryCounts
	*members  // of multicast groups
	clients   atomic.Pointer[Registered]
	requester *wire.Requester // for reports, and copies of what must not be lost

	registrar *registrar // of the goroutine
	timer     *time.Timer
	responder sa.Responder
	packet    wire.Datagram

	manager Standing // as it was told last
	term    int      // see managerState
}

// serving says by what queries are answered, and whether they are at all.
type serving struct {
	subnet *sa.Subnet // nil: not yet known
	open   bool       // this manager is the one to answer
}

func newAdministration(t wire.Transport, clock func() time.Duration) *administration {
	a := &administration{
		transport: t, clock: clock, in: newWaiting(runtime.GOMAXPROCS(0)), control: make(chan func() []registrarAction, 64), news: newsbox{wake: make(chan struct{}, 1)},
		done: make(chan struct{}), stopped: make(chan struct{}), timer: time.NewTimer(time.Hour), members: newMembers(),
	}
	a.serving.Store(&serving{open: true})
	a.clients.Store(&Registered{})
	return a
}

// start begins to answer, by a registrar.
func (a *administration) start(q *wire.Requester, r *registrar, store func(replaces bool, list []sa.Entry) error) {
	a.requester, a.registrar, a.store = q, r, store
	go a.serve()
}

// do calls a function between two queries.
func (a *administration) do(what func() []registrarAction) {
	select {
	case a.control <- what:
	case <-a.done:
	}
}

// mostQuery bounds the bytes of a query: more than paths between as many ports as MultiPathRecord can name.
const mostQuery = 16 << 10

// ask takes a query: it is queued for serve, or answered busy where too many wait.
func (a *administration) ask(d *wire.Datagram) {
	if len(d.MAD) > mostQuery || !a.serving.Load().open && d.MAD.Attr() != replica.Attr {
		a.counts.count(d.MAD, nil)
		return
	}
	without := a.in.push(d)
	if without == nil {
		return
	}
	now := a.clock()
	if !a.in.mayRefuse(now) {
		a.counts.count(without.MAD, nil)
		return
	}
	var busy sa.Responder
	a.answer(&busy, nil, without)
	a.in.refused(now, a.clock())
}

// serve answers until close.
func (a *administration) serve() {
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
		now, room := a.clock(), a.registrar.room(a.in.atWork.Load())
		if a.in.pop(now, room, &a.packet) {
			beside := a.serveOne()
			a.in.took(now, a.clock()+beside)
			continue
		}
		if due := min(a.registrar.deadline(), a.in.due(room)); due < notDue {
			a.timer.Reset(max(0, due-a.clock()))
		} else {
			a.timer.Stop()
		}
		select {
		case what := <-a.control:
			a.perform(what())
		case <-a.in.wake:
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
func (a *administration) serveOne() (beside time.Duration) {
	d, o := &a.packet, a.serving.Load()
	segments := 0
	switch {
	case len(d.MAD) >= mad.SAHeader.Size && a.registrar.serves(d.MAD) && (o.open || d.MAD.Attr() == replica.Attr):
		if len(d.MAD) < mad.Size {
			break
		}
		deeds := a.registrar.request(a.clock(), d)
		for i := range deeds {
			segments += max(0, len(deeds[i].datagram.MAD)-1) / wire.Size
		}
		if a.store != nil && a.in.last == forChange {
			beside = timeOfStoring
		}
		a.perform(deeds)
	case o.open: // still
		segments = max(0, len(a.answer(&a.responder, o.subnet, d))-1) / wire.Size
	default:
		a.counts.count(d.MAD, nil)
	}
	a.tick()
	return beside + time.Duration(segments)*timeOfSegment
}

// tick lets the registrar do what is due.
func (a *administration) tick() {
	if now := a.clock(); a.registrar.deadline() <= now {
		a.perform(a.registrar.tick(now))
	}
}

// perform does what the registrar wants done.
func (a *administration) perform(deeds []registrarAction) {
	if now := a.registrar.counts(); now != *a.clients.Load() {
		a.clients.Store(&now)
	}
	for i := range deeds {
		switch d := &deeds[i]; d.kind {
		case sendAnswer:
			if d.datagram.MAD.Attr() != replica.Attr {
				a.counts.count(d.datagram.MAD, d.datagram.MAD)
			}
			a.send(&d.datagram, true)
		case sendReport:
			a.request(d, 0, 0, func(err error, _ mad.Datagram) []registrarAction {
				return a.registrar.reported(a.clock(), d.tag, err == nil)
			})
		case sendCopy:
			a.request(d, replica.Timeout, wire.NoRetries, func(err error, reply mad.Datagram) []registrarAction {
				var status *wire.StatusError
				return a.registrar.copied(a.clock(), d.tag, reply, errors.As(err, &status))
			})
		case storeEntries:
			go func() {
				err := a.store(d.replaces, d.entries)
				a.do(func() []registrarAction { return a.registrar.storedAll(a.clock(), err) })
			}()
		case tellManager:
			a.news.put(&d.news)
		case committed:
			d.done(d.err)
		}
	}
}

// trapped has subscribers told of a trap, unless too much is to be done already: it comes again.
func (a *administration) trapped(notice []byte) {
	notice = bytes.Clone(notice)
	select {
	case a.control <- func() []registrarAction { return a.registrar.notify(a.clock(), notice) }:
	default:
	}
}

// request sends what wants an answer.
func (a *administration) request(d *registrarAction, timeout time.Duration, retries int, ended func(err error, reply mad.Datagram) []registrarAction) {
	a.requester.Start(&wire.Request{Addr: d.datagram.Addr, MAD: d.datagram.MAD, Timeout: timeout, Retries: retries, Done: func(res *wire.Result) {
		var reply mad.Datagram
		if res.Reply != nil {
			reply = append(reply, res.Reply.MAD...)
		}
		err := res.Err
		go a.do(func() []registrarAction { return ended(err, reply) }) // Done must not wait
	}})
}

// commit returns when all managers that stand by know what follows from a round.
func (a *administration) commit(c *copied) error {
	return a.wait(func(done func(error)) []registrarAction { return a.registrar.commit(a.clock(), c, done) })
}

// commitRules returns when all managers that stand by know rules that have changed between rounds.
func (a *administration) commitRules(rules *RulesToTell) error {
	return a.wait(func(done func(error)) []registrarAction { return a.registrar.commitRules(a.clock(), rules, done) })
}

// wait has the registrar do something, and returns when that is done.
func (a *administration) wait(what func(done func(error)) []registrarAction) error {
	ended := make(chan error, 1)
	a.do(func() []registrarAction { return what(func(err error) { ended <- err }) })
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
func (a *administration) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	m := a.members.answer(r, s, d)
	a.counts.count(d.MAD, m)
	if m != nil {
		a.send(&wire.Datagram{Addr: d.Addr.Reply(), MAD: m}, s != nil)
	}
	return m
}

// send sends an answer. What is lost is asked again.
func (a *administration) send(reply *wire.Datagram, patient bool) {
	for range sendTries {
		if err := a.transport.Send(reply); !errors.Is(err, wire.ErrBusy) || !patient {
			return
		}
		<-time.NewTimer(sendPause).C
	}
}

// close ends the answers.
func (a *administration) close() {
	close(a.stopped)
	<-a.done
	a.timer.Stop()
}
