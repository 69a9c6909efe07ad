package rmpp

import (
	"cmp"
	"slices"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// Config of a Machine. Zero fields get the defaults.
type Config struct {
	Window   int           // segments that a peer may send before it is acknowledged, 1 to MaxWindow; 32
	Timeout  time.Duration // until what was not acknowledged is sent again; 1 s
	Retries  int           // repetitions without progress; 5, wire.NoRetries for none
	Silent   bool          // a message that nobody acknowledges ends without ABORT
	Longest  int           // bytes of a message that is received; 64 MiB
	Messages int           // messages under way, in each direction; 1024
	Bytes    int           // of all messages under way, in each direction; 256 MiB
}

// MaxWindow is the largest window: a receiver keeps a bit for each of its segments. A sender has no more under way either, whatever it is
// allowed.
const MaxWindow = 64

func (c Config) withDefaults() Config {
	if c.Window <= 0 {
		c.Window = 32
	}
	c.Window = min(c.Window, MaxWindow)
	if c.Timeout <= 0 {
		c.Timeout = time.Second
	}
	if c.Retries == 0 {
		c.Retries = 5
	}
	c.Retries = max(c.Retries, 0)
	if c.Longest <= 0 {
		c.Longest = 64 << 20
	}
	if c.Messages <= 0 {
		c.Messages = 1024
	}
	if c.Bytes <= 0 {
		c.Bytes = 256 << 20
	}
	return c
}

// Kind of an Action.
type Kind uint8

// What a Machine wants done.
const (
	Send    Kind = iota // hand Datagram to the medium
	Deliver             // Datagram is a whole message
)

// Action is something that a Machine wants done. The memory of its Datagram is valid until the next call.
type Action struct {
	Kind     Kind
	Datagram wire.Datagram
}

// Counters of a Machine.
type Counters struct {
	Sent      uint64 // messages that were acknowledged whole
	Failed    uint64 // messages that were not
	Received  uint64 // messages that came whole
	Broken    uint64 // messages that did not
	Refused   uint64 // messages for which there was no room
	Segments  uint64 // DATA sent, repetitions included
	Repeated  uint64
	Malformed uint64
}

// Machine is RMPP at one port. It is not for concurrent use.
type Machine struct {
	cfg      Config
	counters Counters
	out      map[key]*outgoing
	in       map[key]*incoming
	outBytes int    // of the messages in out
	inBytes  int    // of the messages in in
	memory   []byte // of the datagrams of this call
	actions  []Action
}

// New makes a Machine without messages.
func New(cfg Config) *Machine {
	return &Machine{cfg: cfg.withDefaults(), out: map[key]*outgoing{}, in: map[key]*incoming{}}
}

// Counters returns the counts so far.
func (m *Machine) Counters() Counters { return m.counters }

// key names a message by its peer. Of a request's transaction ID only the low half counts: media change the other
// one, and not always to the same.
type key struct {
	lid    uint16
	qp     uint32
	class  mad.Class
	method mad.Method
	tid    uint64
}

func keyOf(peer uint16, qp uint32, d mad.Datagram, method mad.Method) key {
	k := key{peer, qp, d.Class(), method, d.TID()}
	if !k.method.IsResponse() {
		k.tid &= 0xFFFFFFFF
	}
	return k
}

// receiverMethod returns the method under which a receiver answers the segments of a message, and the reverse: that of the message with the
// other response bit. By it drivers and ibsim find the sender.
func receiverMethod(m mad.Method) mad.Method { return m ^ responseBit }

const responseBit = 0x80

// Send begins to send a message: the header of its first segment and all data. A message with the transaction of one that is
// under way takes its place.
func (m *Machine) Send(now time.Duration, d *wire.Datagram, out []Action) []Action {
	m.begin(out)
	k := keyOf(d.Addr.DLID, d.Addr.DQP, d.MAD, d.MAD.Method())
	m.dropOut(k)
	if len(m.out) >= m.cfg.Messages || m.outBytes+len(d.MAD) > m.cfg.Bytes || m.hasItsShare(d.Addr.DLID, len(d.MAD)) {
		m.counters.Refused++
		return m.end()
	}
	s := &outgoing{addr: d.Addr, window: 1, left: m.cfg.Retries}
	s.message = append(s.message, d.MAD...)
	s.segments = max(1, (s.total()+mad.RMPPSegmentData-1)/mad.RMPPSegmentData)
	m.out[k] = s
	m.outBytes += len(s.message)
	s.due = now + m.cfg.Timeout
	m.sendWindow(s)
	return m.end()
}

// hasItsShare reports whether a peer is sent as much as it may be at a time, so that there is room for others: an eighth of the messages or 16, and of
// several messages a quarter of the bytes.
func (m *Machine) hasItsShare(lid uint16, size int) bool {
	n := 0
	for k, s := range m.out {
		if k.lid == lid {
			n, size = n+1, size+len(s.message)
		}
	}
	return n >= max(16, m.cfg.Messages/8) || n > 0 && size > m.cfg.Bytes/4
}

// Arrived takes a datagram from the medium. It is a part of a message, or an answer to one, where wire.RMPPActive says so.
func (m *Machine) Arrived(now time.Duration, d *wire.Datagram, out []Action) []Action {
	m.begin(out)
	if d.Undelivered || len(d.MAD) < mad.SAHeader.Size {
		m.counters.Malformed++
		return m.end()
	}
	// Of a message that the peer sends, and of one that we send.
	theirs := keyOf(d.Addr.SLID, d.Addr.SQP, d.MAD, d.MAD.Method())
	ours := keyOf(d.Addr.SLID, d.Addr.SQP, d.MAD, receiverMethod(d.MAD.Method()))
	switch kind := mad.RMPPType.Get(d.MAD); kind {
	case mad.RMPPTypeData:
		m.onData(now, theirs, d)
	case mad.RMPPTypeAck:
		m.onAck(now, ours, d)
	case mad.RMPPTypeStop, mad.RMPPTypeAbort:
		m.onEnd(theirs, ours)
	default:
		m.counters.Malformed++
		m.abortIncoming(d.Addr.Reply(), d.MAD, mad.RMPPStatusBadType)
	}
	return m.end()
}

// Tick repeats what was not acknowledged, and gives up what was repeated often enough. It is to be called when Deadline has come.
func (m *Machine) Tick(now time.Duration, out []Action) []Action {
	m.begin(out)
	for _, k := range inOrder(m.out, func(s *outgoing) bool { return s.due <= now }) {
		m.repeat(now, k, m.out[k])
	}
	for _, k := range inOrder(m.in, func(r *incoming) bool { return r.due <= now }) {
		m.giveUp(k, m.in[k])
	}
	return m.end()
}

// inOrder lists the messages of which something holds, always in the same order.
func inOrder[M any](all map[key]M, holds func(M) bool) (keys []key) {
	for k, x := range all {
		if holds(x) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.lid, b.lid), cmp.Compare(a.qp, b.qp), cmp.Compare(a.class, b.class), cmp.Compare(a.method, b.method), cmp.Compare(a.tid, b.tid))
	})
	return keys
}

