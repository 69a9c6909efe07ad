package naming

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/route"
	"weft/route/paths"
)

// routing is a routing of Table VI.
type routing struct {
	name    string
	paths   pathComputation
	scheme  string // LID assignment
	options route.Options
	column  string // in the printed table; "" for one of ours
	times   int    // networks in a seed block, as a multiple of separate's; in the quick mode the same
}

// oneLaneNue is our engine nue with one LID a machine and one lane.
const oneLaneNue = "nue, one LID, one lane (ours)"

// moreNetworks is the number of networks of SRD and of renaming for each of separate: they take
// little time, and their loads differ much between networks.
const moreNetworks = 4

// routings returns the routings of Table VI under the active readings, then ours.
func routings(s *lab.Setup) []routing {
	color, frozen := schemeOptions(s, "color-l"), route.Options{"degree": "frozen"}
	all := []routing{
		{oneLaneNue, engine(s, "nue"), "greedy", nil, "", 1},
		{"SRD", computation(s, "srd"), "color-l", color, "srd", moreNetworks},
		// Destination renaming assigns LIDs like greedy, whose name lets the store reuse Table I.
		{"renaming", computation(s, choice(s, widestNamed, "shortest-widest", "updn-shortest")), "greedy", nil, "renaming", moreNetworks},
		{"separate", computation(s, "path-selection"), "color-l", color, "separate", 1},
		{"short, rule up-down (ours)", computation(s, "path-selection-short"), "color-l", frozen, "", 1},
		{"joint (ours)", computation(s, "path-selection-joint"), "color-l", frozen, "", 1},
	}
	for _, rule := range []string{"l-turn", "smart", "nue"} {
		all = append(all, routing{"short, rule " + rule + " (ours)", ruled(s, rule), "color-l", frozen, "", 1})
	}
	return all
}

// ruled returns path selection of short paths over another rule than up*/down*.
func ruled(s *lab.Setup, rule string) pathComputation {
	const algorithm = "path-selection-short"
	return pathComputation{algorithm + " " + rule, func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
		return compute(ctx, s, algorithm, g, seed, route.Options{"rule": rule})
	}}
}

// largestRow is the row of Table VI whose differences the text quotes.
var largestRow = conf{512, 64}

// loadTable is Table VI.
type loadTable struct {
	*comparison
	chart          chart.Chart
	highest, fewer percents
	separate       []lab.Claim // lower load than renaming, row by row
	nearClaims     []lab.Claim // about printed values
	by             map[conf]map[string]measured
}

// loadNotes are the notes of Table VI.
var loadNotes = []string{
	"Ours, first: engine nue needs one lane and one LID a machine, and its most loaded link carries less than that of separate in every row.",
	"Ours, last: path selection over other rules than up*/down*, then color/L. That any legal rule can be used is the paper's own argument for separating the two. With the turns of smart routing or Nue loads are 24 to 50 % lower than with up*/down*, for 24 to 44 % more LIDs. With those of L-turn loads are 18 % lower to 7 % higher, for 12 % fewer to 3 % more LIDs.",
	"SRD needs one LID a machine by construction, and the LIDs of separate are those of color/L in Table II: neither is judged here.",
	"The text's \"25.4 %\" fewer LIDs of separate for 512/64 is a misprint: the printed LIDs make it 23.1 %, which is judged.",
	"Renaming: where its load holds by the letter it is that of shortest paths drawn at random, where its LIDs are fitted they are those of shortest widest, greedy of Table I again. In a row with both" +
		" verdicts no one computation gives both numbers.",
	"The text says that separate reduces the load of 512/64 by 10.6 %. So much is renaming's above separate's, which is 9.6 % lower; the 23.1 % of LIDs are separate's below renaming's.",
	"The load of a link is the share of a machine's traffic, 1 in all to all others, times the paths over it.",
	"Ours: short is path selection from candidates at most one hop longer than the shortest; joint weighs a link by the traffic to expect, a pair's being shared by its candidates left." +
		" No reading of the computations changes them.",
}

