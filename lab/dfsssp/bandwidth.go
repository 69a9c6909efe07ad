package dfsssp

import (
	"context"
	"fmt"
	"slices"

	"weft/lab"
	"weft/lab/chart"
	"weft/route"
	"weft/sim/flow"
)

// engines lists the engines of the figures in the paper's order, with dfsssp in the
// paper's form, and then weft's own.
var engines = []string{"minhop", "updn", "ftree", "lash", "dor", "sssp", plainDFSSSP, "dfsssp", "nue"}

// enginesNote goes with what compares them.
const enginesNote = "Plain dfsssp has the paper's paths and layers, of hosts only, and stands for DFSSSP in the claims. Beside it weft's own: dfsssp, which chooses" +
	" paths that take fewer lanes, and nue, which never needs more lanes than there are."

// rivals lists the engines that the paper compares SSSP and DFSSSP with.
var rivals = []string{"minhop", "updn", "ftree", "lash", "dor"}

// assumptions is the experiment beside a sweep: the same with the plain engines.
func (w *sweep) assumptions() *sweep {
	x := &sweep{name: w.name + "-assumptions", title: "Experiment, plain engines", networks: w.networks, runs: w.runs, plain: plainEngines()}
	for _, spec := range x.plain {
		x.engines = append(x.engines, spec.Name)
	}
	return x
}

// allVLs lets an engine use what InfiniBand has, so that bandwidth is compared also
// where 8 lanes are too few; how many were used stands in the tables.
const allVLs = 15

// sweep is a figure of bandwidths: networks by engines.
type sweep struct {
	name, title string
	networks    []network
	engines     []string
	plain       []*route.Spec // those of the engines that are not in the registry
	runs        int
}

// bandwidths are the results of a sweep, by network and engine.
type bandwidths map[string]map[string]flow.Summary

// mean is the mean of one, and whether it was run.
func (b bandwidths) mean(network, engine string) (float64, bool) {
	v, ok := b[network][engine]
	return v.Mean, ok
}

// best is the best mean of some engines.
func (b bandwidths) best(network string, engines []string) (mean float64, name string) {
	for _, e := range engines {
		if v, ok := b.mean(network, e); ok && v > mean {
			mean, name = v, e
		}
	}
	return mean, name
}

// run simulates random bisections on every network under every engine.
func (w *sweep) run(ctx context.Context, s *lab.Setup) (lab.Table, bandwidths, error) {
	t := lab.Table{
		Name: w.name, Title: fmt.Sprintf("%s: share of a link, mean of %d random bisections one way", w.title, w.runs),
		Columns: []string{"network", "engine", "bandwidth", "least", "most", "lanes", "deadlock", "refused because"},
	}
	out := bandwidths{}
	for _, n := range w.networks {
		g, err := lab.Graph(n.formula)
		if err != nil {
			return t, nil, err
		}
		for _, e := range w.engines {
			row := n.name + " " + label(e)
			if !s.Want(row) {
				continue
			}
			how := lab.Routing{Engine: e, MaxVLs: allVLs, Seed: s.SeedOf(row)}
			if i := slices.IndexFunc(w.plain, func(spec *route.Spec) bool { return spec.Name == e }); i >= 0 {
				how.Spec = w.plain[i]
			}
			trial, err := s.Route(ctx, g, how)
			if err != nil {
				return t, nil, err
			}
			if trial.Refused != "" {
				t.Add(n.name, label(e), "-", "-", "-", "-", "-", trial.Refused)
				continue
			}
			// The same bisections for every engine.
			r, err := s.Bisection(ctx, trial, w.runs, s.SeedOf(n.name))
			if err != nil {
				return t, nil, err
			}
			b := r.Bandwidth
			t.Add(n.name, label(e), lab.Mean(b), fmt.Sprintf("%.4f", b.Min), fmt.Sprintf("%.4f", b.Max), count(trial.Plan.VLs), trial.Deadlock(), "")
			if out[n.name] == nil {
				out[n.name] = map[string]flow.Summary{}
			}
			out[n.name][e] = b
		}
	}
	return t, out, nil
}

// bars draws the sweep as groups of bars, with the range over bisections.
func (w *sweep) bars(b bandwidths) chart.Chart {
	c := chart.Chart{Name: w.name, Title: w.title, Kind: chart.Bars, Y: chart.Axis{Label: "effective bisection bandwidth (share of a link)"}}
	for _, n := range w.networks {
		c.Categories = append(c.Categories, n.name)
	}
	for _, e := range w.engines {
		series := chart.Series{Name: label(e)}
		for i, n := range w.networks {
			if v, ok := b[n.name][e]; ok {
				series.Add(float64(i), v.Mean, v.Min, v.Max)
			}
		}
		c.Series = append(c.Series, series)
	}
	return c
}
