package naming

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/internal/racing"
	"weft/lab"
	"weft/lab/labtest"
	"weft/route/names"
	"weft/route/paths"
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

// rowsOf keeps the rows whose names begin so: of Table VI each routing is one.
func rowsOf(begin string) func(row string) bool {
	return func(row string) bool { return strings.HasPrefix(row, begin) }
}

// TestEveryArtefact runs a row of each, so that none is broken unseen, on one core
// and on three.
func TestEveryArtefact(t *testing.T) {
	racing.SkipLong(t)
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
				one := labtest.Run(t, fresh(r.Name), a.Name, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: rowsOf(row)})
				three := labtest.Run(t, fresh(r.Name), a.Name, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 3, Rows: rowsOf(row)})
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

// TestOptimumWithin: a limit of nodes leaves networks out, more nodes finish no fewer, and a
// finished network has the same optimum under any limit.
func TestOptimumWithin(t *testing.T) {
	s := &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1, Readings: []string{mostLeft}}
	finished := map[int64]int{}
	for seed := range uint64(6) {
		set := compute(t.Context(), s, "path-selection", conf{64, 16}.networks(s).build(seed), seed, pathOptions(s, "path-selection"))
		best := optimumWithin(t.Context(), set, names.DefaultBudget)
		for _, nodes := range []int64{1, mostNodes, names.DefaultBudget} {
			switch n := optimumWithin(t.Context(), set, nodes); n {
			case best:
				finished[nodes]++
			case 0:
			default:
				t.Errorf("%d nodes: %.0f LIDs, the optimum is %.0f", nodes, n, best)
			}
		}
	}
	if finished[1] > finished[mostNodes] || finished[1] == 6 || finished[names.DefaultBudget] != 6 {
		t.Errorf("finished by nodes: %v", finished)
	}
}

// TestNear: a row is judged by the quantity that is furthest off.
func TestNear(t *testing.T) {
	c := newComparison("t", "t", "row", 1)
	c.cells = []cell{{"a", "x", 100, 93}, {"a", "y", 10, 10.5}, {"b", "x", 100, 120}}
	for row, want := range map[string]lab.Verdict{"a": lab.Holds, "b": lab.Differs, "c": lab.NotRun} {
		if claim := c.near("near", row, nil); claim.Verdict != want {
			t.Error(row, claim)
		}
	}
	if claim := c.near("near", "a", nil); math.Abs(claim.Range.Value+7) > 1e-9 {
		t.Error(claim.Range)
	}
}

// TestMeasure: a measured value is not measured again; another quantity, network or reading is.
func TestMeasure(t *testing.T) {
	st, found := &store{}, 0
	row := conf{16, 16}.networks(&lab.Setup{})
	for _, x := range []struct {
		n       int
		schemes []string
		read    []string
		found   int // paths computed so far
	}{
		{2, []string{"greedy", "color-l"}, nil, 2},
		{2, []string{"color-l"}, nil, 2},
		{3, []string{"greedy"}, nil, 3},                    // one more network
		{2, []string{"greedy", "color-s"}, nil, 5},         // another scheme
		{2, []string{"greedy"}, []string{frozenDegree}, 5}, // greedy has no degrees
		{2, []string{"color-l"}, []string{frozenDegree}, 7},
	} {
		s := &lab.Setup{Seed: 3, Workers: 1, Readings: x.read}
		how := computation(s, "shortest-widest")
		find := how.find
		how.find = func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
			found++
			return find(ctx, g, seed)
		}
		got := st.measure(t.Context(), s, x.n, row, how, lidsBy(s, x.schemes...))
		if found != x.found {
			t.Errorf("%v: paths were computed %d times, want %d", x, found, x.found)
		}
		if fresh := (&store{}).measure(t.Context(), s, x.n, row, how, lidsBy(s, x.schemes...)); !cmp.Equal(got, fresh) {
			t.Errorf("%v: %v, without a store %v", x, got, fresh)
		}
		found = x.found
	}
}

