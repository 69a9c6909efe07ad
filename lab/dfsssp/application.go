package dfsssp

import (
	"context"
	"fmt"
	"strings"

	"weft/internal/chart"
	"weft/lab"
	"weft/sim/traffic"
)

// benchmark is one of the NAS parallel benchmarks.
type benchmark struct {
	name  string
	comm  func(ranks int) rounds
	cores []int // core counts in its figure
}

var benchmarks = []benchmark{
	{"BT", multipartition, []int{121, 256, 484, 1024}},
	{"CG", conjugate, nil},
	{"FT", exchange, []int{128, 256, 512, 1024}},
	{"LU", wavefront, nil},
	{"MG", multigrid, nil},
	{"SP", multipartition, []int{121, 256, 484, 1024}},
}

// Message sizes of the benchmarks, and the maximum number of rounds to run; of a longer all-to-all,
// every n-th partner.
const (
	benchmarkBytes  = 16 << 10
	benchmarkRounds = 32
)

// phases returns the communication of a benchmark. BT and SP have the same.
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

// allToAll returns the phases of an all-to-all, given as a pairwise exchange: one partner after the
// other, or all messages at once.
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

// gainRange returns the range of the gain of communication if the whole benchmark gains low to
// high, in per cent, and spends half to all of its time under DFSSSP in communication: the whole
// gain, divided by that share.
func gainRange(low, high float64) (from, to float64) { return min(low, 2*low), max(high, 2*high) }

// gainClaim returns a claim about the gain of the whole benchmark, low to high per cent.
func gainClaim(text, paper string, low, high float64, times []duration) lab.Claim {
	from, to := gainRange(low, high)
	c := lab.NewClaim(text, fmt.Sprintf("%s; of communication %s", paper, fromTo(from, to)))
	if times != nil {
		c.JudgeRange(gain(true, times), from, to, "%+.1f %%")
	}
	return c
}

func fromTo(from, to float64) string { return fmt.Sprintf("%+.0f to %+.0f %%", from, to) }

// scaling makes a benchmark's figure over cores; it also returns the times by cores.
func (p *paper) scaling(ctx context.Context, s *lab.Setup, figure, title string, b *benchmark) (*lab.Result, map[int][]duration) {
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
	result := &lab.Result{Tables: []lab.Table{t}, Notes: []string{wholeNote, "1,024 cores under the readings: Table II."}}
	if len(got) > 0 {
		result.Charts = []chart.Chart{c}
	}
	return result, got
}

const wholeNote = "The paper prints gains of the whole benchmark, which are not on this axis. Slim bars are the gains of communication that follow if communication takes all (lower end) to half (upper end) of the time under DFSSSP."

const noComputing = "Only communication is simulated: how long the processors compute is not."

// asWell is the largest gain of the whole benchmark, in per cent, at which MinHop counts as good as
// DFSSSP.
const asWell = 100 * (1 - lab.AsGood)

// fig14 measures BT and SP, which exchange the same messages.
func (p *paper) fig14(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := p.scaling(ctx, s, "fig14", "BT and SP", &benchmarks[0])
	for _, cores := range []int{121, 256} {
		r.Claims = append(r.Claims, gainClaim(fmt.Sprintf("BT and SP, %d cores: MinHop as good as DFSSSP (whole benchmark: -5 to +5 %%)", cores), "as well", -asWell, asWell, got[cores]))
	}
	// More than counts as equal, and less than SP gains on 1,024 cores, where "the communication
	// overhead will be crucial ... for the first time".
	_, from := gainRange(-asWell, asWell)
	_, to := gainRange(0, wholeOf("SP"))
	diverge := lab.NewClaim("BT and SP, 484 cores: DFSSSP ahead of MinHop, by less than on 1,024 cores", "values diverge; of communication "+fromTo(from, to))
	if got[484] != nil {
		diverge.JudgeRange(gain(true, got[484]), from, to, "%+.1f %%")
	}
	scale := lab.NewClaim("BT gains from 256 to 484 cores under both routings, SP only under DFSSSP", "Gflop/s drop and rise")
	scale.Untestable(noComputing)
	r.Claims = append(r.Claims, diverge, scale)
	return r
}

