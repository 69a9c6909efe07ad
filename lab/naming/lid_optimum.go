package naming

import (
	"context"
	"fmt"
	"slices"

	"weft/lab"
)

// optimum is Table III or IV.
type optimum struct {
	*comparison
	greedy, color percents // excess over the optimum, by row
	chart         *above
	nearClaims    []lab.Claim
}

func (st *store) lidTable3(ctx context.Context, s *lab.Setup) *lab.Result {
	t := st.optima(ctx, s, "table3", "lid_table3_ilp_shortest_widest", "shortest-widest")
	return t.result(
		t.greedy.claim("every row: the optimum is less than 5 % better than greedy", noLowEnd, 5),
		t.color.claim("every row: the optimum is less than 1 % better than color/L", noLowEnd, 1),
		slices.Concat(t.greedy.rise("64/64", conf{64, 16}, conf{64, 64}), t.greedy.rise("192/64", conf{192, 16}, conf{192, 64})).
			claim("64 and 192 machines: greedy is further above the optimum on 64 switches than on 16 (points)", leastRise, 100),
		t.greedy.rise("128/64", conf{128, 16}, conf{128, 64}).asPrinted("128 machines: greedy is further above the optimum on 64 switches than on 16 (points)"),
		t.color.rise("128/64", conf{128, 16}, conf{128, 64}).asPrinted("128 machines: color/L is as little further above the optimum on 64 switches than on 16 (points, 0.1)"))
}

func (st *store) lidTable4(ctx context.Context, s *lab.Setup) *lab.Result {
	t := st.optima(ctx, s, "table4", "lid_table4_ilp_path_selection", "path-selection")
	const low, high = 11.5, 17.5 // "12 % to 17 %"
	return t.result(
		slices.Concat(t.greedy.rise("128/32", conf{64, 16}, conf{128, 32}), t.greedy.rise("64/32", conf{64, 16}, conf{64, 32})).
			asPrinted("greedy is further above the optimum in 128/32 and 64/32 than in 64/16 (points, a quarter)"),
		t.greedy.claim("every row: the optimum is 12 to 17 % better than greedy", low, high),
		t.color.claim("every row: the optimum is less than 3 % better than color/L", noLowEnd, 3))
}

// optima runs a table.
func (st *store) optima(ctx context.Context, s *lab.Setup, name, file, algorithm string) *optimum {
	t := &optimum{
		comparison: newComparison(name, fmt.Sprintf("LIDs and their optimum, %s (%s)", algorithm, seeds(s, shownNetworks(s, blockNetworks(s)))), "machines/switches", 1),
		chart:      newAbove(name, "LIDs above the optimum, "+algorithm, "above the optimum, % (network by network)", []string{"greedy", "color/L"}, []string{"greedy", "color-l"}),
	}
	for _, p := range readTable(file) {
		c := confOf(p)
		if wanted(s, c) {
			shown := st.optimumRow(ctx, s, c, algorithm)
			t.row(c, p, shown, shown.first(blockNetworks(s)))
		}
		var above percents
		for _, x := range []percents{t.greedy, t.color} {
			if p := x.of(c); p != nil {
				above = append(above, *p)
			}
		}
		t.nearClaims = append(t.nearClaims, t.near(c.String()+": optimum, greedy and color/L within 10 %", c.String(), nil, c.String()),
			above.asPrinted(c.String()+": greedy and color/L as far above the optimum (a quarter, or 0.1 points)"))
	}
	return t
}

// optimumRow measures the networks of a row. Only the table shows how many optima are proven.
func (st *store) optimumRow(ctx context.Context, s *lab.Setup, c conf, algorithm string) measured {
	if s.Reads(leftOut) {
		m, _, _ := st.firstFinished(ctx, s, c, algorithm)
		return m
	}
	quantities := append(greedyColorAndLoad(s), fewestFound)
	if !s.ClaimsOnly {
		quantities = append(quantities, leastPossible)
	}
	return st.measure(ctx, s, shownNetworks(s, blockNetworks(s)), c.networks(s), computation(s, algorithm), quantities)
}

// optimumSchemes are the quantities of Tables III and IV, with their columns.
var optimumSchemes = []struct{ quantity, name, column string }{
	{optimal, "optimum", "ilp_optimal"}, {"greedy", "greedy", "greedy"}, {"color-l", "color/L", "color_L"},
}

// row adds the shown measurements next to a printed row; claims are judged by m, unless no network
// was finished.
func (t *optimum) row(c conf, p lab.Printed, shown, m measured) {
	row := c.String()
	var paper []float64
	for _, x := range optimumSchemes {
		v, remark := p.Number(x.column), ""
		if p["flag"] == "color_L_value_vs_pct" && x.quantity == "color-l" {
			v, remark = 701.5, "printed 715.5, a misprint: the 0.08 % beside it make it 701.5"
		}
		paper = append(paper, v)
		if n := len(shown[least]); x.quantity == optimal && shown.proven() < n {
			remark = fmt.Sprintf("proven of %d of %d networks; no fewer than %s are possible", shown.proven(), n, t.number(shown.mean(least)))
		}
		if len(m[optimal]) > 0 {
			t.addPrinted(row, x.name, v, m.mean(x.quantity), shown.summary(x.quantity), remark)
		}
	}
	greedy, color := 100*(paper[1]/paper[0]-1), 100*(paper[2]/paper[0]-1)
	t.greedy.add(row+" greedy", greedy, m.percentAbove("greedy", optimal), row)
	t.color.add(row+" color/L", color, m.percentAbove("color-l", optimal), row)
	if len(m[optimal]) == 0 {
		return
	}
	t.chart.row(row, optimal, []float64{greedy, color}, shown)
	for i, column := range []string{"pct_ilp_over_greedy_printed", "pct_ilp_over_color_L_printed"} {
		x := optimumSchemes[i+1]
		t.Add(row, x.name+" above optimum, %", p[column], fmt.Sprintf("%.2f", shown.percentAbove(x.quantity, optimal)), "-", "-", "")
	}
}

// result collects the claims of a table and of its rows.
func (t *optimum) result(claims ...lab.Claim) *lab.Result {
	return &lab.Result{
		Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(t.chart.Chart), Claims: append(claims, t.nearClaims...),
		Notes: []string{"The optimum is the fewest LIDs that exact finds in its usual limit. A remark says of how many networks it is proven, and how much lower that of the others may be; lp_solve needed more than 4 h for some, which the paper replaces."},
	}
}