// TestReadings: every reading of paper 000 changes a result in an artefact that it names, and no
// other artefact's tables.
func TestReadings(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	rows := map[string]string{
		"table1": "128/16", "table2": "128/16", "table3": "64/32", "table4": "64/16", "table5": "64/16", "table6": "128/16", "fig10": "fig10a 4", "fig11": "fig11 4",
	}
	r := LID()
	tables := func(artefact string, readings ...string) []lab.Table {
		a, _ := r.Find(artefact)
		return a.Run(t.Context(), &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: rowsOf(rows[artefact]), Readings: readings}).Tables
	}
	for _, x := range r.Readings {
		moved := false
		for i := range r.Artefacts {
			artefact := r.Artefacts[i].Name
			same := cmp.Equal(tables(artefact), tables(artefact, x.Name))
			moved = moved || !same
			if concerned := x.In == nil || slices.Contains(x.In, artefact); !same && !concerned {
				t.Errorf("%s changes %s, which it does not name", x.Name, artefact)
			}
		}
		if !moved {
			t.Errorf("%s changes nothing", x.Name)
		}
	}
}

// TestClaimsOnly: skipping work in blocks whose tables are not kept changes no claim.
func TestClaimsOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	r := LID()
	for artefact, row := range map[string]string{"table1": "128/16", "table2": "128/16", "table3": "64/16", "table4": "64/16", "table6": "128/16"} {
		run := func(only bool) *lab.Result {
			a, _ := r.Find(artefact)
			return a.Run(t.Context(), &lab.Setup{Mode: lab.Full, Seed: 3, Workers: 2, Rows: rowsOf(row), ClaimsOnly: only})
		}
		whole, less := run(false), run(true)
		if diff := cmp.Diff(whole.Claims, less.Claims); diff != "" {
			t.Errorf("%s: %s", artefact, diff)
		}
		if cmp.Equal(whole.Tables, less.Tables) {
			t.Errorf("%s: nothing is left out", artefact)
		}
	}
}

// TestWholeFigures: every claim on broken links is judged where all rows are run.
func TestWholeFigures(t *testing.T) {
	racing.SkipLong(t)
	for _, name := range []string{"fig10", "fig11"} {
		for _, c := range labtest.Run(t, LID(), name, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 2}).Claims {
			if c.Verdict == lab.NotRun {
				t.Errorf("%s: %s: %s", name, c.Text, c.Verdict)
			}
		}
	}
}

// TestRowsSuffice: a number that names its rows is the same if only these are run.
func TestRowsSuffice(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	r := LID()
	for i := range r.Artefacts {
		a := &r.Artefacts[i]
		setup := lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 2, ClaimsOnly: true}
		whole, named := a.Run(t.Context(), &setup), 0
		for k := range whole.Claims {
			for _, want := range whole.Claims[k].Ranges() {
				if want.Rows == nil {
					continue
				}
				named++
				some := setup
				some.Rows = labtest.Rows(want.Rows...)
				got := a.Run(t.Context(), &some).Claims[k].Ranges()
				if !slices.ContainsFunc(got, func(g lab.Range) bool { return cmp.Equal(g, want) }) {
					t.Errorf("%s: %s: %s is %g, on %q alone %+v", a.Name, whole.Claims[k].Text, want.Of, want.Value, want.Rows, got)
				}
			}
		}
		if figure := strings.HasPrefix(a.Name, "fig"); (named > 0) == figure {
			t.Errorf("%s: %d numbers name their rows", a.Name, named)
		}
	}
}

// TestByChance: networks are connected, their links vary, and have the mean asked for.
func TestByChance(t *testing.T) {
	links, all := map[int]bool{}, 0
	const n = 40
	for seed := range uint64(n) {
		g := conf{16, 16}.buildByChance(seed)
		if _, parts := g.Components(); parts != 1 {
			t.Fatal("not connected")
		}
		links[g.NumChannels/2], all = true, all+g.NumChannels/2
	}
	if mean := float64(all) / n; len(links) < 5 || mean < 61 || mean > 67 {
		t.Errorf("%v, %.1f links", links, mean)
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

// TestClaims: every sentence and cell of both papers has its claim, or a reason why not.
func TestClaims(t *testing.T) {
	for _, r := range []*lab.Reproduction{LID(), Renaming()} {
		labtest.CheckClaims(t, r)
	}
}
