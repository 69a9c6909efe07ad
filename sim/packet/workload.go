package packet

import "weft/sim/traffic"

// Rounds is the workload of a collective operation. A rank starts its next round when all messages
// that it sent or expects in the current round have arrived, whatever other ranks do.
type Rounds struct {
	hosts []int32
	bytes int64
	flows [][]traffic.Flows // by rank and round: only Dst is used
	left  [][]int32         // by rank and round: messages that have not arrived
	at    []int             // by rank: its current round
	done  int
	rank  []int32 // by end port
	// Ended is the time at which each rank finished.
	Ended []Time
}

// NewRounds creates the workload of the rounds of a pattern. Rank i is end port hosts[i]; every
// flow is a message of the given bytes.
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

// next advances a rank to its next round that has messages.
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

// Done reports whether every rank has finished.
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

// Timed is the workload of messages sent at given times.
type Timed struct {
	hosts []int32
	list  []traffic.Message
	left  int
}

// NewTimed creates the workload of messages between ranks: rank i is end port hosts[i].
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

// Done reports whether every message is finished.
func (w *Timed) Done() bool { return w.left == 0 }
