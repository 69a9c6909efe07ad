package naming

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/lab"
	"weft/lab/labtest"
)

// TestFound: the page begins with engine nue, which has less than half of separate's load in every
// row of Table VI, and less than separate's as read and as printed. The notes have the spans of the
// other rules.
func TestFound(t *testing.T) {
	r := LID()
	rec := labtest.Committed(t, r, "table6")
	of := func(table *lab.Table, row, quantity string, column int) (number float64) {
		for _, cells := range table.Rows {
			if cells[0] == row && cells[1] == quantity {
				if _, err := fmt.Sscan(cells[column], &number); err != nil {
					t.Fatal(row, quantity, err)
				}
				return number
			}
		}
		t.Fatalf("%s: no %s of %s", table.Name, quantity, row)
		return 0
	}
	const printed, ours = 2, 3
	letter, read := &rec.Tables[0], &rec.Tables[1]
	rows := readTable("lid_table6_load_and_lids")
	for _, p := range rows {
		row := confOf(p).String()
		nue, separate := of(letter, row, oneLaneNue+" load", ours), of(letter, row, "separate load", ours)
		if 2*nue >= separate || nue >= of(read, row, "separate load", ours) || nue >= of(letter, row, "separate load", printed) {
			t.Errorf("%s: %g, separate %g", row, nue, separate)
		}
	}
	for _, x := range []struct {
		rules       []string
		what        string
		least, most float64 // over that of up*/down*, in percent
	}{
		{[]string{"smart", "nue"}, "load", -50, -24},
		{[]string{"smart", "nue"}, "LIDs", 24, 44},
		{[]string{"l-turn"}, "load", -18, 7},
		{[]string{"l-turn"}, "LIDs", -12, 3},
	} {
		least, most := math.Inf(1), math.Inf(-1)
		for _, p := range rows {
			of := func(rule string) float64 {
				return of(letter, confOf(p).String(), "short, rule "+rule+" (ours) "+x.what, ours)
			}
			for _, rule := range x.rules {
				over := math.Round(100 * (of(rule)/of("up-down") - 1))
				least, most = min(least, over), max(most, over)
			}
		}
		if least != x.least || most != x.most {
			t.Errorf("%s of %v: %+g to %+g %% over up*/down*'s; the notes say %+g to %+g", x.what, x.rules, least, most, x.least, x.most)
		}
	}
	row := confOf(rows[0]).String()
	if said := fmt.Sprintf("%.2f against %.2f", of(letter, row, oneLaneNue+" load", ours), of(letter, row, "separate load", ours)); !strings.Contains(r.Found, said) {
		t.Errorf("%s: not in %q", said, r.Found)
	}
	if letter.Rows[0][1] != oneLaneNue+" load" {
		t.Errorf("the table begins with %s", letter.Rows[0][1])
	}
}
