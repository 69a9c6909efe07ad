package vftree

import (
	"context"
	"fmt"

	"weft/lab"
	"weft/sim/beff"
	"weft/sim/congestion"
)

// hotSpotTest is the benchmark of all nodes of a cluster, with flows to a hot-spot running at the
// same time.
type hotSpotTest struct {
	name, formula, printed string
	flows                  []pair // to the hot-spot
}

var hotSpotTests = []hotSpotTest{
	{"Table I", "vftree-fig4a", publishedBench1, []pair{{1, 5}, {3, 5}, {6, 5}}},
	{"Table II", "vftree-fig4b", publishedBench2, []pair{{1, 9}, {6, 9}, {10, 9}}},
}

// The rows of Tables I and II, latencies first.
var measurements = []string{
	"Min Ping Pong Lat. (us)", "Avg Ping Pong Lat. (us)", "Max Ping Pong Lat. (us)", "Naturally Ordered Ring Lat. (us)", "Randomly Ordered Ring Lat. (us)",
	"Min Ping Pong BW (MB/s)", "Avg Ping Pong BW (MB/s)", "Max Ping Pong BW (MB/s)", "Naturally Ordered Ring BW (MB/s)", "Randomly Ordered Ring BW (MB/s)",
}

// benchmarks makes Tables I and II.
func benchmarks(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table1", Title: "Latency and bandwidth of all nodes beside three flows to a hot-spot",
		Columns: []string{"table", "measurement", "fat-tree", "vFtree, 3 lanes", "better by", "paper, fat-tree", "paper, vFtree", "paper, better by", "fat-tree, congestion control", "vFtree, congestion control"},
	}
	var claims []lab.Claim
	for i := range hotSpotTests {
		test := &hotSpotTests[i]
		got := map[string][]float64{}
		for _, e := range []lab.Candidate{{Name: "fat-tree", How: lab.Routing{Engine: "ftree,balance=zahavi"}}, {Name: "vFtree", How: lab.Routing{Engine: threeLanes}}} {
			s.Each(ctx, test.formula, testBed(s, test.formula), []lab.Candidate{e}, func(e *lab.Candidate, trial *lab.Trial) {
				got[e.Name] = test.run(ctx, s, trial, nil)
				got[e.Name+controlled] = test.run(ctx, s, trial, congestion.Usual())
			})
		}
		claims = append(claims, test.claims(got)...)
		plain, lanes := got["fat-tree"], got["vFtree"]
		if plain == nil || lanes == nil {
			continue
		}
		for i, row := range lab.ReadPrinted(test.printed) {
			t.Add(test.name, measurements[i], lab.Num(plain[i]), lab.Num(lanes[i]), lab.Percent(better(i, plain, lanes)),
				row["conventional_ftree"], row["vftree"], row["improvement_pct_printed"]+" %", lab.Num(got["fat-tree"+controlled][i]), lab.Num(got["vFtree"+controlled][i]))
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Notes: []string{
		"Latencies are in us, the paper's in ms; bandwidths are in MB/s. Software takes no time here.",
	}}
}

// controlled is the suffix of a routing's name for measurements with congestion control.
const controlled = ", congestion control"

// better returns the improvement of the second list over the first in a row, as a share of the
// first: latencies fall, bandwidths rise.
func better(row int, first, second []float64) float64 {
	change := second[row]/first[row] - 1
	if row < len(measurements)/2 {
		return -change
	}
	return change
}

// run returns the measurements, with congestion control unless that is nil.
func (test *hotSpotTest) run(ctx context.Context, s *lab.Setup, trial *lab.Trial, control *congestion.Control) []float64 {
	g, ends := trial.Graph, nodes(trial.Graph)
	hosts := make([]int32, 0, g.NumHosts)
	for n := range int32(g.NumHosts) {
		hosts = append(hosts, ends[n+1])
	}
	o := beff.Usual(hosts)
	for _, f := range test.flows {
		o.Others = append(o.Others, beff.Stream{Src: ends[f.src], Dst: ends[f.dst], Bytes: 2048})
	}
	o.Seed, o.Workers = s.SeedOf("rings"), s.Workers
	o.Bandwidth.Bytes = lab.Pick[int64](s, 100_000, 2_000_000)
	o.Latency.Rings, o.Bandwidth.Rings = lab.Pick(s, 4, 30), lab.Pick(s, 2, 10)
	c := hardware(s)
	c.Inject, c.Drain, c.Congestion = hostRate(s), hostRate(s), control
	r := lab.Must(beff.Run(ctx, g, trial.Plan, c, &o))
	const us = 1e-3
	lat, bw := r.PingPong.Latency, r.PingPong.Bandwidth
	return []float64{
		lat.Min * us, lat.Mean * us, lat.Max * us, r.Natural.Latency * us, r.Random.Latency * us,
		bw.Min, bw.Mean, bw.Max, r.Natural.Bandwidth, r.Random.Bandwidth,
	}
}

// claims returns the claims about a table: the bandwidths of the plain tree, and the gains of
// vFtree.
func (test *hotSpotTest) claims(got map[string][]float64) (claims []lab.Claim) {
	plain, lanes := got["fat-tree"], got["vFtree"]
	for i, row := range lab.ReadPrinted(test.printed) {
		printed, name := row.Number("conventional_ftree"), test.name+": "+measurements[i]
		if ours, ok := rateAt(plain, i); i >= len(measurements)/2 {
			claims = append(claims, ratioIn(name+", fat-tree, by the printed one", fmt.Sprintf("%.0f MB/s", printed), .9, 1.1).JudgedBy(ours/printed, ok))
		}
		gain, ok := 0., plain != nil && lanes != nil
		if ok {
			gain = 100 * better(i, plain, lanes)
		}
		paper := row.Number("improvement_pct_printed")
		c := lab.Gained(name+", vFtree better by", lab.Percent(paper/100), paper)
		if paper < 1 {
			c = lab.Gained(name+", vFtree better by", lab.Percent(paper/100), 0)
		}
		claims = append(claims, c.JudgedBy(gain, ok))
	}
	c := lab.NewClaim(test.name+": latencies of the plain tree", "2.1 to 50.6 us")
	c.Untestable("Most of the least latency is software, which takes no time here.")
	return append(claims, c)
}
