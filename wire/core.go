package wire

import (
	"errors"
	"slices"
	"time"

	"weft/wire/mad"
)

// Config of a Core. Zero fields get the defaults.
type Config struct {
	Window  int           // requests in flight at once, up to MaxWindow; 16
	Timeout time.Duration // of one attempt; 200 ms
	Retries int           // attempts after the first; 3, NoRetries for none
}

// MaxWindow bounds Config.Window: an Inbox has room for an answer to each request.
const MaxWindow = inboxLimit

// NoRetries as a number of retries: one attempt only.
const NoRetries = -1

// busyWait is the time after which a datagram is sent again that the medium had no room for.
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

// Request is a datagram that wants an answer. Core copies it.
type Request struct {
	Addr    Address
	MAD     mad.Datagram  // its TID is overwritten
	Timeout time.Duration // of one attempt; 0: the Core's
	Retries int           // 0: the Core's; NoRetries for none
	Tag     uint64        // for the caller; comes back in the Result
	Group   uint64        // requests that End ends together; 0: it ends none of these
	Done    func(*Result) // called once by Requester, and never by Core
}

// ID names a request that was started. It does not come again in practice: that
// takes 2^32 requests in one place of the table.
type ID uint64

// Result is the end of a request.
type Result struct {
	Tag      uint64
	Attempts int // times it was sent
	// Err is nil for an answer with status 0, a *StatusError for another
	// status, and else a *RequestError.
	Err error
	// Reply is the answer, nil where there is none. It is valid until the call
	// that brings the Result returns.
	Reply *Datagram
}

// Counters of a Core. Started = Answered + TimedOut + Failed + the requests still
// pending; Sent - Retried requests were sent at least once.
type Counters struct {
	Started  uint64
	Sent     uint64 // datagrams handed to the medium, retries included
	Retried  uint64
	Answered uint64 // requests answered, bad status included
	TimedOut uint64 // requests given up after all attempts
	Failed   uint64 // requests that the medium refused, or that End or Close ended

	Undelivered uint64 // datagrams that the medium gave back
	Unsolicited uint64 // traps, requests from others, RMPP of no request
	Stray       uint64 // answers to no pending request: late, repeated, or not ours
	Malformed   uint64
}

// Kind of an Action.
type Kind uint8

// What a Core wants done.
const (
	Send     Kind = iota // hand Datagram to the Transport; tell the Core with Refused when it does not take it
	Complete             // a request has ended: Result, and its Done
	Deliver              // Datagram is unsolicited
)

// Action is something a Core wants done. Its memory is valid until the next call
// on the Core; that of a received datagram is the caller's own.
type Action struct {
	Kind     Kind
	Datagram Datagram
	ID       ID // the request that a Send belongs to
	Result   Result
	Done     func(*Result)
}

// CopySent copies the datagrams that are to be sent, for a caller that calls the Core again before it sends them.
func CopySent(actions []Action) {
	for i := range actions {
		if a := &actions[i]; a.Kind == Send {
			a.Datagram.MAD = slices.Clone(a.Datagram.MAD)
		}
	}
}

// Core is the requester as a pure state machine. Every method takes the time, as
// a duration since an origin of the caller's choice, and appends to out what is to
// be done. Tick is to be called when Deadline has come. Not for concurrent use.
//
// Cost of a request: O(log window), no allocation once the tables have grown to
// the number of requests pending at a time; about 430 bytes for each of these.
type Core struct {
	cfg      Config
	counters Counters
	entries  []entry
	free     int32           // entries that are free, through links[inQueue].next; -1 at the end
	waiting  list            // for the window, in the order in which they came
	groups   map[uint64]list // those that are pending, by group
	inFlight int
	timers   timers
	byTID    []int32 // the entry in flight at TID mod len, or -1; len is a power of two
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
	unsent  bool // the medium had no room for the present attempt
	ended   bool // by End, before the attempts allowed were made
	links   [numLists]links
	use     uint32
	tid     uint32
	tries   int // attempts allowed
	attempt int // attempts so far
	timeout time.Duration
	end     time.Duration // of the present attempt
	busy    mad.Status    // the answer to the present attempt was: try later
	addr    Address
	asker
	mad []byte
}

// asker says whose a request is.
type asker struct {
	tag   uint64
	group uint64
	done  func(*Result)
}

// NewCore makes a Core without requests.
func NewCore(cfg Config) *Core {
	c := &Core{cfg: cfg.withDefaults(), free: -1, waiting: noEntries, groups: map[uint64]list{}}
	size := 64
	for size < 4*c.cfg.Window {
		size *= 2
	}
	c.byTID = make([]int32, size)
	for i := range c.byTID {
		c.byTID[i] = -1
	}
	return c
}

// Deadline is when Tick is to be called; ok is false when nothing is in flight.
func (c *Core) Deadline() (due time.Duration, ok bool) { return c.timers.first() }

// Request starts a request, or queues it until the window has room. One that
// cannot be sent ends at once: that is among the actions too.
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
	c.entries[i].state = queued
	c.push(&c.waiting, inQueue, i)
	return id, c.launch(now, out)
}

// End ends the requests of a group, which is not 0, with ErrCancelled: at once those of which nothing is under way, and
// the others when their present attempt has ended without an answer. So no more is in flight than the window
// allows, and a Set that has ended is under way no more. The cost is constant for each of them.
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

// Refused says that the Transport did not take the datagram of a Send. ErrBusy
// sends it again a little later, within the same attempt; any other error ends the
// request.
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

// Tick ends the attempts whose time is over: the next attempt, or ErrTimeout.
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

// Arrived takes a datagram from the Transport.
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

// Close ends all requests with err, which is ErrClosed or wraps it, and every
// later one too.
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
