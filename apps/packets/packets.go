// Package packets runs a Program on the packet simulator: messages are cut into packets, which take
// the ports, lanes and credits of a Plan (sim/packet).
package packets

import (
	"weft/apps/machine"
	"weft/apps/places"
	"weft/apps/program"
	"weft/apps/timeline"
	"weft/internal/event"
	"weft/sim/packet"
)

// Work is the workload of a Program.
type Work struct {
	Machine *machine.Machine
	places  *places.Places
	memory  places.Memory
	later   event.Queue[packet.Time, occasion]
	sends   machine.SendQueues
	waiting []occasion  // by number of a message, those that wait in sends
	one     [1]int32    // scratch
	timer   packet.Time // the earliest timer that is set, or never
	sim     *packet.Sim
	record  *timeline.Recorder
	to      []int32 // by number of a message: its target, for the record
	carried []int64 // by link: bytes until the last sample, for the record
	sampled packet.Time
}

// occasion is a message that begins later, or one within a machine that arrives.
type occasion struct {
	message  machine.Message
	src, dst int32
	arrives  bool
}

const never packet.Time = 1<<63 - 1

// New returns the workload of a Program. Sends says which messages leave one after the other.
func New(where *places.Places, memory places.Memory, sends machine.SendOrder, p program.Program, costs machine.Parameters) *Work {
	w := &Work{places: where, memory: memory, timer: never, sends: machine.SendQueues{Order: sends}}
	w.Machine = machine.On(w, p, costs, machine.Time(packet.Nanosecond))
	return w
}

// Record lets the run record the activity of ranks and links.
func (w *Work) Record(to *timeline.Recorder) {
	w.record = to
	w.Machine.Computed = func(rank int32, from, until machine.Time) {
		to.Computing.Add(rank, int64(from), int64(until), float64(until-from))
	}
}

// RecordLinks records the bytes that links have carried since the last call, and returns the time
// of the next call. The caller of the run makes the last one.
func (w *Work) RecordLinks() (next packet.Time) {
	now, links := w.sim.Now(), w.record.Links
	for l := range w.carried {
		if bytes := w.sim.Carried(l); bytes > w.carried[l] {
			links.Add(int32(l), int64(w.sampled), int64(now), float64(bytes-w.carried[l]))
			w.carried[l] = bytes
		}
	}
	w.sampled = now
	return now + packet.Time(links.Width)
}

// Send takes a message of the Machine.
func (w *Work) Send(at machine.Time, m machine.Message) {
	for w.record != nil && int(m.Number) >= len(w.to) {
		w.to = append(w.to, 0)
	}
	if w.record != nil {
		w.to[m.Number] = m.To
	}
	src, dst, local := w.places.Between(m.From, m.To, m.NIC)
	t := packet.Time(at)
	switch {
	case local:
		t += packet.Time(w.memory.Picoseconds(m.Bytes))
	case !m.Control && w.sends.Order != machine.Shared && !w.sends.Enter(src, at, &m):
		for int(m.Number) >= len(w.waiting) {
			w.waiting = append(w.waiting, occasion{})
		}
		w.waiting[m.Number] = occasion{m, src, dst, false}
		return
	}
	w.later.Put(t, occasion{m, src, dst, local})
}

// Begin starts the Program.
func (w *Work) Begin(s *packet.Sim) {
	w.sim = s
	if w.record != nil {
		w.carried = make([]int64, s.Links())
		s.Sample(packet.Time(w.record.Links.Width), func(packet.Time) packet.Time { return w.RecordLinks() })
	}
	w.advance()
}

// Sent lets the next message of the queue leave.
func (w *Work) Sent(s *packet.Sim, m *packet.Message) {
	if at, next, ok := w.sends.Left(m.Tag, machine.Time(s.Now())); ok {
		w.later.Put(packet.Time(at), w.waiting[next])
		w.advance()
	}
}

// Delivered tells the Machine that a message is at its target.
func (w *Work) Delivered(s *packet.Sim, m *packet.Message) {
	if w.record != nil {
		w.record.Receiving.Add(w.to[m.Tag], int64(m.Start), int64(s.Now()), float64(m.Bytes))
	}
	now := machine.Time(s.Now())
	if next, ok := w.Machine.Next(); ok && next <= now {
		w.Machine.Arrive(now, m.Tag)
	} else {
		w.one[0] = m.Tag
		w.Machine.ArriveNow(now, w.one[:])
	}
	w.advance()
}

// Timer goes on.
func (w *Work) Timer(s *packet.Sim, _ int32) {
	if w.timer <= s.Now() {
		w.timer = never
	}
	w.advance()
}

// advance lets everything happen that is due, and sets a timer for the next event.
func (w *Work) advance() {
	now := w.sim.Now()
	for {
		at, ok := w.Machine.Next()
		if ok && packet.Time(at) <= now {
			w.Machine.Step()
			continue
		}
		next, some := w.later.Next()
		if some && next <= now {
			w.due()
			continue
		}
		wake := never
		if ok {
			wake = packet.Time(at)
		}
		if some {
			wake = min(wake, next)
		}
		if wake < w.timer {
			w.timer = wake
			w.sim.Timer(wake, 0)
		}
		return
	}
}

// due sends the next message, or delivers it within its machine.
func (w *Work) due() {
	_, o := w.later.Take()
	if o.arrives {
		w.Machine.Arrive(machine.Time(w.sim.Now()), o.message.Number)
		return
	}
	if err := w.sim.Send(o.src, o.dst, max(o.message.Bytes, 1), o.message.Number); err != nil {
		w.sim.Fail(err)
	}
}
