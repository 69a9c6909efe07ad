package machine

import "weft/apps/program"

// Time is the time of a run: nanoseconds on an ideal network, else units of the Network.
type Time = program.Time

// Parameters are the costs of messages, in nanoseconds and nanoseconds per byte.
type Parameters struct {
	Latency         Time  `json:"L"` // of the ideal network
	Overhead        Time  `json:"o"` // of a processor for a message
	Gap             Time  `json:"g"` // least time between messages of a network port
	GapPerByte      Time  `json:"G"` // of the network
	OverheadPerByte Time  `json:"O"` // of a processor
	Eager           int64 `json:"S"` // in bytes: the send of a larger message waits for its receive
}

// Usual are the parameters without options.
var Usual = Parameters{Latency: 1000, Overhead: 200, GapPerByte: 1, Eager: 65536}

// Network carries messages between ranks.
type Network interface {
	// Send takes a message at a time that is not before the present. When its last byte is at its
	// target, the Network calls Arrive with its number.
	Send(at Time, m Message)
}

// Message is a message on its way.
type Message struct {
	Number   int32 // of the message under way; used again after it has arrived
	From, To int32 // ranks
	NIC      uint8
	Control  bool // a request or an answer without data
	Bytes    int64
}

// Machine executes a Program. It has no clock: Next says when something happens, Step lets it
// happen.
type Machine struct {
	program program.Program
	costs   Parameters
	unit    Time // of the Network in a nanosecond
	network Network

	ranks  []rank
	slots  []slot
	unused []int32 // slots
	queue  queue
	busy   busy
	mail   mail
	line   line
	now    Time
	failed error
	ready  []program.Op // scratch
	watch  func()       // reports the progress, if set
	// Computed, if set, is told of each computation of a rank.
	Computed func(rank int32, from, to Time)
	events   int

	Messages, Bytes int64
	// Unequal counts the messages whose receive gives another size, and FirstUnequal describes the
	// first.
	Unequal      int64
	FirstUnequal string
}

// rank is the state of a rank: when each of its processors and ports is free.
type rank struct {
	cpu, out, in []Time
}

// slot is an operation from when it becomes ready until it has ended, or its message is taken.
type slot struct {
	program.Op
	rank int32
	links
	place
	held    Time  // when the processor had taken the message in
	partner int32 // the receive of a message that has been answered
	stage   stage
	parked  bool // in a list of those whose processor is busy
	queued  bool // and has an event
}

// stage counts the steps of a message to its end.
type stage uint8

const (
	eager    stage = iota
	request        // the send waits for the receive
	answered       // the answer is under way to the sender
	data           // its data are under way
)

// New returns a Machine for a Program on an ideal network.
func New(p program.Program, costs Parameters) *Machine {
	return newMachine(p, costs, 1)
}

// On returns a Machine for a Program on a Network of the given units in a nanosecond.
func On(network Network, p program.Program, costs Parameters, unit Time) *Machine {
	costs = Parameters{Overhead: costs.Overhead * unit, Gap: costs.Gap * unit, OverheadPerByte: costs.OverheadPerByte * unit, Eager: costs.Eager}
	m := newMachine(p, costs, unit)
	m.network = network
	return m
}

func newMachine(p program.Program, costs Parameters, unit Time) *Machine {
	shape := p.Shape()
	m := &Machine{program: p, costs: costs, unit: unit, ranks: make([]rank, shape.Ranks)}
	m.mail.init(shape.Ranks)
	times := make([]Time, shape.Ranks*(shape.CPUs+2*shape.NICs))
	take := func(n int) []Time {
		t := times[:n:n]
		times = times[n:]
		return t
	}
	for r := range m.ranks {
		m.ranks[r] = rank{cpu: take(shape.CPUs), out: take(shape.NICs), in: take(shape.NICs)}
	}
	for r := range m.ranks {
		m.ready = p.First(int32(r), m.ready[:0])
		m.enter(int32(r))
	}
	return m
}

// Next returns the time of the next event; ok is false if there is none.
func (m *Machine) Next() (at Time, ok bool) {
	if m.failed != nil {
		return 0, false
	}
	return m.queue.next()
}

// End returns when a rank's last processor is free.
func (m *Machine) End(r int32) Time {
	end := Time(0)
	for _, t := range m.ranks[r].cpu {
		end = max(end, t)
	}
	return end
}

// enter puts the operations in m.ready, all of one rank, into the queue.
func (m *Machine) enter(r int32) {
	for kind := program.Send; kind <= program.Calc; kind++ {
		for i := range m.ready {
			if o := &m.ready[i]; o.Kind == kind {
				m.put(r, o)
			}
		}
	}
	m.ready = m.ready[:0]
}

// put queues an operation for the time at which its processor, and for a send its port, is free.
func (m *Machine) put(r int32, o *program.Op) {
	at := max(o.Ready, m.ranks[r].cpu[o.CPU])
	if o.Kind == program.Send {
		at = max(at, m.ranks[r].out[o.NIC])
	}
	m.queue.push(at, occasion{slot: m.newSlot(r, o)})
}

// newSlot returns a slot for an operation.
func (m *Machine) newSlot(r int32, o *program.Op) int32 {
	s := int32(len(m.slots))
	if n := len(m.unused); n > 0 {
		s = m.unused[n-1]
		m.unused = m.unused[:n-1]
	} else {
		m.slots = append(m.slots, slot{})
	}
	m.slots[s] = slot{Op: *o, rank: r}
	return s
}

// freeSlot returns a slot to the unused ones.
func (m *Machine) freeSlot(s int32) { m.unused = append(m.unused, s) }

// begun tells the Program that an operation has begun. Operations that become ready wait in
// m.ready.
func (m *Machine) begun(s *slot, at Time) {
	m.ready = m.program.Began(s.rank, s.ID, at, m.ready)
}

// ended tells the Program that an operation has ended.
func (m *Machine) ended(s *slot, at Time) {
	m.ready = m.program.Ended(s.rank, s.ID, at, m.ready)
}

// bytesAfter returns a time for each byte of a message after its first.
func bytesAfter(size int64, each Time) Time { return product(max(size, 1)-1, each) }
