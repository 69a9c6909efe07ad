package naming

import (
	"context"
	"fmt"

	"weft/lab"
	"weft/lab/chart"
)

// routings of Table VI: paths, the scheme of their LIDs, and the columns; joint is
// ours.
var routings = []struct{ name, algorithm, scheme, column string }{
	{"SRD", "srd", "color-l", "srd"},
	{"renaming", "shortest-widest", "greedy", "renaming"},
	{"separate", "path-selection", "color-l", "separate"},
	{"joint (ours)", "path-selection-joint", "color-l", ""},
}

// loadTable is Table VI: loads and LIDs of whole routings.
type loadTable struct {
	*comparison
	chart                              chart.Chart
	one, lowest, highest, joint, fewer tally
	values                             []lab.Claim // about printed values
}

// table6 compares whole routings.
func (st *store) table6(ctx context.Context, s *lab.Setup) *lab.Result {
	n := instances(s)
	t := &loadTable{
		comparison: newComparison("table6", "Maximum link load and LIDs ("+seeds(s, n)+")", "machines/switches", 2),
		chart: chart.Chart{
			Name: "table6", Title: "Maximum link load, renaming = 1", Kind: chart.Bars,
			X: chart.Axis{Label: "machines/switches"}, Y: chart.Axis{Label: "load against renaming's"},
			Series: []chart.Series{{Name: "SRD, paper"}, {Name: "SRD, ours"}, {Name: "separate, paper"}, {Name: "separate, ours"}, {Name: "joint, ours"}},
		},
	}
	for _, p := range readTable("lid_table6_load_and_lids") {
		c := confOf(p)
		if !wanted(s, c) {
			continue
		}
		got := map[string]measured{}
		for _, r := range routings {
			got[r.name] = st.row(ctx, s, c, r.algorithm, n)
		}
		t.row(c, p, got)
		t.values = append(t.values, st.loadClaims(ctx, s, t.comparison, c)...)
	}
	claims := []lab.Claim{
		t.one.claim("SRD needs one LID a machine", "every row"),
		t.lowest.claim("separate has the lowest maximum load of the three", "every row"),
		t.highest.claim("SRD has the highest maximum load of the three", "every row"),
		t.fewer.claim("256 and 512 machines: separate needs fewer LIDs than renaming", "every row"),
		t.joint.claim("joint has no higher load than separate, and at least 10 % fewer LIDs (beyond the paper)", "-"),
	}
	return &lab.Result{
		Tables: []lab.Table{t.Table}, Charts: lab.Drawn(t.chart), Claims: append(claims, t.values...),
		Notes: []string{
			"Renaming is shortest widest with destination renaming: the printed LIDs are within 1 % of Table I's greedy.",
			"The text's \"25.4 %\" fewer LIDs of separate for 512/64 is a misprint: the printed LIDs make it 23.1 %.",
			"The load of a link is the share of a machine's traffic, 1 in all to all others, times the paths over it.",
		},
	}
}

// row sets what was measured of the routings beside the printed row.
func (t *loadTable) row(c conf, p lab.Printed, got map[string]measured) {
	row := c.String()
	loads, counts := map[string]float64{}, map[string]float64{}
	for _, r := range routings {
		m := got[r.name]
		loads[r.name], counts[r.name] = m.mean(load), m.mean(r.scheme)
		if r.column == "" {
			t.beside(row, r.name+" load", m.summary(load), "")
			t.beside(row, r.name+" LIDs", m.summary(r.scheme), "")
			continue
		}
		remark := ""
		if p["flag"] != "-" {
			remark = "misprint: the loads of 128/32 and 128/64 are the same three"
		}
		t.add(row, r.name+" load", p.Number(r.column+"_max_load"), m.summary(load), remark)
		t.add(row, r.name+" LIDs", p.Number(r.column+"_lids"), m.summary(r.scheme), "")
	}
	t.one.row(row, counts["SRD"] == float64(c.machines))
	t.lowest.row(row, loads["separate"] < min(loads["SRD"], loads["renaming"]))
	t.highest.row(row, loads["SRD"] > max(loads["separate"], loads["renaming"]))
	if c.machines > 128 {
		t.fewer.row(row, counts["separate"] < counts["renaming"])
	}
	t.joint.row(row, loads["joint (ours)"] <= loads["separate"] && counts["joint (ours)"] <= 0.9*counts["separate"])
	x := float64(len(t.chart.Categories))
	t.chart.Categories = append(t.chart.Categories, row)
	for i, r := range []string{"srd", "separate"} {
		t.chart.Series[2*i].Add(x, p.Number(r+"_max_load")/p.Number("renaming_max_load"), 0, 0)
	}
	for i, r := range map[int]string{1: "SRD", 3: "separate", 4: "joint (ours)"} {
		t.chart.Series[i].Add(x, loads[r]/loads["renaming"], 0, 0)
	}
}

// loadClaims returns the claims about the printed values of a row.
func (st *store) loadClaims(ctx context.Context, s *lab.Setup, t *comparison, c conf) []lab.Claim {
	row := c.String()
	var claims []lab.Claim
	for _, what := range []string{"load", "LIDs"} {
		for _, r := range routings[:3] {
			quantity := r.name + " " + what
			keep := func(q string) bool { return q == quantity }
			claim := t.near(fmt.Sprintf("%s: %s within 10 %%", row, quantity), row, keep)
			measure := map[string]string{"load": load, "LIDs": r.scheme}[what]
			tries := triesOf(loadExperiments(c, r.name, r.algorithm), func(x experiment) measured { return st.row(ctx, s, x.c, x.algorithm, x.times*instances(s)) })
			t.explainBy(&claim, row, keep, tries, func(m measured, _ string) float64 { return m.mean(measure) })
			claims = append(claims, claim)
		}
	}
	return claims
}

// loadExperiments are the experiments for a routing. Of renaming the paper says that
// its paths are shortest, not that they are the widest of them. The load of SRD is
// mostly its root's, and differs most from network to network.
func loadExperiments(c conf, name, algorithm string) []experiment {
	list := experiments(c, algorithm)
	switch name {
	case "renaming":
		return append([]experiment{{"renaming's paths drawn among the shortest as in paper 002", c, "updn-shortest", 1}}, list...)
	case "SRD":
		return append([]experiment{{"three times as many networks", c, algorithm, 3}}, list...)
	}
	return list
}
