package dfsssp

import (
	"context"
	"fmt"

	"weft/lab"
	"weft/lab/chart"
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

// Messages of the benchmarks, and the most rounds of them: of an all-to-all every so many partners.
const (
	benchmarkBytes  = 16 << 10
	benchmarkRounds = 32
)

// phases is the communication of a benchmark. BT and SP have the same.
func (b *benchmark) phases(s *lab.Setup, cores int) *phases {
	all, name := b.comm(cores), b.name
	if name == "SP" {
		name = "BT"
	}
	var some rounds
	most := min(len(all), benchmarkRounds)
	for i := range most {
		some = append(some, all[i*len(all)/most])
	}
	if name == "FT" {
		return allToAll(s, name, cores, some, benchmarkBytes)
	}
	return &phases{name, cores, some.onNodes(cores, nodesOf(cores)), benchmarkBytes}
}

// allToAll is an all-to-all, given as a pairwise exchange: one partner after the other, or all messages at once.
func allToAll(s *lab.Setup, name string, cores int, exchange rounds, bytes int64) *phases {
	if s.Reads(allAtOnce) {
		name += " at once"
		var f traffic.Flows
		for _, r := range exchange {
			f.Src, f.Dst = append(f.Src, r.Src...), append(f.Dst, r.Dst...)
		}
		exchange = rounds{f}
	}
	return &phases{name, cores, exchange.onNodes(cores, nodesOf(cores)), bytes}
}

// gainRange is the range in which communication gains if the whole benchmark gains low to high and communicates for half to all of its
// time, in per cent.
func gainRange(low, high float64) (float64, float64) {
	half := func(g float64) float64 {
		if saved := 2 * (1 - 1/(1+g/100)); saved < 1 {
			return min(100*(1/(1-saved)-1), without)
		}
		return without
	}
	if low < 0 {
		low = half(low)
	}
	return low, half(high)
}

// without stands for no bound of a gain, in per cent.
const without = 1e6

// gainClaim is a claim about the gain of the whole benchmark, low to high per cent.
func gainClaim(text, paper string, low, high float64, times []duration) lab.Claim {
	from, to := gainRange(low, high)
	upTo := fmt.Sprintf("to %+.0f %%", to)
	if to == without {
		upTo = "or more"
	}
	c := lab.NewClaim(text, fmt.Sprintf("%s; of communication %+.0f %s", paper, from, upTo))
	if times != nil {
		c.JudgeRange(gain(true, times), from, to, "%+.1f %%")
	}
	return c
}

// scaling is a figure of a benchmark over cores; it returns the times by cores.
func (p *paper) scaling(ctx context.Context, s *lab.Setup, figure, title string, b *benchmark, printed ...chart.Series) (*lab.Result, map[int][]duration) {
	t := lab.Table{
		Name: figure, Title: "Communication of " + title + ": one round of all its messages (ms, in time; counted: by congestion)",
		Columns: []string{"cores", "nodes", "minhop", "lash", "dfsssp", "minhop longer", "minhop counted", "lash counted", "dfsssp counted", "longer counted", "deadlocks"},
	}
	c := chart.Chart{
		Name: figure, Title: "NAS " + title + " on Deimos: time of communication to that of DFSSSP", Kind: chart.Lines,
		X: chart.Axis{Label: "cores", Log: true}, Y: chart.Axis{Label: "time to that of DFSSSP"},
	}
	c.Fill([]string{"minhop", "lash", "minhop, counted"}, nil, nil)
	got := map[int][]duration{}
	for _, cores := range b.cores {
		all, wanted := p.routeDeimos(ctx, s, count(cores))
		if !wanted {
			continue
		}
		ph := b.phases(s, cores)
		row, counted := []string{count(cores), count(nodesOf(cores))}, []string(nil)
		for _, r := range all {
			d := p.timeOf(ctx, s, r, ph)
			got[cores] = append(got[cores], d)
			row, counted = append(row, cell(d.inTime)), append(counted, cell(d.counted))
		}
		times := got[cores]
		row = append(append(row, lab.Percent(gain(true, times)/100)), counted...)
		t.Add(append(row, lab.Percent(gain(false, times)/100), deadlocks(metDeadlocks(times)))...)
		x, last := float64(cores), times[2]
		c.Series[0].Add(x, times[0].inTime/last.inTime, 0, 0)
		c.Series[1].Add(x, times[1].inTime/last.inTime, 0, 0)
		c.Series[2].Add(x, times[0].counted/last.counted, 0, 0)
	}
	result := &lab.Result{Tables: []lab.Table{t}, Notes: []string{wholeNote}}
	if len(got) > 0 {
		c.Series = append(c.Series, printed...)
		result.Charts = []chart.Chart{c}
	}
	return result, got
}

// whole marks gains that the paper prints for a whole benchmark.
func whole(name, beside string, points ...chart.Point) chart.Series {
	return chart.Series{Name: name, Marks: beside, Points: points}
}

const wholeNote = "Marks are the gains that the paper prints for the whole benchmark."

const noComputing = "Only communication is simulated: how long the processors compute is not."

// alike is the range of gains of the whole benchmark that stands for none, aheadFrom the least of one that is ahead, in per cent.
const (
	alike     = 5
	aheadFrom = 10
)

// fig14 is BT and SP, which exchange the same messages.
func (p *paper) fig14(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := p.scaling(ctx, s, "fig14", "BT and SP", &benchmarks[0],
		whole("paper: whole BT", minhop, chart.Point{X: 121, Y: 1}, chart.Point{X: 256, Y: 1}, chart.Point{X: 1024, Y: 1.9507}), whole("paper: whole SP", "minhop, counted", chart.Point{X: 1024, Y: 1.5901}))
	for _, cores := range []int{121, 256} {
		r.Claims = append(r.Claims, gainClaim(fmt.Sprintf("BT and SP, %d cores: MinHop as good as DFSSSP (whole benchmark: -5 to +5 %%)", cores), "as well", -alike, alike, got[cores]))
	}
	diverge := lab.NewClaim("BT and SP, 484 cores: DFSSSP ahead of MinHop (communication by 10 % at least)", "values diverge")
	if got[484] != nil {
		diverge.JudgeRange(gain(true, got[484]), aheadFrom, without, "%+.1f %%")
	}
	scale := lab.NewClaim("BT gains from 256 to 484 cores under both routings, SP only under DFSSSP", "Gflop/s drop and rise")
	scale.Untestable(noComputing)
	r.Claims = append(r.Claims, diverge, scale)
	return r
}

// fig16 is FT.
func (p *paper) fig16(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := p.scaling(ctx, s, "fig16", "FT", &benchmarks[2], whole("paper: whole FT", minhop, chart.Point{X: 128, Y: 1.25}, chart.Point{X: 256, Y: 1.25}, chart.Point{X: 1024, Y: 1.9094}))
	for _, cores := range []int{128, 256} {
		r.Claims = append(r.Claims, gainClaim(fmt.Sprintf("FT, %d cores: DFSSSP about 25 %% ahead (whole benchmark: 20 to 30 %%)", cores), "about +25 %", 20, 30, got[cores]))
	}
	return r
}

// table2 compares the six benchmarks on 1,024 cores.
func (p *paper) table2(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table2", Title: "1,024 cores on 250 nodes of Deimos: one round of all messages (ms, in time; counted: by congestion)",
		Columns: []string{"benchmark", "minhop", "dfsssp", "minhop:dfsssp", "counted", "paper: dfsssp:minhop", "paper: minhop Gflop/s", "paper: dfsssp Gflop/s", "deadlocks"},
	}
	result := &lab.Result{Notes: []string{wholeNote, "BT and SP exchange the same messages; they differ by how much they compute."}}
	for _, printed := range lab.ReadPrinted(publishedTable2) {
		name, whole := printed["benchmark"], printed.Number("improvement_pct_printed")
		var times []duration
		if all, wanted := p.routeDeimos(ctx, s, name); wanted {
			ph := benchmarkCalled(name).phases(s, manyCores)
			for _, r := range all {
				times = append(times, p.timeOf(ctx, s, r, ph))
			}
			t.Add(name, cell(times[0].inTime), cell(times[2].inTime), cell(1+gain(true, times)/100), cell(1+gain(false, times)/100), cell(1+whole/100),
				printed["minhop_gflops"], printed["dfsssp_gflops"], deadlocks(metDeadlocks(times)))
		}
		result.Claims = append(result.Claims, gainClaim(name+" on 1,024 cores: DFSSSP ahead", fmt.Sprintf("%+.2f %%", whole), whole, whole, times))
	}
	rates := lab.NewClaim("Gflop/s of six benchmarks on 1,024 cores", "5.81 to 247.46")
	rates.Untestable(noComputing)
	result.Tables, result.Claims = []lab.Table{t}, append(result.Claims, rates)
	return result
}

func benchmarkCalled(name string) *benchmark {
	for i := range benchmarks {
		if benchmarks[i].name == name {
			return &benchmarks[i]
		}
	}
	return nil
}