// Deadline is when Tick is to be called; ok is false when nothing is under way.
func (m *Machine) Deadline() (due time.Duration, ok bool) {
	for _, s := range m.out {
		if !ok || s.due < due {
			due, ok = s.due, true
		}
	}
	for _, r := range m.in {
		if !ok || r.due < due {
			due, ok = r.due, true
		}
	}
	return due, ok
}

// patience returns the time after which a receiver gives up a message that does not get on, and forgets one that is complete: its sender
// repeats no longer either.
func (m *Machine) patience() time.Duration { return m.cfg.Timeout * time.Duration(m.cfg.Retries+2) }

func (m *Machine) begin(out []Action) { m.memory, m.actions = m.memory[:0], out }

func (m *Machine) end() []Action {
	out := m.actions
	m.actions = nil
	return out
}

// datagram makes room for a datagram that begins like another one.
func (m *Machine) datagram(header mad.Datagram, size int) mad.Datagram {
	// When append moves the memory, earlier datagrams keep the old one.
	at := len(m.memory)
	m.memory = append(m.memory, make([]byte, size)...)
	d := mad.Datagram(m.memory[at : at+size : at+size])
	copy(d, header[:mad.SAHeader.Size])
	return d
}

func (m *Machine) send(addr wire.Address, d mad.Datagram) {
	m.actions = append(m.actions, Action{Kind: Send, Datagram: wire.Datagram{Addr: addr, MAD: d}})
}

// abort ends a message that its peer has under way.
func (m *Machine) abort(to wire.Address, header mad.Datagram, method mad.Method, status uint64) {
	d := m.datagram(header, mad.Size)
	mad.HeaderMethod.Put(d, uint64(method))
	d.PutAck(0, 0)
	mad.RMPPType.Put(d, mad.RMPPTypeAbort)
	mad.RMPPStatus.Put(d, status)
	m.send(to, d)
}

// onEnd takes a STOP or an ABORT: of the sender of a message that we receive, or of the receiver of one that we send.
func (m *Machine) onEnd(theirs, ours key) {
	if m.dropOut(ours) {
		m.counters.Failed++
	}
	if r := m.in[theirs]; r != nil && !r.complete {
		m.counters.Broken++
		m.dropIn(theirs)
	}
}

// dropOut forgets a message that is being sent, and reports whether there was one.
func (m *Machine) dropOut(k key) bool {
	s, ok := m.out[k]
	if ok {
		m.outBytes -= len(s.message)
		delete(m.out, k)
	}
	return ok
}

// dropIn forgets a message that is being received, or is complete.
func (m *Machine) dropIn(k key) {
	if r, ok := m.in[k]; ok {
		m.inBytes -= len(r.message)
		delete(m.in, k)
	}
}
