package naming

import (
	"context"
	"fmt"

	"weft/internal/chart"
	"weft/lab"
)

// mostBroken is the maximum number of broken links in Figs. 10 and 11.
const mostBroken = 4

// Excesses over the optimum, in percent: the largest that counts as close, and the least that
// counts as significantly worse. The paper calls greedy in Table III, up to 4.8 % above, very
// close.
const (
	closeToOptimum     = 3
	significantlyWorse = 5
)

// figure is a network of Figs. 10 and 11.
type figure struct{ name, title, formula, algorithm string }

func (st *store) lidFig10(ctx context.Context, s *lab.Setup) *lab.Result {
	flat := figure{"fig10a", "2D torus 16x8", "torus(16x8,hosts=1)", "dor"}.run(ctx, s, st)
	deep := figure{"fig10b", "3D torus 8x4x4", "torus(8x4x4,hosts=1)", "dor"}.run(ctx, s, st)
	result := merged(flat, deep)
	bad := lab.NewClaim("2D torus 16x8: greedy is significantly worse than the optimum (more than 5 %, 4 broken links)", "significantly worse")
	more := lab.NewClaim("greedy is further above the optimum on the 2D torus than on the 3D torus (points, 4 broken links)", "more")
	if flat.whole() {
		bad.JudgeRange(flat.over["greedy"][mostBroken], significantlyWorse, 1000, "%+.1f %%")
		if deep.whole() {
			more.JudgeRange(flat.over["greedy"][mostBroken]-deep.over["greedy"][mostBroken], leastRise, 1000, "%+.1f")
		}
	}
	result.Claims = append(result.Claims, bad, deep.closeClaim("greedy", "greedy is close to the optimum too (3 %)"), more)
	return result
}

func (st *store) lidFig11(ctx context.Context, s *lab.Setup) *lab.Result {
	f := figure{"fig11", "8-port 3-tree", "mport(8,3)", "mport"}.run(ctx, s, st)
	result := merged(f)
	result.Claims = append(result.Claims, f.closeClaim("greedy", "greedy is close to the optimum too (3 %)"))
	return result
}

// merged combines the tables, charts and claims of all figures.
func merged(drawn ...*drawing) *lab.Result {
	r := &lab.Result{Notes: []string{"Without a broken link every heuristic needs one LID a machine: the paths of the base routings to a machine are a tree, so this cannot fail."}}
	for _, d := range drawn {
		r.Tables = append(r.Tables, d.table)
		if d.whole() {
			r.Charts = append(r.Charts, d.picture, d.above)
		}
		r.Claims = append(r.Claims, d.risesClaim(), d.closeClaim("color-l", "color/L is very close to the optimum (3 %)"))
	}
	return r
}

// shownSchemes are the curves of the figures.
var shownSchemes = []struct{ scheme, name string }{{"greedy", "greedy"}, {"color-l", "color/L"}, {optimal, "optimum"}}

// drawing holds the measurements of a figure.
type drawing struct {
	figure
	table          lab.Table
	picture, above chart.Chart
	over           map[string][]float64 // above the optimum, in percent, by number of broken links
	optima         []float64            // the optimum, by number of broken links
}

// run counts LIDs with 0 to 4 random broken links.
func (f figure) run(ctx context.Context, s *lab.Setup, st *store) *drawing {
	d := &drawing{
		figure: f, over: map[string][]float64{},
		table: lab.Table{
			Name: f.name, Title: fmt.Sprintf("LIDs, %s with broken links (%s)", f.title, seeds(s, brokenNetworks(s))),
			Columns: []string{"broken links", "greedy", "color/L", "optimum", "greedy above optimum", "color/L above optimum"},
		},
		picture: chart.Chart{
			Name: f.name, Title: "LIDs, " + f.title + " (the next picture has the distances)", Kind: chart.Bars,
			X: chart.Axis{Label: "broken links"}, Y: chart.Axis{Label: fmt.Sprintf("LIDs of 128 machines (mean of %d networks)", brokenNetworks(s))},
			Series: []chart.Series{{Name: "greedy"}, {Name: "color/L"}, {Name: "optimum"}},
		},
		above: chart.Chart{
			Name: f.name + "-above", Title: "LIDs above the optimum, " + f.title, Kind: chart.Lines,
			X: chart.Axis{Label: "broken links"}, Y: chart.Axis{Label: "above the optimum, % (network by network)"},
			Series: []chart.Series{{Name: "greedy"}, {Name: "color/L"}},
		},
	}
	for broken := range mostBroken + 1 {
		if s.Want(fmt.Sprintf("%s %d", f.name, broken)) {
			d.add(broken, f.measure(ctx, s, st, broken))
		}
	}
	return d
}

