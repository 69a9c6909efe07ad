package dfsssp

import (
	"context"

	"weft/internal/chart"
	"weft/lab"
)

// Parameters of Fig. 13 in section VI-A: 128 processes, 4,096 floats to each.
const (
	exchangeRanks   = 128
	exchangeFloats  = 4096
	printedMinHopMS = 18.88
	printedDFSSSPMS = 10.06
)

// fig13 measures an all-to-all of 128 processes.
func (p *paper) fig13(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig13", Title: "All-to-all of 128 processes, one a node (ms, in time; counted: by congestion)",
		Columns: []string{"floats", "KiB a pair", "minhop", "lash", "dfsssp", "minhop longer", "minhop counted", "lash counted", "dfsssp counted", "longer counted", "paper: minhop", "paper: dfsssp", "deadlocks"},
	}
	c := chart.Chart{
		Name: "fig13", Title: "All-to-all of 128 processes on Deimos, in time", Kind: chart.Lines,
		X: chart.Axis{Label: "floats to each process"}, Y: chart.Axis{Label: "time (ms)"},
	}
	c.Fill(measured, nil, nil)
	longer := lab.Gained("all-to-all of 4,096 floats: MinHop takes longer than DFSSSP by", "+87.7 %", 100*(printedMinHopMS/printedDFSSSPMS-1))
	takes := lab.NewClaim("all-to-all of 4,096 floats: the time of DFSSSP (within 25 %)", "10.06 ms")
	for floats := 512; floats <= exchangeFloats; floats *= 2 {
		all, wanted := p.routeDeimos(ctx, s, count(floats))
		if !wanted {
			continue
		}
		ph := allToAll(s, "all-to-all", exchangeRanks, exchange(exchangeRanks), int64(floats)*4)
		row, counted := []string{count(floats), lab.Num(float64(floats) * 4 / 1024)}, []string(nil)
		var times []duration
		for i, r := range all {
			d := p.timeOf(ctx, s, r, ph)
			times = append(times, d)
			c.Series[i].Add(float64(floats), d.inTime, 0, 0)
			row, counted = append(row, cell(d.inTime)), append(counted, cell(d.counted))
		}
		paper := []string{"-", "-"}
		if floats == exchangeFloats {
			paper = []string{cell(printedMinHopMS), cell(printedDFSSSPMS)}
			longer.Claim = longer.JudgedBy(gain(true, times), true)
			takes.JudgeRange(times[2].inTime, 0.75*printedDFSSSPMS, 1.25*printedDFSSSPMS, "%.2f ms")
		}
		row = append(append(row, lab.Percent(gain(true, times)/100)), counted...)
		t.Add(append(append(row, lab.Percent(gain(false, times)/100)), append(paper, deadlocks(metDeadlocks(times)))...)...)
	}
	c.Series = append(c.Series,
		chart.Series{Name: "paper: minhop", Marks: minhop, Points: []chart.Point{{X: exchangeFloats, Y: printedMinHopMS}}},
		chart.Series{Name: "paper: dfsssp", Marks: dfsssp, Points: []chart.Point{{X: exchangeFloats, Y: printedDFSSSPMS}}})
	result := &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{longer.Claim, takes}}
	if len(t.Rows) > 0 {
		result.Charts = []chart.Chart{c}
	}
	return result
}
