package beff

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// longest bounds the simulated time of a run.
const longest = 100 * packet.Second

// run simulates the job and keeps its times.
func (j *job) run(ctx context.Context, g *fabric.Graph, p *route.Plan, c packet.Config) error {
	var rounds *packet.Rounds
	var work packet.Workload
	var turns *pingPongs
	if j.order == nil {
		turns = &pingPongs{pairs: j.pairs, bytes: j.size.Bytes}
		work = turns
	} else {
		rounds = packet.NewRounds(j.rounds(), j.order, g.NumEnds, j.size.Bytes)
		work = rounds
	}
	w := &alongside{bench: work, others: j.others, done: func() bool {
		return rounds == nil && len(turns.times) == len(turns.pairs) || rounds != nil && rounds.Done()
	}}
	sim, err := packet.New(g, p, c, w)
	if err != nil {
		return err
	}
	r, err := sim.Run(ctx, 0, longest)
	switch {
	case err != nil:
		return err
	case r.Deadlock != nil:
		return fmt.Errorf("b_eff: %s, messages of %d bytes: a deadlock of %d buffers", j.name, j.size.Bytes, len(r.Deadlock.Cycle))
	case r.Lost.Total() > 0:
		return fmt.Errorf("b_eff: %s, messages of %d bytes: %d packets were lost", j.name, j.size.Bytes, r.Lost.Total())
	}
	j.sent = r.Sent
	if rounds == nil {
		j.times = turns.times
		return nil
	}
	if !rounds.Done() {
		return fmt.Errorf("b_eff: %s, messages of %d bytes: not finished after %d s of simulated time", j.name, j.size.Bytes, longest/packet.Second)
	}
	j.times = []packet.Time{(slices.Max(rounds.Ended) - w.begins()) / packet.Time(2*j.size.Loops)}
	return nil
}

// rounds returns the messages of a ring; ranks are places in its order.
func (j *job) rounds() []traffic.Flows {
	n := int32(len(j.order))
	var right, left, both traffic.Flows
	for i := range n {
		right.Add(i, (i+1)%n)
		left.Add((i+1)%n, i)
	}
	both.Src, both.Dst = append(right.Src, left.Src...), append(right.Dst, left.Dst...)
	loop := []traffic.Flows{both}
	if j.turns {
		loop = []traffic.Flows{right, left}
	}
	return slices.Repeat(loop, j.size.Loops)
}

// pingPongs is the workload of pairs that play ping-pong, one after the other.
type pingPongs struct {
	pairs [][2]int32
	bytes int64
	began packet.Time
	times []packet.Time // half of the round-trip time, by pair
}

// Begin sends the first ping.
func (w *pingPongs) Begin(s *packet.Sim) { w.ping(s) }

// ping starts the next pair.
func (w *pingPongs) ping(s *packet.Sim) {
	if len(w.times) == len(w.pairs) {
		return
	}
	w.began = s.Now()
	pair := w.pairs[len(w.times)]
	w.send(s, pair[0], pair[1])
}

func (w *pingPongs) send(s *packet.Sim, src, dst int32) {
	if err := s.Send(src, dst, w.bytes, 0); err != nil {
		s.Fail(err)
	}
}

// Delivered answers a ping, or starts the next pair.
func (w *pingPongs) Delivered(s *packet.Sim, m *packet.Message) {
	if m.Src == w.pairs[len(w.times)][0] {
		w.send(s, m.Dst, m.Src)
		return
	}
	w.times = append(w.times, (s.Now()-w.began)/2)
	w.ping(s)
}

// Sent does nothing.
func (w *pingPongs) Sent(*packet.Sim, *packet.Message) {}

// Timer does nothing.
func (w *pingPongs) Timer(*packet.Sim, int32) {}
