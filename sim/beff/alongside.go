package beff

import "weft/sim/packet"

// filling is the time that other traffic has to itself before the benchmark begins.
const filling = 200 * packet.Microsecond

// Stream is traffic that goes on beside the benchmark: messages from one end port to another. The next one comes after a time of Every,
// or where that is 0 when one begins to leave for good.
type Stream struct {
	Src, Dst int32
	Bytes    int64
	Every    packet.Time
}

// alongside is the benchmark with other traffic, which ends when the benchmark is through. Messages of the others have tags
// below 0; the benchmark sets no timers.
type alongside struct {
	bench  packet.Workload
	others []Stream
	done   func() bool
}

// begins is when the benchmark begins.
func (w *alongside) begins() packet.Time {
	if len(w.others) == 0 {
		return 0
	}
	return filling
}

// Begin starts the others, and sets the time at which the benchmark begins.
func (w *alongside) Begin(s *packet.Sim) {
	if len(w.others) == 0 {
		w.bench.Begin(s)
		return
	}
	for i := range w.others {
		w.send(s, int32(i))
	}
	s.At(filling, w.bench.Begin)
}

// send lets another stream send a message.
func (w *alongside) send(s *packet.Sim, i int32) {
	o := &w.others[i]
	if err := s.Send(o.Src, o.Dst, o.Bytes, -1-i); err != nil {
		s.Fail(err)
		return
	}
	if o.Every > 0 {
		s.Timer(s.Now()+o.Every, i)
	}
}

// Timer lets another stream go on.
func (w *alongside) Timer(s *packet.Sim, i int32) {
	if !w.done() {
		w.send(s, i)
	}
}

// Sent lets another stream go on that makes no pauses.
func (w *alongside) Sent(s *packet.Sim, m *packet.Message) {
	switch i := -1 - m.Tag; {
	case m.Tag >= 0:
		w.bench.Sent(s, m)
	case w.others[i].Every == 0 && !w.done():
		w.send(s, i)
	}
}

// Delivered tells the benchmark of its messages.
func (w *alongside) Delivered(s *packet.Sim, m *packet.Message) {
	if m.Tag >= 0 {
		w.bench.Delivered(s, m)
	}
}