// lidTable6 compares whole routings.
func (st *store) lidTable6(ctx context.Context, s *lab.Setup) *lab.Result {
	t := &loadTable{
		comparison: newComparison("table6", "Maximum link load and LIDs ("+shownSeeds(s)+")", "machines/switches", 2),
		by:         map[conf]map[string]measured{},
		chart: chart.Chart{
			Name: "table6", Title: "Load of the busiest link, below renaming's", Kind: chart.Bars,
			X: chart.Axis{Label: "machines/switches"}, Y: chart.Axis{Label: "below renaming's, % (network by network)"},
			Series: []chart.Series{{Name: "separate, paper"}, {Name: "separate, ours"}, {Name: "joint, ours"}, {Name: "nue (1 LID, 1 lane), ours"}},
		},
	}
	for _, p := range readTable("lid_table6_load_and_lids") {
		c := confOf(p)
		if shown := st.measureRoutings(ctx, s, c); len(shown) > 0 {
			judged := map[string]measured{}
			for _, r := range routings(s) {
				if m, ok := shown[r.name]; ok {
					judged[r.name] = m.first(c.sampleSize(r.perBlock(s)))
				}
			}
			t.row(s, c, p, shown, judged)
		}
		t.claimsOf(c, p)
	}
	claims := []lab.Claim{
		t.highest.claim("every row: SRD has the highest maximum load of the three", leastRise, 1000),
		t.fewer.claim("256 and 512 machines, every row: separate needs fewer LIDs than renaming", noLowEnd, -leastRise),
		t.difference("SRD's maximum load is above separate's", conf{128, 16}, 17, "SRD", "separate", loadAbove),
		t.difference("SRD's maximum load is above separate's", largestRow, 19, "SRD", "separate", loadAbove),
		t.difference("renaming's maximum load is above separate's", largestRow, 10.6, "renaming", "separate", loadAbove),
		t.difference("separate needs so many fewer LIDs than renaming", largestRow, 23.1, "separate", "renaming", lidsBelow),
	}
	copied := lab.NewClaim("128/32 and 128/64: maximum loads within 10 %", "3.29, 3.01, 2.75")
	copied.Untestable("The two rows print the same three loads, so at least one of them is a copy, and nothing says which.")
	return &lab.Result{
		Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(t.chart), Claims: slices.Concat(claims, t.separate, []lab.Claim{copied}, t.nearClaims),
		Notes: loadNotes,
	}
}

// measureRoutings measures the selected routings of a row; each is a row of its own for --rows.
// Ours have no claims, so they are skipped if the table is not kept.
func (st *store) measureRoutings(ctx context.Context, s *lab.Setup, c conf) map[string]measured {
	got := map[string]measured{}
	for _, r := range routings(s) {
		if (r.column != "" || !s.ClaimsOnly) && c.inMode(s) && s.Want(c.routed(r.name)) {
			got[r.name] = st.measure(ctx, s, c.sampleSize(shownNetworks(s, r.perBlock(s))), c.networks(s), r.paths, []quantity{lids(r.scheme, r.options), maximumLoad})
		}
	}
	return got
}

// routed returns the name of a row with one routing.
func (c conf) routed(routing string) string { return c.String() + " " + routing }

// perBlock returns the number of networks of a row in a seed block; the largest rows use half
// (conf.sampleSize).
func (r *routing) perBlock(s *lab.Setup) int { return lab.Pick(s, 1, r.times) * blockNetworks(s) }

// engine routes with an engine, one LID per machine and one lane.
func engine(s *lab.Setup, name string) pathComputation {
	return pathComputation{name, func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
		routed := lab.Must(s.Route(ctx, g, lab.Routing{Engine: name, MaxVLs: 1, Workers: 1, Seed: seed}))
		if routed.Plan == nil {
			lab.Check(fmt.Errorf("naming: %s refuses %d hosts on %d switches: %s", name, g.NumHosts, g.NumSwitches, routed.Refused))
		}
		return lab.Must(paths.FromPlan(ctx, g, routed.Plan, g.NumHosts, 1))
	}}
}

