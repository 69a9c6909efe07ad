package dfsssp

import (
	"context"
	"fmt"

	"weft/lab"
	"weft/lab/chart"
	"weft/sim/flow"
	"weft/traffic"
)

// benchmark is one of the NAS parallel benchmarks.
type benchmark struct {
	name  string
	comm  func(ranks int) rounds
	cores []int // of its figure
}

var benchmarks = []benchmark{
	{"BT", multipartition, []int{121, 256, 484, 1024}},
	{"CG", conjugate, nil},
	{"FT", exchange, []int{128, 256, 512, 1024}},
	{"LU", wavefront, nil},
	{"MG", multigrid, nil},
	{"SP", multipartition, []int{121, 256, 484, 1024}},
}

// communication estimates the time of a benchmark's communication under each engine
// measured on Deimos: the sum over rounds of the largest congestion.
func (b *benchmark) communication(ctx context.Context, s *lab.Setup, reading network, cores int) []flow.Summary {
	nodes := nodesOf(cores)
	pattern := traffic.FromRounds(b.name, nodes, b.comm(cores).onNodes(cores, nodes))
	j := &job{pattern: pattern, nodes: nodes, runs: 1, allocations: lab.Pick(s, 3, 20)}
	return j.under(ctx, s, reading, measured, cores, longestTime)
}

// gain returns how much longer MinHop's communication takes than DFSSSP's.
func gain(times []flow.Summary) float64 { return times[0].Mean/times[2].Mean - 1 }

// scaling is a figure of a benchmark over cores.
func scaling(ctx context.Context, s *lab.Setup, figure, name string, claims func(gains map[int]float64) []lab.Claim) *lab.Result {
	b := benchmarkCalled(name)
	t := lab.Table{
		Name: figure, Title: "Communication of " + name + " (estimate): messages that the most loaded links carry one after the other",
		Columns: []string{"links and their leaves", "cores", "nodes", "minhop", "lash", "dfsssp", "minhop longer than dfsssp"},
	}
	c := chart.Chart{
		Name: figure, Title: "NAS " + name + " on Deimos (estimate): communication time", Kind: chart.Lines,
		X: chart.Axis{Label: "cores", Log: true}, Y: chart.Axis{Label: "messages one after the other"},
	}
	var judged [][]lab.Claim
	for _, reading := range []network{mainReading, unevenReading} {
		first := len(c.Series)
		for _, name := range labels(measured) {
			if reading != mainReading {
				name += ", nine and one"
			}
			c.Series = append(c.Series, chart.Series{Name: name})
		}
		gains := map[int]float64{}
		for _, cores := range b.cores {
			if !s.Want(reading.name + " " + count(cores)) {
				continue
			}
			times := b.communication(ctx, s, reading, cores)
			gains[cores] = gain(times)
			t.Add(reading.name, count(cores), count(nodesOf(cores)), cell(times[0]), cell(times[1]), cell(times[2]), lab.Percent(gains[cores]))
			for i := range times {
				c.Series[first+i].Add(float64(cores), times[i].Mean, 0, 0)
			}
		}
		judged = append(judged, claims(gains))
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: unevenExplains(judged[0], judged[1]),
		Notes: []string{estimateNote, allocationNote, spreadNote, unevenNote, timeNote},
	}
}

func benchmarkCalled(name string) *benchmark {
	for i := range benchmarks {
		if benchmarks[i].name == name {
			return &benchmarks[i]
		}
	}
	return nil
}

// unevenExplains sets beside claims that differ what becomes of them when the links
// between two directors end on two leaves, nine on one and one on the other.
func unevenExplains(claims, uneven []lab.Claim) []lab.Claim {
	for i := range claims {
		if uneven[i].Verdict != lab.NotRun {
			claims[i].Explain(uneven[i].Verdict == lab.Holds, "Experiment, links uneven, nine and one: %s.", uneven[i].Ours)
		}
	}
	return claims
}

// nodesOf is the number of nodes that section VI spreads cores over.
func nodesOf(cores int) int {
	if cores == manyCores {
		return manyNodes
	}
	return cores
}

const timeNote = "Only communication is estimated: the whole benchmark gains less, by the share of time it computes. With uneven links the communication of BT and SP gains on 121 and 256 cores too, where the paper sees no difference:" +
	" that the benchmarks hardly communicate there is its explanation, and is not estimated."

