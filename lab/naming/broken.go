package naming

import (
	"context"
	"fmt"
	"math"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/route/names"
)

// mostBroken is the number of links that Figs. 10 and 11 break.
const mostBroken = 4

// near is the largest excess over the optimum that counts as close to it.
const near = 0.03

// figure is a network of Figs. 10 and 11; vary is a computation for the experiment.
type figure struct {
	name, title, formula, algorithm, vary string
}

func fig10(ctx context.Context, s *lab.Setup) *lab.Result {
	return brokenLinks(ctx, s,
		figure{"fig10a", "2D torus 16x8", "torus(16x8,hosts=1)", "dor", ""},
		figure{"fig10b", "3D torus 8x4x4", "torus(8x4x4,hosts=1)", "dor", newFirst})
}

func fig11(ctx context.Context, s *lab.Setup) *lab.Result {
	return brokenLinks(ctx, s, figure{"fig11", "8-port 3-tree", "mport(8,3)", "mport", fromTop})
}

// brokenLinks counts LIDs with 0 to 4 links broken at random.
func brokenLinks(ctx context.Context, s *lab.Setup, figures ...figure) *lab.Result {
	result := &lab.Result{}
	for _, f := range figures {
		f.run(ctx, s, result)
	}
	return result
}

// shownSchemes are the lines of the figures.
var shownSchemes = []struct{ scheme, name string }{{"greedy", "greedy"}, {"color-l", "color/L"}, {"exact", "optimum"}}

func (f figure) run(ctx context.Context, s *lab.Setup, result *lab.Result) {
	n := instances(s)
	table := lab.Table{
		Name: f.name, Title: fmt.Sprintf("LIDs, %s with broken links (%s)", f.title, seeds(s, n)),
		Columns: []string{"broken links", "greedy", "color/L", "optimum", "greedy above optimum", "color/L above optimum"},
	}
	picture := chart.Chart{
		Name: f.name, Title: "LIDs, " + f.title, Kind: chart.Lines,
		X: chart.Axis{Label: "broken links"}, Y: chart.Axis{Label: "LIDs of 128 machines"},
		Series: []chart.Series{{Name: "greedy"}, {Name: "color/L"}, {Name: "optimum"}},
	}
	over := map[string]float64{} // the most above the optimum
	whole := lab.NewClaim(f.title+", no broken link: one LID a machine for every heuristic", "128")
	last, rises := 0.0, true
	for broken := range mostBroken + 1 {
		if !s.Want(fmt.Sprintf("%s %d", f.name, broken)) {
			continue
		}
		m := f.measure(ctx, s, broken, n)
		cells := []string{fmt.Sprint(broken)}
		for i, x := range shownSchemes {
			sum := m.summary(x.scheme)
			cells = append(cells, fmt.Sprintf("%.1f ± %.1f", sum.Mean, sum.CI95))
			picture.Series[i].Add(float64(broken), sum.Mean, sum.Mean-sum.CI95, sum.Mean+sum.CI95)
		}
		best := m.mean("exact")
		for _, x := range shownSchemes[:2] {
			above := m.mean(x.scheme)/best - 1
			over[x.scheme] = max(over[x.scheme], above)
			cells = append(cells, lab.Percent(above))
		}
		if broken == 0 {
			most := math.Inf(-1)
			for _, h := range heuristics {
				most = max(most, m.summary(h.scheme).Max)
			}
			whole.Judge(most == 128, "%.0f", most)
		}
		rises = rises && best > last
		last = best
		table.Add(cells...)
	}
	result.Tables = append(result.Tables, table)
	result.Claims = append(result.Claims, whole)
	if len(table.Rows) == mostBroken+1 {
		result.Charts = append(result.Charts, picture)
		claims := f.claims(over, rises)
		f.explain(ctx, s, n, &claims[len(claims)-1])
		result.Claims = append(result.Claims, claims...)
	}
}

// explain looks again at the claim that greedy is close to the optimum, with the
// computation varied.
func (f figure) explain(ctx context.Context, s *lab.Setup, n int, claim *lab.Claim) {
	if claim.Verdict != lab.Differs || f.vary == "" {
		return
	}
	varied := f
	varied.algorithm = f.vary
	over := 0.0
	for broken := 1; broken <= mostBroken; broken++ {
		m := varied.measure(ctx, s, broken, n)
		over = max(over, m.mean("greedy")/m.mean("exact")-1)
	}
	claim.Explain(over <= near, "Experiment, %s: at most %s above the optimum.", f.vary, lab.Percent(over))
}

// measure counts the LIDs of networks with so many links broken.
func (f figure) measure(ctx context.Context, s *lab.Setup, broken, n int) measured {
	formula := func(seed uint64) string {
		if broken == 0 {
			return f.formula
		}
		return fmt.Sprintf("%s|fail(links=%d,seed=%d)", f.formula, broken, seed)
	}
	return sample(ctx, s, n, formula, func(g *fabric.Graph, seed uint64) map[string]float64 {
		set := compute(ctx, f.algorithm, g, seed)
		values := namesOf(ctx, set)
		a := assign(ctx, set, "exact", names.Options{Workers: 1})
		if a.LIDs() != a.LeastLIDs() {
			lab.Check(fmt.Errorf("naming: no proof of the optimum on %s", formula(seed)))
		}
		values["exact"] = float64(a.LIDs())
		return values
	})
}

// claims returns the claims of the text on a network.
func (f figure) claims(over map[string]float64, rises bool) []lab.Claim {
	above := func(text, paper, scheme string, holds func(float64) bool) lab.Claim {
		return lab.Claim{
			Text: f.title + ": " + text, Paper: paper, Ours: "at most " + lab.Percent(over[scheme]) + " above the optimum",
			Verdict: lab.Judged(holds(over[scheme])),
		}
	}
	isNear := func(v float64) bool { return v <= near }
	claims := []lab.Claim{
		{Text: f.title + ": more LIDs with each broken link", Paper: "more", Ours: map[bool]string{true: "more", false: "not always"}[rises], Verdict: lab.Judged(rises)},
		above("color/L is very close to the optimum (3 %)", "very close", "color-l", isNear),
	}
	if f.name == "fig10a" {
		return append(claims, above("greedy is significantly worse (more than 3 %, and than twice color/L's excess)", "significantly worse", "greedy",
			func(v float64) bool { return v > near && v > 2*over["color-l"] }))
	}
	return append(claims, above("greedy is close to the optimum too (3 %)", "similar", "greedy", isNear))
}
