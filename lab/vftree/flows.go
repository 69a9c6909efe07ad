package vftree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/sim/congestion"
	"weft/sim/packet"
)

// Payload rates at which a host of the test bed sends and receives, in Mbit/s.
const (
	// rateOfPCIe follows from the host's interface. PCIe 1.1 with 8 lanes carries 16 Gbit/s, in
	// packets with 128 bytes of payload (the default) and 20 bytes of overhead (2 GB of memory need
	// 32-bit addresses).
	rateOfPCIe = 16_000 * 128 / (128 + 20)
	// printedRate is three times the third that the paper measured.
	printedRate = 3 * 4_500
)

// hostRate returns the limit of a test bed host's send and receive rates, in Mbit/s with headers.
func hostRate(s *lab.Setup) int32 {
	payload := int32(rateOfPCIe)
	if s.Reads(measuredRate) {
		payload = printedRate
	}
	return payload * (2048 + packet.Headers) / 2048
}

// pair is a flow between two nodes of a figure, numbered from 1.
type pair struct{ src, dst int32 }

func (p pair) String() string { return fmt.Sprintf("%d-%d", p.src, p.dst) }

// nodes finds the end ports of a figure's nodes, by their names in the formula: "host 0" is node 1.
func nodes(g *fabric.Graph) map[int32]int32 {
	ends := map[int32]int32{}
	for h := range int32(g.NumHosts) {
		var n int32
		lab.Must(fmt.Sscanf(g.EndDesc[h], "host %d", &n))
		ends[n+1] = h
	}
	return ends
}

// onLanes puts groups of flows on lanes of their own, from lane 1 on, and all other traffic on lane
// 0, instead of the Plan's lanes.
func onLanes(g *fabric.Graph, p *route.Plan, groups ...[]pair) *route.Plan {
	ends := nodes(g)
	out := *p
	out.SL = pairSLs(g, p)
	var table route.VLTable
	for i, flows := range groups {
		lane := uint8(i + 1)
		table[lane] = lane
		for _, f := range flows {
			out.SL.Set(ends[f.src], ends[f.dst], lane)
		}
	}
	out.VLs = len(groups) + 1
	out.SL2VL = route.UniformVL(g, table)
	out.Arbitration = route.EqualArbitration(g, out.VLs)
	return &out
}

// pairSLs returns SLs that can differ for each pair of end ports. All are 0.
func pairSLs(g *fabric.Graph, p *route.Plan) *route.SLs {
	return route.NewSLs(fabric.Numbers(g.NumEnds), p.Ends.ByLID(), g.NumEnds, g.NumEnds)
}

// gbps simulates flows without pause and returns the mean rate of each, in Gbit/s, in their order.
// The flows start at different times, as on real hosts.
func gbps(ctx context.Context, s *lab.Setup, g *fabric.Graph, p *route.Plan, flows []pair, c packet.Config) []float64 {
	ends := nodes(g)
	window := lab.Pick(s, 2*packet.Millisecond, 10*packet.Millisecond)
	c.Inject, c.Drain = hostRate(s), hostRate(s)
	// Several flows may have one target, so each is counted by its messages, one MTU each.
	work := &counted{bytes: make([]int64, len(flows)), rng: rand.New(rand.NewPCG(s.SeedOf("starts"), 0))}
	for _, f := range flows {
		work.flows = append(work.flows, [2]int32{ends[f.src], ends[f.dst]})
	}
	sim := lab.Must(packet.New(g, p, c, work))
	lab.Must(sim.Run(ctx, warmup, warmup+window))
	rates := make([]float64, len(flows))
	for i, b := range work.bytes {
		rates[i] = float64(b) * 8000 / float64(window)
	}
	return rates
}

// warmup is the time before the measurement.
const warmup = 2 * packet.Millisecond

// counted sends messages of one packet for each flow, the next when one has left, and counts
// arrivals after the warm-up.
type counted struct {
	flows [][2]int32
	bytes []int64
	rng   *rand.Rand
}

// Begin starts all flows in the first 10 us.
func (w *counted) Begin(s *packet.Sim) {
	for i := range w.flows {
		s.Timer(packet.Time(w.rng.Int64N(int64(10*packet.Microsecond))), int32(i))
	}
}

// Timer starts a flow with two messages.
func (w *counted) Timer(s *packet.Sim, flow int32) {
	w.send(s, flow)
	w.send(s, flow)
}

func (w *counted) send(s *packet.Sim, flow int32) {
	lab.Check(s.Send(w.flows[flow][0], w.flows[flow][1], 2048, flow))
}

// Sent continues a flow.
func (w *counted) Sent(s *packet.Sim, m *packet.Message) { w.send(s, m.Tag) }

// Delivered counts a message.
func (w *counted) Delivered(s *packet.Sim, m *packet.Message) {
	if s.Now() >= warmup {
		w.bytes[m.Tag] += m.Bytes - m.Lost
	}
}

