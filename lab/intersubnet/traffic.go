package intersubnet

import (
	"math/rand/v2"

	"weft/lab"
	"weft/sim/packet"
)

// fig2Traffic is the traffic of Fig. 2: every host always has a message to send. It goes to another
// subnet with a given probability, else to the host's own.
type fig2Traffic struct {
	hosts    [][]int32 // by subnet
	subnetOf []int32   // by end port
	share    float64   // fraction of messages to other subnets
	spots    []int32   // hot-spot of each subnet; nil without
	rng      *rand.Rand
	bytes    int64 // received since begin
	begin    packet.Time
}

// spotShare is the share of messages that go to a hot-spot.
const spotShare = .05

// The bytes of messages.
const (
	leastBytes = 84
	mostBytes  = 2048
)

// newFig2Traffic draws the hot-spots, if spots is set.
func newFig2Traffic(hosts [][]int32, ends int, share float64, spots bool, seed uint64) *fig2Traffic {
	w := &fig2Traffic{hosts: hosts, subnetOf: make([]int32, ends), share: share, rng: rand.New(rand.NewPCG(seed, 5))}
	for s, list := range hosts {
		for _, h := range list {
			w.subnetOf[h] = int32(s)
		}
		if spots {
			w.spots = append(w.spots, list[w.rng.IntN(len(list))])
		}
	}
	return w
}

// Begin starts every host within 2 us.
func (w *fig2Traffic) Begin(s *packet.Sim) {
	for _, list := range w.hosts {
		for _, h := range list {
			s.Timer(packet.Time(w.rng.Int64N(int64(2*packet.Microsecond))), h)
		}
	}
}

// Timer sends the first message of a host.
func (w *fig2Traffic) Timer(s *packet.Sim, host int32) { w.send(s, host) }

// Sent sends the next message.
func (w *fig2Traffic) Sent(s *packet.Sim, m *packet.Message) { w.send(s, m.Src) }

// Delivered counts a message.
func (w *fig2Traffic) Delivered(s *packet.Sim, m *packet.Message) {
	if s.Now() >= w.begin {
		w.bytes += m.Bytes
	}
}

// send sends a message.
func (w *fig2Traffic) send(s *packet.Sim, src int32) {
	dst, bytes := w.draw(src)
	lab.Check(s.Send(src, dst, bytes, 0))
}

// draw draws a message: the subnet, then its hot-spot or any of its hosts.
func (w *fig2Traffic) draw(src int32) (dst int32, bytes int64) {
	to := int(w.subnetOf[src])
	if w.rng.Float64() < w.share {
		to = (to + 1 + w.rng.IntN(len(w.hosts)-1)) % len(w.hosts)
	}
	bytes, spot := int64(mostBytes), int32(-1)
	if w.spots != nil {
		bytes = leastBytes + w.rng.Int64N(mostBytes-leastBytes+1)
		if w.rng.Float64() < spotShare {
			spot = w.spots[to]
		}
	}
	for dst = spot; dst < 0 || dst == src; {
		dst = w.hosts[to][w.rng.IntN(len(w.hosts[to]))]
	}
	return dst, bytes
}
