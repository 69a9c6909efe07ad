package dfsssp

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"weft/lab"
	"weft/lab/chart"
	"weft/route"
	"weft/sim/flow"
)

// engines lists the engines of the figures in the paper's order, with dfsssp in the
// paper's form, and then weft's own.
var engines = []string{"minhop", "updn", "ftree", "lash", "dor", onceSSSP, plainDFSSSP, "dfsssp", "nue"}

// candidates returns engines of the registry or of an experiment's own, with as many lanes
// as InfiniBand has. Each has the seed of its row on a network.
func candidates(s *lab.Setup, network string, engines []string, own []*route.Spec) (all []lab.Candidate) {
	for _, e := range engines {
		c := lab.Candidate{Name: label(e), How: lab.Routing{Engine: e, MaxVLs: allVLs, Seed: s.SeedOf(network + " " + label(e))}}
		if i := slices.IndexFunc(own, func(spec *route.Spec) bool { return spec.Name == e }); i >= 0 {
			c.How.Spec = own[i]
		}
		all = append(all, c)
	}
	return all
}

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
func (w *sweep) run(ctx context.Context, s *lab.Setup) (lab.Table, bandwidths) {
	t := lab.Table{
		Name: w.name, Title: fmt.Sprintf("%s: share of a link, mean of %d random bisections one way", w.title, w.runs),
		Columns: []string{"network", "engine", "bandwidth", "least", "most", "lanes", "deadlock", "refused because"},
	}
	out := bandwidths{}
	for _, n := range w.networks {
		out[n.name] = map[string]flow.Summary{}
		s.EachOf(ctx, n.name, n.formula, candidates(s, n.name, w.engines, w.plain), func(e *lab.Candidate, trial *lab.Trial) {
			if trial.Refused != "" {
				t.Add(n.name, e.Name, "-", "-", "-", "-", "-", trial.Refused)
				return
			}
			// The same bisections for every engine.
			b := lab.Must(s.Bisection(ctx, trial, w.runs, s.SeedOf(n.name))).Bandwidth
			t.Add(n.name, e.Name, lab.Mean(b), fmt.Sprintf("%.4f", b.Min), fmt.Sprintf("%.4f", b.Max), count(trial.Plan.VLs), trial.Deadlock(), "")
			out[n.name][e.How.Engine] = b
		})
	}
	return t, out
}

// draw draws the sweep, with the range over bisections: bars, or lines over the number
// of endpoints.
func (w *sweep) draw(b bandwidths, kind chart.Kind) chart.Chart {
	c := chart.Chart{Name: w.name, Title: w.title, Kind: kind, Y: chart.Axis{Label: "effective bisection bandwidth (share of a link)"}}
	overNetworks(&c, w.networks, w.engines, func(network, engine string) (flow.Summary, bool) {
		v, ok := b[network][engine]
		return v, ok
	})
	return c
}

// overNetworks draws what was found of each engine on each network. Lines go over the
// numbers of endpoints, by which their networks are called.
func overNetworks(c *chart.Chart, nets []network, engines []string, found func(network, engine string) (flow.Summary, bool)) {
	if c.Kind == chart.Lines {
		c.X = chart.Axis{Label: "endpoints", Log: true}
	}
	var names []string
	for _, n := range nets {
		names = append(names, n.name)
	}
	c.Fill(engines, names, func(engine string, i int) (chart.Point, bool) {
		v, ok := found(names[i], engine)
		size, _ := strconv.ParseFloat(names[i], 64)
		return chart.Point{X: size, Y: v.Mean, Low: v.Min, High: v.Max}, ok
	})
	for i := range c.Series {
		c.Series[i].Name = label(c.Series[i].Name)
	}
}
