package dfsssp

import (
	"context"
	"fmt"
	"strconv"

	"weft/lab"
	"weft/lab/chart"
)

// runtimes are CPU seconds of routing, by network and engine.
type runtimes map[string]map[string]float64

// timing measures engines on networks: routing alone, on one core, the least of
// several times.
func timing(ctx context.Context, s *lab.Setup, name, title string, nets []network, engines []string) (lab.Table, runtimes, error) {
	t := lab.Table{
		Name: name, Title: title + ": CPU seconds on one core, least of up to 3",
		Columns: []string{"network", "engine", "seconds", "to minhop", "lanes", "MB allocated", "refused because"},
	}
	out := runtimes{}
	for _, n := range nets {
		g, err := lab.Graph(n.formula)
		if err != nil {
			return t, nil, err
		}
		out[n.name] = map[string]float64{}
		for _, e := range engines {
			row := n.name + " " + label(e)
			if !s.Want(row) {
				continue
			}
			var best *lab.Trial
			for range 3 {
				trial, err := s.Route(ctx, g, lab.Routing{Engine: e, MaxVLs: allVLs, Workers: 1, Seed: s.SeedOf(row)})
				if err != nil {
					return t, nil, err
				}
				if best == nil || trial.Cost.Seconds < best.Cost.Seconds {
					best = trial
				}
				if trial.Cost.Seconds > 5 {
					break
				}
			}
			if best.Refused != "" {
				t.Add(n.name, label(e), "-", "-", "-", "-", best.Refused)
				continue
			}
			cost := best.Cost
			out[n.name][e] = cost.Seconds
			t.Add(n.name, label(e), lab.Num(cost.Seconds), out.ratio(n.name, e), count(best.Plan.VLs), lab.Num(cost.Allocated/1e6), "")
		}
	}
	return t, out, nil
}

func (r runtimes) ratio(network, engine string) string {
	if base := r[network]["minhop"]; base > 0 {
		return lab.Num(r[network][engine] / base)
	}
	return "-"
}

// label is an engine's name in a legend.
func label(engine string) string {
	if engine == plainDFSSSP {
		return dfssspPlain
	}
	return engine
}

// tenfold is the claim of Figs. 7 and 8.
func (r runtimes) tenfold(nets []network) lab.Claim {
	c := lab.Claim{Text: "offline DFSSSP takes about 10 times as long as MinHop (5 to 20)", Paper: "about 10", Ours: "-", Verdict: lab.NotRun}
	low, high, seen := r.ratios(nets, plainDFSSSP)
	if seen > 0 {
		c.Ours = fmt.Sprintf("%s to %s (%d networks)", lab.Num(low), lab.Num(high), seen)
		c.Verdict = lab.Judged(low >= 5 && high <= 20)
	}
	if low, high, seen := r.ratios(nets, "dfsssp"); seen > 0 {
		c.Explain(low >= 5 && high <= 20, "Experiment, weft's own dfsssp, which chooses its paths for few lanes: %s to %s.", lab.Num(low), lab.Num(high))
	}
	return c
}

// ratios are the least and the largest ratio of an engine's time to minhop's, over
// the networks that take long enough to tell.
func (r runtimes) ratios(nets []network, engine string) (low, high float64, seen int) {
	for _, n := range nets {
		m, d := r[n.name]["minhop"], r[n.name][engine]
		if m < shortest || d == 0 {
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

// shortest is the time, in seconds, below which ratios say nothing.
const shortest = 0.002

func fig7(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	nets := table1Networks(kary, lab.Pick(s, 1024, 4096))
	engines := engines()
	t, r, err := timing(ctx, s, "fig7", "Run time, k-ary n-trees of Table I", nets, engines)
	if err != nil {
		return nil, err
	}
	c := chart.Chart{
		Name: "fig7", Title: "Run time, k-ary n-trees of Table I", Kind: chart.Lines,
		X: chart.Axis{Label: "endpoints", Log: true}, Y: chart.Axis{Label: "CPU time (s)", Log: true},
	}
	for _, e := range engines {
		series := chart.Series{Name: label(e)}
		for _, n := range nets {
			if v := r[n.name][e]; v > 0 {
				size, _ := strconv.ParseFloat(n.name, 64)
				series.Add(size, v, 0, 0)
			}
		}
		c.Series = append(c.Series, series)
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: charts(c), Claims: []lab.Claim{r.tenfold(nets)}, Notes: missing(engines)}, nil
}

func fig8(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	nets, engines := lab.Pick(s, smallSystems, systems), engines()
	t, r, err := timing(ctx, s, "fig8", "Run time, six real systems", nets, engines)
	if err != nil {
		return nil, err
	}
	c := chart.Chart{
		Name: "fig8", Title: "Run time, six real systems", Kind: chart.Bars,
		Y: chart.Axis{Label: "CPU time (s)", Log: true},
	}
	for _, n := range nets {
		c.Categories = append(c.Categories, n.name)
	}
	for _, e := range engines {
		series := chart.Series{Name: label(e)}
		for i, n := range nets {
			if v := r[n.name][e]; v > 0 {
				series.Add(float64(i), v, 0, 0)
			}
		}
		c.Series = append(c.Series, series)
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: charts(c), Claims: []lab.Claim{r.tenfold(nets)}, Notes: missing(engines)}, nil
}