// within returns the claim that communication gains enough for a gain of the whole
// benchmark.
func within(gains map[int]float64, cores int, text, paper string, holds func(gain float64) bool) lab.Claim {
	c := lab.NewClaim(text, paper)
	if g, ok := gains[cores]; ok {
		c.Judge(holds(g), "%s", "communication "+lab.Percent(g))
	}
	return c
}

func fig14(ctx context.Context, s *lab.Setup) *lab.Result {
	return scaling(ctx, s, "fig14", "BT", func(gains map[int]float64) []lab.Claim {
		return append(smallAlike(gains), within(gains, 1024, "1,024 cores: DFSSSP ahead, as far as its communication allows", "+95.07 % (whole benchmark)", func(g float64) bool { return g >= 0.9507 }))
	})
}

func fig15(ctx context.Context, s *lab.Setup) *lab.Result {
	return scaling(ctx, s, "fig15", "SP", func(gains map[int]float64) []lab.Claim {
		return append(smallAlike(gains),
			within(gains, 484, "484 cores: DFSSSP ahead of MinHop", "a drop with MinHop, a gain with DFSSSP", func(g float64) bool { return g > 0.1 }),
			within(gains, 1024, "1,024 cores: DFSSSP ahead, as far as its communication allows", "+59.01 % (whole benchmark)", func(g float64) bool { return g >= 0.5901 }))
	})
}

// smallAlike returns the claims of the text on BT and SP on few cores.
func smallAlike(gains map[int]float64) []lab.Claim {
	alike := func(g float64) bool { return g > -0.15 && g < 0.15 }
	return []lab.Claim{
		within(gains, 121, "121 cores: MinHop as good as DFSSSP", "as well", alike),
		within(gains, 256, "256 cores: MinHop as good as DFSSSP", "as well", alike),
	}
}

func fig16(ctx context.Context, s *lab.Setup) *lab.Result {
	ahead := func(g float64) bool { return g >= 0.2 }
	return scaling(ctx, s, "fig16", "FT", func(gains map[int]float64) []lab.Claim {
		return []lab.Claim{
			within(gains, 128, "128 cores: DFSSSP about 25 % ahead", "about +25 % (whole benchmark)", ahead),
			within(gains, 256, "256 cores: DFSSSP about 25 % ahead", "about +25 % (whole benchmark)", ahead),
			within(gains, 1024, "1,024 cores: DFSSSP ahead, as far as its communication allows", "+90.94 % (whole benchmark)", func(g float64) bool { return g >= 0.9094 }),
		}
	})
}

// table2 compares the six benchmarks on 1,024 cores.
func table2(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table2", Title: "1,024 cores on 250 nodes of Deimos (estimate): messages that the most loaded links carry one after the other",
		Columns: []string{"links and their leaves", "benchmark", "minhop", "dfsssp", "gain of communication", "paper: minhop Gflop/s", "paper: dfsssp Gflop/s", "paper: gain of the whole"},
	}
	var judged [2][]lab.Claim
	for r, reading := range []network{mainReading, unevenReading} {
		for i := range benchmarks {
			b := &benchmarks[i]
			claim := lab.Claim{Text: b.name + ": DFSSSP ahead, and no further than its communication allows", Ours: "-", Verdict: lab.NotRun}
			printed := printedGflops(b.name)
			claim.Paper = fmt.Sprintf("%+.1f %% (whole benchmark)", printed.gain)
			if s.Want(reading.name + " " + b.name) {
				times := b.communication(ctx, s, reading, manyCores)
				g := gain(times)
				t.Add(reading.name, b.name, cell(times[0]), cell(times[2]), lab.Percent(g), printed.minhop, printed.dfsssp, fmt.Sprintf("%+.1f %%", printed.gain))
				claim.Judge(g >= printed.gain/100, "%s", "communication "+lab.Percent(g))
			}
			judged[r] = append(judged[r], claim)
		}
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Claims: unevenExplains(judged[0], judged[1]),
		Notes: []string{estimateNote, allocationNote, spreadNote, unevenNote, timeNote},
	}
}

// gflops is a row of Table II; the gain in per cent.
type gflops struct {
	minhop, dfsssp string
	gain           float64
}

func printedGflops(benchmark string) gflops {
	for _, row := range lab.ReadPrinted(publishedTable2) {
		if row["benchmark"] == benchmark {
			return gflops{row["minhop_gflops"], row["dfsssp_gflops"], row.Number("improvement_pct_printed")}
		}
	}
	return gflops{}
}
