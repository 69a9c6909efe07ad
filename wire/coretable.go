package wire

import (
	"time"

	"weft/wire/mad"
)

// newEntry copies a request into a free entry.
func (c *Core) newEntry(r *Request) int32 {
	i := c.free
	if i < 0 {
		i = int32(len(c.entries))
		c.entries = append(c.entries, entry{})
		c.timers.grow()
	} else {
		c.free = c.entries[i].links[inQueue].next
	}
	e := &c.entries[i]
	retries := r.Retries
	if retries == 0 {
		retries = c.cfg.Retries
	}
	*e = entry{
		use: e.use + 1, tries: 1 + max(retries, 0), timeout: r.Timeout,
		addr: r.Addr, asker: asker{r.Tag, r.Group, r.Done}, mad: append(e.mad[:0], r.MAD...),
	}
	c.joinGroup(i)
	if e.timeout <= 0 {
		e.timeout = c.cfg.Timeout
	}
	return i
}

func (c *Core) id(i int32) ID { return ID(c.entries[i].use)<<32 | ID(i) }

// find returns the entry of a request in flight.
func (c *Core) find(id ID) (int32, bool) {
	i := int64(id & 0xFFFFFFFF)
	if i >= int64(len(c.entries)) {
		return 0, false
	}
	e := &c.entries[i]
	return int32(i), e.use == uint32(id>>32) && e.state == inFlight
}

// match returns the entry in flight for a datagram with its TID. A directed-route SMP is answered
// in its own class.
func (c *Core) match(m mad.Datagram) (int32, bool) {
	tid := uint32(m.TID())
	i := c.byTID[tid&uint32(len(c.byTID)-1)]
	if i < 0 {
		return 0, false
	}
	e := &c.entries[i]
	return i, e.tid == tid && mad.Datagram(e.mad).Class() == m.Class()
}

// completes reports whether an answer ends the request with its TID. An SMP must answer the
// attribute asked for; subnet administration may answer with another attribute (paths for a
// MultiPathRecord). RMPP acknowledgements end nothing.
func completes(request, answer mad.Datagram) bool {
	if want, ok := request.Method().Response(); ok && answer.Method() != want {
		return false
	}
	switch request.Class() {
	case mad.ClassSMP, mad.ClassDirectedSMP:
		// Bit 31 of PortInfo's modifier says what the asker understands; a device need not repeat
		// it.
		if answer.Attr() != request.Attr() || (answer.Modifier()^request.Modifier())<<1 != 0 {
			return false
		}
	default: // any attribute
	}
	return !RMPPControl(answer)
}

// launch sends queued requests while the window has room.
func (c *Core) launch(now time.Duration, out []Action) []Action {
	for c.waiting.first >= 0 && c.inFlight < c.cfg.Window {
		i := c.waiting.first
		c.take(&c.waiting, inQueue, i)
		c.inFlight++
		out = c.begin(now, i, out)
	}
	return out
}

// begin sends a request for the first time.
func (c *Core) begin(now time.Duration, i int32, out []Action) []Action {
	c.entries[i].state = inFlight
	c.assignTID(i)
	return c.attempt(now, i, out)
}

// assignTID assigns the next TID whose place in the table is free; there is one, since the table is
// larger than the window.
func (c *Core) assignTID(i int32) {
	mask := uint32(len(c.byTID) - 1)
	for {
		c.tid++
		if c.tid != 0 && c.byTID[c.tid&mask] < 0 {
			break
		}
	}
	e := &c.entries[i]
	e.tid = c.tid
	c.byTID[c.tid&mask] = i
	mad.HeaderTransactionID.Put(e.mad, uint64(c.tid))
}

// attempt begins the next attempt of a request in flight.
func (c *Core) attempt(now time.Duration, i int32, out []Action) []Action {
	e := &c.entries[i]
	e.attempt++
	e.busy = 0
	e.end = now + e.timeout
	return c.send(i, e.end, out)
}

// send emits the datagram of the current attempt.
func (c *Core) send(i int32, due time.Duration, out []Action) []Action {
	e := &c.entries[i]
	c.counters.Sent++
	if e.attempt > 1 {
		c.counters.Retried++
	}
	e.unsent = false
	c.timers.set(i, due)
	d := Datagram{Addr: e.addr, MAD: e.mad, Timeout: e.timeout}
	return append(out, Action{Kind: Send, ID: c.id(i), Datagram: d})
}

// returned processes a request that the medium could not deliver. If the current attempt has not
// been sent, the datagram is from an earlier attempt, and the medium has room again.
func (c *Core) returned(now time.Duration, m mad.Datagram, out []Action) []Action {
	i, ok := c.match(m)
	if !ok {
		return out
	}
	if e := &c.entries[i]; e.unsent {
		return c.send(i, e.end, out)
	}
	return c.launch(now, c.expire(now, i, out))
}

// expire ends the current attempt without an answer. A request that the medium never had room for
// ends with ErrBusy: nobody is silent.
func (c *Core) expire(now time.Duration, i int32, out []Action) []Action {
	e := &c.entries[i]
	if e.unsent {
		e.refused++
	}
	if e.attempt < e.tries {
		return c.attempt(now, i, out)
	}
	if e.attempt -= e.refused; e.attempt == 0 { // nobody was asked
		return c.fail(i, ErrBusy, out)
	}
	if e.busy != 0 {
		c.counters.Answered++
		m := mad.Datagram(e.mad)
		return c.complete(i, &StatusError{Class: m.Class(), Attribute: m.Attr(), Modifier: m.Modifier(), Status: e.busy}, nil, out)
	}
	if e.ended {
		return c.fail(i, ErrCancelled, out)
	}
	c.counters.TimedOut++
	return c.complete(i, c.failure(i, ErrTimeout), nil, out)
}

// fail ends a request for a local reason.
func (c *Core) fail(i int32, err error, out []Action) []Action {
	c.counters.Failed++
	return c.complete(i, c.failure(i, err), nil, out)
}

// failUnsent is fail for a request whose current attempt was not sent.
func (c *Core) failUnsent(i int32, err error, out []Action) []Action {
	c.entries[i].attempt--
	return c.fail(i, err, out)
}

func (c *Core) complete(i int32, err error, reply *Datagram, out []Action) []Action {
	e := &c.entries[i]
	out = append(out, Action{
		Kind: Complete, Done: e.done,
		Result: Result{Tag: e.tag, Attempts: e.attempt, Err: err, Reply: reply},
	})
	e.done = nil
	switch e.state {
	case inFlight:
		if e.patient {
			c.patient--
		} else {
			c.inFlight--
		}
		c.timers.remove(i)
		c.byTID[e.tid&uint32(len(c.byTID)-1)] = -1
	case queued:
		c.take(&c.waiting, inQueue, i)
	default: // it was not queued yet
	}
	c.leaveGroup(i)
	e.state = free
	e.links[inQueue].next = c.free
	c.free = i
	return out
}

// failure describes the request that err ended.
func (c *Core) failure(i int32, err error) error {
	e := &c.entries[i]
	f := &RequestError{Addr: e.addr, Attempts: e.attempt, Err: err}
	if len(e.mad) >= mad.Header.Size {
		m := mad.Datagram(e.mad)
		f.Class, f.Method, f.Attribute, f.Modifier = m.Class(), m.Method(), m.Attr(), m.Modifier()
	}
	return f
}

func statusError(m mad.Datagram) error {
	if m.Status() == 0 {
		return nil
	}
	return &StatusError{Class: m.Class(), Attribute: m.Attr(), Modifier: m.Modifier(), Status: m.Status()}
}
