package fattree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/lab"
	"weft/lab/labtest"
)

// run runs one artefact, some of its rows only.
func run(t *testing.T, paper, name string, s *lab.Setup) *lab.Record {
	t.Helper()
	return labtest.Run(t, reproduction(t, paper), name, s)
}

func reproduction(t *testing.T, paper string) *lab.Reproduction {
	t.Helper()
	all := Reproductions()
	i := slices.IndexFunc(all, func(r *lab.Reproduction) bool { return r.Name == paper })
	if i < 0 {
		t.Fatalf("there is no paper %s", paper)
	}
	return all[i]
}

// TestFigure1: EFT sends to 24 nodes through one root, BEFT through twelve.
func TestFigure1(t *testing.T) {
	rec := run(t, "thesis-1", "fig1", &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows("two levels, a node a leaf EFT", "two levels, a node a leaf BEFT")})
	want := [][]string{
		{"two levels, a node a leaf", "EFT", "12", "1", "24", "23"},
		{"two levels, a node a leaf", "BEFT", "12", "12", "2", "23"},
	}
	if d := cmp.Diff(want, rec.Tables[0].Rows); d != "" {
		t.Error(d)
	}
}

// TestEveryArtefact runs some rows of each, so that none is broken unseen.
func TestEveryArtefact(t *testing.T) {
	keep := map[string][]string{
		"thesis-1 fig1":       {"two levels, a node a leaf EFT", "two levels, a node a leaf BEFT"},
		"thesis-1 fig2":       {"racks648 22:1 EFT", "racks648 22:1 BEFT"},
		"thesis-1 fig4":       {"fat648 17:1 EFT", "fat648 17:1 BEFT"},
		"thesis-1 loads":      {"racks648 22:1 ours"},
		"thesis-1 fig5":       {"racks648 22:1 EFT", "racks648 22:1 BEFT"},
		"thesis-1 fig6":       {"fat3456 6:6 EFT"},
		"thesis-1 fig7":       {},
		"thesis-1 ranger":     {},
		"thesis-1 table2":     {"fat648 9:9 EFT", "fat648 9:9 BEFT"},
		"thesis-1 fig8":       {"fat648 5:1 EFT", "fat648 17:1 EFT"},
		"thesis-1 fig9":       {"fat3456 1:1 EFT"},
		"thesis-1 table3":     {"648-port fat-tree switch BEFT"},
		"thesis-3 switches":   {"fat648 none", "fat648 sFtree", "fat648 ours"},
		"thesis-3 table1":     {"sftree-fig4a all on VL 0", "sftree-fig4a nodes on VL 1"},
		"thesis-3 table3":     {"fat648 LASH"},
		"thesis-3 fig2":       {"0-3 3-0 2-4 5-1 edited by hand"},
		"thesis-3 fig6":       {"4 switches edited by hand"},
		"thesis-3 fig7":       {},
		"thesis-3 lanes":      {"fat648"},
		"thesis-3 table4":     {"648-port fat-tree switch LASH"},
		"thesis-4 anomaly":    {"0 MinHop", "1 ours"},
		"thesis-4 fig2":       {"259 links"},
		"thesis-4 fig3":       {"1 switches"},
		"thesis-4 fig4":       {"80 links"},
		"thesis-4 fig5":       {"1 switches"},
		"thesis-4 beyond":     {"1 switches", "7 most loaded link"},
		"thesis-4 default":    {"uniform traffic 0 links"},
		"thesis-6 topologies": {"fat648", "racks216"},
		"thesis-6 redundancy": {"mftree-fig2 ftree", "mftree-fig2 mFtree", "racks216|ports(2) mFtree"},
		"thesis-6 fig3":       {"mftree-fig2 ftree"},
		"thesis-6 fig4":       {"racks216 ftree"},
		"thesis-6 fig5":       {"racks216 mFtree"},
		"thesis-6 fig6":       {"racks216 ftree", "racks216 mFtree"},
		"thesis-6 beyond":     {"racks216 ours"},
		"thesis-6 table1":     {"3-stage 216-port mFtree"},
	}
	slow := []string{"thesis-1 fig6", "thesis-1 table2", "thesis-4 fig2", "thesis-4 fig3", "thesis-4 fig4", "thesis-4 fig5", "thesis-4 default"}
	for _, r := range Reproductions() {
		for _, a := range r.Artefacts {
			name := r.Name + " " + a.Name
			rows, ok := keep[name]
			if !ok {
				t.Errorf("%s is not tested", name)
				continue
			}
			t.Run(name, func(t *testing.T) {
				if testing.Short() && slices.Contains(slow, name) {
					t.Skip("not with -short") // hundreds of nodes take long with the race detector
				}
				rec := run(t, r.Name, a.Name, &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows(rows...)})
				if len(rec.Tables[0].Rows) < min(len(rows), 1) {
					t.Error("no rows")
				}
				for _, table := range rec.Tables {
					for _, cells := range table.Rows {
						if len(cells) != len(table.Columns) {
							t.Errorf("table %s: a row of %d cells under %d columns: %q", table.Name, len(cells), len(table.Columns), cells)
						}
					}
				}
				if _, err := rec.Files(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestVerdicts are claims that must not be lost without a word.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	records := map[string]*lab.Record{} // several claims are about the same rows
	for _, c := range []struct{ paper, artefact, row, claim string }{
		{"thesis-1", "fig1", "", "under EFT one root"},
		{"thesis-3", "switches", "racks648", "sFtree joins all"},
		{"thesis-3", "switches", "fat648", "fat-tree routing alone"},
		{"thesis-4", "anomaly", "0 ", "MinHop, a root"},
		{"thesis-4", "anomaly", "0 ", "MinHop, a middle switch"},
		{"thesis-6", "redundancy", "racks216", "mFtree: no spine"},
		{"thesis-3", "table1", "sftree", "nodes on VL 1: the traffic of switches"},
		{"thesis-3", "fig2", "", "four pairs close a cycle"},
		{"thesis-3", "fig2", "", "no three of them do"},
		{"thesis-3", "fig6", "4 switches", "4 switches, the paths of sFtree"},
		{"thesis-6", "fig3", "mftree-fig2", "mFtree: what is left"},
		{"thesis-6", "fig3", "mftree-fig2", "classic: what is left"},
	} {
		rows := c.paper + c.artefact + c.row
		if records[rows] == nil {
			records[rows] = run(t, c.paper, c.artefact, &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: func(row string) bool { return strings.HasPrefix(row, c.row) }})
		}
		rec := records[rows]
		i := slices.IndexFunc(rec.Claims, func(x lab.Claim) bool { return strings.HasPrefix(x.Text, c.claim) })
		if i < 0 || !held(&rec.Claims[i]) {
			t.Errorf("%s %s: the claim %q does not hold: %+v", c.paper, c.artefact, c.claim, rec.Claims)
		}
	}
}

// held reports whether a claim was true in the only seed block, which is too few for a verdict if
// it draws anything.
func held(c *lab.Claim) bool {
	if r := c.Range; r != nil {
		return r.Value >= r.Low && r.Value <= r.High
	}
	return c.Verdict == lab.Holds || c.Verdict == lab.TooFew
}

// TestTopologies: switches as section V-C of Paper VI counts them.
func TestTopologies(t *testing.T) {
	for _, row := range run(t, "thesis-6", "topologies", &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1}).Tables[0].Rows {
		for i := 3; i < 9; i += 2 { // leaves, middle, spines
			if row[i+1] != "-" && row[i+1] != row[i] {
				t.Errorf("%q", row)
			}
		}
	}
}

// TestSameOnAnyCores: one core or four, the same record.
func TestSameOnAnyCores(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	for _, c := range []struct{ paper, artefact, row string }{
		{"thesis-1", "table2", "fat648 9:9 BEFT"}, {"thesis-4", "fig5", "2 switches"}, {"thesis-6", "fig6", "racks216 mFtree"}, {"thesis-3", "fig6", "4 switches edited by hand"},
	} {
		one := run(t, c.paper, c.artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: labtest.Rows(c.row)})
		four := run(t, c.paper, c.artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 4, Rows: labtest.Rows(c.row)})
		if diff := cmp.Diff(one, four); diff != "" {
			t.Errorf("%s %s:\n%s", c.paper, c.artefact, diff)
		}
	}
}

