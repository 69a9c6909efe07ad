package dfsssp

import (
	"context"
	"slices"

	"weft/lab"
	"weft/lab/chart"
	"weft/sim/flow"
)

// runtimes are CPU seconds of routing, by network and engine.
type runtimes map[string]map[string]float64

// timing measures engines on networks: routing alone, on one core, the least of
// several times.
func timing(ctx context.Context, s *lab.Setup, name, title string, nets []network, engines []string) (lab.Table, runtimes) {
	t := lab.Table{
		Name: name, Title: title + ": CPU seconds on one core, least of up to 3",
		Columns: []string{"network", "engine", "seconds", "to minhop", "lanes", "MB allocated", "refused because"},
	}
	out := runtimes{}
	for _, n := range nets {
		out[n.name] = map[string]float64{}
		all := candidates(s, n.name, engines, nil)
		for i := range all {
			all[i].How.Workers, all[i].How.Times = 1, 3
		}
		s.EachOf(ctx, n.name, n.formula, all, func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(n.name, e.Name, "-", "-", "-", "-", trial.Refused)
				return
			}
			out[n.name][e.How.Engine] = trial.Cost.Seconds
			t.Add(n.name, e.Name, lab.Num(trial.Cost.Seconds), out.ratio(n.name, e.How.Engine), count(trial.Plan.VLs), lab.Num(trial.Cost.Allocated/1e6), "")
		})
	}
	return t, out
}

func (r runtimes) ratio(network, engine string) string {
	if base := r[network]["minhop"]; base > 0 {
		return lab.Num(r[network][engine] / base)
	}
	return "-"
}

// onceSSSP is algorithm 1 to the letter.
const onceSSSP = "sssp,passes=1"

// label is an engine's name in a legend.
func label(engine string) string {
	switch engine {
	case plainDFSSSP:
		return dfssspPlain
	case onceSSSP:
		return "sssp"
	}
	return engine
}

// tenfold is the claim of Figs. 7 and 8.
func (r runtimes) tenfold(nets []network) lab.Claim {
	c := lab.NewClaim("offline DFSSSP takes about 10 times as long as MinHop (5 to 20)", "about 10")
	low, high, seen := r.ratios(nets, plainDFSSSP, "minhop")
	if seen > 0 {
		c.Judge(low >= 5 && high <= 20, "%s to %s (%d networks)", lab.Num(low), lab.Num(high), seen)
	}
	if low, high, seen := r.ratios(nets, listsName, entriesName); seen > 0 {
		fast, slow, _ := r.ratios(nets, listsName, "minhop")
		c.Explain(low >= 5 && high <= 20, "Experiment, both as they were: DFSSSP with a list, for every edge, of the pairs of hosts whose paths make it (section IV), and MinHop that looks at every port for every LID (OpenSM): %s to %s. The first against weft's minhop: %s to %s.",
			lab.Num(low), lab.Num(high), lab.Num(fast), lab.Num(slow))
	}
	return c
}

// ratios are the least and the largest ratio of an engine's time to another's, over
// the networks on which minhop takes long enough to tell.
func (r runtimes) ratios(nets []network, engine, base string) (low, high float64, seen int) {
	for _, n := range nets {
		m, d := r[n.name][base], r[n.name][engine]
		if r[n.name]["minhop"] < shortest || m == 0 || d == 0 {
			continue
		}
		if seen == 0 {
			low, high = d/m, d/m
		}
		low, high = min(low, d/m), max(high, d/m)
		seen++
	}
	return low, high, seen
}

const openSMTimeNote = "The ratio is one of implementations. OpenSM 3.3.23, which has the authors' code, took for DFSSSP 8.7 and 9.4 times the CPU seconds of its own MinHop on the trees of 1,024 and 2,048 endpoints, 11.5 times on CHiC, 19 on Tsubame, 28 on Deimos (over ibsim)."

// shortest is the time, in seconds, below which ratios say nothing.
const shortest = 0.002

func fig7(ctx context.Context, s *lab.Setup) *lab.Result {
	return runTimes(ctx, s, "fig7", "Run time, k-ary n-trees of Table I", table1Networks(kary, lab.Pick(s, 1024, 4096)), chart.Lines)
}

func fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	return runTimes(ctx, s, "fig8", "Run time, six real systems", lab.Pick(s, smallSystems, systems), chart.Bars)
}

// runTimes is Fig. 7 or 8.
func runTimes(ctx context.Context, s *lab.Setup, name, title string, nets []network, kind chart.Kind) *lab.Result {
	t, r := timing(ctx, s, name, title, nets, engines)
	r.plainForms(ctx, s, &t, nets)
	c := chart.Chart{Name: name, Title: title, Kind: kind, Y: chart.Axis{Label: "CPU time (s)", Log: true}}
	overNetworks(&c, nets, slices.Concat(engines, []string{entriesName, listsName}), func(network, engine string) (flow.Summary, bool) {
		v := r[network][engine]
		return flow.Summary{Mean: v}, v > 0
	})
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: []lab.Claim{r.tenfold(nets)}, Notes: []string{enginesNote, openSMTimeNote}}
}
