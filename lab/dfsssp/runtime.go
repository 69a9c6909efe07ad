package dfsssp

import (
	"context"
	"slices"
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

func fig7(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	nets := table1Networks(kary, lab.Pick(s, 1024, 4096))
	t, r, err := timing(ctx, s, "fig7", "Run time, k-ary n-trees of Table I", nets, engines)
	if err != nil {
		return nil, err
	}
	if _, err := r.plainForms(ctx, s, &t, nets); err != nil {
		return nil, err
	}
	c := chart.Chart{
		Name: "fig7", Title: "Run time, k-ary n-trees of Table I", Kind: chart.Lines,
		X: chart.Axis{Label: "endpoints", Log: true}, Y: chart.Axis{Label: "CPU time (s)", Log: true},
	}
	for _, e := range slices.Concat(engines, []string{entriesName, listsName}) {
		series := chart.Series{Name: label(e)}
		for _, n := range nets {
			if v := r[n.name][e]; v > 0 {
				size, _ := strconv.ParseFloat(n.name, 64)
				series.Add(size, v, 0, 0)
			}
		}
		c.Series = append(c.Series, series)
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: []lab.Claim{r.tenfold(nets)}, Notes: []string{enginesNote, openSMTimeNote}}, nil
}

func fig8(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
	nets := lab.Pick(s, smallSystems, systems)
	t, r, err := timing(ctx, s, "fig8", "Run time, six real systems", nets, engines)
	if err != nil {
		return nil, err
	}
	if _, err := r.plainForms(ctx, s, &t, nets); err != nil {
		return nil, err
	}
	c := chart.Chart{
		Name: "fig8", Title: "Run time, six real systems", Kind: chart.Bars,
		Y: chart.Axis{Label: "CPU time (s)", Log: true},
	}
	for _, n := range nets {
		c.Categories = append(c.Categories, n.name)
	}
	for _, e := range slices.Concat(engines, []string{entriesName, listsName}) {
		series := chart.Series{Name: label(e)}
		for i, n := range nets {
			if v := r[n.name][e]; v > 0 {
				series.Add(float64(i), v, 0, 0)
			}
		}
		c.Series = append(c.Series, series)
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: []lab.Claim{r.tenfold(nets)}, Notes: []string{enginesNote, openSMTimeNote}}, nil
}
