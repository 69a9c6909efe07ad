package fattree

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/route"
	"weft/sim/packet"
)

// dataOfPortZero is the data rate of the 1x SDR link of port 0 of a switch, in Mbit/s.
const dataOfPortZero = 2000

// shares holds the mean receive rates of a node and a switch, as shares of a node's link.
type shares struct{ nodes, switches float64 }

// together runs uniform traffic among nodes at full load, and among switches at a share of the rate
// of their ports 0. Every message is one packet.
func together(ctx context.Context, g *fabric.Graph, p *route.Plan, c packet.Config, load float64, seed uint64) shares {
	const warmup = window / 2
	hosts, zeros := fabric.Numbers(g.NumHosts), fabric.Numbers(g.NumEnds)[g.NumHosts:]
	draws := make([]*rand.Rand, g.NumEnds)
	for e := range draws {
		draws[e] = rand.New(rand.NewPCG(seed, uint64(e)))
	}
	w := &senders{ports: hosts}
	if load > 0 {
		w.ports = fabric.Numbers(g.NumEnds)
	}
	w.next = func(port int32) (int32, int64) {
		list := hosts
		if g.IsPortZero(port) {
			list = zeros
		}
		i := draws[port].IntN(len(list) - 1)
		if list[i] >= port {
			i++
		}
		return list[i], longMessage
	}
	w.pause = func(port int32) packet.Time {
		if !g.IsPortZero(port) || load == 1 {
			return 0
		}
		mean := float64(longMessage) * 8e6 / dataOfPortZero / load
		return packet.Time(-math.Log(1-draws[port].Float64())*mean) + 1
	}
	sim := lab.Must(packet.New(g, p, c, w))
	r := lab.Must(sim.Run(ctx, warmup, warmup+window))
	return shares{shareOf(r, hosts), shareOf(r, zeros)}
}

// shareOf returns the mean receive rate of end ports, as a share of a 4x DDR link.
func shareOf(r *packet.Result, ends []int32) float64 {
	bytes := int64(0)
	for _, e := range ends {
		bytes += r.Bytes[e]
	}
	return float64(bytes) * 8e6 / float64(r.Window) / dataOfDDR / float64(len(ends))
}

// nodesOnVL1 puts traffic between hosts on VL 1, and leaves the traffic of switches on VL 0. Both
// have equal turns.
func nodesOnVL1(g *fabric.Graph, p *route.Plan) *route.Plan {
	const switches, hosts = 0, 1
	src, dst := make([]int32, g.NumEnds), make([]int32, p.Ends.Top()+1)
	for lid, end := range p.Ends.ByLID() {
		if end >= 0 && !g.IsPortZero(end) {
			src[end], dst[lid] = hosts, hosts
		}
	}
	out := *p
	out.VLs = 2
	out.SL = route.NewSLs(src, dst, 2, 2)
	out.SL.Set(hosts, hosts, 1)
	out.SL2VL = route.UniformVL(g, route.VLTable{1: 1})
	out.Arbitration = route.EqualArbitration(g, 2)
	return &out
}

// small is a load of switches below a tenth of a node's link.
const small = .6

// switchLoads returns the points of Fig. 7.
func switchLoads(s *lab.Setup) []float64 {
	return lab.Pick(s, []float64{0, small, 1}, []float64{0, .3, small, 1})
}

// switchesAlongside makes Fig. 7: nodes at full load on 648 ports while switches send more and
// more.
func switchesAlongside(ctx context.Context, s *lab.Setup) *lab.Result {
	const base = "fat648"
	t := lab.Table{
		Name: "fig7", Title: "What a node and a switch take on average, as shares of the link of a node",
		Columns: []string{"nodes on", "load of switches", "a node", "a switch"},
	}
	got := alongside{}
	var charts []chart.Chart
	for _, lane := range []struct{ name, file string }{{"VL 0", "fig7a"}, {"VL 1", "fig7b"}} {
		c := chart.Chart{
			Name: lane.file, Title: "648 ports, nodes on " + lane.name + ", switches on VL 0", Kind: chart.Lines,
			X: chart.Axis{Label: "load of switches (%)"}, Y: chart.Axis{Label: "throughput (% of the link of a node)"},
			Series: []chart.Series{{Name: "nodes"}, {Name: "switches"}},
		}
		engines := []lab.Candidate{{Name: "sFtree, nodes on " + lane.name, How: lab.Routing{Engine: sFtree}}}
		s.EachOf(ctx, base, base, engines, func(_ *lab.Candidate, trial *lab.Trial) {
			g, p := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR), trial.Plan
			if lane.name == "VL 1" {
				p = nodesOnVL1(g, p)
			}
			got[lane.name] = map[float64]shares{}
			for _, load := range switchLoads(s) {
				v := together(ctx, g, p, hardwareIII(s), load, s.SeedOf("together"))
				got[lane.name][load] = v
				c.Series[0].Add(100*load, 100*v.nodes, 0, 0)
				c.Series[1].Add(100*load, 100*v.switches, 0, 0)
				t.Add(lane.name, fmt.Sprintf("%.0f %%", 100*load), percent(v.nodes), percent(v.switches))
			}
		})
		charts = append(charts, c)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: got.claims(), Charts: lab.NonEmpty(charts...), Notes: []string{
		"Equal turns cost nodes little here because switches offer an eighth of a link each: only links that carry more of them than half of the rate could lose by it.",
	}}
}

// sFtree is the engine of Paper III.
const sFtree = "ftree,balance=zahavi,switches=sftree"

// alongside holds shares by lane of the nodes and load of the switches.
type alongside map[string]map[float64]shares

// claims judges Fig. 7.
func (got alongside) claims() []lab.Claim {
	one, two := got["VL 0"], got["VL 1"]
	return []lab.Claim{
		lab.InRange("on the same lane, switches at full load cost nodes", "1 % (section 7.2.1)", .5, 2).JudgedBy(100*(one[0].nodes-one[1].nodes), one != nil),
		lab.Level("with nodes on a lane of their own, switches at full load: a node", "64 % of the capacity (section 7.2.2)", 64, lab.Exact).JudgedBy(100*two[1].nodes, two != nil),
		lab.InRange("on the same lane, small loads of switches cost nodes", "no influence below 10 % of capacity", -lab.Noise, lab.Noise).JudgedBy(100*(one[0].nodes-one[small].nodes), one != nil),
		lab.InRange("small loads: a lane of their own takes from nodes", "little difference", -1, 1).JudgedBy(100*(one[small].nodes-two[small].nodes), one != nil && two != nil),
		lab.InRange("on the same lane at full load, a switch takes less than the 12.5 % that it sends", "the switch traffic suffers from contention", 0, 12).JudgedBy(100*one[1].switches, one != nil),
	}
}
