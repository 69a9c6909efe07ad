package rmpp

import (
	"cmp"
	"slices"
	"time"

	"weft/internal/share"
	"weft/wire"
	"weft/wire/mad"
)

// Config configures a Machine. Zero fields get the defaults.
type Config struct {
	Window   int           // segments that a peer may send before an acknowledgement, 1 to MaxWindow; 32
	Timeout  time.Duration // until unacknowledged segments are sent again; 1 s
	Retries  int           // repetitions without progress; 5, wire.NoRetries for none
	Silent   bool          // end a message without acknowledgement silently, not by ABORT
	Longest  int           // bytes of a received response; 64 MiB
	Question int           // bytes of a received request; 64 KiB
	Messages int           // messages under way, in each direction; 1024
	Bytes    int           // of all messages under way, in each direction; 256 MiB
	Share    share.Rule    // of one peer, in messages and bytes under way
}

// MaxWindow is the largest window: a receiver keeps a bit for each of its segments. It also limits
// a sender, whatever the receiver allows.
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
	if c.Question <= 0 {
		c.Question = 64 << 10
	}
	if c.Messages <= 0 {
		c.Messages = 1024
	}
	if c.Bytes <= 0 {
		c.Bytes = 256 << 20
	}
	return c
}

// Kind is the kind of an Action.
type Kind uint8

// The actions of a Machine.
const (
	Send     Kind = iota // hand Datagram to the medium
	Deliver              // Datagram is a whole message
	TimedOut             // the receiver of a message was silent; Datagram is the header of the message
)

// Action is a step that the caller must carry out for a Machine. The memory of its Datagram is
// valid until the next call.
type Action struct {
	Kind     Kind
	Datagram wire.Datagram
}

// Patience limits the repetitions of a message to send.
type Patience struct {
	Timeout time.Duration // until unacknowledged segments are sent again
	Retries int           // repetitions without progress
}

// Counters counts the work of a Machine.
type Counters struct {
	Sent      uint64 // messages acknowledged completely
	Failed    uint64 // other messages to send
	Received  uint64 // messages received completely
	Broken    uint64 // other messages from peers
	Refused   uint64 // messages without room
	Segments  uint64 // DATA sent, repetitions included
	Repeated  uint64
	Malformed uint64
}

// Machine is RMPP at one port. It is not safe for concurrent use.
type Machine struct {
	cfg      Config
	counters Counters
	out      map[key]*outgoing
	in       map[key]*incoming
	outUse   use    // of the messages in out
	inUse    use    // of the messages in in
	memory   []byte // of the datagrams of this call
	actions  []Action
}

// New creates a Machine without messages.
func New(cfg Config) *Machine {
	return &Machine{cfg: cfg.withDefaults(), out: map[key]*outgoing{}, in: map[key]*incoming{}, outUse: newUse(), inUse: newUse()}
}

// Counters returns the counts so far.
func (m *Machine) Counters() Counters { return m.counters }

// key identifies a message by its peer. Only the low half of a request's transaction ID counts:
// media change the other half, and not always consistently.
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

// receiverMethod returns the method of a receiver's answers to the segments of a message, and the
// reverse: the message's method with the other response bit. Drivers and ibsim use it to find the
// sender.
func receiverMethod(m mad.Method) mad.Method { return m ^ responseBit }

const responseBit = 0x80

// Send begins to send a message: the header of its first segment and all data. It replaces a
// message under way with the same transaction.
func (m *Machine) Send(now time.Duration, d *wire.Datagram, out []Action) []Action {
	return m.SendWithin(now, d, Patience{m.cfg.Timeout, m.cfg.Retries}, out)
}

// SendWithin is Send with a patience of its own.
func (m *Machine) SendWithin(now time.Duration, d *wire.Datagram, p Patience, out []Action) []Action {
	m.begin(out)
	k := keyOf(d.Addr.DLID, d.Addr.DQP, d.MAD, d.MAD.Method())
	m.dropOut(k)
	if !m.outUse.allows(&m.cfg, k.lid, len(d.MAD)) {
		m.counters.Refused++
		return m.end()
	}
	s := &outgoing{addr: d.Addr, window: 1, patience: p, left: p.Retries}
	s.message = append(s.message, d.MAD...)
	s.segments = max(1, (s.total()+mad.RMPPSegmentData-1)/mad.RMPPSegmentData)
	m.out[k] = s
	m.outUse.add(k.lid, 1, len(s.message))
	s.due = now + p.Timeout
	m.sendWindow(s)
	return m.end()
}

// Arrived processes a datagram from the medium. It must satisfy wire.RMPPActive, and is a part of a
// message or an answer to one.
func (m *Machine) Arrived(now time.Duration, d *wire.Datagram, out []Action) []Action {
	m.begin(out)
	if d.Undelivered || len(d.MAD) < mad.SAHeader.Size {
		m.counters.Malformed++
		return m.end()
	}
	// Keys of a message from the peer, and of one from us.
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

// Tick repeats unacknowledged segments, and gives up after enough repetitions. Call it at Deadline.
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

// inOrder lists the messages for which holds is true, always in the same order.
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

// Deadline returns the time for the next Tick; ok is false if nothing is under way.
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

// patience returns the time after which a receiver gives up a message without progress, and forgets
// a complete one: by then its sender no longer repeats.
func (m *Machine) patience() time.Duration { return m.cfg.Timeout * time.Duration(m.cfg.Retries+2) }

func (m *Machine) begin(out []Action) { m.memory, m.actions = m.memory[:0], out }

func (m *Machine) end() []Action {
	out := m.actions
	m.actions = nil
	return out
}

// datagram allocates a datagram with the header of another one.
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

// abort aborts a message that the peer sends or receives.
func (m *Machine) abort(to wire.Address, header mad.Datagram, method mad.Method, status uint64) {
	d := m.datagram(header, mad.Size)
	mad.HeaderMethod.Put(d, uint64(method))
	d.PutAck(0, 0)
	mad.RMPPType.Put(d, mad.RMPPTypeAbort)
	mad.RMPPStatus.Put(d, status)
	m.send(to, d)
}

// onEnd processes a STOP or an ABORT: from the sender of an incoming message, or from the receiver
// of an outgoing one.
func (m *Machine) onEnd(theirs, ours key) {
	if m.dropOut(ours) {
		m.counters.Failed++
	}
	if r := m.in[theirs]; r != nil && !r.complete {
		m.counters.Broken++
		m.dropIn(theirs)
	}
}

// dropOut forgets an outgoing message, and reports whether there was one.
func (m *Machine) dropOut(k key) bool {
	s, ok := m.out[k]
	if ok {
		m.outUse.add(k.lid, -1, -len(s.message))
		delete(m.out, k)
	}
	return ok
}

// dropIn forgets an incoming or complete message.
func (m *Machine) dropIn(k key) {
	if r, ok := m.in[k]; ok {
		if !r.complete {
			m.inUse.add(k.lid, -1, -len(r.message))
		}
		delete(m.in, k)
	}
}
