package naming

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/lab"
)

// finishedTable is Table V.
type finishedTable struct {
	*comparison
	fewer       percents // excess of color/L's LIDs on finished networks over all networks
	similar     percents // excess of greedy over color/L on finished networks, minus that on all, in points
	finished    lab.Table
	nearClaims  []lab.Claim
	each        []lab.Claim          // excess of greedy over color/L, row by row
	greedyAbove map[string][]float64 // excess of greedy over color/L on all networks, by computation
}

// computations of Table V: prefix of columns, name, and greedy's mean excess over color/L in all
// nine rows of Table III or IV.
var computations = []struct {
	prefix, algorithm string
	average           float64
}{{"sw", "shortest-widest", 2.01}, {"ps", "path-selection", 13.3}}

// rowsOfTables3And4 is the number of rows averaged in section VI-B.
const rowsOfTables3And4 = 9

// lidTable5 compares the networks that a bounded search finishes with all networks.
func (st *store) lidTable5(ctx context.Context, s *lab.Setup) *lab.Result {
	t := &finishedTable{
		comparison:  newComparison("table5", fmt.Sprintf("LIDs of all networks (%s) and of the first that the search finished, up to %d", seeds(s, blockNetworks(s)), blockNetworks(s)), "row", 1),
		greedyAbove: map[string][]float64{},
		finished: lab.Table{
			Name:    "table5_finished",
			Title:   fmt.Sprintf("Networks that the search finished with %d nodes for each question (paper: lp_solve, 4 h)", mostNodes),
			Columns: []string{"machines/switches", "paths", "networks tried", "finished"},
		},
	}
	printed := map[conf][]lab.Printed{} // a row of random networks, and one of finished networks
	for _, p := range readTable("lid_table5_topology_bias") {
		printed[confOf(p)] = append(printed[confOf(p)], p)
	}
	for _, p := range readTable("lid_table3_ilp_shortest_widest") {
		c := confOf(p)
		for _, x := range computations {
			label := c.String() + " " + x.algorithm
			var ours []float64
			if c.machines <= lab.Pick(s, 64, 192) && s.Want(label) {
				var finished measured
				if len(printed[c]) > 0 { // first: it tries all networks, so that their paths are then cached
					var number, tried int
					finished, number, tried = st.firstFinished(ctx, s, c, x.algorithm)
					t.finished.Add(c.String(), x.algorithm, fmt.Sprint(tried), fmt.Sprint(number))
				}
				all := st.row(ctx, s, c, x.algorithm, greedyColorAndLoad(s))
				ours = []float64{all.percentAbove("greedy", "color-l")}
				t.greedyAbove[x.algorithm] = append(t.greedyAbove[x.algorithm], ours...)
				if len(printed[c]) > 0 {
					t.row(label, x.prefix, all, finished, printed[c])
				}
			}
			if len(printed[c]) > 0 {
				t.each = append(t.each, quarterClaim(label+", all: greedy above color/L", printed[c][0].Number(x.prefix+"_improvement_pct_printed"), ours, label))
				t.nearClaims = append(t.nearClaims, t.near(label+", all: greedy and color/L within 10 %", label, func(q string) bool { return strings.HasPrefix(q, "all") }, label))
			}
		}
	}
	claims := []lab.Claim{
		t.fewer.claim("every row: networks that the search finishes need no more LIDs by color/L than all", noLowEnd, 0),
		t.similar.claim("every row: color/L improves on greedy about as much on both (2 points)", -2, 2),
	}
	for _, x := range computations {
		ours := t.greedyAbove[x.algorithm]
		if len(ours) != rowsOfTables3And4 {
			ours = nil
		}
		claims = append(claims, quarterClaim("greedy above color/L, the average of the nine rows of Tables III and IV, all networks, "+x.algorithm, x.average, ours))
	}
	return &lab.Result{
		Tables: []lab.Table{t.Table, t.finished}, Claims: slices.Concat(claims, t.each, t.nearClaims),
		Notes: []string{
			"The search finishes nearly every network of shortest widest, so that those rows can hardly differ, where the paper's finished networks need 1 to 4 % fewer LIDs; of path selection it finishes few, and in some rows none.",
			"What is printed of the finished networks repeats Tables III and IV, and is judged there; the averages of the finished ones are those tables in other words.",
		},
	}
}

// row adds the measurements of all networks and of the finished ones, if any, next to the two
// printed rows of a configuration.
func (t *finishedTable) row(label, prefix string, all, finished measured, printed []lab.Printed) {
	kinds := []string{"all", "finished"}
	var better, paperBetter, color, paperColor []float64
	for i, m := range []measured{all, finished} {
		p := printed[i]
		greedy, colored := p.Number(prefix+"_greedy"), p.Number(prefix+"_color_L")
		paperBetter, paperColor = append(paperBetter, 100*(greedy/colored-1)), append(paperColor, colored)
		better, color = append(better, m.percentAbove("greedy", "color-l")), append(color, m.mean("color-l"))
		if len(m["greedy"]) == 0 {
			continue
		}
		t.addPrinted(label, kinds[i]+", greedy", greedy, m.mean("greedy"), m.summary("greedy"), "")
		t.addPrinted(label, kinds[i]+", color/L", colored, m.mean("color-l"), m.summary("color-l"), "")
		t.Add(label, kinds[i]+", greedy above color/L, %", p[prefix+"_improvement_pct_printed"], fmt.Sprintf("%.2f", better[i]), "-", "-", "")
	}
	t.fewer.add(label, 100*(paperColor[1]/paperColor[0]-1), 100*(color[1]/color[0]-1), label)
	t.similar.add(label, paperBetter[1]-paperBetter[0], better[1]-better[0], label)
}
