package packet_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
	"weft/sim/packet"
)

// rates are the rates of real links, in Mbit/s: 1x SDR to 4x NDR.
var rates = []int32{2_000, 8_000, 16_000, 32_000, 54_545, 96_969, 193_939, 387_878}

// mixed gives every cable and every host link a rate of its own.
func mixed(g *fabric.Graph, seed uint64) *fabric.Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	for c := 0; c < g.NumChannels; c += 2 {
		g.ChanRate[c] = rates[rng.IntN(len(rates))]
		g.ChanRate[c+1] = g.ChanRate[c]
	}
	for e := range g.NumHosts {
		g.EndRate[e] = rates[rng.IntN(len(rates))]
	}
	return g
}

// drawn is the formula of a random network.
func drawn(t *rapid.T) string {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		switches := rapid.IntRange(2, 12).Draw(t, "switches")
		links := rapid.IntRange(switches-1, min(switches*(switches-1)/2, 2*switches)).Draw(t, "links")
		return fmt.Sprintf("random(switches=%d,hosts=%d,links=%d,seed=%d)", switches, rapid.IntRange(1, 3).Draw(t, "hosts"), links, rapid.IntRange(1, 1000).Draw(t, "seed"))
	case 1:
		return fmt.Sprintf("torus(%d,hosts=%d)", rapid.IntRange(4, 9).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "hosts"))
	case 2:
		return fmt.Sprintf("torus(%dx%d,hosts=%d)", rapid.IntRange(3, 5).Draw(t, "x"), rapid.IntRange(3, 5).Draw(t, "y"), rapid.IntRange(1, 2).Draw(t, "hosts"))
	case 3:
		return fmt.Sprintf("rlft(4,3)|fail(links=%d,seed=%d)", rapid.IntRange(1, 4).Draw(t, "failed"), rapid.IntRange(1, 1000).Draw(t, "seed"))
	case 4:
		return fmt.Sprintf("kautz(2,%d)", rapid.IntRange(1, 3).Draw(t, "n"))
	default:
		return fmt.Sprintf("irregular(switches=%d,degree=3,hosts=%d,seed=%d)", 2*rapid.IntRange(2, 5).Draw(t, "pairs"), rapid.IntRange(4, 24).Draw(t, "hosts"), rapid.IntRange(1, 1000).Draw(t, "seed"))
	}
}

// targetsOf are the end ports that have a LID, hosts first.
func targetsOf(p *route.Plan) (ends []int32) {
	for e, base := range p.Ends.Base {
		if base != 0 {
			ends = append(ends, int32(e))
		}
	}
	return ends
}

// hostsOf are all end ports of hosts.
func hostsOf(g *fabric.Graph) (ends []int32) {
	for e := range int32(g.NumHosts) {
		ends = append(ends, e)
	}
	return ends
}

// judged asks the judge.
func judged(t rapid.TB, g *fabric.Graph, p *route.Plan) *check.Report {
	t.Helper()
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// onePath makes a Plan of one lane with tables for every LID that a function fills in by switch and
// target.
func onePath(g *fabric.Graph, port func(s, dst int32) uint8) *route.Plan {
	p := &route.Plan{Tables: route.NewTables(g.NumSwitches, fabric.LID(g.NumEnds))}
	p.Ends = route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}
	for e := range int32(g.NumEnds) {
		p.Ends.Base[e] = fabric.LID(e + 1)
		for s := range int32(g.NumSwitches) {
			if out := g.EndPort[e]; g.EndSwitch[e] == s {
				p.Tables.Set(s, fabric.LID(e+1), out)
			} else {
				p.Tables.Set(s, fabric.LID(e+1), port(s, e))
			}
		}
	}
	p.SingleLane(g)
	return p
}

// clockwise routes a ring of switches, whose port 1 leads to the next one, in one direction.
func clockwise(g *fabric.Graph) *route.Plan {
	return onePath(g, func(int32, int32) uint8 { return 1 })
}

// stream is a flow without end.
func stream(src, dst int32) packet.Stream {
	return packet.Stream{Src: src, Dst: dst, Bytes: packet.Forever}
}

// streams is the workload of some streams.
func streams(list ...packet.Stream) *packet.Streams { return &packet.Streams{List: list} }

// pathOf lists the rates of the links from one end port to another by its base LID, none where
// there is no way.
func pathOf(g *fabric.Graph, p *route.Plan, src, dst int32) (mbps []int32) {
	rate := func(e int32) int32 {
		if g.IsPortZero(e) {
			return 2000
		}
		return g.EndRate[e]
	}
	mbps = append(mbps, rate(src))
	for s := g.EndSwitch[src]; ; {
		port := p.Tables.Port(s, p.Ends.Base[dst])
		if port == g.EndPort[dst] && s == g.EndSwitch[dst] {
			return append(mbps, rate(dst))
		}
		c, _ := g.At(s, port)
		if c < 0 || len(mbps) > g.NumSwitches {
			return nil
		}
		mbps = append(mbps, g.ChanRate[c])
		s = g.To[c]
	}
}

// within reports whether a value is a share of another, up to a tolerance of that share.
func within(got, want, tolerance float64) bool {
	return got >= want*(1-tolerance) && got <= want*(1+tolerance)
}

// perStream counts what arrives of each stream since a moment.
type perStream struct {
	*packet.Streams
	from  packet.Time
	bytes []int64
}

// Delivered counts a message.
func (w *perStream) Delivered(s *packet.Sim, m *packet.Message) {
	if s.Now() >= w.from {
		w.bytes[m.Tag] += m.Bytes - m.Lost
	}
}

// deliveredBy is what each stream carries in Mbit/s, headers included, when it sends one full
// packet after the other.
func deliveredBy(t rapid.TB, g *fabric.Graph, p *route.Plan, c packet.Config, w *packet.Streams) (mbps []float64) {
	t.Helper()
	for i := range w.List {
		w.List[i].Bytes = int64(c.MTU)
	}
	counted := &perStream{w, window / 10, make([]int64, len(w.List))}
	run(t, g, p, c, counted, window/10, window)
	for _, bytes := range counted.bytes {
		full := float64(c.MTU+c.Headers) / float64(c.MTU)
		mbps = append(mbps, float64(bytes)*full*8e6/float64(window-window/10))
	}
	return mbps
}

// batch is the workload of messages that are each sent at its Start.
type batch struct {
	list  []packet.Message
	order []int32 // order in which they end
	lost  int64   // bytes
}

// once sends each message at its Start.
func once(list ...packet.Message) *batch { return &batch{list: list} }

func (w *batch) Begin(s *packet.Sim) {
	for i := range w.list {
		s.Timer(w.list[i].Start, int32(i))
	}
}

func (w *batch) Timer(s *packet.Sim, i int32) {
	if m := &w.list[i]; s.Send(m.Src, m.Dst, m.Bytes, i) != nil {
		w.lost += m.Bytes
	}
}

func (w *batch) Sent(*packet.Sim, *packet.Message) {}
func (w *batch) Delivered(_ *packet.Sim, m *packet.Message) {
	w.order = append(w.order, m.Tag)
	w.lost += m.Lost
}