// row adds the shown measurements of the routings next to the printed row; claims are judged by
// got.
func (t *loadTable) row(s *lab.Setup, c conf, p lab.Printed, shown, got map[string]measured) {
	row := c.String()
	t.by[c] = got
	for _, r := range routings(s) {
		if len(shown[r.name]) == 0 {
			continue
		}
		loads, lids := shown[r.name].summary(load), shown[r.name].summary(r.scheme)
		if r.column == "" {
			t.addOurs(row, r.name+" load", loads)
			t.addOurs(row, r.name+" LIDs", lids)
			continue
		}
		printed := p.Number(r.column + "_max_load")
		if p["flag"] == "-" {
			t.addPrinted(row, r.name+" load", printed, got[r.name].mean(load), loads, "")
		} else {
			t.addSuspect(row, r.name+" load", printed, loads, "the loads of 128/32 and 128/64 are the same three, so that one of them is a copy")
		}
		t.addPrinted(row, r.name+" LIDs", p.Number(r.column+"_lids"), got[r.name].mean(r.scheme), lids, "")
	}
	printed := func(name string) float64 { return p.Number(name + "_max_load") }
	for _, name := range []string{"renaming", "separate"} {
		if t.has(c, "SRD", name) {
			t.highest.add(row+" than "+name, 100*(printed("srd")/printed(name)-1), loadAbove(got["SRD"], got[name]), c.routed("SRD"), c.routed(name))
		}
	}
	if !t.has(c, "separate", "renaming") {
		return
	}
	if c.machines > 128 {
		t.fewer.add(row, printedOver(p, "separate_lids", "renaming_lids"), -lidsBelow(got["separate"], got["renaming"]), c.routed("separate"), c.routed("renaming"))
	}
	x := float64(len(t.chart.Categories))
	t.chart.Categories = append(t.chart.Categories, row)
	t.chart.Series[0].Add(x, -printedOver(p, "separate_max_load", "renaming_max_load"), 0, 0)
	for i, name := range []string{"separate", "joint (ours)", oneLaneNue} {
		if len(shown[name]) > 0 {
			d := paired(shown[name], shown["renaming"], load)
			t.chart.Series[i+1].Add(x, -d.Mean, -d.Mean-d.CI95, -d.Mean+d.CI95)
		}
	}
}

// has reports whether both routings of a row were measured.
func (t *loadTable) has(c conf, one, other string) bool {
	return len(t.by[c][one]) > 0 && len(t.by[c][other]) > 0
}

// difference returns the claim about a difference between two routings in a row, in percent.
func (t *loadTable) difference(text string, c conf, printed float64, name, base string, of func(m, base measured) float64) lab.Claim {
	var ours []float64
	if t.has(c, name, base) {
		ours = []float64{of(t.by[c][name], t.by[c][base])}
	}
	return quarterClaim(c.String()+": "+text, printed, ours, c.routed(name), c.routed(base))
}

// meanAbove returns the excess of one mean over another in percent, over the first networks, which
// were measured for both.
func meanAbove(values, base []float64) float64 {
	n := min(len(values), len(base))
	return 100 * (mean(values[:n])/mean(base[:n]) - 1)
}

// loadAbove returns the excess of one routing's maximum load over another's, in percent.
func loadAbove(m, base measured) float64 { return meanAbove(m[load], base[load]) }

// lidsBelow returns how many percent fewer LIDs separate needs than renaming.
func lidsBelow(separate, renaming measured) float64 {
	return -meanAbove(separate["color-l"], renaming["greedy"])
}

// claimsOf adds the claims about a row.
func (t *loadTable) claimsOf(c conf, p lab.Printed) {
	row := c.String()
	if c != largestRow { // the text has a number for it, judged elsewhere
		lower := lab.NewClaim(row+": separate has a lower maximum load than renaming", fmt.Sprintf("%+.1f %%", printedOver(p, "separate_max_load", "renaming_max_load")))
		if t.has(c, "separate", "renaming") {
			lower.JudgeRange(loadAbove(t.by[c]["separate"], t.by[c]["renaming"]), noLowEnd, -leastRise, "%+.1f %%")
			lower.On(c.routed("separate"), c.routed("renaming"))
		}
		t.separate = append(t.separate, lower)
	}
	near := func(routing, what string) {
		quantity := routing + " " + what
		t.nearClaims = append(t.nearClaims, t.near(fmt.Sprintf("%s: %s within 10 %%", row, quantity), row, func(q string) bool { return q == quantity }, c.routed(routing)))
	}
	if p["flag"] == "-" {
		for _, routing := range []string{"SRD", "renaming", "separate"} {
			near(routing, "load")
		}
	}
	near("renaming", "LIDs")
}