// cells prints rates and their sum.
func cells(name string, rates []float64) []string {
	row, total := []string{name}, 0.0
	for _, r := range rates {
		row = append(row, rate(r))
		total += r
	}
	return append(row, rate(total))
}

func rate(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func sum(rates []float64) (total float64) {
	for _, r := range rates {
		total += r
	}
	return total
}

// columns names flows.
func columns(flows []pair) []string {
	list := []string{"lanes"}
	for _, f := range flows {
		list = append(list, f.String()+", Gbit/s")
	}
	return append(list, "total, Gbit/s")
}

// fig5 lets three nodes send to one, and a fourth to a free node, over the only cable between two
// switches.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 5}, {2, 6}, {8, 6}, {7, 6}}
	t := lab.Table{Name: "fig5", Title: "What each flow gets on average; 1-5 is the victim, node 6 the hot-spot", Columns: columns(flows)}
	got := map[string][]float64{}
	for _, name := range []string{"plain", "congestion control", "victim on its own lane"} {
		s.Each(ctx, "vftree-fig3", func() *fabric.Graph { return lab.WithRates(lab.Must(lab.Graph("vftree-fig3")), 32_000, 16_000) },
			[]lab.Candidate{{Name: name, How: lab.Routing{Engine: "updn"}}}, func(_ *lab.Candidate, trial *lab.Trial) {
				p, c := trial.Plan, hardware(s)
				switch name {
				case "congestion control":
					c.Congestion = congestion.Usual()
				case "victim on its own lane":
					p = onLanes(trial.Graph, p, flows[:1])
				}
				got[name] = gbps(ctx, s, trial.Graph, p, flows, c)
				t.Add(cells(name, got[name])...)
			})
	}
	plain, controlled, lane := got["plain"], got["congestion control"], got["victim on its own lane"]
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{
		same("plain: the victim gets what the contributor on its link gets", "the same share").JudgedBy(ratio(plain, 0, plain, 1)),
		rateOf("plain: the victim", "4.5 Gbit/s", 4.5).JudgedBy(rateAt(plain, 0)),
		rateOf("with congestion control the victim", "about 13 Gbit/s", 13).JudgedBy(rateAt(controlled, 0)),
		rateOf("the victim on its own lane", "similar, about 13 Gbit/s", 13).JudgedBy(rateAt(lane, 0)),
		ratioIn("the total is slightly better with the lane than with congestion control", "slightly better", 1.005, 1.1).JudgedBy(totals(lane, controlled)),
	}}
}

// fig8 lets three nodes send to one over a small fat-tree, and two others share their links.
func fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 5}, {2, 3}, {3, 5}, {4, 1}, {6, 5}}
	t := lab.Table{Name: "fig8", Title: "What each flow gets on average; 2-3 and 4-1 are the victims, node 5 the hot-spot", Columns: columns(flows)}
	got := map[string][]float64{}
	for _, e := range []lab.Candidate{
		{Name: "1", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "2, victims by hand", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "3, vFtree", How: lab.Routing{Engine: threeLanes}},
	} {
		s.Each(ctx, "vftree-fig4a", testBed(s, "vftree-fig4a"), []lab.Candidate{e}, func(e *lab.Candidate, trial *lab.Trial) {
			p := trial.Plan
			if e.Name == "2, victims by hand" {
				p = onLanes(trial.Graph, p, []pair{{2, 3}, {4, 1}})
			}
			got[e.Name] = gbps(ctx, s, trial.Graph, p, flows, hardware(s))
			t.Add(cells(e.Name, got[e.Name])...)
		})
	}
	one, two, three := got["1"], got["2, victims by hand"], got["3, vFtree"]
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{
		same("1 lane: 2-3 gets what the contributor 1-5 gets", "reduced to that bandwidth").JudgedBy(ratio(one, 1, one, 0)),
		same("1 lane: 4-1 gets what the contributor 3-5 gets", "reduced to that bandwidth").JudgedBy(ratio(one, 3, one, 2)),
		more("1 lane: 6-5 gets more of node 5 than 1-5 and 3-5 (parking lot)", "a higher share").JudgedBy(over(one, 4, 0, 2)),
		rateOf("2 lanes: a victim, mean of both", "about 7 Gbit/s", 7).JudgedBy(meanRate(two, 1, 3)),
		more("2 lanes: the parking lot problem is still there", "still present").JudgedBy(over(two, 4, 0, 2)),
		same("3 lanes: 6-5 gets what 1-5 and 3-5 get", "solved").JudgedBy(over(three, 4, 0, 2)),
		more("3 lanes: a victim gets more than the contributor on its link (head-of-line blocking)", "solved").JudgedBy(ratio(three, 1, three, 0)),
		lab.Gained("the total rises from 1 to 3 lanes", "about 38 %", 38).JudgedBy(rise(one, three)),
	}}
}
