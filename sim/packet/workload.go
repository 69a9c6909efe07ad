package packet

import (
	"fmt"
	"math"
	"math/rand/v2"

	"weft/traffic"
)

// Anyone stands for a target that is drawn anew for each message.
const Anyone int32 = -1

// Forever is a number of bytes that no run sends.
const Forever = int64(1) << 62

// Stream sends messages from one end port, one after the other.
type Stream struct {
	Src, Dst int32 // Anyone: drawn among Streams.Targets
	Bytes    int64 // of a message
	// Gap is the mean time between two messages, exponentially distributed; 0: the next one follows as soon
	// as one has left.
	Gap         Time
	Pending     int // messages that wait at once where Gap is 0; 0 means 1
	Start, Stop Time
	// Share of the messages goes to Spot in place of Dst.
	Spot  int32
	Share float64
}

// HotSpot returns the hot-spot to which host i of a list sends: the list is so many groups, one after the other, and the
// first host of each group is the hot-spot of that group.
func HotSpot(hosts []int32, spots, i int) int32 {
	group := i * spots / len(hosts)
	return hosts[(group*len(hosts)+spots-1)/spots]
}

// Streams is the workload of streams that go on until they are stopped.
type Streams struct {
	List    []Stream
	Targets []int32 // end ports for Anyone, at least two
	Seed    uint64

	rng []rand.PCG // by stream
}

// Begin sets the timers of all streams.
func (w *Streams) Begin(s *Sim) {
	w.rng = make([]rand.PCG, len(w.List))
	for i := range w.List {
		w.rng[i].Seed(w.Seed, uint64(i))
		st := &w.List[i]
		start := st.Start
		if st.Gap > 0 {
			start += w.gap(i)
		}
		s.Timer(start, int32(i))
	}
}

// gap draws the time to the next message of a stream.
func (w *Streams) gap(i int) Time {
	u := float64(w.rng[i].Uint64()>>11) / (1 << 53)
	return Time(min(-math.Log(1-u)*float64(w.List[i].Gap), 1<<60))
}

// Timer lets a stream send.
func (w *Streams) Timer(s *Sim, id int32) {
	st := &w.List[id]
	if st.Stop > 0 && s.Now() >= st.Stop {
		return
	}
	if st.Gap > 0 {
		w.send(s, id)
		s.Timer(s.Now()+w.gap(int(id)), id)
		return
	}
	for i := 0; i < max(st.Pending, 1) && s.failed == nil; i++ {
		w.send(s, id)
	}
}

// send lets a stream send one message.
func (w *Streams) send(s *Sim, id int32) {
	st, rng := &w.List[id], rand.New(&w.rng[id])
	dst := st.Dst
	if st.Share > 0 && rng.Float64() < st.Share {
		dst = st.Spot
	}
	if (dst == Anyone || dst == st.Src && st.Dst == Anyone) && !w.hasOther(st.Src) {
		s.Fail(fmt.Errorf("packet: a stream from end port %d to anyone, but there is no other target", st.Src))
		return
	}
	for dst == Anyone || dst == st.Src && st.Dst == Anyone {
		dst = w.Targets[rng.IntN(len(w.Targets))]
		if dst == st.Src {
			dst = Anyone
		}
	}
	if err := s.Send(st.Src, dst, st.Bytes, id); err != nil {
		s.Fail(err)
	}
}

// hasOther reports whether there is a target other than a source. Two different ones are enough for every source.
func (w *Streams) hasOther(src int32) bool {
	for _, dst := range w.Targets {
		if dst != src && dst != Anyone {
			return true
		}
	}
	return false
}

// Sent lets a stream without gaps go on.
func (w *Streams) Sent(s *Sim, m *Message) {
	if st := &w.List[m.Tag]; st.Gap == 0 && (st.Stop == 0 || s.Now() < st.Stop) {
		w.send(s, m.Tag)
	}
}

// Delivered does nothing.
func (w *Streams) Delivered(*Sim, *Message) {}

