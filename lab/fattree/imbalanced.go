package fattree

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
)

// distribution is a fabric with X nodes on each even leaf and Y on each odd one.
type distribution struct {
	base string
	x, y int
}

func (p distribution) String() string { return fmt.Sprintf("%s %d:%d", p.base, p.x, p.y) }
func (p distribution) ratio() string  { return fmt.Sprintf("%d:%d", p.x, p.y) }
func (p distribution) formula() string {
	return fmt.Sprintf("%s|hosts(even=%d,odd=%d)", p.base, p.x, p.y)
}

// ratios names distributions by X:Y.
func ratios(distributions []distribution) (names []string) {
	for _, p := range distributions {
		names = append(names, p.ratio())
	}
	return names
}

// Readings of Paper I.
const (
	early       = "first millisecond"
	oneSequence = "dummies in one sequence"
	asInOpenSM  = "EFT of OpenSM 3.3.5"
	withoutZ    = "BEFT without -Z"
)

// firstWay is the literal text of Paper I, and a reading of Papers IV and VI.
const firstWay = "first way from racks"

// balances returns ftree's three ways to balance, by the thesis's names, under the active readings.
func balances(s *lab.Setup) []lab.Candidate {
	eft, beft := "eft", "beft"
	switch {
	case s.Reads(oneSequence):
		eft = "dmodk"
	case s.Reads(asInOpenSM):
		eft = "opensm-3.3.5"
	}
	if s.Reads(withoutZ) {
		beft = "beft-regular"
	}
	return []lab.Candidate{
		{Name: "EFT", How: lab.Routing{Engine: "ftree,balance=" + eft}},
		{Name: "BEFT", How: lab.Routing{Engine: "ftree,balance=" + beft}},
		{Name: "ours", How: lab.Routing{Engine: "ftree"}},
	}
}

// paperI caches simulations: a reading changes few runs of an artefact, and artefacts share runs.
type paperI struct{ lab.Cache[share] }

// result holds the throughput of uniform traffic on a distribution, and the balance of its paths.
type result struct {
	nodes   int
	engine  string
	refused string
	balance *balance
	trial   *lab.Trial // nil after the simulation
	runs    []share    // by load
	early   bool       // the first part of a run counts, instead of the second
}

// at returns a node's throughput at a load, given by index, in percent.
func (r *result) at(load int) float64 {
	if r.early {
		return 100 * r.runs[load].first
	}
	return 100 * r.runs[load].steady
}

// results are by distribution and name of the balance.
type results map[distribution]map[string]*result

func (r results) get(p distribution, name string) *result {
	if v := r[p][name]; v != nil && v.refused == "" {
		return v
	}
	return nil
}

// full returns a node's throughput at full load, the last one, in percent.
func (r results) full(p distribution, name string) (percent float64, ok bool) {
	if v := r.get(p, name); v != nil {
		return v.at(len(v.runs) - 1), true
	}
	return 0, false
}

// gain returns the lead of BEFT over EFT, in points.
func (r results) gain(p distribution) (points float64, ok bool) {
	eft, ok1 := r.full(p, "EFT")
	beft, ok2 := r.full(p, "BEFT")
	return beft - eft, ok1 && ok2
}

// step returns the gain of a balance from one distribution to another, in points.
func (r results) step(name string, from, to distribution) (points float64, ok bool) {
	a, ok1 := r.full(from, name)
	b, ok2 := r.full(to, name)
	return b - a, ok1 && ok2
}

// sweep lists what to simulate: the distributions, the loads (the last is full load), and the
// number of balances.
type sweep struct {
	*paperI
	distributions []distribution
	loads         []float64
	balances      int
}

// fullLoad returns a sweep of EFT and BEFT at full load only.
func (m *paperI) fullLoad(distributions []distribution) *sweep {
	return &sweep{m, distributions, []float64{1}, 2}
}