// TestCommittedRows runs rows of the committed results again, in full.
func TestCommittedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	for _, c := range []struct {
		paper, artefact string
		rows            []string
	}{
		{"thesis-1", "fig8", []string{"fat648 5:1 EFT", "fat648 13:1 BEFT"}},
		{"thesis-3", "table1", []string{"sftree-fig4a all on VL 0"}},
		{"thesis-3", "table3", []string{"fat648 LASH"}},
		{"thesis-3", "fig2", []string{"0-3 3-0 2-4 5-1 edited by hand"}},
		{"thesis-3", "fig6", []string{"4 switches edited by hand", "5 switches OpenSM's minhop"}},
		{"thesis-4", "fig4", []string{"259 links"}},
		{"thesis-4", "anomaly", []string{"0 MinHop", "3 fat-tree", "3 ours"}},
		{"thesis-6", "fig3", []string{"mftree-fig2 ftree", "mftree-fig2 mFtree"}},
		{"thesis-6", "fig6", []string{"racks216 ftree"}},
		{"thesis-6", "redundancy", []string{"over384|ports(2) ftree", "over384|ports(2) mFtree"}},
	} {
		labtest.CheckCommitted(t, reproduction(t, c.paper), c.artefact, c.rows...)
	}
}

// TestPlainWords: the plain words about Paper IV are true of the committed results.
func TestPlainWords(t *testing.T) {
	rec := labtest.Committed(t, reproduction(t, "thesis-4"), "fig2")
	share := func(number, engine string) (percent float64) {
		for _, row := range rec.Tables[0].Rows {
			if row[1] == number && row[2] == engine {
				if _, err := fmt.Sscanf(row[3], "%f %%", &percent); err != nil {
					t.Fatal(err)
				}
			}
		}
		return percent
	}
	if lost := 1 - share("1", "fat-tree")/share("0", "fat-tree"); lost < .4 || lost > .6 {
		t.Errorf("the first failed link takes %.2f of what fat-tree routing gives, not about half", lost)
	}
	for _, n := range linksOfPaper(&lab.Setup{Mode: lab.Full})[1:] {
		if number := fmt.Sprint(n); share(number, "fat-tree") >= share(number, "DFSSSP") {
			t.Errorf("%d failed links: DFSSSP is not ahead", n)
		}
	}
}

// TestClaims: every claim of a paper is in its list, and every line of the list has a claim or a
// reason.
func TestClaims(t *testing.T) {
	for _, paper := range []string{"thesis-1", "thesis-3", "thesis-4", "thesis-6"} {
		labtest.CheckClaims(t, reproduction(t, paper))
	}
}
