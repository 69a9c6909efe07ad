package naming

import (
	"context"
	"fmt"
	"math"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/route/names"
	"weft/route/paths"
)

// Renaming is paper 002.
func Renaming() *lab.Reproduction {
	st := &store{rows: map[string]measured{}}
	return &lab.Reproduction{
		Name: "renaming",
		Paper: "López, Flich and Duato, \"Deadlock-free Routing in InfiniBand through Destination Renaming\"," +
			" ICPP 2001 (paper 002).",
		Artefacts: []lab.Artefact{
			{Name: "example", Title: "Forwarding tables of Fig. 1 before and after renaming", Place: "Tables 1 and 3", Run: example},
			{Name: "table4", Title: "Forwarding table overhead", Place: "Table 4", Run: st.table4},
			{Name: "table5", Title: "Renamings a host", Place: "Table 5", Run: st.table5},
			{Name: "table6", Title: "Entries with conflicts", Place: "Table 6", Run: st.table6Conflicts},
		},
	}
}

// Quantities of paper 002.
const (
	total       = "total entries"
	original    = "original entries"
	renamed     = "new entries"
	increase    = "increase, %"
	renamings   = "renamings a host"
	mostRenamed = "most renamings"
	conflicts   = "conflicts, %"
)

// regular is a row of paper 002: switches with 4 machines and so many links each.
type regular struct {
	switches, links int
	algorithm       string
}

// smartWidest is smart with one assumption changed: its rule as it is, but paths pair
// by pair by shortest-widest in place of the linear programme's.
const smartWidest = "smart, widest"

// renamingPaths computes the paths of a row.
func renamingPaths(ctx context.Context, algorithm string, g *fabric.Graph, seed uint64) *paths.Set {
	if algorithm != smartWidest {
		return compute(ctx, algorithm, g, seed)
	}
	rule := compute(ctx, "smart", g, seed).Rule()
	return lab.Must(paths.Widest(ctx, &paths.Input{Graph: g, Seed: seed, Workers: 1, Root: -1}, rule))
}

// explainSmart runs the row of smart with that assumption changed, if the claim
// differs.
func (st *store) explainSmart(ctx context.Context, s *lab.Setup, claim *lab.Claim, r regular, quantity string, paper float64) {
	if claim.Verdict != lab.Differs || r.algorithm != "smart" {
		return
	}
	r.algorithm = smartWidest
	m, ok := st.renamingRow(ctx, s, r)
	if !ok {
		return
	}
	off := m.mean(quantity)/paper - 1
	moved, note := math.Abs(off) <= within, ""
	if quantity == renamed {
		const fromIncrease = 0.39 * 3896 // of the printed original entries
		other := m.mean(quantity)/fromIncrease - 1
		moved = moved || math.Abs(other) <= within
		note = fmt.Sprintf(" The row contradicts itself: the printed increase of 39 %% makes it %.0f new entries, from which the experiment is %s away.",
			fromIncrease, lab.Percent(other))
	}
	claim.Explain(moved, "Experiment, the rule of smart with paths pair by pair by shortest widest in place of the linear programme: %s %.2f, %s.%s",
		quantity, m.mean(quantity), lab.Percent(off), note)
}

// algorithmOf is the path computation of a printed row.
func algorithmOf(p lab.Printed) string {
	if p["routing"] == "smart_routing" {
		return "smart"
	}
	return "updn-shortest"
}

func (r regular) String() string {
	return fmt.Sprintf("%d switches, %d links, %s", r.switches, r.links, r.algorithm)
}

func (r regular) formula(seed uint64) string {
	return fmt.Sprintf("regular(switches=%d,degree=%d,hosts=4,seed=%d)", r.switches, r.links, seed)
}

// renamingRow measures destination renaming on the networks of a row. The quick mode
// leaves out 64 switches.
func (st *store) renamingRow(ctx context.Context, s *lab.Setup, r regular) (measured, bool) {
	if r.switches > lab.Pick(s, 32, 64) || !s.Want(r.String()) {
		return nil, false
	}
	return st.once(fmt.Sprint(r, instances(s), s.Seed), func() measured { return r.measure(ctx, s) }), true
}

