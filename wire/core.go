package wire

import (
	"errors"
	"slices"
	"time"

	"weft/wire/mad"
)

// Config configures a Core. Zero fields get the defaults.
type Config struct {
	Window  int           // requests in flight at once, up to MaxWindow; 16
	Timeout time.Duration // of one attempt; 200 ms
	Retries int           // attempts after the first; 3, NoRetries for none
}

// MaxWindow bounds Config.Window: an Inbox has room for an answer to each request.
const MaxWindow = inboxLimit

// maxPatient bounds the patient requests in flight beside the window; more count for it.
const maxPatient = 1024

// NoRetries is the number of retries that allows a single attempt.
const NoRetries = -1

// busyWait is the time before a datagram is sent again that the medium had no room for.
const busyWait = time.Millisecond

func (c Config) withDefaults() Config {
	if c.Window <= 0 {
		c.Window = 16
	}
	if c.Timeout <= 0 {
		c.Timeout = 200 * time.Millisecond
	}
	if c.Retries == 0 {
		c.Retries = 3
	}
	return c
}

// Request is a datagram that expects an answer. Core copies it.
type Request struct {
	Addr    Address
	MAD     mad.Datagram  // its TID is overwritten
	Timeout time.Duration // of one attempt; 0: the Core's
	Retries int           // 0: the Core's; NoRetries for none
	Tag     uint64        // for the caller; returned in the Result
	Group   uint64        // group for End; 0: none
	Patient bool          // it does not count for the window, up to maxPatient, and its answer may be handled a moment late
	Done    func(*Result) // called once by Requester, and never by Core
}

// ID identifies a started request. It practically never repeats: that would take 2^32 requests in
// one place of the table.
type ID uint64

// Result is the outcome of a request.
type Result struct {
	Tag      uint64
	Attempts int // number of times it was sent
	// Err is nil for an answer with status 0, a *StatusError for another status, and otherwise a
	// *RequestError.
	Err error
	// Reply is the answer, nil if there is none. It is valid until the call that returns the Result
	// ends.
	Reply *Datagram
}

// Counters counts the work of a Core. Started = Answered + TimedOut + Failed + the requests still
// pending; Sent - Retried requests were sent at least once.
type Counters struct {
	Started  uint64
	Sent     uint64 // datagrams handed to the medium, retries included
	Retried  uint64
	Answered uint64 // requests answered, bad status included
	TimedOut uint64 // requests given up after all attempts
	Failed   uint64 // requests refused by the medium, or ended by End or Close

	Undelivered uint64 // datagrams that the medium returned
	Unsolicited uint64 // traps, requests from others, RMPP without a request
	Stray       uint64 // answers to no pending request: late, repeated, or foreign
	Malformed   uint64
}

// Kind is the kind of an Action.
type Kind uint8

// The actions of a Core.
const (
	Send     Kind = iota // hand Datagram to the Transport; call Refused if it does not accept it
	Complete             // a request has ended: see Result and Done
	Deliver              // Datagram is unsolicited
)

// Action is a step that the caller must carry out for a Core. Its memory is valid until the next
// call of the Core; a received datagram is the caller's own memory.
type Action struct {
	Kind     Kind
	Datagram Datagram
	ID       ID // the request that a Send belongs to
	Result   Result
	Done     func(*Result)
}

// CopySent copies the datagrams to be sent, for a caller that calls the Core again before it sends
// them.
func CopySent(actions []Action) {
	for i := range actions {
		if a := &actions[i]; a.Kind == Send {
			a.Datagram.MAD = slices.Clone(a.Datagram.MAD)
		}
	}
}

// Core is the requester as a pure state machine. Every method takes the time, as a duration since
// an origin of the caller's choice, and appends the resulting actions to out. Call Tick at
// Deadline. It is not safe for concurrent use.
//
// A request costs O(log window), with no allocation once the tables have grown to the number of
// requests pending at a time. Each of these takes about 430 bytes.
type Core struct {
	cfg      Config
	counters Counters
	entries  []entry
	free     int32           // unused entries, through links[inQueue].next; -1 at the end
	waiting  list            // for the window, in order of arrival
	groups   map[uint64]list // pending entries, by group
	inFlight int             // counted for the window
	patient  int             // in flight and not counted
	timers   timers
	byTID    []int32 // entry in flight by TID mod len, or -1; len is a power of two
	tid      uint32
	closed   error
}

type state uint8

const (
	free state = iota // or not yet queued
	queued
	inFlight
)

// entry is one pending request.
type entry struct {
	state   state
	patient bool // it is counted in Core.patient
	unsent  bool // the medium had no room for the current attempt
	ended   bool // by End, before all allowed attempts
	links   [numLists]links
	use     uint32
	tid     uint32
	tries   int // attempts allowed
	attempt int // attempts so far
	refused int // of them, ended without room in the medium: nothing was sent
	timeout time.Duration
	end     time.Duration // of the current attempt
	busy    mad.Status    // "try later" status from the current attempt
	addr    Address
	asker
	mad []byte
}

// asker holds the caller's part of a request.
type asker struct {
	tag   uint64
	group uint64
	done  func(*Result)
}

