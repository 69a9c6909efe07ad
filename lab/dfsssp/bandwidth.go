package dfsssp

import (
	"context"
	"fmt"
	"strconv"

	"weft/internal/chart"
	"weft/lab"
	"weft/sim/flow"
)

// sweep is a figure of bandwidths: networks under the paper's engines.
type sweep struct {
	name, title string
	networks    []network
}

// bandwidths holds a sweep's results by network and engine; the mean is 0 if an engine refused.
type bandwidths map[string]map[string]flow.Summary

// mean returns a mean bandwidth, and whether there is one.
func (b bandwidths) mean(network, engine string) (float64, bool) {
	v := b[network][engine]
	return v.Mean, v.Mean > 0
}

// best returns the best mean of some engines.
func (b bandwidths) best(network string, engines []string) (mean float64) {
	for _, e := range engines {
		if v, ok := b.mean(network, e); ok {
			mean = max(mean, v)
		}
	}
	return mean
}

// bisections returns the number of random bisections of a seed block.
func bisections(s *lab.Setup) int { return lab.Pick(s, 100, 125) }

// run simulates the same random bisections on every network under every engine.
func (p *paper) run(ctx context.Context, s *lab.Setup, w *sweep) (lab.Table, bandwidths) {
	t := lab.Table{
		Name: w.name, Title: fmt.Sprintf("%s: share of a link, mean of %d random bisections one way", w.title, bisections(s)),
		Columns: []string{"network", "engine", "bandwidth", "least", "most", "lanes", "deadlock", "refused because", "is"},
	}
	out := bandwidths{}
	for _, n := range w.networks {
		out[n.name] = map[string]flow.Summary{}
		for _, e := range engines {
			if !s.Want(n.name + " " + e) {
				continue
			}
			r := p.route(ctx, s, n, routingOf(s, e))
			if r.Refused != "" {
				t.Add(n.name, e, "-", "-", "-", "-", "-", r.Refused, r.engine)
				out[n.name][e] = flow.Summary{}
				continue
			}
			b := once(p, fmt.Sprintf("%s, %d bisections of %d", r.key, bisections(s), s.SeedOf(n.name)), func() flow.Summary {
				return lab.Must(r.flows.RunPattern(ctx, "bisect", flow.Options{Runs: bisections(s), Seed: s.SeedOf(n.name), Shuffle: true, Workers: s.Workers})).Bandwidth
			})
			out[n.name][e] = b
			t.Add(n.name, e, lab.Mean(b), fmt.Sprintf("%.4f", b.Min), fmt.Sprintf("%.4f", b.Max), count(r.Plan.VLs), r.Deadlock(), "", r.engine)
		}
	}
	return t, out
}

// draw draws the sweep, with the range over bisections: bars, or lines over the number
// of endpoints.
func (w *sweep) draw(b bandwidths, kind chart.Kind) chart.Chart {
	c := chart.Chart{Name: w.name, Title: w.title, Kind: kind, Y: chart.Axis{Label: "effective bisection bandwidth (share of a link)"}}
	overNetworks(&c, w.networks, engines, func(network, engine string) (flow.Summary, bool) {
		v := b[network][engine]
		return v, v.Mean > 0
	})
	return c
}

// overNetworks draws the results of each engine on each network. Lines go over the numbers of
// endpoints, which are the names of these networks.
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
		return chart.Point{X: endpoints(names[i]), Y: v.Mean, Low: v.Min, High: v.Max}, ok
	})
}

// endpoints returns the number of endpoints in the name of a Table I network, 0 for others.
func endpoints(name string) float64 {
	n, _ := strconv.ParseFloat(name, 64)
	return n
}

// gain returns the lead of DFSSSP over the best of some engines, in per cent.
func (b bandwidths) gain(network string, others []string) (percent float64, ok bool) {
	ours, ok := b.mean(network, dfsssp)
	best := b.best(network, others)
	return 100 * (ours/best - 1), ok && best > 0
}

// gains draws the lead of DFSSSP over the best of some engines.
func (b bandwidths) gains(name, title string, nets []network, kind chart.Kind, others []string) chart.Chart {
	c := chart.Chart{Name: name, Title: title, Kind: kind, Y: chart.Axis{Label: "DFSSSP ahead by (%)"}}
	overNetworks(&c, nets, []string{dfsssp}, func(network, _ string) (flow.Summary, bool) {
		g, ok := b.gain(network, others)
		return flow.Summary{Mean: g}, ok
	})
	return c
}
