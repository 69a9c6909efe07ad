package dfsssp

import (
	"context"

	"weft/internal/chart"
	"weft/lab"
	"weft/sim/flow"
)

// Names of weft's variants, next to the text's.
const (
	weftsForm   = "weft's algorithm 2"
	weftsOnline = "weft's online"
)

func timesTable(name, title string) lab.Table {
	return lab.Table{
		Name: name, Title: title + ": CPU seconds on one core, least of up to 3",
		Columns: []string{"network", "engine", "seconds", "lanes", "MB of lists", "is"},
	}
}

// timed measures routing alone, on one core, as the least of several times; 0 if the engine
// refuses. LASH and DOR are always weft's: OpenSM's paths do not show how long its own take.
func (p *paper) timed(ctx context.Context, s *lab.Setup, t *lab.Table, n network, engine string) float64 {
	way := lab.Routing{Engine: engine, MaxVLs: allVLs}
	switch engine {
	case weftsForm:
		way.Engine = layeredSSSP + ",switches=false"
	case weftsOnline:
		way.Engine = "dfsssp-online"
	case sssp:
		way.Engine = onceSSSP
	case minhop:
		way = routingOf(s, minhop)
	}
	way.Workers, way.Times = 1, 3
	trial := once(p, "time of "+way.Engine+" on "+n.wired(s).formula, func() *lab.Trial { return lab.Must(s.Route(ctx, p.graph(s, n), way)) })
	if trial.Refused != "" {
		t.Add(n.name, engine, "-", "-", "-", "refused: "+trial.Refused)
		return 0
	}
	t.Add(n.name, engine, lab.Num(trial.Cost.Seconds), count(trial.Plan.VLs), "-", way.Engine)
	return trial.Cost.Seconds
}

// listTimes measures DFSSSP with lists of pairs: the search of algorithm 1, and algorithm 2.
type listTimes struct {
	seconds               float64
	lanes, entries, pairs int
}

func (p *paper) lists(ctx context.Context, s *lab.Setup, n network) listTimes {
	return once(p, "lists on "+n.wired(s).formula, func() listTimes {
		trial := lab.Must(s.Route(ctx, p.graph(s, n), lab.Routing{Engine: onceSSSP, Workers: 1, Times: 3}))
		var l *listing
		cost := lab.Must(s.Measure(func() error {
			l = listed(ctx, trial)
			return nil
		}))
		hosts := trial.Graph.NumHosts
		return listTimes{trial.Cost.Seconds + cost.Seconds, len(l.layers), l.made, hosts * (hosts - 1)}
	})
}

const openSMTimeNote = "Dfsssp is as section IV tells it: every edge has a list of the pairs of hosts whose paths make it. The ratio is one of implementations. OpenSM 3.3.23, which has the authors' code, took for DFSSSP 8.7 and 9.4 times the CPU seconds" +
	" of its own MinHop on the trees of 1,024 and 2,048 endpoints, 11.5 times on CHiC, 19 on Tsubame, 28 on Deimos (over ibsim). Empty marks are ten times our MinHop's time, where that is 2 ms or more: shorter times have no ratio."

// shortest is the time of MinHop, in seconds, below which ratios mean nothing.
const shortest = 0.002

func (p *paper) fig7(ctx context.Context, s *lab.Setup) *lab.Result {
	return p.runTimes(ctx, s, "fig7", "Run time, k-ary n-trees of Table I", "k-ary n-trees", table1Networks(kary, lab.Pick(s, 1024, 4096)), chart.Lines)
}

func (p *paper) fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	return p.runTimes(ctx, s, "fig8", "Run time, six real systems", "real systems", lab.Pick(s, smallSystems, systems), chart.Bars)
}

// runTimes makes Fig. 7 or 8.
func (p *paper) runTimes(ctx context.Context, s *lab.Setup, name, title, what string, nets []network, kind chart.Kind) *lab.Result {
	t := timesTable(name, title)
	columns := []string{minhop, updn, ftree, lash, dor, sssp, weftsForm, dfsssp}
	found := map[string]map[string]float64{}
	var ratio span
	for _, n := range nets {
		found[n.name] = map[string]float64{}
		for _, e := range columns {
			if !s.Want(n.name + " " + e) {
				continue
			}
			if e == dfsssp {
				l := p.lists(ctx, s, n)
				found[n.name][e] = l.seconds
				t.Add(n.name, e, lab.Num(l.seconds), count(l.lanes), lab.Num(megabytes(l.entries)), "algorithm 2 with lists of pairs")
				continue
			}
			found[n.name][e] = p.timed(ctx, s, &t, n, e)
		}
		base, all := found[n.name][minhop], found[n.name][dfsssp]
		if base >= shortest && all > 0 {
			ratio.add(all / base)
		}
	}
	c := chart.Chart{Name: name, Title: title, Kind: kind, Y: chart.Axis{Label: "CPU time (s)", Log: true}}
	overNetworks(&c, nets, columns, func(network, engine string) (flow.Summary, bool) {
		v := found[network][engine]
		return flow.Summary{Mean: v}, v > 0
	})
	tenfold := lab.NewClaim("offline DFSSSP takes about 10 times as long as MinHop (5 to 20), "+what, "about 10")
	if ratio.seen > 0 {
		tenfold.Judge(ratio.low >= 5 && ratio.high <= 20, "%s", ratio.text())
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: []lab.Claim{tenfold}, Notes: []string{openSMTimeNote}}
}