// Rounds is the workload of a collective operation: every rank goes on to its next round when all messages that it
// sent and all that it was to get in its present round have arrived, whatever others do.
type Rounds struct {
	hosts []int32
	bytes int64
	flows [][]traffic.Flows // by rank and round: only Dst is used
	left  [][]int32         // by rank and round: messages that are to arrive
	at    []int             // by rank: its round
	done  int
	rank  []int32 // by end port
	// Ended is when each rank was through.
	Ended []Time
}

// NewRounds makes the workload of rounds of a pattern: rank i is the end port hosts[i], every flow a message of so many bytes.
func NewRounds(rounds []traffic.Flows, hosts []int32, ends int, bytes int64) *Rounds {
	w := &Rounds{hosts: hosts, bytes: bytes, at: make([]int, len(hosts)), rank: make([]int32, ends), Ended: make([]Time, len(hosts))}
	w.flows, w.left = make([][]traffic.Flows, len(hosts)), make([][]int32, len(hosts))
	for i, h := range hosts {
		w.rank[h] = int32(i)
		w.flows[i], w.left[i] = make([]traffic.Flows, len(rounds)), make([]int32, len(rounds))
	}
	for r, flows := range rounds {
		for i := range flows.Src {
			src, dst := flows.Src[i], flows.Dst[i]
			w.flows[src][r].Add(src, dst)
			w.left[src][r]++
			w.left[dst][r]++
		}
	}
	return w
}

// Begin starts the first round of every rank.
func (w *Rounds) Begin(s *Sim) {
	for rank := range w.hosts {
		w.at[rank] = -1
		w.next(s, rank)
	}
}

// next goes on to the next round of a rank in which something is to be done.
func (w *Rounds) next(s *Sim, rank int) {
	for w.at[rank]++; w.at[rank] < len(w.left[rank]); w.at[rank]++ {
		round := w.at[rank]
		for _, dst := range w.flows[rank][round].Dst {
			if err := s.Send(w.hosts[rank], w.hosts[dst], w.bytes, int32(round)); err != nil {
				s.Fail(err)
				return
			}
		}
		if w.left[rank][round] > 0 {
			return
		}
	}
	w.Ended[rank] = s.Now()
	w.done++
}

// Done reports whether every rank is through.
func (w *Rounds) Done() bool { return w.done == len(w.hosts) }

// Delivered counts a message at both its ends.
func (w *Rounds) Delivered(s *Sim, m *Message) {
	for _, end := range [2]int32{m.Src, m.Dst} {
		rank, round := int(w.rank[end]), int(m.Tag)
		if w.left[rank][round]--; w.left[rank][round] == 0 && w.at[rank] == round {
			w.next(s, rank)
		}
	}
}

// Sent does nothing.
func (w *Rounds) Sent(*Sim, *Message) {}

// Timer does nothing.
func (w *Rounds) Timer(*Sim, int32) {}

// Timed is the workload of messages at given times.
type Timed struct {
	hosts []int32
	list  []traffic.Message
	left  int
}

// NewTimed makes the workload of messages between ranks: rank i is the end port hosts[i].
func NewTimed(list []traffic.Message, hosts []int32) *Timed {
	return &Timed{hosts: hosts, list: list, left: len(list)}
}

// Begin sets a timer for each message.
func (w *Timed) Begin(s *Sim) {
	for i := range w.list {
		s.Timer(Time(w.list[i].At)*Nanosecond, int32(i))
	}
}

// Timer sends a message.
func (w *Timed) Timer(s *Sim, id int32) {
	m := &w.list[id]
	if err := s.Send(w.hosts[m.Src], w.hosts[m.Dst], m.Bytes, id); err != nil {
		s.Fail(err)
	}
}

// Sent does nothing.
func (w *Timed) Sent(*Sim, *Message) {}

// Delivered counts a message.
func (w *Timed) Delivered(*Sim, *Message) { w.left-- }

// Done reports whether every message is over.
func (w *Timed) Done() bool { return w.left == 0 }
