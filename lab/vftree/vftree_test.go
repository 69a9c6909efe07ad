package vftree

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/lab"
	"weft/lab/labtest"
)

// TestArtefacts runs some rows of each, so that none is broken unseen.
func TestArtefacts(t *testing.T) {
	for name, rows := range map[string][]string{
		"fig2":    {"two switches 3, all have credits", "two switches 3, lane 0 runs out of credits", "two switches 1, it runs out of credits"},
		"fig5":    {"vftree-fig3 plain", "vftree-fig3 congestion control", "vftree-fig3 victim on its own lane"},
		"fig8":    {"vftree-fig4a 1", "vftree-fig4a 2, victims by hand", "vftree-fig4a 3, vFtree"},
		"fig9":    {"vftree-fig4b 1", "vftree-fig4b 3, vFtree"},
		"fig10":   {"648-port 1:1 9 hot-spots 8"},
		"victims": {"96 hosts, 2:1 1 -", "96 hosts, 2:1 2 vftree", "96 hosts, 2:1 2 rounds", "96 hosts, 2:1 2 victims"},
	} {
		if testing.Short() && name == "fig10" {
			continue // 648 hosts take long with the race detector
		}
		rec := labtest.Run(t, Reproduction(), name, &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows(rows...)})
		if len(rec.Tables[0].Rows) != len(rows) {
			t.Errorf("%s: %d rows, want %d", name, len(rec.Tables[0].Rows), len(rows))
		}
		for _, cells := range rec.Tables[0].Rows {
			if len(cells) != len(rec.Tables[0].Columns) {
				t.Errorf("%s: a row of %d cells under %d columns", name, len(cells), len(rec.Tables[0].Columns))
			}
		}
	}
}

// TestVictimsOfLanes: on a 2:1 tree with two lanes hot-spots hold up fewest flows, and nodes get
// most, with lanes=victims; rounds are the worst.
func TestVictimsOfLanes(t *testing.T) {
	rows := labtest.Run(t, Reproduction(), "victims", &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows(
		"96 hosts, 2:1 2 vftree", "96 hosts, 2:1 2 rounds", "96 hosts, 2:1 2 victims")}).Tables[0].Rows
	var held, rates []float64
	for _, cells := range rows {
		h, err := strconv.ParseFloat(strings.TrimSuffix(cells[3], " %"), 64)
		r, err2 := strconv.ParseFloat(cells[5], 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q: %v, %v", cells, err, err2)
		}
		held, rates = append(held, h), append(rates, r)
	}
	if !(held[2] < held[0] && held[0] < held[1]) {
		t.Errorf("held up: %v", held)
	}
	if !(rates[2] > rates[0] && rates[0] > rates[1]) {
		t.Errorf("Gbit/s: %v", rates)
	}
}

// TestVictim: the victim of figure 5 gets as much as the contributors, and three times that with
// congestion control or on its own lane.
func TestVictim(t *testing.T) {
	claims := labtest.Run(t, Reproduction(), "fig5", &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2}).Claims
	if !within(claims[0].Range.Value, .95, 1.05) {
		t.Errorf("%+v", claims[0])
	}
	for _, c := range claims[2:4] {
		if times := c.Range.Value / claims[1].Range.Value; !within(times, 2.9, 3.1) {
			t.Errorf("%+v: %f times what it is without", c, times)
		}
	}
}

func within(v, low, high float64) bool { return v >= low && v <= high }

// TestHostRate: PCIe leaves 13.8 of the 16 Gbit/s of its lanes, and a packet of 2,048 bytes takes
// as long at the rate with headers.
func TestHostRate(t *testing.T) {
	if got := hostRate(&lab.Setup{}); got != 14_012 {
		t.Errorf("%d Mbit/s with headers", got)
	}
	if got := hostRate(&lab.Setup{Readings: []string{measuredRate}}); got != 13_671 {
		t.Errorf("%d Mbit/s with headers, as measured", got)
	}
}

// TestSameOnAnyCores: one core or four, the same record. What runs on several cores is the routing
// of each row, with the numbers of its paths; the packets of a row are one loop.
func TestSameOnAnyCores(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	for artefact, row := range map[string][]string{
		"fig8":    {"vftree-fig4a 3, vFtree"},
		"fig9":    {"vftree-fig4b 3, vFtree"},
		"victims": {"96 hosts, 2:1 2 vftree", "96 hosts, 2:1 2 rounds", "96 hosts, 2:1 2 victims"},
	} {
		one := labtest.Run(t, Reproduction(), artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: labtest.Rows(row...)})
		four := labtest.Run(t, Reproduction(), artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 4, Rows: labtest.Rows(row...)})
		if diff := cmp.Diff(one, four); diff != "" {
			t.Errorf("%s: %s", artefact, diff)
		}
		if len(one.Tables[0].Rows) != len(row) {
			t.Errorf("%s: %d rows, want %d", artefact, len(one.Tables[0].Rows), len(row))
		}
	}
}

// TestCommittedRows runs rows of the committed results again, in full.
func TestCommittedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	labtest.CheckCommitted(t, Reproduction(), "fig5", "vftree-fig3 plain", "vftree-fig3 congestion control")
	labtest.CheckCommitted(t, Reproduction(), "fig9", "vftree-fig4b 2, victim by hand")
	labtest.CheckCommitted(t, Reproduction(), "fig10", "648-port 1:1 1 hot-spots 1")
}

// TestBenchmarks: lanes help the random rings of both tables.
func TestBenchmarks(t *testing.T) {
	rec := labtest.Run(t, Reproduction(), "table1", &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2})
	if got, want := len(rec.Tables[0].Rows), 2*len(measurements); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	for _, row := range rec.Tables[0].Rows {
		if row[1] == measurements[9] && row[4][0] != '+' {
			t.Errorf("%q", row)
		}
	}
}

// TestClaims: every claim of the paper is in its list, and every line of the list has a claim or a
// reason.
func TestClaims(t *testing.T) {
	labtest.CheckClaims(t, Reproduction())
}
