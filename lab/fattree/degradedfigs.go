package fattree

import (
	"context"
	"strings"

	"weft/lab"
)

// linksOfPaper returns some of the paper's numbers of failed links: a selection of 0 to 85, and all
// of 10, 15 and 20 %.
func linksOfPaper(s *lab.Setup) []int {
	return lab.Pick(s, []int{0, 34, 80, 259}, []int{0, 1, 10, 24, 34, 60, 80, 130, 194, 259})
}

// switchesOfPaper returns the numbers of failed switches.
func switchesOfPaper() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7} }

func degradedTable(name string, m metric) lab.Table {
	return lab.Table{Name: name, Title: "Share of a link that a node gets, by packets: " + m.name, Columns: []string{"failed", "number", "engine", "share of a link", "from empty buffers", "refused because"}}
}

// figure measures some trees and draws them.
func (d *degradedRun) figure(ctx context.Context, s *lab.Setup, name string, l shareLeft) *lab.Result {
	t := degradedTable(name, d.metric)
	d.measure(ctx, s, &t, l)
	title := strings.ToUpper(d.metric.name[:1]) + d.metric.name[1:] + ", failing " + string(d.what)
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(l.draw(name, title, d.what, d.numbers, d.engines))}
}

func (m *paperIV) fig2(ctx context.Context, s *lab.Setup) *lab.Result {
	l := shareLeft{}
	r := (&degradedRun{m, uniformTraffic, anyLink, linksOfPaper(s), enginesIV(s)}).figure(ctx, s, "fig2", l)
	place := degradedTable("fig2-places", uniformTraffic)
	for _, what := range []failure{lowLink, highLink} {
		(&degradedRun{m, uniformTraffic, what, []int{1, 40}, enginesIV(s)[:1]}).measure(ctx, s, &place, l)
	}
	r.Tables = append(r.Tables, place)
	r.Claims = append([]lab.Claim{lab.Level("80 failed links: fat-tree routing loses", "35 %", 35, lab.Exact).JudgedBy(l.lost(anyLink, 80, "fat-tree"))}, l.crossing(linksOfPaper(s), 34, "at 34 failed links (2.6 %)")...)
	eft, ok := l.lost(anyLink, 80, "fat-tree")
	for _, e := range []string{"DFSSSP", "MinHop"} {
		other, found := l.lost(anyLink, 80, e)
		r.Claims = append(r.Claims, lab.InRange("80 failed links: "+e+" loses less than fat-tree routing, by", "not to such an extent", lab.Noise, lab.Most).JudgedBy(eft-other, ok && found))
	}
	lash, ok1 := l[degradation{anyLink, 0, "LASH"}]
	drift, ok2 := l.lost(anyLink, 259, "LASH")
	low, ok3 := l[degradation{lowLink, 1, "fat-tree"}]
	high, ok4 := l[degradation{highLink, 1, "fat-tree"}]
	r.Claims = append(r.Claims,
		lab.InRange("LASH is very low, no link failed", "very low", 0, 20).JudgedBy(lash, ok1),
		lab.Signed(lab.InRange("LASH stays: what 259 failed links take of it", "constant", -5, 5)).JudgedBy(drift, ok2),
		lab.Signed(lab.InRange("one failed link to a root costs more than one to a leaf, fat-tree routing", "much", lab.Noise, lab.Most)).JudgedBy(low-high, ok3 && ok4),
		jagged(),
	)
	return r
}

// switchFigure makes Fig. 3 or 5, and next to it the same with as many failed links.
func (m *paperIV) switchFigure(ctx context.Context, s *lab.Setup, name string, of metric) (*lab.Result, shareLeft) {
	l := shareLeft{}
	r := (&degradedRun{m, of, wholeSwitch, switchesOfPaper(), enginesIV(s)}).figure(ctx, s, name, l)
	(&degradedRun{m, of, anyLink, []int{0, 259}, enginesIV(s)}).measure(ctx, s, &r.Tables[0], l)
	return r, l
}

func (m *paperIV) fig3(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := m.switchFigure(ctx, s, "fig3", uniformTraffic)
	rings, none := shareLeft{}, lab.Table{} // Fig. 5 has them in its table
	(&degradedRun{m, randomRings, wholeSwitch, []int{1, 2, 3, 4, 5}, enginesIV(s)[2:3]}).measure(ctx, s, &none, rings)
	r.Claims = []lab.Claim{
		l.switchesAgainstLinks("fat-tree", "fat-tree routing", "slightly more susceptible to link failure", lab.Noise, 10),
		l.switchesAgainstLinks("MinHop", "MinHop, the other way", "deals better with link failure", -lab.Most, -lab.Noise),
	}
	r.Claims = append(append(r.Claims, l.spike("similar to Fig. 5")...), l.lowerSpike(rings, "less pronounced than in Fig. 5"))
	return r
}

func (m *paperIV) fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	l := shareLeft{}
	r := (&degradedRun{m, randomRings, anyLink, linksOfPaper(s), enginesIV(s)}).figure(ctx, s, "fig4", l)
	r.Claims = l.crossing(linksOfPaper(s), 259, "only at 20 % of the links, 259")
	for _, e := range enginesIV(s) {
		r.Claims = append(r.Claims, l.falls(e.Name, linksOfPaper(s)))
	}
	return r
}

func (m *paperIV) fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := m.switchFigure(ctx, s, "fig5", randomRings)
	r.Claims = append([]lab.Claim{
		l.notBehind(wholeSwitch, "1 to 7 failed switches", "not outperformed", switchesOfPaper()[1:]),
		l.switchesAgainstLinks("fat-tree", "fat-tree routing", "less susceptible to switch failures", lab.Noise, lab.Most),
	}, l.spike("a spike at 2 and 3, a drop at 4 and 5")...)
	return r
}
