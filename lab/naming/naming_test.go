package naming

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/lab"
	"weft/lab/labtest"
	"weft/route/names"
)

// TestExample: Tables 1 and 3 of paper 002 exactly.
func TestExample(t *testing.T) {
	rec := labtest.Run(t, Renaming(), "example", &lab.Setup{Mode: lab.Quick})
	for _, c := range rec.Claims {
		if c.Verdict != lab.Holds {
			t.Errorf("%s: %s (%s)", c.Text, c.Verdict, c.Ours)
		}
	}
	if n := len(rec.Tables[0].Rows); n != 12 {
		t.Errorf("%d entries, want 12", n)
	}
}

// TestEveryArtefact runs a row of each, so that none is broken unseen, on one core
// and on three.
func TestEveryArtefact(t *testing.T) {
	keep := map[string]string{
		"lid table1": "128/16", "lid table2": "128/32", "lid table3": "64/32", "lid table4": "64/16", "lid table5": "64/16",
		"lid table6": "128/16", "lid fig10": "fig10b 1", "lid fig11": "fig11 0",
		"renaming example": "", "renaming table4": "16 switches, 4 links, updn-shortest",
		"renaming table5": "8 switches, 4 links, updn-shortest", "renaming table6": "32 switches, 4 links, smart",
	}
	for _, r := range []*lab.Reproduction{LID(), Renaming()} {
		for _, a := range r.Artefacts {
			row, ok := keep[r.Name+" "+a.Name]
			if !ok {
				t.Errorf("%s %s is not tested", r.Name, a.Name)
				continue
			}
			t.Run(r.Name+" "+a.Name, func(t *testing.T) {
				one := labtest.Run(t, fresh(r.Name), a.Name, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: labtest.Rows(row)})
				three := labtest.Run(t, fresh(r.Name), a.Name, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 3, Rows: labtest.Rows(row)})
				if diff := cmp.Diff(one, three); diff != "" {
					t.Errorf("other figures on three cores:\n%s", diff)
				}
				rows := 0
				for _, table := range one.Tables {
					rows += len(table.Rows)
				}
				if rows == 0 {
					t.Error("no row")
				}
				if _, err := one.Files(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// fresh is a reproduction that has measured nothing yet.
func fresh(name string) *lab.Reproduction {
	if name == "lid" {
		return LID()
	}
	return Renaming()
}

// TestFinishedOnly: networks are chosen by nodes of the search, so that more nodes finish
// no fewer, and on any number of cores the same.
func TestFinishedOnly(t *testing.T) {
	s := &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1}
	sets := pathSets(t.Context(), s, conf{64, 16, 0}, "path-selection", 6)
	var finished []int
	for _, nodes := range []int64{1, mostNodes, names.DefaultBudget} {
		one := finishedOnly(t.Context(), &lab.Setup{Workers: 1}, sets, nodes)
		three := finishedOnly(t.Context(), &lab.Setup{Workers: 3}, sets, nodes)
		if !slices.Equal(one, three) {
			t.Errorf("%d nodes: others are finished on three cores", nodes)
		}
		finished = append(finished, len(one))
	}
	if !slices.IsSorted(finished) || finished[0] == finished[2] || finished[2] != len(sets) {
		t.Errorf("finished by nodes: %v", finished)
	}
}

// TestExplained: an experiment explains a claim only when it moves all means.
func TestExplained(t *testing.T) {
	c := newComparison("t", "t", "row", 1)
	c.cells = []cell{{"a", "x", 100, 130, true}, {"a", "y", 10, 10, true}, {"a", "z", 1, 9, false}}
	claim := c.near("near", "a", nil)
	if claim.Verdict != lab.Differs || claim.Ours != "+0.0 % to +30.0 %" {
		t.Fatal(claim)
	}
	c.explain(&claim, "a", "first", nil, func(q string) float64 { return map[string]float64{"x": 105, "y": 12}[q] })
	if claim.Verdict != lab.Differs {
		t.Error("explained though y is off", claim)
	}
	c.explain(&claim, "a", "second", nil, func(q string) float64 { return map[string]float64{"x": 105, "y": 10.5}[q] })
	if claim.Verdict != lab.Explained || claim.Why != "Experiment, first: +5.0 % to +20.0 %. Experiment, second: +5.0 % to +5.0 %." {
		t.Error(claim)
	}
}

// TestRanking: pairs printed within 1 % do not count.
func TestRanking(t *testing.T) {
	var r ranking
	r.row("a", []string{"x", "y", "z"}, []float64{100, 100.5, 110}, []float64{3, 2, 2.5})
	if c := r.claim("order"); r.pairs != 2 || len(r.wrong) != 1 || c.Verdict != lab.Differs {
		t.Error(r, c)
	}
	var other ranking
	other.row("a", []string{"x", "y", "z"}, []float64{100, 100.5, 110}, []float64{2, 2, 3})
	if other.wrongIn(&r) || !r.wrongIn(&r) || r.wrongIn(&other) {
		t.Error("wrongIn", r, other)
	}
}

// TestCommittedRows runs rows of the committed results again, in full.
func TestCommittedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for _, x := range []struct{ reproduction, artefact, row string }{
		{"lid", "table1", "128/16"}, {"lid", "fig11", "fig11 1"}, {"renaming", "table4", "16 switches, 4 links, updn-shortest"},
	} {
		labtest.CheckCommitted(t, fresh(x.reproduction), x.artefact, x.row)
	}
}
