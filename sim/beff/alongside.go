package beff

import "weft/sim/packet"

// filling is the time for which other traffic runs alone before the benchmark begins.
const filling = 200 * packet.Microsecond

// Stream describes traffic beside the benchmark: messages from one end port to another. Every
// is the time between two messages; 0: the next one follows as soon as one has left.
type Stream struct {
	Src, Dst int32
	Bytes    int64
	Every    packet.Time
}

// alongside runs the benchmark together with other traffic and ends when the benchmark is done.
// Messages of the other streams have tags below 0; the benchmark sets no timers.
type alongside struct {
	bench  packet.Workload
	others []Stream
	done   func() bool
}

// begins returns the time at which the benchmark begins.
func (w *alongside) begins() packet.Time {
	if len(w.others) == 0 {
		return 0
	}
	return filling
}

// Begin starts the other streams and schedules the benchmark.
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

// send sends a message of another stream.
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

// Timer sends the next message of another stream.
func (w *alongside) Timer(s *packet.Sim, i int32) {
	if !w.done() {
		w.send(s, i)
	}
}

// Sent continues a stream that sends without pauses.
func (w *alongside) Sent(s *packet.Sim, m *packet.Message) {
	switch i := -1 - m.Tag; {
	case m.Tag >= 0:
		w.bench.Sent(s, m)
	case w.others[i].Every == 0 && !w.done():
		w.send(s, i)
	}
}

// Delivered passes the benchmark its messages.
func (w *alongside) Delivered(s *packet.Sim, m *packet.Message) {
	if m.Tag >= 0 {
		w.bench.Delivered(s, m)
	}
}
