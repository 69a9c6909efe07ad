package fattree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/sim/beff"
	"weft/sim/packet"
)

// rateOfNode limits a node's send and receive rates, in Mbit/s: the ping-pong of Tables I and II,
// 1,589 MB/s, with headers.
const rateOfNode = 12_900

// betweenSwitches is the rate at which two switches send to each other, both ways, in MB/s.
const betweenSwitches = 25

// bothLanes lists Tables I and II: the benchmark of eight nodes, with and without traffic between
// the roots.
var bothLanes = []struct{ name, printed string }{{"all on VL 0", publishedBench1}, {"nodes on VL 1", publishedBench2}}

// benchmarks makes Tables I and II.
func benchmarks(ctx context.Context, s *lab.Setup) *lab.Result {
	const formula = "sftree-fig4a"
	t := lab.Table{
		Name: "table1", Title: "Latency and bandwidth of eight nodes while two switches send each other 25 MB/s, and while they are silent",
		Columns: []string{"lanes", "measurement", "silent", "sending", "difference", "paper, silent", "paper, sending", "paper, difference"},
	}
	var claims []lab.Claim
	for _, lanes := range bothLanes {
		e := lab.Candidate{Name: lanes.name, How: lab.Routing{Engine: sFtree}}
		var silent, sending []float64
		s.EachOf(ctx, formula, formula, []lab.Candidate{e}, func(_ *lab.Candidate, trial *lab.Trial) {
			g, p := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR), trial.Plan
			if lanes.name != "all on VL 0" {
				p = nodesOnVL1(g, p)
			}
			silent, sending = benchmark(ctx, s, g, p, nil), benchmark(ctx, s, g, p, rootsTalk(g))
			for i, row := range lab.ReadPrinted(lanes.printed) {
				t.Add(lanes.name, measurements[i], lab.Num(silent[i]), lab.Num(sending[i]), lab.Percent(sending[i]/silent[i]-1), row["sw2sw_off"], row["sw2sw_on"], row["difference_pct_printed"]+" %")
			}
		})
		claims = append(claims, benchmarkClaims(lanes.name, lanes.printed, silent, sending)...)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"Latencies are in us, the paper's in ms; bandwidths are in MB/s. Software takes no time here, and has most of the paper's 2 us. What a node sends and takes is bounded by the printed ping-pong.",
	}}
}

// Rows of Tables I and II about rings.
const (
	naturalLatency = 3
	naturalRate    = 8
)

// benchmarkClaims returns the claims of Tables I and II about one choice of lanes.
func benchmarkClaims(name, printed string, silent, sending []float64) (claims []lab.Claim) {
	rows, ok := lab.ReadPrinted(printed), silent != nil
	for i, what := range []string{"no latency", "no bandwidth"} {
		most, ours := 0., 0.
		for k := 5 * i; k < 5*i+5; k++ {
			change := rows[k].Number("difference_pct_printed")
			if most = max(most, change, -change); ok {
				ours = max(ours, 100*max(sending[k]/silent[k]-1, 1-sending[k]/silent[k]))
			}
		}
		claims = append(claims, lab.InRange(name+": the traffic of switches changes "+what+" by more than printed, largest change", fmt.Sprintf("negligible, %.3f %% at most", most), 0, most).JudgedBy(ours, ok))
	}
	for i, ring := range []string{"natural ring", "random rings"} {
		k, lat := naturalRate+i, naturalLatency+i
		rate, ours, rise := rows[k].Number("sw2sw_off"), 0., 0.
		if ok {
			ours, rise = 100*silent[k]/rate, 100*(sending[lat]/silent[lat]-1)
		}
		if name != "all on VL 0" {
			text := rows[lat]["difference_pct_printed"]
			claims = append(claims, lab.Gained(name+": latency of the "+ring+" rises", text+" %", rows[lat].Number("difference_pct_printed")).JudgedBy(rise, ok))
		}
		claims = append(claims, lab.Level(name+": bandwidth of the "+ring+", switches silent, by the printed one", fmt.Sprintf("%.0f MB/s", rate), 100, lab.Exact).JudgedBy(ours, ok))
	}
	c := lab.NewClaim(name+": latencies themselves", "2.0 to 2.4 us")
	c.Untestable("Most of them is software, which takes no time here.")
	return append(claims, c)
}

// measurements are the rows of Tables I and II, latencies first.
var measurements = []string{
	"Min Ping Pong Lat. (us)", "Avg Ping Pong Lat. (us)", "Max Ping Pong Lat. (us)", "Naturally Ordered Ring Lat. (us)", "Randomly Ordered Ring Lat. (us)",
	"Min Ping Pong BW (MB/s)", "Avg Ping Pong BW (MB/s)", "Max Ping Pong BW (MB/s)", "Naturally Ordered Ring BW (MB/s)", "Randomly Ordered Ring BW (MB/s)",
}

// benchmark returns the measurements.
func benchmark(ctx context.Context, s *lab.Setup, g *fabric.Graph, p *route.Plan, others []beff.Stream) []float64 {
	o := beff.Usual(fabric.Numbers(g.NumHosts))
	o.Others, o.Seed, o.Workers = others, s.SeedOf("rings"), s.Workers
	o.Latency.Rings, o.Bandwidth.Rings = lab.Pick(s, 10, 500), lab.Pick(s, 2, 30)
	c := hardwareIII(s)
	c.Inject, c.Drain = rateOfNode, rateOfNode
	r := lab.Must(beff.Run(ctx, g, p, c, &o))
	const us = 1e-3
	lat, bw := r.PingPong.Latency, r.PingPong.Bandwidth
	return []float64{
		lat.Min * us, lat.Mean * us, lat.Max * us, r.Natural.Latency * us, r.Random.Latency * us,
		bw.Min, bw.Mean, bw.Max, r.Natural.Bandwidth, r.Random.Bandwidth,
	}
}

// rootsTalk returns the traffic between the switches without hosts, both ways.
func rootsTalk(g *fabric.Graph) (streams []beff.Stream) {
	var roots []int32
	for sw := range int32(g.NumSwitches) {
		if len(g.HostsOf(sw)) == 0 {
			roots = append(roots, g.PortZero(sw))
		}
	}
	const every = packet.Second * longMessage / (betweenSwitches * 1_000_000)
	for i, src := range roots {
		streams = append(streams, beff.Stream{Src: src, Dst: roots[1-i], Bytes: longMessage, Every: every})
	}
	return streams
}
