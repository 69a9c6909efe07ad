package packet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Anyone stands for a target drawn anew for each message.
const Anyone int32 = -1

// Forever is more bytes than any run sends.
const Forever = int64(1) << 62

// Stream sends messages from one end port, one after the other.
type Stream struct {
	Src, Dst int32   // Anyone: drawn among Targets
	Targets  []int32 // of Anyone; nil: Streams.Targets
	Bytes    int64   // of a message
	Level    uint8   // level of service, by number in Plan.Levels
	// Most makes the bytes of each message uniformly random from Bytes to Most; 0: all messages
	// have Bytes.
	Most int64
	// Gap is the mean time between two messages, exponentially distributed; 0: the next one follows
	// as soon as one has left.
	Gap         Time
	Bursts      Bursts // with a Gap: messages are exactly that far apart while the stream is sending
	Pending     int    // messages that wait at once if Gap is 0; 0 means 1
	Start, Stop Time
	// Share is the fraction of messages to Spot instead of Dst.
	Spot  int32
	Share float64
	// FarShare is the fraction of messages to Anyone that go to one of Far, none of them the
	// source, instead of Targets.
	Far      []int32
	FarShare float64
}

// HotSpot returns the hot-spot of host i of a list. The list is divided into as many groups as
// hot-spots; the first host of each group is its hot-spot.
func HotSpot(hosts []int32, spots, i int) int32 {
	group := i * spots / len(hosts)
	return hosts[(group*len(hosts)+spots-1)/spots]
}

// Streams is the workload of streams that run until they are stopped.
//
// A stream with a Gap may have far more messages than its source can send. Messages that would wait
// behind many others are only counted, and drawn again when it is their turn, so that memory does
// not grow; see backlog.
type Streams struct {
	List    []Stream
	Targets []int32 // end ports for Anyone, at least two
	// Server holds the server of each end port, for Anyone: ports of one server send nothing to
	// each other. Nil: each has one port.
	Server []int32
	Seed   uint64

	draw     []drawing  // by stream: the next message
	backlogs []*backlog // by stream; nil if all messages are queued when they are due
}

// drawing is the state of a stream's random numbers.
type drawing struct {
	rng  rand.PCG
	left Time // rest of the burst
}

// share draws a number of [0, 1).
func (d *drawing) share() float64 { return float64(d.rng.Uint64()>>11) / (1 << 53) }

// about draws an exponentially distributed time.
func (d *drawing) about(mean Time) Time {
	return Time(min(-math.Log(1-d.share())*float64(mean), 1<<60))
}

// gap draws the time to the next message of a stream.
func (d *drawing) gap(st *Stream) Time {
	if st.Bursts.On == 0 {
		return d.about(st.Gap)
	}
	return d.inBursts(&st.Bursts, st.Gap)
}

// message draws the target and the bytes of a message; there must be a target.
func (w *Streams) message(d *drawing, st *Stream) (dst int32, bytes int64) {
	rng := rand.New(&d.rng)
	dst = st.Dst
	if st.Share > 0 && rng.Float64() < st.Share {
		dst = st.Spot
	}
	targets := w.targets(st)
	if len(st.Far) > 0 && dst == Anyone && rng.Float64() < st.FarShare {
		targets = st.Far
	}
	for dst == Anyone || dst == st.Src && st.Dst == Anyone {
		dst = targets[rng.IntN(len(targets))]
		if !w.isOther(st.Src, dst) {
			dst = Anyone
		}
	}
	if bytes = st.Bytes; st.Most > bytes {
		bytes += rng.Int64N(st.Most - bytes + 1)
	}
	return dst, bytes
}

// Begin sets the timers of all streams.
func (w *Streams) Begin(s *Sim) {
	w.draw, w.backlogs = make([]drawing, len(w.List)), newBacklogs(s, w.List)
	s.beforeLanes = append(s.beforeLanes, w.keepNone)
	for i := range w.List {
		st, d := &w.List[i], &w.draw[i]
		if (st.Dst == Anyone || st.Share > 0 && st.Spot == Anyone) && !w.hasOther(st) {
			s.Fail(fmt.Errorf("packet: a stream from end port %d to anyone, but there is no other target", st.Src))
			return
		}
		d.rng.Seed(w.Seed, uint64(i))
		start := st.Start
		switch {
		case st.Gap > 0 && st.Bursts.On > 0:
			start += d.enterBursts(&st.Bursts, st.Gap)
		case st.Gap > 0:
			start += d.gap(st)
		}
		s.Timer(start, int32(i))
	}
}

// Timer sends the messages of a stream that are due.
func (w *Streams) Timer(s *Sim, id int32) {
	st := &w.List[id]
	if st.Stop > 0 && s.Now() >= st.Stop {
		return
	}
	if st.Gap > 0 {
		w.send(s, id)
		s.Timer(s.Now()+w.draw[id].gap(st), id)
		return
	}
	for i := 0; i < max(st.Pending, 1) && s.failed == nil; i++ {
		w.send(s, id)
	}
}

// send sends one message of a stream, or holds it back.
func (w *Streams) send(s *Sim, id int32) {
	st, d := &w.List[id], &w.draw[id]
	before := *d
	dst, bytes := w.message(d, st)
	if b := w.backlogs[id]; b != nil && b.keep(s, st.Level, st.Src, dst, before) {
		return
	}
	if err := s.SendOn(st.Level, st.Src, dst, bytes, id); err != nil {
		s.Fail(err)
	}
}

// hasOther reports whether a stream to Anyone has a target.
func (w *Streams) hasOther(st *Stream) bool {
	return slices.ContainsFunc(w.targets(st), func(dst int32) bool { return w.isOther(st.Src, dst) })
}

// targets lists the end ports among which Anyone is drawn.
func (w *Streams) targets(st *Stream) []int32 {
	if st.Targets != nil {
		return st.Targets
	}
	return w.Targets
}

// isOther reports whether a source may send to a target drawn for Anyone.
func (w *Streams) isOther(src, dst int32) bool {
	return dst != src && dst != Anyone && (w.Server == nil || w.Server[src] != w.Server[dst])
}

// Sent continues a stream without gaps, and queues a message that was held back.
func (w *Streams) Sent(s *Sim, m *Message) {
	st := &w.List[m.Tag]
	switch b := w.backlogs[m.Tag]; {
	case st.Gap == 0 && (st.Stop == 0 || s.Now() < st.Stop):
		w.send(s, m.Tag)
	case b != nil:
		w.release(s, m, b)
	}
}

// Delivered does nothing.
func (w *Streams) Delivered(*Sim, *Message) {}
