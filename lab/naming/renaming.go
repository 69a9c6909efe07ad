package naming

import (
	"context"
	"fmt"

	"weft/internal/chart"
	"weft/lab"
	"weft/route"
	"weft/route/names"
)

// Renaming returns the reproduction of paper 002.
func Renaming() *lab.Reproduction {
	st := &store{}
	return &lab.Reproduction{
		Name:      "renaming",
		Says:      "InfiniBand forwarding tables know the destination of a packet, but not its input port, so they cannot hold some routings free of deadlock. Destination renaming gives a host several addresses and so makes such routings fit. It needs at most 7 renamings per host and few additional table entries.",
		Sentences: readSentences("renaming"),
		Paper: "López, Flich and Duato, \"Deadlock-free Routing in InfiniBand through Destination Renaming\"," +
			" ICPP 2001 (paper 002).",
		Plain:     plainRenaming,
		Decisions: decisionsRenaming,
		Found:     "With up*/down* the numbers of renamings and entries are the paper's. For smart-routing, whose paths the paper does not give, and for its counts of conflicts they follow from what the text leaves open.",
		Readings: []lab.Reading{
			{
				Name: byWidest, Chosen: true, Fitted: true,
				Text: "smart routing keeps its rule for turns, but chooses its paths pair by pair, shortest widest. This comes nearer to the printed renamings. The paper takes the paths from a linear programme of another paper, which it does not give.",
			},
			{
				Name: byInput, Chosen: true, Fitted: true, In: []string{"table6"},
				Text: "entries with conflicts are the output channels of a switch and a destination beyond the first, among all triples of a switch, an input channel and a destination. By the letter they are the entries of forwarding tables (a switch and a destination) whose paths use several output channels.",
			},
			{
				Name: byProgramme, Solver: true,
				Text: "smart routing takes its paths from our linear programme, which an installed solver solves (cbc here). The traffic to each switch is a flow over its shortest paths, and the load of the busiest link is minimal; flows are rounded to whole paths. By the letter they come from our approximation of it.",
			},
		},
		Artefacts: []lab.Artefact{
			{Name: "example", Title: "Forwarding tables of Fig. 1 before and after renaming", Place: "Tables 1 and 3", Seedless: true, Run: example},
			{Name: "table4", Title: "Forwarding table overhead", Place: "Table 4", Blocks: 16, Run: st.renamingTable4},
			{Name: "table5", Title: "Renamings a host", Place: "Table 5", Blocks: 16, Run: st.renamingTable5},
			{Name: "table6", Title: "Entries with conflicts", Place: "Table 6", Blocks: 16, Run: st.renamingTable6},
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
	contested   = "entries with conflicts, %"
	beyondFirst = "outputs beyond the first by input, %"
	inConflict  = "switches with conflicts"
	unrenamed   = "paths under the original LID, %"
)

// regular is a row of paper 002: switches with 4 machines and this many links each.
type regular struct {
	switches, links int
	algorithm       string
}

// renamingNetworks returns the number of networks of a row of paper 002 in a seed block: the
// paper's, or a few.
func renamingNetworks(s *lab.Setup) int { return lab.Pick(s, 4, 10) }

// byInput is the reading that counts conflicts by input channel.
const byInput = "conflicts by input"

// byWidest is the reading without a linear programme in smart.
const byWidest = "smart by shortest widest"

// byProgramme is the reading that solves smart's linear programme with a solver.
const byProgramme = "smart by linear programme"

// renamingOptions returns the options of a path computation under the active readings.
func renamingOptions(s *lab.Setup, algorithm string) route.Options {
	if algorithm != "smart" {
		return nil
	}
	return route.Options{"balance": choice(s, byWidest, "widest", choice(s, byProgramme, "programme", "weights"))}
}

// algorithmOf returns the path computation of a printed row.
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

// renamingRow measures destination renaming on a row's networks. The quick mode leaves out 64
// switches.
func (st *store) renamingRow(ctx context.Context, s *lab.Setup, r regular) (measured, bool) {
	if r.switches > lab.Pick(s, 32, 64) || !s.Want(r.String()) {
		return nil, false
	}
	return st.rows.Get(fmt.Sprint(r, renamingOptions(s, r.algorithm), renamingNetworks(s), s.Seed), func() measured { return r.measure(ctx, s) }), true
}

func (r regular) measure(ctx context.Context, s *lab.Setup) measured {
	return sample(ctx, s, renamingNetworks(s), func(seed uint64) map[string]float64 {
		g := lab.Must(lab.Graph(r.formula(seed)))
		set := compute(ctx, s, r.algorithm, g, seed, renamingOptions(s, r.algorithm))
		a := assign(ctx, set, "renaming", names.Options{Workers: 1})
		first, more := tableEntries(a)
		sum, most := 0, 0
		for _, b := range a.Need[:g.NumHosts] {
			sum, most = sum+int(b.Upper)-1, max(most, int(b.Upper)-1)
		}
		kept := 0
		for _, offset := range a.Offset {
			if offset == 0 {
				kept++
			}
		}
		n := countConflicts(set)
		return map[string]float64{
			total: float64(first + more), original: float64(first), renamed: float64(more),
			increase:  100 * float64(more) / float64(first),
			renamings: float64(sum) / float64(g.NumHosts), mostRenamed: float64(most),
			contested:   100 * float64(n.contested) / float64(n.entries),
			beyondFirst: 100 * float64(n.beyond) / float64(n.byInput),
			inConflict:  float64(n.switches),
			unrenamed:   100 * float64(kept) / float64(len(a.Offset)),
		}
	})
}

// eachRow measures the selected rows of a printed table, and judges all rows; measured is nil for
// the rows not run.
func (st *store) eachRow(ctx context.Context, s *lab.Setup, file string, visit func(r regular, p lab.Printed, m measured), judge func(r regular, p lab.Printed, m measured)) {
	for _, p := range readTable(file) {
		r := regular{p.Int("switches"), 4, algorithmOf(p)}
		if p["links_per_switch"] != "" {
			r.links = p.Int("links_per_switch")
		}
		m, ok := st.renamingRow(ctx, s, r)
		if ok {
			visit(r, p, m)
		}
		judge(r, p, m)
	}
}

// nearRow returns the claim that a quantity of a row is near the printed value.
func nearRow(t *comparison, r regular, text, quantity string) lab.Claim {
	return t.near(r.String()+": "+text+" within 10 %", r.String(), func(q string) bool { return q == quantity })
}

// renamingsOf returns the printed mean of renamings of a row.
func renamingsOf(r regular) float64 {
	for _, p := range readTable("ren_table5_renamings_per_host") {
		if p.Int("switches") == r.switches && algorithmOf(p) == r.algorithm {
			return p.Number("avg_renamings")
		}
	}
	lab.Check(fmt.Errorf("naming: Table 5 has no row %s", r))
	return 0
}

// addCategory appends the category of a row to a bar chart, and returns its position.
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

// renamingTable4 counts the entries of random forwarding tables.
func (st *store) renamingTable4(ctx context.Context, s *lab.Setup) *lab.Result {
	t := newComparison("table4", "Entries of random forwarding tables, over all switches ("+seeds(s, renamingNetworks(s))+"; paper: 10)", "network", 1)
	picture := chart.Chart{
		Name: "table4", Title: "Increase of forwarding tables by renaming", Kind: chart.Bars,
		X: chart.Axis{Label: "switches"}, Y: chart.Axis{Label: "increase, %"},
		Series: []chart.Series{{Name: "paper: mean, range"}, {Name: "ours: mean, range"}},
	}
	var claims []lab.Claim
	increases := map[regular]float64{}
	var grown percents // excess of random tables over linear ones
	st.eachRow(ctx, s, "ren_table4_forwarding_overhead", func(r regular, p lab.Printed, m measured) {
		row := r.String()
		for _, q := range entryQuantities {
			t.addPrinted(row, q.quantity, p.Number(q.column), m.mean(q.quantity), m.summary(q.quantity), entryRemark(p, m, q.quantity))
		}
		increases[r] = m.mean(increase)
		x := addCategory(&picture, r)
		picture.Series[0].Add(x, p.Number("pct_increase_avg"), p.Number("pct_increase_min"), p.Number("pct_increase_max"))
		picture.Series[1].Add(x, m.mean(increase), m.summary(increase).Min, m.summary(increase).Max)
		grown.add(row, p.Number("pct_increase_avg")-100*renamingsOf(r), m.mean(increase)-100*m.mean(renamings))
	}, func(r regular, _ lab.Printed, _ measured) {
		claims = append(claims, nearRow(t, r, renamed, renamed))
		if r.algorithm == "smart" { // otherwise every switch has an entry for every machine
			claims = append(claims, nearRow(t, r, original, original))
		}
	})
	lower := lab.NewClaim("smart routing needs a lower increase than up*/down* (32 switches)", "39 % against 65 %")
	smart, ok1 := increases[regular{32, 4, "smart"}]
	updn, ok2 := increases[regular{32, 4, "updn-shortest"}]
	if ok1 && ok2 {
		lower.Judge(smart < updn, "%.0f %% against %.0f %%", smart, updn)
	}
	claims = append([]lab.Claim{lower, grown.claim("random tables grow more in proportion than linear ones, by the renamings a host (points, every row)", 0, 1000)}, claims...)
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(picture), Claims: claims, Notes: []string{
		"A linear table has an entry for each LID of the subnet, so that in proportion it grows by the renamings a host: by the paper's own Table 5 by 110 to 210 %," +
			" where random tables grow by 57 to 65 %. Its sentence and its tables say opposite things; ours are as its tables.",
	}}
}

// renamingTable5 counts renamings.
func (st *store) renamingTable5(ctx context.Context, s *lab.Setup) *lab.Result {
	t := newComparison("table5", "Renamings a host ("+seeds(s, renamingNetworks(s))+"; paper: 10)", "network", 2)
	picture := chart.Chart{
		Name: "table5", Title: "Renamings a host", Kind: chart.Bars,
		X: chart.Axis{Label: "switches"}, Y: chart.Axis{Label: "renamings"},
		Series: []chart.Series{{Name: "mean, paper"}, {Name: "mean, ours"}, {Name: "most, paper"}, {Name: "most, ours"}},
	}
	var (
		claims []lab.Claim
		most   percents
		kept   percents
	)
	st.eachRow(ctx, s, "ren_table5_renamings_per_host", func(r regular, p lab.Printed, m measured) {
		row, worst := r.String(), m.summary(mostRenamed).Max
		t.addPrinted(row, renamings, p.Number("avg_renamings"), m.mean(renamings), m.summary(renamings), "")
		t.Add(row, mostRenamed, p["max_renamings"], fmt.Sprintf("%.0f", worst), "-", "-",
			fmt.Sprintf("of %d networks, the paper's of 10; mean of the most of a network %.1f", renamingNetworks(s), m.mean(mostRenamed)))
		most.add(row, p.Number("max_renamings"), worst)
		kept.add(row, 50, m.mean(unrenamed))
		x := addCategory(&picture, r)
		for i, v := range []float64{p.Number("avg_renamings"), m.mean(renamings), p.Number("max_renamings"), worst} {
			picture.Series[i].Add(x, v, 0, 0)
		}
	}, func(r regular, p lab.Printed, m measured) {
		claims = append(claims, nearRow(t, r, "mean renamings", renamings))
		c := lab.NewClaim(r.String()+": most renamings of ten networks, give or take one", p["max_renamings"])
		if m != nil {
			c.JudgeRange(m.summary(mostRenamed).Max, p.Number("max_renamings")-1, p.Number("max_renamings")+1, "%.1f")
		}
		claims = append(claims, c)
	})
	seven := lab.NewClaim("no host of ten networks needs more than 7 renamings (any row)", "at most 7")
	if len(most) > 0 {
		var worst percent
		for _, x := range most {
			if x.ours > worst.ours {
				worst = x
			}
		}
		seven.Judge(worst.ours <= 7, "%.0f (%s)", worst.ours, worst.of)
	}
	frequent := kept.claim("more often than not a path has no conflict and keeps the original LID (%, every row)", 50, 100)
	if len(kept) > 0 {
		frequent.Paper = "the more frequent situation"
	}
	claims = append([]lab.Claim{seven, frequent}, claims...)
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(picture), Claims: claims}
}