// run routes the distributions under the balances, simulates uniform traffic, and fills a table.
func (w *sweep) run(ctx context.Context, s *lab.Setup, t *lab.Table) results {
	t.Title = "Uniform traffic at full load, by packets: share of a link that a node gets after the warm-up, and during it; balance of the paths of all pairs"
	t.Columns = []string{"fabric", "nodes", "distribution", "balance", "share of a link", "from empty buffers", "most loaded link", "targets of a switch, by level", "pairs on a link up, by level", "refused because"}
	out := results{}
	for _, p := range w.distributions {
		seeded := balances(s)[:w.balances]
		for i := range seeded {
			seeded[i].How.Seed = s.SeedOf(p.String())
		}
		var tree *tree
		build := func() *fabric.Graph {
			tree = newTree(p.formula())
			return tree.graph
		}
		byName := map[string]*result{}
		var all []*result
		s.Each(ctx, p.String(), build, seeded, func(b *lab.Candidate, trial *lab.Trial) {
			r := &result{nodes: trial.Graph.NumHosts, engine: b.How.Engine, refused: trial.Refused, trial: trial, early: s.Reads(early)}
			byName[b.Name] = r
			if r.refused == "" {
				r.balance = tree.measure(ctx, s, trial)
				all = append(all, r)
			}
		})
		w.simulate(ctx, s, p, all)
		for _, b := range seeded {
			if r := byName[b.Name]; r != nil {
				r.add(t, p, b.Name)
			}
		}
		out[p] = byName
	}
	return out
}

// add puts the result in a table.
func (r *result) add(t *lab.Table, p distribution, balance string) {
	nodes := fmt.Sprint(r.nodes)
	if r.refused != "" {
		t.Add(p.base, nodes, p.ratio(), balance, "-", "-", "-", "-", "-", r.refused)
		return
	}
	last := r.runs[len(r.runs)-1]
	t.Add(p.base, nodes, p.ratio(), balance, percent(last.steady), percent(last.first), fmt.Sprintf("%.3f", r.balance.most), texts(r.balance.targets), texts(r.balance.up), "")
}

// simulate fills in the runs of a distribution's routings. The traffic is the same for all;
// routings with the same tables share runs.
func (w *sweep) simulate(ctx context.Context, s *lab.Setup, p distribution, all []*result) {
	var different []*result
	for _, r := range all {
		if i := slices.IndexFunc(different, func(o *result) bool { return sameTables(o.trial.Plan, r.trial.Plan) }); i >= 0 {
			r.runs = different[i].runs
			continue
		}
		r.runs = make([]share, len(w.loads))
		different = append(different, r)
	}
	each := len(w.loads)
	s.Parallel(ctx, len(different)*each, func(k int) {
		r, load := different[k/each], w.loads[k%each]
		r.runs[k%each] = w.Get(fmt.Sprint(p, r.engine, load, s.Seed), func() share {
			traffic := trafficOn(r.nodes)
			return traffic.run(ctx, r.trial, load, s.SeedOf(p.String()))
		})
	})
	for _, r := range all {
		r.trial = nil // frees the tables of large fabrics
	}
}

// curves returns the shares by load as a table and a chart.
func (w *sweep) curves(base string, r results) (lab.Table, chart.Chart) {
	t := lab.Table{Name: "loads-" + base, Title: base + ": share of a link that a node gets, by load", Columns: []string{"fabric", "distribution", "balance"}}
	for _, load := range w.loads {
		t.Columns = append(t.Columns, percent(load))
	}
	c := chart.Chart{Name: "loads-" + base, Kind: chart.Lines}
	for _, p := range w.distributions {
		for _, b := range []string{"EFT", "BEFT", "ours"} {
			v := r.get(p, b)
			if v == nil || p.base != base {
				continue
			}
			row, series := []string{p.base, p.ratio(), b}, chart.Series{Name: p.ratio() + " " + b}
			for i, load := range w.loads {
				row = append(row, fmt.Sprintf("%.1f %%", v.at(i)))
				series.Add(100*load, v.at(i), 0, 0)
			}
			t.Add(row...)
			if b != "ours" { // as in the paper's figure
				c.Series = append(c.Series, series)
			}
		}
	}
	return t, c
}

