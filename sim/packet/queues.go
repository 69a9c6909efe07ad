package packet

import (
	"fmt"
	"iter"
	"math/bits"
)

// buffer is the input buffer of one VL behind a link. Buffers are numbered link*VLs+VL.
type buffer struct {
	credits int32 // blocks that the sender may fill
	filled  int32 // blocks of the packets in it
}

// queue holds the packets of one buffer to one output, in order of arrival. Only the first asks for
// the output.
type queue struct{ head, tail int32 }

// queues holds the packets that wait in switches. The inputs of a switch are numbered port*VLs+VL.
type queues struct {
	size    int32    // blocks of an empty buffer
	buffers []buffer // by link and VL
	list    []queue  // by switch, input and output
	start   []int32  // by switch: its first queue
	outputs []int32  // by switch: queues of an input, one for each port or a single one

	asking   []uint64 // by link and VL: set of the inputs whose first packet waits for it
	askStart []int32  // by link
	turn     []int32  // by link and VL: input that was served last
}

// mostQueues bounds the memory of a run.
const mostQueues = 1 << 28

func newQueues(n *network, c *Config) (queues, error) {
	q := queues{size: int32(c.Buffer / blockSize), buffers: make([]buffer, len(n.links)*int(n.vls))}
	for i := range q.buffers {
		q.buffers[i].credits = q.size
	}
	q.turn = make([]int32, len(q.buffers))
	q.askStart = make([]int32, n.firstEnd+1)
	q.start, q.outputs = make([]int32, n.g.NumSwitches), make([]int32, n.g.NumSwitches)
	total := int64(0)
	for sw, ports := range n.g.SwitchPorts {
		ports++                          // port 0
		words := (ports*n.vls + 63) / 64 // words of a set of the inputs
		for l := n.g.PortStart[sw]; l < n.g.PortStart[sw]+ports; l++ {
			q.askStart[l+1] = q.askStart[l] + words*n.vls
		}
		if q.outputs[sw] = ports; c.OneQueue {
			q.outputs[sw] = 1
		}
		q.start[sw] = int32(total)
		if total += int64(ports) * int64(n.vls) * int64(q.outputs[sw]); total > mostQueues {
			return queues{}, fmt.Errorf("packet: more than %d queues by input, VL and output: use fewer VLs, or one queue for each buffer", mostQueues)
		}
	}
	q.asking = make([]uint64, q.askStart[n.firstEnd])
	q.list = make([]queue, total)
	for i := range q.list {
		q.list[i] = queue{none, none}
	}
	return q, nil
}

// spend takes credits for blocks of a buffer; too few credits end the run.
func (s *Sim) spend(buffer, blocks int32) {
	b := &s.buffers[buffer]
	if b.credits -= blocks; b.credits < 0 {
		s.overrun(buffer)
	}
}

// fill puts blocks into a buffer; a lack of room ends the run.
func (s *Sim) fill(buffer, blocks int32) {
	b := &s.buffers[buffer]
	if b.filled += blocks; b.filled > s.size {
		s.overrun(buffer)
	}
}

// overrun ends the run: a packet was sent without credits, or came into a buffer without room for
// it.
func (s *Sim) overrun(buffer int32) {
	s.Fail(fmt.Errorf("packet: at %d ps: %w", s.now, s.misfilled(buffer)))
}

// queueOf returns the queue of a switch input for the packets to one of the switch's links.
func (s *Sim) queueOf(sw, input, out int32) int32 {
	n := s.outputs[sw]
	at := s.start[sw] + input*n
	if n > 1 {
		at += out - s.g.PortStart[sw]
	}
	return at
}

// inputOf returns the input of a switch that a queue belongs to.
func (s *Sim) inputOf(sw, at int32) int32 { return (at - s.start[sw]) / s.outputs[sw] }

// bufferOf returns the buffer of a switch input.
func (s *Sim) bufferOf(sw, input int32) int32 {
	return s.inward[s.g.PortStart[sw]+input/s.vls]*s.vls + input%s.vls
}

// inputBefore returns the input of a buffer at its switch.
func (s *Sim) inputBefore(buffer int32) int32 {
	return int32(s.links[buffer/s.vls].port)*s.vls + buffer%s.vls
}

// inputs iterates over the connected inputs of a switch.
func (s *Sim) inputs(sw int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for input := range (s.g.SwitchPorts[sw] + 1) * s.vls {
			if s.inward[s.g.PortStart[sw]+input/s.vls] != nowhere && !yield(input) {
				return
			}
		}
	}
}

// queuesOf iterates over the queues of a switch input.
func (s *Sim) queuesOf(sw, input int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		first := s.start[sw] + input*s.outputs[sw]
		for at := first; at < first+s.outputs[sw] && yield(at); at++ {
		}
	}
}

// packetsFrom iterates over a packet and the packets behind it in its queue. The loop may remove
// the current packet.
func (s *Sim) packetsFrom(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i != none {
			next := s.packets[i].next
			if !yield(i) {
				return
			}
			i = next
		}
	}
}

// askers returns the set of the inputs whose first packet waits for a link and lane.
func (s *Sim) askers(l int32, vl uint8) []uint64 {
	words := (s.askStart[l+1] - s.askStart[l]) / s.vls
	start := s.askStart[l] + words*int32(vl)
	return s.asking[start : start+words]
}

// asks reports whether the first packet of a queue of a switch waits for its output.
func (s *Sim) asks(sw, at int32) bool {
	p, input := &s.packets[s.list[at].head], s.inputOf(sw, at)
	return s.askers(p.out, p.outVL)[input>>6]>>(input&63)&1 != 0
}

// firstOf returns the first packet of a switch input for a link; there must be one.
func (s *Sim) firstOf(sw, input, l int32) *packet {
	return &s.packets[s.list[s.queueOf(sw, input, l)].head]
}

// push appends a packet to a queue; first reports whether the queue was empty.
func (s *Sim) push(at, i int32) (first bool) {
	q := &s.list[at]
	if s.packets[i].next = none; q.head == none {
		q.head, q.tail = i, i
		return true
	}
	s.packets[q.tail].next, q.tail = i, i
	return false
}

// pop removes the first packet of a queue.
func (s *Sim) pop(at int32) {
	q := &s.list[at]
	if q.head = s.packets[q.head].next; q.head == none {
		q.tail = none
	}
}

// members iterates over the members of a set in order.
func members(set []uint64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// empty reports whether a set has no members.
func empty(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}
