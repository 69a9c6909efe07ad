package vftree

import (
	"context"
	"fmt"
	"strconv"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/sim/packet"
)

// hostRate limits what a host of the test bed sends, and what it takes, in Mbit/s.
const hostRate = 13_500

// pair is a flow between two nodes of a figure, numbered from 1.
type pair struct{ src, dst int32 }

func (p pair) String() string { return fmt.Sprintf("%d-%d", p.src, p.dst) }

// nodes finds the end ports of the nodes of a figure, by their names in the formula: "host 0" is node 1.
func nodes(g *fabric.Graph) map[int32]int32 {
	ends := map[int32]int32{}
	for h := range int32(g.NumHosts) {
		var n int32
		lab.Must(fmt.Sscanf(g.EndDesc[h], "host %d", &n))
		ends[n+1] = h
	}
	return ends
}

// setRates gives the links between switches and those of hosts their rates, in Mbit/s.
func setRates(g *fabric.Graph, switches, hosts int32) *fabric.Graph {
	for i := range g.ChanRate {
		g.ChanRate[i] = switches
	}
	for i := range g.NumHosts {
		g.EndRate[i] = hosts
	}
	return g
}

// ownLane puts flows on a second lane, whatever the Plan has.
func ownLane(g *fabric.Graph, p *route.Plan, flows []pair) *route.Plan {
	ends := nodes(g)
	out := *p
	src, dst := fabric.Numbers(g.NumEnds), make([]int32, p.Ends.Top()+1)
	for lid, end := range p.Ends.ByLID() {
		dst[lid] = end
	}
	out.SL = route.NewSLs(src, dst, g.NumEnds, g.NumEnds)
	for _, f := range flows {
		out.SL.Set(ends[f.src], ends[f.dst], 1)
	}
	out.VLs = 2
	out.SL2VL = route.UniformVL(g, route.VLTable{1: 1})
	out.Arbitration = route.EqualTurns(g, 2)
	return &out
}

// gbps simulates flows without pause and returns what each gets, in Gbit/s, in their order.
func gbps(ctx context.Context, s *lab.Setup, g *fabric.Graph, p *route.Plan, flows []pair, c packet.Config) []float64 {
	ends := nodes(g)
	rates := make([]float64, len(flows))
	// Several flows may have one target: each is counted by a run's messages, one MTU each.
	work := &counted{bytes: make([]int64, len(flows)), from: warmup}
	for _, f := range flows {
		work.flows = append(work.flows, [2]int32{ends[f.src], ends[f.dst]})
	}
	c.Inject, c.Drain = hostRate, hostRate
	sim := lab.Must(packet.New(g, p, c, work))
	window := lab.Pick(s, 2*packet.Millisecond, 10*packet.Millisecond)
	lab.Must(sim.Run(ctx, warmup, warmup+window))
	for i, b := range work.bytes {
		rates[i] = float64(b) * 8000 / float64(window)
	}
	return rates
}

// warmup is the time before flows are measured.
const warmup = 2 * packet.Millisecond

// counted sends messages of one packet for each flow, the next when one has left, and counts what arrives.
type counted struct {
	flows [][2]int32
	bytes []int64
	from  packet.Time
}

// Begin starts all flows, two messages each.
func (w *counted) Begin(s *packet.Sim) {
	for i := range w.flows {
		w.send(s, int32(i))
		w.send(s, int32(i))
	}
}

func (w *counted) send(s *packet.Sim, flow int32) {
	lab.Check(s.Send(w.flows[flow][0], w.flows[flow][1], 2048, flow))
}

// Sent lets a flow go on.
func (w *counted) Sent(s *packet.Sim, m *packet.Message) { w.send(s, m.Tag) }

// Delivered counts a message.
func (w *counted) Delivered(s *packet.Sim, m *packet.Message) {
	if s.Now() >= w.from {
		w.bytes[m.Tag] += m.Bytes - m.Lost
	}
}

// Timer does nothing.
func (w *counted) Timer(*packet.Sim, int32) {}

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

// near says whether a value is within a share of the printed one.
func near(ours, paper, share float64) bool { return ours >= paper*(1-share) && ours <= paper*(1+share) }

