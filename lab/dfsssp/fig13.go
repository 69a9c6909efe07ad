package dfsssp

import (
	"context"
	"fmt"
	"strings"

	"weft/lab"
	"weft/lab/chart"
	"weft/sim/flow"
	"weft/traffic"
)

// What section VI-A says of Fig. 13: 128 processes, 4,096 floats to each.
const (
	exchangeRanks    = 128
	exchangeFloats   = 4096
	printedMinHopMS  = 18.88
	printedDFSSSPMS  = 10.06
	messagePerFloat  = 4 / (linkMiB * (1 << 20)) * 1e3 // ms on a free link
	printedLongerMin = printedMinHopMS/printedDFSSSPMS - 1 - 0.3
	printedLongerMax = printedMinHopMS/printedDFSSSPMS - 1 + 0.3
)

// exchanges are ways to carry out an all-to-all.
var exchanges = []struct{ name, pattern string }{{"pairwise exchange", "shift"}, {"all at once", "alltoall"}}

// fig13 estimates the time of an all-to-all of 128 processes.
func fig13(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig13", Title: "All-to-all of 128 processes, one a node (estimate, ms)",
		Columns: []string{"links and their leaves", "how", "floats", "KiB a pair", "minhop", "lash", "dfsssp", "minhop longer than dfsssp", "paper: minhop", "paper: dfsssp"},
	}
	c := chart.Chart{
		Name: "fig13", Title: "All-to-all of 128 processes on Deimos (estimate, pairwise exchange)", Kind: chart.Lines,
		X: chart.Axis{Label: "floats to each process"}, Y: chart.Axis{Label: "time (ms)"},
	}
	c.Fill(labels(measured), nil, nil)
	var judged [][]lab.Claim
	for _, reading := range []network{mainReading, unevenReading} {
		for _, how := range exchanges {
			var times []flow.Summary
			if s.Want(reading.name + ", " + how.name) {
				times = allToAll(ctx, s, reading, how.pattern)
				addTimes(&t, reading.name, how.name, times)
			}
			if reading == mainReading && how == exchanges[0] {
				for i := range times {
					for floats := 512; floats <= exchangeFloats; floats *= 2 {
						v := scaled(times[i], float64(floats)*messagePerFloat)
						c.Series[i].Add(float64(floats), v.Mean, v.Min, v.Max)
					}
				}
			}
			judged = append(judged, exchangeClaims(times))
		}
	}
	claims := judged[0]
	tried := make([][]string, len(claims))
	for i, what := range []string{"all at once", "links uneven, nine and one", "both"} {
		for k := range claims {
			other := judged[i+1][k]
			if other.Verdict != lab.NotRun && claims[k].Verdict == lab.Differs {
				tried[k] = append(tried[k], fmt.Sprintf("Experiment, %s: %s.", what, other.Ours))
				claims[k].Explain(other.Verdict == lab.Holds, "%s", strings.Join(tried[k], " "))
			}
		}
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: claims,
		Notes: []string{estimateNote, allocationNote, spreadNote, unevenNote},
	}
}

// allToAll is, for each engine measured on Deimos, the number of messages that the
// most loaded links carry one after the other.
func allToAll(ctx context.Context, s *lab.Setup, reading network, pattern string) []flow.Summary {
	p := lab.Must(traffic.Parse(pattern, exchangeRanks))
	j := &job{pattern: p, nodes: exchangeRanks, runs: 1, allocations: lab.Pick(s, 3, 20)}
	return j.under(ctx, s, reading, measured, exchangeRanks, longestTime)
}

// addTimes adds a row for each size of message.
func addTimes(t *lab.Table, reading, how string, times []flow.Summary) {
	for floats := 512; floats <= exchangeFloats; floats *= 2 {
		cells := []string{reading, how, count(floats), lab.Num(float64(floats) * 4 / 1024)}
		for i := range times {
			v := scaled(times[i], float64(floats)*messagePerFloat)
			cells = append(cells, fmt.Sprintf("%.2f ± %.2f", v.Mean, v.CI95))
		}
		paper := []string{"-", "-"}
		if floats == exchangeFloats {
			paper = []string{"18.88", "10.06"}
		}
		t.Add(append(append(cells, lab.Percent(gain(times))), paper...)...)
	}
}

// exchangeClaims returns the claims about 4,096 floats; times may be nil.
func exchangeClaims(times []flow.Summary) []lab.Claim {
	order := lab.NewClaim("4,096 floats: the order of the times (within a factor of 2)", "18.88 ms MinHop, 10.06 ms DFSSSP")
	ratio := lab.NewClaim("4,096 floats: MinHop takes longer by (within 30 points)", "+87.7 %")
	if times != nil {
		m, d := times[0].Mean*exchangeFloats*messagePerFloat, times[2].Mean*exchangeFloats*messagePerFloat
		within2 := func(v, printed float64) bool { return v > printed/2 && v < printed*2 }
		order.Judge(within2(m, printedMinHopMS) && within2(d, printedDFSSSPMS), "%.2f ms, %.2f ms", m, d)
		ratio.Judge(m/d-1 > printedLongerMin && m/d-1 < printedLongerMax, "%s", lab.Percent(m/d-1))
	}
	return []lab.Claim{order, ratio}
}
