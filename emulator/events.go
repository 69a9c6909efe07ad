package emulator

import (
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// kind is the kind of an action.
type kind uint8

const (
	flightArrives kind = iota // a: flight
	linkTrains                // a: cable, b: its changes
	linkReturns               // a: cable, b: its cuts
	nodeReturns               // a: node, b: its reboots
	trapRepeats               // a: trap, b: its TID
	leaseEnds                 // a: port, b: its leases
)

// action is due at its time; a and b name its objects.
type action struct {
	kind kind
	a    int32
	b    uint32
}

// later schedules an action after d.
func (s *Subnet) later(d time.Duration, k kind, a int32, b uint32) {
	s.events.Put(s.now+max(d, 0), action{kind: k, a: a, b: b})
}

// do executes an action.
func (s *Subnet) do(e action) {
	switch e.kind {
	case flightArrives:
		s.endFlight(e.a)
	case linkTrains:
		if c := &s.cables[e.a]; c.changes == e.b && s.trainable(e.a) {
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
		if t := &s.traps.all[e.a]; t.active && t.tid == e.b {
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
	at   arrival
	from origin
	next int32 // free list
}

// flights holds the datagrams in flight; their memory is reused.
type flights struct {
	all  []flight
	free int32 // first free flight + 1
}

// arriveLater makes a copy of d arrive after a delay.
func (s *Subnet) arriveLater(t arrival, d *wire.Datagram, from origin, delay time.Duration) {
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
	x.at, x.from = t, from
	s.later(delay, flightArrives, i, 0)
}

// endFlight lets a datagram arrive.
func (s *Subnet) endFlight(i int32) {
	x := s.flights.all[i]
	if s.nodes[s.ports[x.at.port].node].off {
		s.lose(&x.d, x.from, LostDown)
	} else {
		s.arrive(&x.at, &x.d, x.from)
	}
	// Only now may another flight use the memory of the datagram.
	f := &s.flights
	f.all[i] = flight{d: x.d, next: f.free}
	f.free = i + 1
}