// renamingTable6 counts entries with conflicts.
func (st *store) renamingTable6(ctx context.Context, s *lab.Setup) *lab.Result {
	quantity := choice(s, byInput, beyondFirst, contested)
	t := newComparison("table6", "Entries with conflicts, % ("+seeds(s, renamingNetworks(s))+"; paper: 10)", "network", 2)
	picture := chart.Chart{
		Name: "table6", Title: "Forwarding table entries with conflicts, 64 switches", Kind: chart.Lines,
		X: chart.Axis{Label: "links a switch"}, Y: chart.Axis{Label: "entries with conflicts, %"},
		Series: []chart.Series{{Name: "paper: mean, range"}, {Name: "ours: mean, range"}},
	}
	var (
		claims  []lab.Claim
		by      = map[int]measured{} // by links a switch
		links   []int
		printed []float64
	)
	st.eachRow(ctx, s, "ren_table6_conflicts", func(r regular, p lab.Printed, m measured) {
		sum, remark := m.summary(quantity), ""
		if r.algorithm != "smart" {
			remark = fmt.Sprintf("printed range %s to %s, ours %.2f to %.2f", p["conflict_pct_min"], p["conflict_pct_max"], sum.Min, sum.Max)
			x := float64(r.links)
			picture.Series[0].Add(x, p.Number("conflict_pct_avg"), p.Number("conflict_pct_min"), p.Number("conflict_pct_max"))
			picture.Series[1].Add(x, sum.Mean, sum.Min, sum.Max)
			by[r.links], links, printed = m, append(links, r.links), append(printed, p.Number("conflict_pct_avg"))
		}
		t.addPrinted(r.String(), quantity, p.Number("conflict_pct_avg"), sum.Mean, sum, remark)
		t.addOurs(r.String(), inConflict, m.summary(inConflict))
	}, func(r regular, _ lab.Printed, _ measured) {
		claims = append(claims, nearRow(t, r, "mean", quantity))
	})
	var entries, switches percents
	for i := 1; i < len(links); i++ {
		less, more, of := by[links[i-1]], by[links[i]], fmt.Sprintf("%d links", links[i])
		entries.add(of, printed[i]-printed[i-1], more.mean(quantity)-less.mean(quantity))
		switches.add(of, 0, more.mean(inConflict)-less.mean(inConflict))
	}
	spread := switches.claim("more links, more switches with conflicts (64 switches, each step)", leastRise, 64)
	if len(switches) > 0 {
		spread.Paper = "will increase"
	}
	return &lab.Result{
		Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(picture),
		Claims: append([]lab.Claim{entries.claim("more links, more conflicts (points, 64 switches, each step)", leastRise, 100), spread}, claims...),
	}
}
