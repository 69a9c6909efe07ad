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
	// next chooses the target and the bytes of a port's next message.
	next func(port int32) (dst int32, bytes int64)
	// pause returns the time between two messages of a port. If it is nil or returns 0, the next
	// message follows when the last packet of the previous one begins to leave.
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

// Timer lets a port send after a pause.
func (w *senders) Timer(s *packet.Sim, port int32) {
	w.send(s, port)
	s.Timer(s.Now()+w.pause(port), port)
}

// Sent lets a port without a pause continue.
func (w *senders) Sent(s *packet.Sim, m *packet.Message) {
	if w.pauseOf(m.Src) == 0 {
		w.send(s, m.Src)
	}
}

// Delivered does nothing.
func (w *senders) Delivered(*packet.Sim, *packet.Message) {}

// The lengths of messages of varying length, in bytes.
const (
	shortMessage = 84
	longMessage  = 2048
)

// drawLength draws the bytes of a message, or returns all unless it is 0.
func drawLength(rng *rand.Rand, all int64) int64 {
	if all > 0 {
		return all
	}
	return shortMessage + rng.Int64N(longMessage-shortMessage+1)
}

// throughputOf runs senders and returns a sender's mean receive rate in the window, after a warm-up
// of half its length, in MB/s.
func throughputOf(ctx context.Context, g *fabric.Graph, p *route.Plan, c packet.Config, w *senders, window packet.Time) float64 {
	sim := lab.Must(packet.New(g, p, c, w))
	r := lab.Must(sim.Run(ctx, window/2, window/2+window))
	bytes := int64(0)
	for _, port := range w.ports {
		bytes += r.Bytes[port]
	}
	return float64(bytes) * float64(packet.Second) / float64(window) / 1e6 / float64(len(w.ports))
}
