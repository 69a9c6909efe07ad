package intersubnet

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/lab"
	"weft/lab/labtest"
)

// TestArtefacts runs a row of each, so that none is broken unseen.
func TestArtefacts(t *testing.T) {
	for name, row := range map[string]string{"fig2": "2 subnets uniform", "table1": "2 subnets ISFR"} {
		rec := labtest.Run(t, Reproduction(), name, &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows(row)})
		if len(rec.Tables[0].Rows) == 0 {
			t.Errorf("%s has no rows", name)
		}
		for _, cells := range rec.Tables[0].Rows {
			if len(cells) != len(rec.Tables[0].Columns) {
				t.Errorf("%s: a row of %d cells under %d columns", name, len(cells), len(rec.Tables[0].Columns))
			}
		}
	}
}

// TestSameOnAnyCores: one core or four, the same record.
func TestSameOnAnyCores(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	rows := labtest.Rows("2 subnets ISSR")
	one := labtest.Run(t, Reproduction(), "table1", &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: rows})
	four := labtest.Run(t, Reproduction(), "table1", &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 4, Rows: rows})
	if diff := cmp.Diff(one, four); diff != "" {
		t.Error(diff)
	}
}

// TestCommittedRows runs rows of the committed results again, in full.
func TestCommittedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	labtest.CheckCommitted(t, Reproduction(), "table1", "2 subnets ISFR")
	labtest.CheckCommitted(t, Reproduction(), "fig2", "2 subnets non-uniform")
}

// TestBetween: the traffic has the requested share of messages to other subnets, its hot-spots and
// its sizes.
func TestBetween(t *testing.T) {
	hosts := make([][]int32, 3)
	for h := range int32(150) {
		hosts[h%3] = append(hosts[h%3], h)
	}
	w := newFig2Traffic(hosts, 150, .4, true, 1)
	const draws = 100_000
	across, spots, bytes := 0, 0, int64(0)
	for i := range int32(draws) {
		src := i % 150
		dst, size := w.draw(src)
		if dst == src || size < leastBytes || size > mostBytes {
			t.Fatalf("%d bytes from %d to %d", size, src, dst)
		}
		if w.subnetOf[dst] != w.subnetOf[src] {
			across++
		}
		if w.spots[w.subnetOf[dst]] == dst {
			spots++
		}
		bytes += size
	}
	if x := float64(across) / draws; x < .39 || x > .41 {
		t.Errorf("%.3f of the messages go to other subnets, want 0.4", x)
	}
	if x := float64(spots) / draws; x < .064 || x > .074 { // 5 %, and one of 50 of the others
		t.Errorf("%.3f of the messages go to hot-spots, want 0.069", x)
	}
	if x := float64(bytes) / draws; x < 1050 || x > 1082 {
		t.Errorf("messages of %.0f bytes on average, want 1066", x)
	}
}

// TestClaims: every claim of the paper is in its list, and every line of the list has a claim or a
// reason.
func TestClaims(t *testing.T) {
	labtest.CheckClaims(t, Reproduction())
}