// fig5 lets three nodes send to one, and a fourth to a node that is free, over the only cable between two switches.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 5}, {2, 6}, {8, 6}, {7, 6}}
	t := lab.Table{Name: "fig5", Title: "What each flow gets; 1-5 is the victim, node 6 the hot-spot", Columns: columns(flows)}
	got := map[string][]float64{}
	for _, name := range []string{"plain", "congestion control", "victim on its own lane"} {
		s.Each(ctx, "vftree-fig3", func() *fabric.Graph { return setRates(lab.Must(lab.Graph("vftree-fig3")), 32_000, 16_000) },
			[]lab.Candidate{{Name: name, How: lab.Routing{Engine: "updn"}}}, func(_ *lab.Candidate, trial *lab.Trial) {
				p, c := trial.Plan, packet.Default()
				switch name {
				case "congestion control":
					c.Congestion = packet.UsualCongestionControl()
				case "victim on its own lane":
					p = ownLane(trial.Graph, p, flows[:1])
				}
				got[name] = gbps(ctx, s, trial.Graph, p, flows, c)
				t.Add(cells(name, got[name])...)
			})
	}
	same := lab.NewClaim("plain: the victim gets what the contributor on its link gets", "same share")
	plain := lab.NewClaim("plain: the victim gets about 4.5 Gbit/s", "4.5")
	controlled := lab.NewClaim("with congestion control the victim gets about 13 Gbit/s", "13")
	lane := lab.NewClaim("the victim on its own lane: similar to congestion control", "about 13")
	total := lab.NewClaim("the total is slightly better with the lane than with congestion control", "slightly better")
	if r := got["plain"]; r != nil {
		same.Judge(near(r[0], r[1], .05), "%.2f and %.2f", r[0], r[1])
		plain.Judge(near(r[0], 4.5, .1), "%.2f", r[0])
	}
	if r := got["congestion control"]; r != nil {
		controlled.Judge(near(r[0], 13, .05), "%.2f", r[0])
	}
	if r := got["victim on its own lane"]; r != nil {
		lane.Judge(near(r[0], 13, .05), "%.2f", r[0])
		if cc := got["congestion control"]; cc != nil {
			total.Judge(sum(r) > sum(cc) && sum(r) < 1.1*sum(cc), "%.1f and %.1f Gbit/s", sum(r), sum(cc))
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{same, plain, controlled, lane, total}}
}

// fig8 lets three nodes send to one over a small fat-tree, and two others share their links.
func fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 5}, {2, 3}, {3, 5}, {4, 1}, {6, 5}}
	t := lab.Table{Name: "fig8", Title: "What each flow gets; 2-3 and 4-1 are the victims, node 5 the hot-spot", Columns: columns(flows)}
	got := map[string][]float64{}
	for _, e := range []lab.Candidate{
		{Name: "1", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "2, victims by hand", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "3, vFtree", How: lab.Routing{Engine: "ftree,balance=zahavi,lanes=vftree,vls=3"}},
	} {
		s.Each(ctx, "vftree-fig4a", func() *fabric.Graph { return setRates(lab.Must(lab.Graph("vftree-fig4a")), 16_000, 16_000) },
			[]lab.Candidate{e}, func(e *lab.Candidate, trial *lab.Trial) {
				p := trial.Plan
				if e.Name == "2, victims by hand" {
					p = ownLane(trial.Graph, p, []pair{{2, 3}, {4, 1}})
				}
				got[e.Name] = gbps(ctx, s, trial.Graph, p, flows, packet.Default())
				t.Add(cells(e.Name, got[e.Name])...)
			})
	}
	first := lab.NewClaim("1 lane: 2-3 gets what the contributor 1-5 gets", "the same")
	second := lab.NewClaim("1 lane: 4-1 gets what the contributor 3-5 gets", "the same")
	parking := lab.NewClaim("1 lane: 6-5 gets more of node 5 than 1-5 and 3-5 (parking lot)", "more")
	victims := lab.NewClaim("2 lanes: each victim gets about 7 Gbit/s", "7")
	still := lab.NewClaim("2 lanes: the parking lot problem is still there", "6-5 more")
	fair := lab.NewClaim("3 lanes: 1-5, 3-5 and 6-5 get the same", "the same")
	total := lab.NewClaim("the total rises by about 38 % from 1 to 3 lanes", "38 %")
	if r := got["1"]; r != nil {
		first.Judge(near(r[1], r[0], .1), "%.2f and %.2f", r[1], r[0])
		second.Judge(near(r[3], r[2], .1), "%.2f and %.2f", r[3], r[2])
		parking.Judge(r[4] > 1.2*max(r[0], r[2]), "%.2f against %.2f and %.2f", r[4], r[0], r[2])
	}
	if r := got["2, victims by hand"]; r != nil {
		victims.Judge(near(r[1], 7, .1) && near(r[3], 7, .1), "%.2f and %.2f", r[1], r[3])
		still.Judge(r[4] > 1.2*max(r[0], r[2]), "%.2f against %.2f and %.2f", r[4], r[0], r[2])
	}
	if r := got["3, vFtree"]; r != nil {
		fair.Judge(near(r[0], r[2], .1) && near(r[0], r[4], .1), "%.2f, %.2f, %.2f", r[0], r[2], r[4])
		if one := got["1"]; one != nil {
			gain := 100 * (sum(r)/sum(one) - 1)
			total.Judge(near(gain, 38, .25), "%+.0f %%", gain)
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{first, second, parking, victims, still, fair, total}}
}