func (r regular) measure(ctx context.Context, s *lab.Setup) measured {
	return sample(ctx, s, instances(s), r.formula, func(g *fabric.Graph, seed uint64) map[string]float64 {
		set := renamingPaths(ctx, r.algorithm, g, seed)
		a := assign(ctx, set, "renaming", names.Options{Workers: 1})
		first, more := tableEntries(a)
		sum, most := 0, 0
		for _, b := range a.Need[:g.NumHosts] {
			sum, most = sum+int(b.Upper)-1, max(most, int(b.Upper)-1)
		}
		n, of := countConflicts(set)
		return map[string]float64{
			total: float64(first + more), original: float64(first), renamed: float64(more),
			increase:  100 * float64(more) / float64(first),
			renamings: float64(sum) / float64(g.NumHosts), mostRenamed: float64(most),
			conflicts: 100 * float64(n) / float64(of),
		}
	})
}

// eachRow measures the rows of a printed table that are run.
func (st *store) eachRow(ctx context.Context, s *lab.Setup, file string, visit func(r regular, p lab.Printed, m measured)) {
	for _, p := range readTable(file) {
		r := regular{p.Int("switches"), 4, algorithmOf(p)}
		if p["links_per_switch"] != "" {
			r.links = p.Int("links_per_switch")
		}
		if m, ok := st.renamingRow(ctx, s, r); ok {
			visit(r, p, m)
		}
	}
}

// nearRow returns the claim that a quantity of a row is near the printed value.
func (st *store) nearRow(ctx context.Context, s *lab.Setup, t *comparison, r regular, text, quantity string, paper float64) lab.Claim {
	claim := t.near(r.String()+": "+text+" within 10 %", r.String(), func(q string) bool { return q == quantity })
	st.explainSmart(ctx, s, &claim, r, quantity, paper)
	return claim
}

// addCategory appends the category of a row to a chart of bars, and returns its place.
func addCategory(c *chart.Chart, r regular) float64 {
	name := fmt.Sprint(r.switches)
	if r.algorithm == "smart" {
		name += " smart"
	}
	c.Categories = append(c.Categories, name)
	return float64(len(c.Categories) - 1)
}

// entryQuantities are the quantities of Table 4 with their columns.
var entryQuantities = []struct{ quantity, column string }{
	{total, "total_entries"}, {original, "original_entries"}, {renamed, "new_entries"}, {increase, "pct_increase_avg"},
}

// entryRemark returns the remark on a value of Table 4.
func entryRemark(p lab.Printed, m measured, quantity string) string {
	if quantity != increase {
		if p["flag"] == "total!=orig+new" {
			return "suspect: the printed total is not the sum of the other two"
		}
		return ""
	}
	remark := fmt.Sprintf("printed range %s to %s, ours %.0f to %.0f", p["pct_increase_min"], p["pct_increase_max"], m.summary(increase).Min, m.summary(increase).Max)
	if p["flag"] == "avg_pct" {
		remark = "suspect: the printed entries make it 33.2; " + remark
	}
	return remark
}

// table4 counts the entries of random forwarding tables.
func (st *store) table4(ctx context.Context, s *lab.Setup) *lab.Result {
	t := newComparison("table4", "Entries of random forwarding tables, over all switches ("+seeds(s, instances(s))+"; paper: 10)", "network", 1)
	picture := chart.Chart{
		Name: "table4", Title: "Increase of forwarding tables by renaming", Kind: chart.Bars,
		X: chart.Axis{Label: "switches"}, Y: chart.Axis{Label: "increase, %"},
		Series: []chart.Series{{Name: "paper: mean, range"}, {Name: "ours: mean, range"}},
	}
	var (
		claims []lab.Claim
		bound  tally
	)
	increases := map[regular]float64{}
	st.eachRow(ctx, s, "ren_table4_forwarding_overhead", func(r regular, p lab.Printed, m measured) {
		row := r.String()
		for _, q := range entryQuantities {
			t.add(row, q.quantity, p.Number(q.column), m.summary(q.quantity), entryRemark(p, m, q.quantity))
		}
		bound.row(row, m.summary(original).Max <= float64(4*r.switches*r.switches))
		increases[r] = m.mean(increase)
		x := addCategory(&picture, r)
		picture.Series[0].Add(x, p.Number("pct_increase_avg"), p.Number("pct_increase_min"), p.Number("pct_increase_max"))
		picture.Series[1].Add(x, m.mean(increase), m.summary(increase).Min, m.summary(increase).Max)
		for _, q := range entryQuantities {
			claims = append(claims, st.nearRow(ctx, s, t, r, q.quantity, q.quantity, p.Number(q.column)))
		}
	})
	lower := lab.NewClaim("smart routing needs a lower increase than up*/down* (32 switches)", "33 % against 65 %")
	smart, ok1 := increases[regular{32, 4, "smart"}]
	updn, ok2 := increases[regular{32, 4, "updn-shortest"}]
	if ok1 && ok2 {
		lower.Judge(smart < updn, "%.0f %% against %.0f %%", smart, updn)
	}
	claims = append([]lab.Claim{
		lower, bound.claim("at most one original entry for each switch and machine", "every row"),
	}, claims...)
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.Drawn(picture), Claims: claims}
}

