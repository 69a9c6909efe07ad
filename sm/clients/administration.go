package clients

import (
	"bytes"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"weft/internal/share"
	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Administration answers queries of hosts and tools in a goroutine of its own, outside the loop of
// a Runner. Start begins it, Close ends it.
type Administration struct {
	transport wire.Transport
	clock     func() time.Duration
	store     func(replaces bool, list []sa.Entry) error
	Serving   atomic.Pointer[Serving]
	In        *waiting
	control   chan func() []RegistrarAction // functions to call between two queries
	trapped   trapQueue                     // traps in control
	News      Newsbox                       // for the Manager
	done      chan struct{}
	stopped   chan struct{}
	Counts    queryCounts // queries by attribute and outcome
	*Members              // of multicast groups
	Clients   atomic.Pointer[terms.Registered]
	note      func(terms.Incident) // for the operator; may be nil
	requester *wire.Requester      // for reports to subscribers, and copies to standbys

	registrar *Registrar // Used by the goroutine alone.
	timer     *time.Timer
	Responder sa.Responder
	Packet    wire.Datagram

	manager ledger.Standing // as last reported
	Term    int             // number of changes of the role
}

// Serving is the basis of all answers to queries.
type Serving struct {
	Subnet *sa.Subnet // nil: not yet known
	Open   bool       // this manager is the one to answer
}

// NewAdministration returns an Administration that does not answer yet: call Start. clock returns
// the time since the manager started. note, which may be nil, is called from several goroutines.
func NewAdministration(t wire.Transport, clock func() time.Duration, rule share.Rule, note func(terms.Incident)) *Administration {
	a := &Administration{
		transport: t, clock: clock, In: NewWaiting(runtime.GOMAXPROCS(0)), control: make(chan func() []RegistrarAction, 64), News: Newsbox{Wake: make(chan struct{}, 1)},
		done: make(chan struct{}), stopped: make(chan struct{}), timer: time.NewTimer(time.Hour), Members: NewMembers(rule), note: note,
	}
	a.Serving.Store(&Serving{Open: true})
	a.Clients.Store(&terms.Registered{})
	return a
}

// Start begins to answer, with the given registrar. q sends reports and copies. store makes entries
// durable, and first removes all stored ones with replaces.
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

// MostQuery is the maximum length of a query in bytes. MultiPathRecord cannot name enough ports to
// exceed it.
const MostQuery = 16 << 10

// Ask takes a query of a host. The query is queued, answered busy if the queue is full, or dropped
// if it is too long or this manager is not the one to answer. d is copied.
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

// serve answers queries until Close.
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

// CPU time that an answer costs later, outside this goroutine.
const (
	timeOfStoring = 20 * time.Microsecond // for each change
	timeOfSegment = 5 * time.Microsecond  // for each segment of a message after the first
)

// serveOne answers the query in Packet. It returns the CPU time that this costs outside the
// goroutine.
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
	case o.Open: // the role may have changed since Ask
		segments = max(0, len(a.answer(&a.Responder, o.Subnet, d))-1) / wire.Size
	default:
		a.Counts.count(d.MAD, nil)
	}
	a.tick()
	return beside + time.Duration(segments)*timeOfSegment
}

// tick lets the registrar do its due work.
func (a *Administration) tick() {
	if now := a.clock(); a.registrar.Deadline() <= now {
		a.perform(a.registrar.Tick(now))
	}
}

// perform executes the actions of the registrar.
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
		case SetGUIDs:
			a.request(d, 0, 0, func(err error, _ mad.Datagram) []RegistrarAction {
				return a.registrar.GUIDsSet(a.clock(), d.GUIDs, err)
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
		case TellOperator:
			if a.note != nil {
				a.note(*d.Incident)
			}
		}
	}
}

// Trapped reports a trap from a LID to subscribers. It drops the trap if too much is queued:
// devices repeat traps.
func (a *Administration) Trapped(from uint16, notice []byte) {
	if !a.trapped.put(from) {
		return
	}
	notice = bytes.Clone(notice)
	select {
	case a.control <- func() []RegistrarAction {
		a.trapped.take(from)
		return a.registrar.Notify(a.clock(), notice)
	}:
	default:
		a.trapped.take(from)
	}
}

// request sends a datagram that wants an answer, and later calls ended between two queries.
func (a *Administration) request(d *RegistrarAction, timeout time.Duration, retries int, ended func(err error, reply mad.Datagram) []RegistrarAction) {
	a.requester.Start(&wire.Request{Addr: d.Datagram.Addr, MAD: d.Datagram.MAD, Timeout: timeout, Retries: retries, Done: func(res *wire.Result) {
		var reply mad.Datagram
		if res.Reply != nil {
			reply = append(reply, res.Reply.MAD...)
		}
		err := res.Err
		go a.do(func() []RegistrarAction { return ended(err, reply) }) // Done must not block
	}})
}

// Commit sends the results of a round to all standbys in step, and returns when they have them.
func (a *Administration) Commit(c *copied) error {
	return a.wait(func(done func(error)) []RegistrarAction { return a.registrar.Commit(a.clock(), c, done) })
}

// CommitRules sends changed rules to all standbys in step, and returns when they have them.
func (a *Administration) CommitRules(rules *terms.RulesToTell) error {
	return a.wait(func(done func(error)) []RegistrarAction { return a.registrar.CommitRules(a.clock(), rules, done) })
}

// wait calls a function of the registrar, and returns when the registrar calls done.
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

// Limits for an answer that the medium has no room for: number of tries, and pause between them.
const (
	sendTries = 100
	sendPause = time.Millisecond
)

// answer sends the answer to a query and returns it, nil if there is none.
func (a *Administration) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	m := a.Members.Answer(r, s, d)
	a.Counts.count(d.MAD, m)
	if m != nil {
		a.send(&wire.Datagram{Addr: d.Addr.Reply(), MAD: m}, s != nil)
	}
	return m
}

// send sends an answer. If the medium is busy, a patient send tries again; a lost answer is left to
// the client's retry.
func (a *Administration) send(reply *wire.Datagram, patient bool) {
	for range sendTries {
		if err := a.transport.Send(reply); !errors.Is(err, wire.ErrBusy) || !patient {
			return
		}
		<-time.NewTimer(sendPause).C
	}
}

// Close stops answering and waits for the goroutine.
func (a *Administration) Close() {
	close(a.stopped)
	<-a.done
	a.timer.Stop()
}
