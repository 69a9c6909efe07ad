package naming

import (
	"context"
	"fmt"
	"math"
	"slices"

	"weft/lab"
)

// assignments is Table I or II.
type assignments struct {
	*comparison
	algorithm string
	best      percents // others above color/L
	worst     percents // others above color/S
	merged    percents // split-merge above greedy
	spread    map[conf]spread
	chart     *above
	near      []lab.Claim
}

// spread holds by how many percent the worst heuristic needs more LIDs than the best, in print and ours.
type spread struct{ paper, ours float64 }

func (st *store) lidTable1(ctx context.Context, s *lab.Setup) *lab.Result {
	t := st.assignments(ctx, s, "table1", "lid_table1_shortest_widest", "shortest-widest")
	var little percents
	for _, machines := range []int{128, 256, 512} {
		if d, ok := t.spread[conf{machines, 16}]; ok {
			little.add(conf{machines, 16}.String(), d.paper, d.ours)
		}
	}
	return t.result(append([]lab.Claim{
		little.claim("16 switches: best and worst heuristic differ by less than 1 %", 0, 1),
	}, t.spreads(64)...))
}

func (st *store) lidTable2(ctx context.Context, s *lab.Setup) *lab.Result {
	t := st.assignments(ctx, s, "table2", "lid_table2_path_selection", "path-selection")
	var more, fewer, wider percents
	widest := readTable("lid_table1_shortest_widest")
	for i, p := range readTable("lid_table2_path_selection") {
		c := confOf(p)
		ours, ok := t.spread[c]
		if !ok {
			continue
		}
		w, selected := st.row(ctx, s, c, "shortest-widest", fiveHeuristicsAndLoad(s)), st.row(ctx, s, c, t.algorithm, fiveHeuristicsAndLoad(s))
		both := spreadOf(widest[i], w)
		wider.add(c.String(), ours.paper-both.paper, ours.ours-both.ours)
		for _, h := range heuristics {
			d := 100 * (p.Number(h.column)/widest[i].Number(h.column) - 1)
			ours := 100 * (selected.mean(h.scheme)/w.mean(h.scheme) - 1)
			switch {
			case c.machines > 128 && d < 0: // of the others the printed table has it otherwise
				fewer.add(c.String()+" "+h.name, d, ours)
			case c.machines == 128 && c.switches > 16:
				more.add(c.String()+" "+h.name, d, ours)
			}
		}
	}
	result := t.result(slices.Concat([]lab.Claim{
		wider.claim("every row: the heuristics differ more than with shortest widest (points)", 0, 100),
	}, t.spreads(16), t.spreads(64), []lab.Claim{
		t.grows(),
		more.claim("128 machines on 32 and 64 switches: more LIDs than with shortest widest, by every heuristic", 0, 1000),
		fewer.claim("256 and 512 machines: fewer LIDs than with shortest widest, by every heuristic that Table II has so", -100, 0),
	}))
	result.Notes = append(result.Notes, "Color/L of 128/16 and 128/32 are both printed as 466.0, here and in Table VI: possible, but suspect.")
	return result
}

// assignments runs the rows of a table.
func (st *store) assignments(ctx context.Context, s *lab.Setup, name, file, algorithm string) *assignments {
	t := &assignments{
		comparison: newComparison(name, fmt.Sprintf("LIDs, %s (%s)", algorithm, shownSeeds(s)), "machines/switches", 1),
		algorithm:  algorithm, spread: map[conf]spread{},
		chart: newAbove(name, "LIDs above those of color/L, "+algorithm, "above color/L, % (network by network)",
			[]string{"greedy", "s-m/L", "color/S"}, []string{"greedy", "split-merge-l", "color-s"}),
	}
	for _, p := range readTable(file) {
		if c := confOf(p); wanted(s, c) {
			shown := st.measure(ctx, s, c.half(shownNetworks(s, blockNetworks(s))), c.networks(s), computation(s, algorithm), fiveHeuristicsAndLoad(s))
			t.row(c, p, shown, shown.first(c.half(blockNetworks(s))))
		} else {
			t.near = append(t.near, t.nearRow(c))
		}
	}
	return t
}