// bars draws throughput at full load.
func (w *sweep) bars(name string, r results) chart.Chart {
	c := chart.Chart{Name: name, Kind: chart.Bars}
	c.Fill([]string{"EFT", "BEFT"}, ratios(w.distributions), func(name string, i int) (chart.Point, bool) {
		v, ok := r.full(w.distributions[i], name)
		return chart.Point{Y: v}, ok
	})
	return c
}

// printedDistributions returns the distributions of a fabric in Table I.
func printedDistributions(base string) (distributions []distribution) {
	for _, r := range lab.ReadPrinted(publishedDistributions) {
		if formulas[r["topology"]] == base {
			distributions = append(distributions, distribution{base, r.Int("nodes_even"), r.Int("nodes_odd")})
		}
	}
	return distributions
}

// distributionFigure makes one of Figs. 4 to 7, or the text on Ranger: a fabric under uniform
// traffic, with several distributions of nodes.
func (m *paperI) distributionFigure(ctx context.Context, s *lab.Setup, name string, distributions []distribution, claims func(results) []lab.Claim) *lab.Result {
	t, w := lab.Table{Name: name}, m.fullLoad(distributions)
	r := w.run(ctx, s, &t)
	result := &lab.Result{
		Tables: []lab.Table{t}, Claims: claims(r),
		Notes: []string{"Levels count from the lowest: targets from level 1, links up from level 0."},
	}
	if len(w.distributions) > 0 {
		result.Charts = lab.NonEmpty(w.bars(name, r))
	}
	return result
}

func (m *paperI) fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	return m.distributionFigure(ctx, s, "fig4", printedDistributions("fat648"), results.figure4)
}

func (m *paperI) fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	result := m.distributionFigure(ctx, s, "fig5", printedDistributions("racks648"), results.figure5)
	result.Notes = append(result.Notes, "BEFT is with its two steps for rack switches (section II-B; option -Z): a rack switch sends where another one sends already for the same destination, or else to the leaf switch that sends up for the fewest destinations. "+
		"That evens out the destinations of a leaf switch, not those of each of its links up: with 22:1 the most loaded one carries 585 pairs, where EFT as OpenSM 3.3.5 has it has 407.")
	return result
}

// loads makes the curves of Figs. 4 and 5, with ours.
func (m *paperI) loads(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{m, append(printedDistributions("fat648"), printedDistributions("racks648")...), lab.Pick(s, []float64{.5, 1}, []float64{.2, .4, .6, .8, 1}), 3}
	t := lab.Table{Name: "loads"}
	r := w.run(ctx, s, &t)
	regular, drawn := w.curves("fat648", r)
	racks, drawnRacks := w.curves("racks648", r)
	return &lab.Result{Tables: []lab.Table{t, regular, racks}, Charts: lab.NonEmpty(drawn, drawnRacks), Notes: []string{"The paper prints no numbers of these curves; ours is ftree with its defaults, beyond the paper."}}
}

func (m *paperI) fig6(ctx context.Context, s *lab.Setup) *lab.Result {
	distributions := printedDistributions("fat3456")
	if s.Mode != lab.Full { // 6:6 alone
		distributions = distributions[:1]
	}
	return m.distributionFigure(ctx, s, "fig6", distributions, results.figure6)
}

func (m *paperI) fig7(ctx context.Context, s *lab.Setup) *lab.Result {
	return m.distributionFigure(ctx, s, "fig7", lab.Pick(s, nil, printedDistributions("juropa")), results.figure7)
}

func (m *paperI) ranger(ctx context.Context, s *lab.Setup) *lab.Result {
	distributions := printedDistributions("fat3456") // Table I (b)
	for i := range distributions {
		distributions[i].base = "ranger"
	}
	result := m.distributionFigure(ctx, s, "ranger", lab.Pick(s, nil, distributions), results.ranger)
	result.Notes = append(result.Notes, "Ranger-like has 328 rack switches of 12 nodes here, so that X:Y of Table I (b) gives other totals than on 3456 ports; the thesis does not state its own, nor how the cables of the rack switches are plugged.")
	return result
}
