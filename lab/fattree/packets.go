package fattree

import (
	"context"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/sim/packet"
)

// The data rates of 4x links, in Mbit/s.
const (
	dataOfSDR = 8_000
	dataOfDDR = 16_000
)

// uniform is uniform traffic: every node sends messages of one packet of 2 kB, each to a random
// other node.
type uniform struct {
	mbps           int32 // data rate of all links
	warmup, window packet.Time
}

// Simulated traffic: 4x SDR, as in Paper I, and 4x DDR, as in Paper IV. A millisecond of SDR, or
// half a millisecond of DDR, is 482 packets per node. Twice the time changes a node's throughput by
// less than a point.
var (
	inPaper1 = uniform{mbps: dataOfSDR, warmup: packet.Millisecond, window: packet.Millisecond}
	inPaper4 = uniform{mbps: dataOfDDR, warmup: packet.Millisecond / 2, window: packet.Millisecond / 2}
)

// trafficOn returns the traffic of Paper I, half as long with many nodes.
func trafficOn(nodes int) uniform {
	u := inPaper1
	if nodes > 1000 {
		u.warmup, u.window = u.warmup/2, u.window/2
	}
	return u
}

// share is a node's throughput as a part of its link's rate, on average over all nodes.
type share struct {
	steady float64 // after the warm-up
	first  float64 // during the warm-up, starting with empty buffers
}

// run offers a load, as a part of the links' rate; at 1 nodes send without pause.
func (u *uniform) run(ctx context.Context, trial *lab.Trial, load float64, seed uint64) share {
	g, c := lab.WithRates(trial.Graph, u.mbps, u.mbps), packet.Default()
	work := &arrivals{Streams: packet.Streams{Targets: fabric.Numbers(g.NumHosts), Seed: seed}, warmup: u.warmup}
	for _, h := range work.Targets {
		stream := packet.Stream{Src: h, Dst: packet.Anyone, Bytes: int64(c.MTU)}
		if load < 1 {
			stream.Gap = packet.Time(float64(c.MTU) * 8e6 / float64(u.mbps) / load)
		}
		work.List = append(work.List, stream)
	}
	sim := lab.Must(packet.New(g, trial.Plan, c, work))
	lab.Must(sim.Run(ctx, u.warmup, u.warmup+u.window))
	part := func(bytes int64, of packet.Time) float64 {
		return float64(bytes) * 8e6 / float64(of) / float64(u.mbps) / float64(g.NumHosts)
	}
	return share{steady: part(work.after, u.window), first: part(work.before, u.warmup)}
}

// arrivals counts the bytes that arrive during the warm-up and after it.
type arrivals struct {
	packet.Streams
	warmup        packet.Time
	before, after int64
}

// Delivered counts a message.
func (w *arrivals) Delivered(s *packet.Sim, m *packet.Message) {
	if s.Now() < w.warmup {
		w.before += m.Bytes - m.Lost
	} else {
		w.after += m.Bytes - m.Lost
	}
}

// sameTables reports whether two Plans have the same forwarding tables, so that packets take the
// same paths.
func sameTables(a, b *route.Plan) bool {
	if a.Tables.NumBlocks() != b.Tables.NumBlocks() {
		return false
	}
	for s := range int32(a.Tables.NumSwitches()) {
		for i := range a.Tables.NumBlocks() {
			if *a.Tables.Block(s, i) != *b.Tables.Block(s, i) {
				return false
			}
		}
	}
	return true
}
