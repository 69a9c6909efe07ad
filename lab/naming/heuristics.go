package naming

import (
	"context"
	"fmt"
	"math"
	"slices"

	"weft/lab"
	"weft/lab/chart"
)

// assignments is Table I or II.
type assignments struct {
	*comparison
	algorithm   string
	order       ranking
	varied      ranking // with split-merge varied
	best, worst tally   // color/L is the best, color/S the worst
	spread      map[conf]float64
	chart       chart.Chart
}

func (st *store) table1(ctx context.Context, s *lab.Setup) *lab.Result {
	t, rows := st.assignments(ctx, s, "table1", "lid_table1_shortest_widest", "shortest-widest")
	little := tally{}
	for _, p := range rows {
		if spread, ok := t.spread[confOf(p)]; ok && p.Int("switches") == 16 {
			little.row(confOf(p).String(), spread < 0.01)
		}
	}
	return t.result(ctx, s, st, rows,
		little.claim("16 switches: best and worst heuristic differ by less than 1 %", "less than 1 %"),
		t.grows("the difference between best and worst grows with the network", 256))
}

func (st *store) table2(ctx context.Context, s *lab.Setup) *lab.Result {
	t, rows := st.assignments(ctx, s, "table2", "lid_table2_path_selection", "path-selection")
	var more, moreAny, fewer, spread tally
	for _, p := range rows {
		c := confOf(p)
		ours, ok := t.spread[c]
		if !ok {
			continue
		}
		widest := st.row(ctx, s, c, "shortest-widest", instances(s))
		selected := st.row(ctx, s, c, t.algorithm, instances(s))
		if c.machines == 128 && c.switches > 16 {
			more.row(c.String(), selected.mean("color-l") > widest.mean("color-l"))
			long := st.row(ctx, s, c, anyLength, instances(s))
			moreAny.row(c.String(), long.mean("color-l") > widest.mean("color-l"))
		}
		if c.machines > 128 {
			fewer.row(c.String(), selected.mean("color-l") < widest.mean("color-l"))
		}
		spread.row(c.String(), ours > spreadOf(widest))
	}
	few := more.claim("128 machines on 32 and 64 switches: more LIDs than with shortest widest (color/L)", "more")
	again := moreAny.claim("", "")
	few.Explain(again.Verdict == lab.Holds, "Experiment, path-selection from 16 candidates of any length: %s.", again.Ours)
	result := t.result(ctx, s, st, rows,
		spread.claim("the heuristics differ more than with shortest widest", "23.3 to 30.1 %"),
		few,
		fewer.claim("256 and 512 machines: fewer LIDs than with shortest widest (color/L)", "fewer"))
	result.Notes = append(result.Notes, "Color/L of 128/16 and 128/32 are both printed as 466.0, here and in Table VI: possible, but suspect.")
	return result
}

// assignments runs the rows of a table.
func (st *store) assignments(ctx context.Context, s *lab.Setup, name, file, algorithm string) (*assignments, []lab.Printed) {
	n := instances(s)
	rows := readTable(file)
	t := &assignments{
		comparison: newComparison(name, fmt.Sprintf("LIDs, %s (%s)", algorithm, seeds(s, n)), "machines/switches", 1),
		algorithm:  algorithm, spread: map[conf]float64{},
		chart: chart.Chart{
			Name: name, Title: "LIDs a machine, " + algorithm, Kind: chart.Bars,
			X: chart.Axis{Label: "machines/switches"}, Y: chart.Axis{Label: "LIDs a machine"},
			Series: []chart.Series{{Name: "color/L, paper"}, {Name: "color/L, ours"}, {Name: "greedy, paper"}, {Name: "greedy, ours"}, {Name: "color/S, paper"}, {Name: "color/S, ours"}},
		},
	}
	for _, p := range rows {
		c := confOf(p)
		if !wanted(s, c) {
			continue
		}
		t.row(c, p, st.row(ctx, s, c, algorithm, n))
	}
	return t, rows
}