// fig16 measures FT.
func (p *paper) fig16(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := p.scaling(ctx, s, "fig16", "FT", &benchmarks[2])
	for _, cores := range []int{128, 256} {
		r.Claims = append(r.Claims, gainClaim(fmt.Sprintf("FT, %d cores: DFSSSP about 25 %% ahead (whole benchmark: 20 to 30 %%)", cores), "about +25 %", 20, 30, got[cores]))
	}
	return r
}

// The series of Table II's chart.
const inTime, counted = "in time", "counted"

// table2 compares the six benchmarks on 1,024 cores.
func (p *paper) table2(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table2", Title: "1,024 cores on 250 nodes of Deimos: one round of all messages (ms, in time; counted: by congestion)",
		Columns: []string{"benchmark", "minhop", "dfsssp", "minhop:dfsssp", "counted", "paper: dfsssp:minhop", "paper: minhop Gflop/s", "paper: dfsssp Gflop/s", "deadlocks"},
	}
	c := chart.Chart{
		Name: "table2", Title: "Communication on 1,024 cores of Deimos: time of MinHop to that of DFSSSP", Kind: chart.Bars,
		Y: chart.Axis{Label: "time of MinHop to that of DFSSSP"},
	}
	c.Fill([]string{inTime, counted}, nil, nil)
	got := map[string][]duration{}
	for _, printed := range lab.ReadPrinted(publishedTable2) {
		name, whole := printed["benchmark"], 1+printed.Number(gainOfWhole)/100
		all, wanted := p.routeDeimos(ctx, s, name)
		if !wanted {
			continue
		}
		for _, r := range all {
			got[name] = append(got[name], p.timeOf(ctx, s, r, benchmarkCalled(name).phases(s, manyCores)))
		}
		times, x := got[name], float64(len(c.Categories))
		timed, count := 1+gain(true, times)/100, 1+gain(false, times)/100
		t.Add(name, cell(times[0].inTime), cell(times[2].inTime), cell(timed), cell(count), cell(whole), printed["minhop_gflops"], printed["dfsssp_gflops"], deadlocks(metDeadlocks(times)))
		c.Categories = append(c.Categories, name)
		c.Series[0].Add(x, timed, 0, 0)
		c.Series[1].Add(x, count, 0, 0)
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: table2Claims(got), Notes: []string{wholeNote}}
}

// table2Claims returns claims about the cells of Table II. BT and SP exchange the same messages, so
// they share a simulation and a claim.
func table2Claims(got map[string][]duration) []lab.Claim {
	both, same := lab.NewClaim("BT and SP (one simulation) on 1,024 cores: DFSSSP ahead", ""), []lab.Range(nil)
	var claims []lab.Claim
	for _, b := range benchmarks {
		whole := wholeOf(b.name)
		c := gainClaim(b.name+" on 1,024 cores: DFSSSP ahead", fmt.Sprintf("%+.2f %%", whole), whole, whole, got[b.name])
		if b.name != "BT" && b.name != "SP" {
			claims = append(claims, c)
			continue
		}
		both.Paper = strings.TrimPrefix(both.Paper+"; "+b.name+" "+c.Paper, "; ")
		if c.Range != nil {
			c.Range.Of = b.name
			same = append(same, *c.Range)
		}
	}
	both.JudgeEach(same)
	rates := lab.NewClaim("Gflop/s of six benchmarks on 1,024 cores", "5.81 to 247.46")
	rates.Untestable(noComputing)
	return append(claims, both, rates)
}

// gainOfWhole is the column of Table II with the whole benchmark's gain, in per cent.
const gainOfWhole = "improvement_pct_printed"

// wholeOf returns the printed gain of a whole benchmark on 1,024 cores in Table II, in per cent.
func wholeOf(name string) float64 {
	for _, printed := range lab.ReadPrinted(publishedTable2) {
		if printed["benchmark"] == name {
			return printed.Number(gainOfWhole)
		}
	}
	return 0
}

func benchmarkCalled(name string) *benchmark {
	for i := range benchmarks {
		if benchmarks[i].name == name {
			return &benchmarks[i]
		}
	}
	return nil
}
