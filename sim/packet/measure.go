package packet

import (
	"fmt"
	"math/bits"

	"weft/fabric"
)

// loss is a reason for dropping a packet. Each has a field in Losses, and a place in result.
type loss uint8

const (
	lostNoEntry  loss = iota // no entry of the forwarding table
	lostNoLink               // the link of the port named there is down or missing
	lostNoLane               // the SL2VL table drops its service level
	lostOnLink               // the link failed while it carried the packet
	lostTooOld               // it was the first of its queue for too long
	lostReboot               // the switch that held it was restarted
	lostWrongEnd             // the tables led to an end port with another LID
	losses                   // number of reasons
)

// measure holds the counters of a run.
type measure struct {
	from      Time // end of the warm-up
	sent      int64
	delivered int64
	lost      [losses]int64

	packets, bytes []int64 // by end port, received since the warm-up
	latency        Histogram
	message        Histogram
	messages       int64
	lastMessage    Time
	flows          *Flows // nil unless counted
}

func newMeasure(g *fabric.Graph) measure {
	return measure{packets: make([]int64, g.NumEnds), bytes: make([]int64, g.NumEnds)}
}

// deliver counts a packet that an end port received from another.
func (m *measure) deliver(now Time, src, end int32, p *packet) {
	m.delivered++
	if now < m.from {
		return
	}
	m.packets[end]++
	m.bytes[end] += int64(p.payload)
	m.latency.Add(now - p.sent)
	if m.flows != nil {
		m.flows.add(src, end, p.payload, now-p.sent)
	}
}

// finish counts a finished message.
func (m *measure) finish(now Time, done *Message) {
	m.lastMessage = now
	if now >= m.from && done.Lost == 0 {
		m.messages++
		m.message.Add(now - done.Start)
	}
}

// Result holds the counts and times of a run. Bytes count payload; counts by end port start at the
// end of the warm-up.
type Result struct {
	End      Time // of the run
	Window   Time // since the warm-up
	Sent     int64
	Arrived  int64 // all packets, also during the warm-up
	Lost     Losses
	Flying   int64   // packets still on their way
	Packets  []int64 // by end port
	Bytes    []int64 // by end port
	Latency  *Histogram
	Messages *Histogram // from the order to send to the last byte received
	Finished Time       // when the last message was finished
	// Carried (bytes with headers) and Waited (time with packets but without credits) count since
	// the warm-up. They are indexed by link: PortStart[s]+p of the Graph for port p of switch s,
	// then the links of end ports.
	Carried  []int64
	Waited   []Time
	Marks    int64 // packets marked for congestion
	Deadlock *Deadlock
}

// Losses counts dropped packets, by reason.
type Losses struct {
	NoEntry, NoLink, NoLane, OnLink, TooOld, Reboot, WrongEnd int64
}

// Total returns the number of all dropped packets.
func (l *Losses) Total() int64 {
	return l.NoEntry + l.NoLink + l.NoLane + l.OnLink + l.TooOld + l.Reboot + l.WrongEnd
}

// Lost returns the packets dropped so far.
func (s *Sim) Lost() Losses {
	n := &s.measure.lost
	return Losses{n[lostNoEntry], n[lostNoLink], n[lostNoLane], n[lostOnLink], n[lostTooOld], n[lostReboot], n[lostWrongEnd]}
}

// result collects the counts so far.
func (s *Sim) result() *Result {
	m := &s.measure
	r := &Result{
		End: s.now, Window: max(s.now-m.from, 0), Sent: m.sent, Arrived: m.delivered, Packets: m.packets, Bytes: m.bytes,
		Latency: &m.latency, Messages: &m.message, Finished: m.lastMessage, Deadlock: s.deadlock, Lost: s.Lost(),
	}
	r.Flying = s.inUse()
	if s.control != nil {
		r.Marks = s.control.marks
	}
	r.Carried, r.Waited = make([]int64, len(s.links)), make([]Time, len(s.links))
	for i := range s.links {
		l := &s.links[i]
		r.Carried[i], r.Waited[i] = s.Carried(i), l.waited
		if l.waiting >= 0 {
			r.Waited[i] += max(s.now-max(l.waiting, m.from), 0)
		}
	}
	return r
}