// row sets a row beside the printed one.
func (t *assignments) row(c conf, p lab.Printed, m measured) {
	var (
		names              []string
		paper, ours, tried []float64
	)
	for _, h := range heuristics {
		remark := ""
		if t.algorithm == "path-selection" && h.scheme == "color-l" && c.machines == 128 && c.switches < 64 {
			remark = "suspect: printed for two rows"
		}
		t.add(c.String(), h.name, p.Number(h.column), m.summary(h.scheme), remark)
		names, paper, ours = append(names, h.name), append(paper, p.Number(h.column)), append(ours, m.mean(h.scheme))
		tried = append(tried, m.mean(variedOf(h.scheme)))
	}
	t.order.row(c.String(), names, paper, ours)
	t.varied.row(c.String(), names, paper, tried)
	t.spread[c] = spreadOf(m)
	t.best.row(c.String(), m.mean("color-l") == slices.Min(ours))
	t.worst.row(c.String(), m.mean("color-s") == slices.Max(ours))
	x := float64(len(t.chart.Categories))
	t.chart.Categories = append(t.chart.Categories, c.String())
	size := float64(c.machines)
	for i, h := range []struct{ column, scheme string }{{"color_L", "color-l"}, {"greedy", "greedy"}, {"color_S", "color-s"}} {
		sum := m.summary(h.scheme)
		t.chart.Series[2*i].Add(x, p.Number(h.column)/size, 0, 0)
		t.chart.Series[2*i+1].Add(x, sum.Mean/size, (sum.Mean-sum.CI95)/size, (sum.Mean+sum.CI95)/size)
	}
}

// spreadOf returns how many more LIDs the worst heuristic needs than the best, as a share.
func spreadOf(m measured) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, h := range heuristics {
		least, most = min(least, m.mean(h.scheme)), max(most, m.mean(h.scheme))
	}
	return most/least - 1
}

// grows is the claim that the difference between the heuristics grows from 16 to 64
// switches.
func (t *assignments) grows(text string, machines int) lab.Claim {
	c := lab.NewClaim(fmt.Sprintf("%s (%d machines)", text, machines), "less than 1 % to 5.5 %")
	small, ok1 := t.spread[conf{machines, 16, 0}]
	large, ok2 := t.spread[conf{machines, 64, 0}]
	if ok1 && ok2 {
		c.Judge(large > small, "%s to %s", lab.Percent(small), lab.Percent(large))
	}
	return c
}

// result puts the claims together: those of both tables, then more.
func (t *assignments) result(ctx context.Context, s *lab.Setup, st *store, rows []lab.Printed, more ...lab.Claim) *lab.Result {
	order := t.order.claim("order of two heuristics printed more than 1 % apart")
	if t.algorithm == "path-selection" {
		order.Explain(!t.varied.wrongIn(&t.order), "Experiment, split-merge merges the sets with the fewest different paths first: "+
			"every pair of the rows named is in the same order; of all pairs %s.", t.varied.claim("").Ours)
	}
	claims := []lab.Claim{
		order,
		t.best.claim("color/L is the best heuristic", "every row"),
		t.worst.claim("color/S is the worst heuristic", "every row"),
	}
	claims = append(claims, more...)
	for _, p := range rows {
		c := confOf(p)
		claim := t.near(c.String()+": LIDs of the five heuristics within 10 %", c.String(), nil)
		tries := triesOf(experiments(c, t.algorithm), func(x experiment) measured { return st.row(ctx, s, x.c, x.algorithm, instances(s)) })
		t.explainBy(&claim, c.String(), nil, tries, bySchemeOf)
		claims = append(claims, claim)
	}
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.Drawn(t.chart), Claims: claims}
}

// schemeOf is the scheme of a quantity.
func schemeOf(quantity string) string {
	for _, h := range heuristics {
		if h.name == quantity {
			return h.scheme
		}
	}
	return "exact"
}