// table5 counts renamings.
func (st *store) table5(ctx context.Context, s *lab.Setup) *lab.Result {
	t := newComparison("table5", "Renamings a host ("+seeds(s, instances(s))+"; paper: 10)", "network", 2)
	picture := chart.Chart{
		Name: "table5", Title: "Renamings a host", Kind: chart.Bars,
		X: chart.Axis{Label: "switches"}, Y: chart.Axis{Label: "renamings"},
		Series: []chart.Series{{Name: "mean, paper"}, {Name: "mean, ours"}, {Name: "most, paper"}, {Name: "most, ours"}},
	}
	var (
		claims []lab.Claim
		most   tally
	)
	st.eachRow(ctx, s, "ren_table5_renamings_per_host", func(r regular, p lab.Printed, m measured) {
		row, worst := r.String(), m.summary(mostRenamed).Max
		t.add(row, renamings, p.Number("avg_renamings"), m.summary(renamings), "")
		t.Add(row, mostRenamed, p["max_renamings"], fmt.Sprintf("%.0f", worst), "-", "-",
			fmt.Sprintf("of %d networks, the paper's of 10; mean of the most of a network %.1f", instances(s), m.mean(mostRenamed)))
		most.row(row, worst < 127)
		x := addCategory(&picture, r)
		for i, v := range []float64{p.Number("avg_renamings"), m.mean(renamings), p.Number("max_renamings"), worst} {
			picture.Series[i].Add(x, v, 0, 0)
		}
		claims = append(claims, st.nearRow(ctx, s, t, r, "mean renamings", renamings, p.Number("avg_renamings")))
	})
	claims = append([]lab.Claim{most.claim("the 128 identifiers of a port are far from used up", "at most 7 renamings")}, claims...)
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.Drawn(picture), Claims: claims}
}

// table6Conflicts counts entries with conflicts.
func (st *store) table6Conflicts(ctx context.Context, s *lab.Setup) *lab.Result {
	t := newComparison("table6", "Entries with conflicts, % ("+seeds(s, instances(s))+"; paper: 10)", "network", 2)
	picture := chart.Chart{
		Name: "table6", Title: "Forwarding table entries with conflicts, 64 switches", Kind: chart.Lines,
		X: chart.Axis{Label: "links a switch"}, Y: chart.Axis{Label: "entries with conflicts, %"},
		Series: []chart.Series{{Name: "paper: mean, range"}, {Name: "ours: mean, range"}},
	}
	var claims []lab.Claim
	var means []float64
	st.eachRow(ctx, s, "ren_table6_conflicts", func(r regular, p lab.Printed, m measured) {
		sum, remark := m.summary(conflicts), ""
		if r.algorithm != "smart" {
			remark = fmt.Sprintf("printed range %s to %s, ours %.2f to %.2f", p["conflict_pct_min"], p["conflict_pct_max"], sum.Min, sum.Max)
			x := float64(r.links)
			picture.Series[0].Add(x, p.Number("conflict_pct_avg"), p.Number("conflict_pct_min"), p.Number("conflict_pct_max"))
			picture.Series[1].Add(x, sum.Mean, sum.Min, sum.Max)
			means = append(means, sum.Mean)
		}
		t.add(r.String(), conflicts, p.Number("conflict_pct_avg"), sum, remark)
		claims = append(claims, st.nearRow(ctx, s, t, r, "mean", conflicts, p.Number("conflict_pct_avg")))
	})
	rises := lab.NewClaim("more links, more conflicts (64 switches)", "1.26 to 8.08 %")
	if len(means) > 1 {
		holds := true
		for i := range means[1:] {
			holds = holds && means[i] < means[i+1]
		}
		rises.Judge(holds, "%.2f to %.2f %%", means[0], means[len(means)-1])
	}
	return &lab.Result{
		Tables: []lab.Table{t.Table}, Charts: lab.Drawn(picture), Claims: append([]lab.Claim{rises}, claims...),
		Notes: []string{"Entries are (switch, input channel, destination) triples, each host's port being an input channel; a conflict is" +
			" an output channel beyond the first of a (switch, destination). Read as the share of (switch, destination) pairs with several outputs," +
			" the numbers would be five times the printed ones."},
	}
}