// inUse returns the number of packets under way.
func (s *Sim) inUse() int64 {
	n := int64(len(s.packets))
	for i := s.unused; i != none; i = s.packets[i].next {
		n--
	}
	return n
}

// check verifies invariants. It returns an error for packets made or lost without a count, an
// overfull buffer, credits that did not return although no event is left, or a link that carried
// more than its rate allows. spend and fill check buffers all the time, too.
func (s *Sim) check() error {
	m := &s.measure
	gone := m.delivered
	for _, n := range m.lost {
		gone += n
	}
	if m.sent != gone+s.inUse() {
		return fmt.Errorf("%d packets sent, but %d finished and %d under way", m.sent, gone, s.inUse())
	}
	for i := range s.buffers {
		b := &s.buffers[i]
		sum := b.credits + b.filled
		if b.credits < 0 || b.filled < 0 || sum > s.size || sum < s.size && s.events.Len() == 0 {
			return s.misfilled(int32(i))
		}
	}
	window := float64(max(s.now-m.from, 0))
	for i := range s.links {
		if bytes, most := s.Carried(i), window*float64(s.links[i].mbps)/8e6; float64(bytes) > most*(1+1e-9)+1 {
			return fmt.Errorf("link %d of %d Mbit/s carried %d bytes in %.0f ps", i, s.links[i].mbps, bytes, window)
		}
	}
	return nil
}

// misfilled describes the error of a buffer.
func (s *Sim) misfilled(buffer int32) error {
	b := &s.buffers[buffer]
	return fmt.Errorf("VL %d behind link %d: %d credits and %d blocks filled, of %d", buffer%s.vls, buffer/s.vls, b.credits, b.filled, s.size)
}

// Histogram counts durations in buckets at most 3 % wide. The zero value is empty.
type Histogram struct {
	Count int64
	Sum   Time
	Max   Time
	Min   Time
	bins  [1920]int64
}

// Add counts a duration.
func (h *Histogram) Add(t Time) {
	if h.Count == 0 || t < h.Min {
		h.Min = t
	}
	h.Count++
	h.Sum += t
	h.Max = max(h.Max, t)
	h.bins[bin(t)]++
}

// bin returns the bucket of a duration: 32 for each power of two.
func bin(t Time) int {
	v := uint64(max(t, 0))
	if v < 32 {
		return int(v)
	}
	shift := bits.Len64(v) - 6
	return (shift+1)<<5 + int(v>>shift)&31
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	if other.Count == 0 {
		return
	}
	if h.Count == 0 || other.Min < h.Min {
		h.Min = other.Min
	}
	h.Count, h.Sum, h.Max = h.Count+other.Count, h.Sum+other.Sum, max(h.Max, other.Max)
	for b, n := range other.bins {
		h.bins[b] += n
	}
}

// Mean returns the mean duration; 0 if there is none.
func (h *Histogram) Mean() Time {
	if h.Count == 0 {
		return 0
	}
	return h.Sum / Time(h.Count)
}

// Quantile returns the duration that the given share of durations does not exceed, to the width of
// a bucket.
func (h *Histogram) Quantile(share float64) Time {
	rank := int64(share * float64(h.Count))
	for b, n := range h.bins {
		if rank -= n; rank < 0 {
			return min(h.Max, top(b))
		}
	}
	return h.Max
}

// top returns the longest duration of a bucket.
func top(b int) Time {
	if b < 32 {
		return Time(b)
	}
	shift := b>>5 - 1
	return Time(uint64(32+b&31+1)<<shift - 1)
}