// add adds the measurements for a number of broken links. The picture of the LIDs has bars, since
// the curves of the schemes lie on each other, and no intervals: networks differ far more than the
// schemes on one of them do. The other picture has the distances from the optimum, network by
// network.
func (d *drawing) add(broken int, m measured) {
	x := float64(broken)
	cells := []string{fmt.Sprint(broken)}
	place := float64(len(d.picture.Categories))
	d.picture.Categories = append(d.picture.Categories, cells[0])
	for i, shown := range shownSchemes {
		sum := m.summary(shown.scheme)
		cells = append(cells, fmt.Sprintf("%.1f ± %.1f", sum.Mean, sum.CI95))
		d.picture.Series[i].Add(place, sum.Mean, 0, 0)
	}
	for i, shown := range shownSchemes[:2] {
		over, each := m.percentAbove(shown.scheme, optimal), m.eachOver(shown.scheme, optimal)
		d.over[shown.scheme] = append(d.over[shown.scheme], over)
		d.above.Series[i].Add(x, each.Mean, each.Mean-each.CI95, each.Mean+each.CI95)
		cells = append(cells, lab.Percent(over/100))
	}
	d.optima = append(d.optima, m.mean(optimal))
	d.table.Add(cells...)
}

// measure counts the LIDs of networks with this many broken links, under the active readings.
func (f figure) measure(ctx context.Context, s *lab.Setup, st *store, broken int) measured {
	formula := func(seed uint64) string {
		if broken == 0 {
			return f.formula
		}
		return fmt.Sprintf("%s|fail(links=%d,seed=%d)", f.formula, broken, seed)
	}
	row := networks{fmt.Sprint(f.name, broken), buildFrom(formula)}
	return st.measure(ctx, s, brokenNetworks(s), row, computation(s, f.algorithm), append(lidsBy(s, "greedy", "color-l"), provenOptimum))
}

// whole reports whether all rows were run.
func (d *drawing) whole() bool { return len(d.optima) == mostBroken+1 }

// risesClaim returns the claim that each broken link takes more LIDs.
func (d *drawing) risesClaim() lab.Claim {
	return d.claimEach("more LIDs with each broken link (by the optimum)", "more", func(broken int) lab.Range {
		return lab.Range{Value: d.optima[broken] - d.optima[broken-1], Low: leastRise, High: 1000, Format: "%+.1f"}
	})
}

// claimEach returns a claim on each number of broken links.
func (d *drawing) claimEach(text, paper string, part func(broken int) lab.Range) lab.Claim {
	c := lab.NewClaim(d.title+": "+text, paper)
	if !d.whole() {
		return c
	}
	var parts []lab.Range
	for broken := 1; broken <= mostBroken; broken++ {
		r := part(broken)
		r.Of = fmt.Sprintf("%d broken", broken)
		parts = append(parts, r)
	}
	c.JudgeEach(parts)
	return c
}

// closeClaim returns the claim that a scheme is close to the optimum.
func (d *drawing) closeClaim(scheme, text string) lab.Claim {
	return d.claimEach(text, "close", func(broken int) lab.Range {
		return lab.Range{Value: d.over[scheme][broken], Low: noLowEnd, High: closeToOptimum, Format: "%+.1f %%"}
	})
}
