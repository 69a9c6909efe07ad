package emulator

import (
	"time"

	"weft/mad"
	"weft/wire"
)

// kind of an event.
type kind uint8

const (
	flightArrives kind = iota // a: flight
	linkTrains                // a: cable, b: its changes
	linkReturns               // a: cable, b: its cuts
	nodeReturns               // a: node, b: its reboots
	trapRepeats               // a: trap, b: its TID
	leaseEnds                 // a: port, b: its leases
)

// event is something that happens later.
type event struct {
	at   time.Duration
	seq  uint64 // order of those at one time
	kind kind
	a    int32
	b    uint32
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.seq < o.seq
}

// timeline is the events to come: a binary heap.
type timeline struct {
	heap []event
	seq  uint64
}

func (t *timeline) first() (time.Duration, bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

func (t *timeline) push(e event) {
	t.seq++
	e.seq = t.seq
	t.heap = append(t.heap, e)
	i := len(t.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !t.heap[i].before(&t.heap[up]) {
			return
		}
		t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
		i = up
	}
}

func (t *timeline) pop() event {
	top := t.heap[0]
	last := len(t.heap) - 1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if t.heap[c].before(&t.heap[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// later has an event happen after d.
func (s *Subnet) later(d time.Duration, k kind, a int32, b uint32) {
	s.events.push(event{at: s.now + max(d, 0), kind: k, a: a, b: b})
}

// happen does what an event stands for.
func (s *Subnet) happen(e event) {
	switch e.kind {
	case flightArrives:
		s.land(e.a)
	case linkTrains:
		if c := &s.cables[e.a]; c.changes == e.b && s.ready(e.a) {
			s.train(e.a)
		}
	case linkReturns:
		if c := &s.cables[e.a]; c.cuts == e.b {
			s.setCut(e.a, false)
		}
	case nodeReturns:
		if s.nodes[e.a].reboots == e.b {
			s.powerOn(e.a)
		}
	case trapRepeats:
		if t := &s.traps[e.a]; t.active && t.tid == e.b {
			s.sendTrap(e.a)
		}
	case leaseEnds:
		if p := &s.ports[e.a]; p.leases == e.b {
			p.stopLease()
			mad.PortInfoMKeyProtectBits.Put(p.info[:], 0)
			s.logPort(e.a, "the M_Key lease has ended")
		}
	}
}

// flight is a datagram that arrives later.
type flight struct {
	d    wire.Datagram
	port int32
	in   uint8
	from origin
	next int32 // free list
}

// flights are the datagrams under way; their memory is reused.
type flights struct {
	all  []flight
	free int32 // first free flight + 1
}

// fly has a copy of d arrive after a delay.
func (s *Subnet) fly(t trip, d *wire.Datagram, from origin, delay time.Duration) {
	f := &s.flights
	i := f.free - 1
	if i < 0 {
		i = int32(len(f.all))
		f.all = append(f.all, flight{})
	} else {
		f.free = f.all[i].next
	}
	x := &f.all[i]
	x.d.CopyFrom(d)
	x.port, x.in, x.from = t.port, t.in, from
	s.later(delay, flightArrives, i, 0)
}

// land ends a flight.
func (s *Subnet) land(i int32) {
	x := s.flights.all[i]
	if s.nodes[s.ports[x.port].node].off {
		s.lost = LostDown
		s.lose(&x.d, x.from)
	} else {
		s.arrive(x.port, x.in, &x.d, x.from)
	}
	// Only now may another flight use the memory of the datagram.
	f := &s.flights
	f.all[i] = flight{d: x.d, next: f.free}
	f.free = i + 1
}