func (t *assignments) nearRow(c conf) lab.Claim {
	return t.comparison.near(c.String()+": LIDs of the five heuristics within 10 %", c.String(), nil)
}

// row sets what is shown beside the printed row, of which m is judged.
func (t *assignments) row(c conf, p lab.Printed, shown, m measured) {
	for _, h := range heuristics {
		t.addPrinted(c.String(), h.name, p.Number(h.column), m.mean(h.scheme), shown.summary(h.scheme), "")
		if h.scheme != "color-l" {
			t.best.add(c.String()+" "+h.name, printedOver(p, h.column, "color_L"), m.over(h.scheme, "color-l"))
		}
		if h.scheme != "color-s" {
			t.worst.add(c.String()+" "+h.name, printedOver(p, h.column, "color_S"), m.over(h.scheme, "color-s"))
		}
	}
	for _, h := range heuristics[1:3] {
		t.merged.add(c.String()+" "+h.name, printedOver(p, h.column, "greedy"), m.over(h.scheme, "greedy"))
	}
	t.spread[c] = spreadOf(p, m)
	t.chart.row(c.String(), "color-l", []float64{printedOver(p, "greedy", "color_L"), printedOver(p, "split_merge_L", "color_L"), printedOver(p, "color_S", "color_L")}, shown)
	t.near = append(t.near, t.nearRow(c))
}

// printedOver is by how many percent a printed value is above another of its row.
func printedOver(p lab.Printed, column, base string) float64 {
	return 100 * (p.Number(column)/p.Number(base) - 1)
}

func spreadOf(p lab.Printed, m measured) spread {
	least, most := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for _, h := range heuristics {
		for i, v := range []float64{p.Number(h.column), m.mean(h.scheme)} {
			least[i], most[i] = min(least[i], v), max(most[i], v)
		}
	}
	return spread{100 * (most[0]/least[0] - 1), 100 * (most[1]/least[1] - 1)}
}

// spreads are the claims on how much the heuristics differ with so many switches.
func (t *assignments) spreads(switches int) (claims []lab.Claim) {
	for _, printed := range readTable(map[string]string{"shortest-widest": "lid_table1_shortest_widest", "path-selection": "lid_table2_path_selection"}[t.algorithm]) {
		c := confOf(printed)
		if c.switches != switches {
			continue
		}
		var ours []float64
		if d, ok := t.spread[c]; ok {
			ours = []float64{d.ours}
		}
		claims = append(claims, quarterClaim(c.String()+": best and worst heuristic differ by as much", spreadOf(printed, nil).paper, ours))
	}
	return claims
}

// grows is the claim that the heuristics differ more on 64 switches than on 16.
func (t *assignments) grows() lab.Claim {
	var more percents
	for _, machines := range []int{128, 256, 512} {
		small, ok1 := t.spread[conf{machines, 16}]
		large, ok2 := t.spread[conf{machines, 64}]
		if ok1 && ok2 {
			more.add(fmt.Sprint(machines), large.paper-small.paper, large.ours-small.ours)
		}
	}
	return more.claim("128, 256 and 512 machines: the heuristics differ more on 64 switches than on 16 (points)", 0, 100)
}

// result puts the claims together: those of both tables, then more, then the rows.
func (t *assignments) result(more []lab.Claim) *lab.Result {
	claims := []lab.Claim{
		t.best.claim("every row: color/L is the best heuristic, no other needs fewer LIDs", 0, 1000),
		t.worst.claim("every row: color/S is the worst heuristic, no other needs more LIDs", -100, 0),
		t.merged.claim("every row: split-merge needs about as many LIDs as greedy (4 %)", -4, 4),
	}
	return &lab.Result{Tables: []lab.Table{t.Table}, Charts: lab.NonEmpty(t.chart.Chart), Claims: slices.Concat(claims, more, t.near)}
}