// NewCore creates a Core without requests.
func NewCore(cfg Config) *Core {
	c := &Core{cfg: cfg.withDefaults(), free: -1, waiting: noEntries, groups: map[uint64]list{}}
	size := 64
	for size < 4*c.cfg.Window+2*maxPatient {
		size *= 2
	}
	c.byTID = make([]int32, size)
	for i := range c.byTID {
		c.byTID[i] = -1
	}
	return c
}

// Deadline returns the time for the next Tick; ok is false if nothing is in flight.
func (c *Core) Deadline() (due time.Duration, ok bool) { return c.timers.first() }

// Request starts a request, or queues it until the window has room. If it cannot be sent, its end
// is among the actions.
func (c *Core) Request(now time.Duration, r *Request, out []Action) (ID, []Action) {
	c.counters.Started++
	i := c.newEntry(r)
	id := c.id(i)
	if c.closed != nil {
		return id, c.fail(i, c.closed, out)
	}
	if len(r.MAD) < mad.Header.Size {
		return id, c.fail(i, ErrMalformed, out)
	}
	if r.Patient && c.patient < maxPatient {
		c.entries[i].patient = true
		c.patient++
		return id, c.begin(now, i, out)
	}
	c.entries[i].state = queued
	c.push(&c.waiting, inQueue, i)
	return id, c.launch(now, out)
}

// IsPatient reports whether all requests in flight are patient, and there is one.
func (c *Core) IsPatient() bool { return c.patient > 0 && c.inFlight == 0 }

// End ends the requests of a group, which is not 0, with ErrCancelled. Requests with nothing in
// flight end at once, the others when their current attempt has ended without an answer. So no more
// is in flight than the window allows, and a Set that has ended is no longer in flight. Each
// request takes constant time.
func (c *Core) End(now time.Duration, group uint64, out []Action) []Action {
	l, ok := c.groups[group]
	if !ok {
		return out
	}
	for i := l.first; i >= 0; {
		e := &c.entries[i]
		next := e.links[inGroup].next
		switch {
		case e.state == queued:
			out = c.fail(i, ErrCancelled, out)
		case e.unsent:
			out = c.failUnsent(i, ErrCancelled, out)
		case e.attempt < e.tries:
			e.tries, e.ended = e.attempt, true
		}
		i = next
	}
	return c.launch(now, out)
}

// Refused reports that the Transport did not accept the datagram of a Send. After ErrBusy it is
// sent again a little later, within the same attempt; any other error ends the request.
func (c *Core) Refused(now time.Duration, id ID, err error, out []Action) []Action {
	i, ok := c.find(id)
	if !ok {
		return out
	}
	c.counters.Sent--
	e := &c.entries[i]
	if e.attempt > 1 {
		c.counters.Retried--
	}
	switch {
	case !errors.Is(err, ErrBusy):
		return c.launch(now, c.failUnsent(i, err, out))
	case e.ended:
		return c.launch(now, c.failUnsent(i, ErrCancelled, out))
	}
	e.unsent = true
	c.timers.set(i, min(e.end, now+busyWait))
	return out
}

// Tick ends attempts whose time is over, with another attempt or ErrTimeout.
func (c *Core) Tick(now time.Duration, out []Action) []Action {
	for {
		due, ok := c.timers.first()
		if !ok || due > now {
			return c.launch(now, out)
		}
		i := c.timers.top()
		if e := &c.entries[i]; e.unsent && now < e.end {
			out = c.send(i, e.end, out)
			continue
		}
		out = c.expire(now, i, out)
	}
}

// Arrived processes a datagram from the Transport.
func (c *Core) Arrived(now time.Duration, d *Datagram, out []Action) []Action {
	m := d.MAD
	if len(m) < mad.Header.Size {
		c.counters.Malformed++
		return out
	}
	answer := m.Method().IsResponse()
	if d.Undelivered {
		c.counters.Undelivered++
		if answer {
			return out
		}
		return c.returned(now, m, out)
	}
	if mad.Check(m) != nil {
		c.counters.Malformed++
		return out
	}
	if !answer {
		c.counters.Unsolicited++
		return append(out, Action{Kind: Deliver, Datagram: *d})
	}
	i, ok := c.match(m)
	switch ok = ok && completes(mad.Datagram(c.entries[i].mad), m); {
	case ok && m.Status()&mad.StatusBusy != 0:
		c.entries[i].busy = m.Status()
		return out
	case ok:
		c.counters.Answered++
		return c.launch(now, c.complete(i, statusError(m), d, out))
	}
	if RMPPActive(m) {
		c.counters.Unsolicited++
		return append(out, Action{Kind: Deliver, Datagram: *d})
	}
	c.counters.Stray++
	return out
}

// Close ends all requests, and every later one, with err, which is ErrClosed or wraps it.
func (c *Core) Close(err error, out []Action) []Action {
	if c.closed != nil {
		return out
	}
	c.closed = err
	for i := range c.entries {
		if s := c.entries[i].state; s == queued || s == inFlight {
			out = c.fail(int32(i), err, out)
		}
	}
	return out
}
