package fattree

import (
	"context"
	"math/rand/v2"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/sim/packet"
)

// senders is the workload of end ports that send one message after the other. All start at once.
type senders struct {
	ports []int32
	// next chooses the target and the bytes of the next message of a port.
	next func(port int32) (dst int32, bytes int64)
	// pause chooses the time from one message of a port to the next; where it is nil or gives 0 the next one follows when the last
	// packet of one begins to leave.
	pause func(port int32) packet.Time
}

// Begin lets every port send its first message.
func (w *senders) Begin(s *packet.Sim) {
	for _, port := range w.ports {
		if t := w.pauseOf(port); t > 0 {
			s.Timer(t, port)
		} else {
			w.send(s, port)
		}
	}
}

func (w *senders) pauseOf(port int32) packet.Time {
	if w.pause == nil {
		return 0
	}
	return w.pause(port)
}

func (w *senders) send(s *packet.Sim, port int32) {
	dst, bytes := w.next(port)
	if err := s.Send(port, dst, bytes, 0); err != nil {
		s.Fail(err)
	}
}

// Timer lets a port send that makes pauses.
func (w *senders) Timer(s *packet.Sim, port int32) {
	w.send(s, port)
	s.Timer(s.Now()+w.pause(port), port)
}

// Sent lets a port go on that makes none.
func (w *senders) Sent(s *packet.Sim, m *packet.Message) {
	if w.pauseOf(m.Src) == 0 {
		w.send(s, m.Src)
	}
}

// Delivered does nothing.
func (w *senders) Delivered(*packet.Sim, *packet.Message) {}

// The lengths of messages where they vary, in bytes.
const (
	shortMessage = 84
	longMessage  = 2048
)

// drawLength draws the bytes of a message; so many stands for all where it is not 0.
func drawLength(rng *rand.Rand, all int64) int64 {
	if all > 0 {
		return all
	}
	return shortMessage + rng.Int64N(longMessage-shortMessage+1)
}

// throughputOf runs senders and returns what each takes on average in the window after a warm-up of half its length, in MB/s.
func throughputOf(ctx context.Context, g *fabric.Graph, p *route.Plan, c packet.Config, w *senders, window packet.Time) float64 {
	sim := lab.Must(packet.New(g, p, c, w))
	r := lab.Must(sim.Run(ctx, window/2, window/2+window))
	bytes := int64(0)
	for _, port := range w.ports {
		bytes += r.Bytes[port]
	}
	return float64(bytes) * float64(packet.Second) / float64(window) / 1e6 / float64(len(w.ports))
}
