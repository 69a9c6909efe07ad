package naming

import (
	"context"
	"fmt"
	"strings"

	"weft/lab"
	"weft/route/paths"
)

// countAll counts the LIDs of sets by schemes.
func countAll(ctx context.Context, sets []*paths.Set, schemes ...string) measured {
	m := measured{}
	for _, set := range sets {
		for _, scheme := range schemes {
			n := lids(ctx, set, scheme)
			m[scheme] = append(m[scheme], n)
		}
	}
	return m
}

// finished is the kind of the networks that the search finishes.
const finished = "finished"

// bias is Table V.
type bias struct {
	*comparison
	n, tries int
	fewer    tally // LIDs on networks that were finished
	similar  tally // improvement of color/L on both kinds
	solved   lab.Table
	claims   []lab.Claim
}

// table5 compares the networks that a bounded search finishes with all.
func table5(ctx context.Context, s *lab.Setup) *lab.Result {
	n := lab.Pick(s, 3, 32)
	t := &bias{
		comparison: newComparison("table5", fmt.Sprintf("LIDs of all networks (%s) and of the first %d that the search finished", seeds(s, n), n), "row", 1),
		n:          n, tries: lab.Pick(s, 4, 48),
		solved: lab.Table{
			Name:    "table5_finished",
			Title:   "Networks that the search finished, with so many nodes for each programme (paper: lp_solve, 4 h)",
			Columns: []string{"machines/switches", "paths", "nodes", "networks tried", "finished"},
		},
	}
	const kinds = 2 // rows of a configuration: random, then ILP selected
	rows := readTable("lid_table5_topology_bias")
	for i := 0; i < len(rows); i += kinds {
		c := confOf(rows[i])
		if c.machines > lab.Pick(s, 64, 192) || !s.Want(c.String()) {
			continue
		}
		for _, p := range []struct{ prefix, algorithm string }{{"sw", "shortest-widest"}, {"ps", "path-selection"}} {
			t.row(ctx, s, c, p.prefix, p.algorithm, rows[i:i+kinds])
		}
	}
	claims := append([]lab.Claim{
		t.fewer.claim("networks that a bounded search finishes need no more LIDs than all (color/L)", "fewer in every row"),
		t.similar.claim("color/L improves on greedy about as much on both (within 3 points)", "0.03 to 1.95 points apart"),
	}, t.claims...)
	return &lab.Result{Tables: []lab.Table{t.Table, t.solved}, Claims: claims}
}

// row runs a row for one path computation.
func (t *bias) row(ctx context.Context, s *lab.Setup, c conf, prefix, algorithm string, rows []lab.Printed) {
	label := c.String() + " " + algorithm
	kinds := []string{"all", finished}
	random, selected := t.run(ctx, s, c, algorithm, mostNodes)
	improvement := map[string]float64{}
	for i, m := range []measured{random, selected} {
		if len(m["greedy"]) == 0 {
			continue
		}
		t.add(label, kinds[i]+", greedy", rows[i].Number(prefix+"_greedy"), m.summary("greedy"), "")
		t.add(label, kinds[i]+", color/L", rows[i].Number(prefix+"_color_L"), m.summary("color-l"), "")
		improvement[kinds[i]] = 100 * (m.mean("greedy")/m.mean("color-l") - 1)
		t.Add(label, kinds[i]+", improvement, %", rows[i][prefix+"_improvement_pct_printed"], fmt.Sprintf("%.2f", improvement[kinds[i]]), "-", "-", "")
	}
	if len(selected["greedy"]) > 0 {
		t.fewer.row(label, selected.mean("color-l") <= random.mean("color-l"))
		d := improvement["all"] - improvement["finished"]
		t.similar.row(label, d < 3 && d > -3)
	}
	for _, kind := range kinds {
		claim := t.near(fmt.Sprintf("%s, %s: greedy and color/L within 10 %%", label, kind), label, func(q string) bool {
			return q == kind+", greedy" || q == kind+", color/L"
		})
		if claim.Verdict == lab.Differs && s.Mode == lab.Full {
			t.explain(ctx, s, &claim, c, label, algorithm, kind)
		}
		t.claims = append(t.claims, claim)
	}
}

// explain looks at a claim again: for networks that are finished with a longer limit,
// and with none, so that all are; for all networks with the other experiments.
func (t *bias) explain(ctx context.Context, s *lab.Setup, claim *lab.Claim, c conf, label, algorithm, kind string) {
	var tries []try
	if kind == finished {
		tries = []try{{fmt.Sprintf("%d nodes in place of %d", extraNodes, mostNodes), func() measured {
			_, m := t.run(ctx, s, c, algorithm, extraNodes)
			return m
		}}, {"no limit, so that every network is finished", func() measured { return t.random(ctx, s, c, algorithm) }}}
	} else {
		tries = triesOf(experiments(c, algorithm), func(x experiment) measured { return t.random(ctx, s, x.c, x.algorithm) })
	}
	prefix := kind + ", "
	t.explainBy(claim, label, func(q string) bool { return q == prefix+"greedy" || q == prefix+"color/L" }, tries,
		func(m measured, q string) float64 { return m.mean(schemeOf(strings.TrimPrefix(q, prefix))) })
}

// random measures the first networks.
func (t *bias) random(ctx context.Context, s *lab.Setup, c conf, algorithm string) measured {
	return countAll(ctx, pathSets(ctx, s, c, algorithm, t.n), "greedy", "color-l")
}

// run measures the first networks, and the first of those that the search finishes.
func (t *bias) run(ctx context.Context, s *lab.Setup, c conf, algorithm string, nodes int64) (random, selected measured) {
	all := pathSets(ctx, s, c, algorithm, t.tries)
	solved := finishedOnly(ctx, s, all, nodes)
	t.solved.Add(c.String(), algorithm, fmt.Sprint(nodes), fmt.Sprint(t.tries), fmt.Sprint(len(solved)))
	return countAll(ctx, all[:t.n], "greedy", "color-l"), countAll(ctx, solved[:min(t.n, len(solved))], "greedy", "color-l")
}
