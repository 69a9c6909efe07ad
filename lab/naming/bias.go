package naming

import (
	"context"
	"fmt"
	"strings"

	"weft/lab"
	"weft/route/paths"
)

// countAll counts the LIDs of sets by schemes.
func countAll(ctx context.Context, sets []*paths.Set, schemes ...string) (measured, error) {
	m := measured{}
	for _, set := range sets {
		for _, scheme := range schemes {
			n, err := lids(ctx, set, scheme)
			if err != nil {
				return nil, err
			}
			m[scheme] = append(m[scheme], n)
		}
	}
	return m, nil
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
func table5(ctx context.Context, s *lab.Setup) (*lab.Result, error) {
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
			if err := t.row(ctx, s, c, p.prefix, p.algorithm, rows[i:i+kinds]); err != nil {
				return nil, err
			}
		}
	}
	claims := append([]lab.Claim{
		t.fewer.claim("networks that a bounded search finishes need no more LIDs than all (color/L)", "fewer in every row"),
		t.similar.claim("color/L improves on greedy about as much on both (within 3 points)", "0.03 to 1.95 points apart"),
	}, t.claims...)
	return &lab.Result{Tables: []lab.Table{t.Table, t.solved}, Claims: claims}, nil
}

// row runs a row for one path computation.
func (t *bias) row(ctx context.Context, s *lab.Setup, c conf, prefix, algorithm string, rows []printed) error {
	label := c.String() + " " + algorithm
	kinds := []string{"all", finished}
	random, selected, err := t.run(ctx, s, c, algorithm, mostNodes)
	if err != nil {
		return err
	}
	improvement := map[string]float64{}
	for i, m := range []measured{random, selected} {
		if len(m["greedy"]) == 0 {
			continue
		}
		t.add(label, kinds[i]+", greedy", rows[i].value(prefix+"_greedy"), m.summary("greedy"), "")
		t.add(label, kinds[i]+", color/L", rows[i].value(prefix+"_color_L"), m.summary("color-l"), "")
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
			if err := t.explain(ctx, s, &claim, c, label, algorithm, kind); err != nil {
				return err
			}
		}
		t.claims = append(t.claims, claim)
	}
	return nil
}

// explain looks at a claim again: for networks that are finished with a longer limit,
// and with none, so that all are; for all networks with the other experiments.
func (t *bias) explain(ctx context.Context, s *lab.Setup, claim *lab.Claim, c conf, label, algorithm, kind string) error {
	type try struct {
		text string
		run  func() (measured, error)
	}
	var tries []try
	if kind == finished {
		tries = []try{{fmt.Sprintf("%d nodes in place of %d", extraNodes, mostNodes), func() (measured, error) {
			_, m, err := t.run(ctx, s, c, algorithm, extraNodes)
			return m, err
		}}, {"no limit, so that every network is finished", func() (measured, error) {
			return t.random(ctx, s, c, algorithm)
		}}}
	} else {
		for _, x := range experiments(c, algorithm) {
			tries = append(tries, try{x.text, func() (measured, error) { return t.random(ctx, s, x.c, x.algorithm) }})
		}
	}
	prefix := kind + ", "
	for _, x := range tries {
		if claim.Verdict != lab.Differs {
			return nil
		}
		m, err := x.run()
		if err != nil {
			return err
		}
		if len(m["greedy"]) == 0 {
			continue
		}
		t.comparison.explain(claim, label, x.text, func(q string) bool { return q == prefix+"greedy" || q == prefix+"color/L" },
			func(q string) float64 { return m.mean(schemeOf(strings.TrimPrefix(q, prefix))) })
	}
	return nil
}

// random measures the first networks.
func (t *bias) random(ctx context.Context, s *lab.Setup, c conf, algorithm string) (measured, error) {
	sets, err := pathSets(ctx, s, c, algorithm, t.n)
	if err != nil {
		return nil, err
	}
	return countAll(ctx, sets, "greedy", "color-l")
}

// run measures the first networks, and the first of those that the search finishes.
func (t *bias) run(ctx context.Context, s *lab.Setup, c conf, algorithm string, nodes int64) (random, selected measured, err error) {
	all, err := pathSets(ctx, s, c, algorithm, t.tries)
	if err != nil {
		return nil, nil, err
	}
	solved, err := finishedOnly(ctx, s, all, nodes)
	if err != nil {
		return nil, nil, err
	}
	t.solved.Add(c.String(), algorithm, fmt.Sprint(nodes), fmt.Sprint(t.tries), fmt.Sprint(len(solved)))
	if random, err = countAll(ctx, all[:t.n], "greedy", "color-l"); err == nil {
		selected, err = countAll(ctx, solved[:min(t.n, len(solved))], "greedy", "color-l")
	}
	return random, selected, err
}
