package naming

import (
	"fmt"
	"math"
	"strings"

	"weft/lab"
	"weft/sim/flow"
)

// within is the largest difference of means that counts as agreement.
const within = 0.1

// comparison is a table of printed values beside ours.
type comparison struct {
	lab.Table
	digits int // after the point
	cells  []cell
}

type cell struct {
	row, quantity string
	paper, ours   float64
	judged        bool
}

func (c *cell) off() float64 { return c.ours/c.paper - 1 }

func newComparison(name, title, row string, digits int) *comparison {
	return &comparison{digits: digits, Table: lab.Table{
		Name: name, Title: title,
		Columns: []string{row, "quantity", "paper", "ours", "difference", "within 10 %", "remark"},
	}}
}

// add adds a printed value; a remark that begins with misprint keeps it from being
// judged.
func (c *comparison) add(row, quantity string, paper float64, ours flow.Summary, remark string) {
	x := cell{row, quantity, paper, ours.Mean, !strings.HasPrefix(remark, "misprint")}
	verdict := "no"
	switch {
	case !x.judged:
		verdict = "-"
	case math.Abs(x.off()) <= within:
		verdict = "yes"
	}
	c.cells = append(c.cells, x)
	c.Add(row, quantity, c.number(paper), c.interval(ours), lab.Percent(x.off()), verdict, remark)
}

// beside adds a value of ours that the paper does not have.
func (c *comparison) beside(row, quantity string, ours flow.Summary, remark string) {
	c.Add(row, quantity, "-", c.interval(ours), "-", "-", remark)
}

func (c *comparison) number(v float64) string { return fmt.Sprintf("%.*f", c.digits, v) }

func (c *comparison) interval(s flow.Summary) string {
	return fmt.Sprintf("%.*f ± %.*f", c.digits, s.Mean, c.digits, s.CI95)
}

// near returns the claim that the means of a row are within 10 % of those printed; keep
// chooses quantities, nil all.
func (c *comparison) near(text, row string, keep func(quantity string) bool) lab.Claim {
	claim := lab.NewClaim(text, "-")
	low, high, n := math.Inf(1), math.Inf(-1), 0
	var list []string
	for i := range c.cells {
		x := &c.cells[i]
		if x.row != row || !x.judged || keep != nil && !keep(x.quantity) {
			continue
		}
		low, high, n = min(low, x.off()), max(high, x.off()), n+1
		list = append(list, c.number(x.paper))
	}
	if n == 0 {
		return claim
	}
	claim.Paper = strings.Join(list, ", ")
	claim.Ours = lab.Percent(low)
	if n > 1 {
		claim.Ours += " to " + lab.Percent(high)
	}
	claim.Verdict = lab.Judged(low >= -within && high <= within)
	return claim
}

// explain looks at a claim of near again with the means of an experiment.
func (c *comparison) explain(claim *lab.Claim, row, what string, keep func(quantity string) bool, mean func(quantity string) float64) {
	if claim.Verdict != lab.Differs {
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range c.cells {
		if x := &c.cells[i]; x.row == row && x.judged && (keep == nil || keep(x.quantity)) {
			off := mean(x.quantity)/x.paper - 1
			low, high = min(low, off), max(high, off)
		}
	}
	before := claim.Why // of an experiment that did not explain it
	claim.Explain(low >= -within && high <= within, "Experiment, %s: %s to %s.", what, lab.Percent(low), lab.Percent(high))
	claim.Why = strings.TrimSpace(before + " " + claim.Why)
}

// try is an experiment, and how it is run.
type try struct {
	text string
	run  func() measured
}

// explainBy looks at a claim of near again with one experiment after the other, until one
// explains it; of gives the mean of a quantity.
func (c *comparison) explainBy(claim *lab.Claim, row string, keep func(quantity string) bool, tries []try, of func(m measured, quantity string) float64) {
	for _, x := range tries {
		if claim.Verdict != lab.Differs {
			return
		}
		if m := x.run(); len(m) > 0 {
			c.explain(claim, row, x.text, keep, func(quantity string) float64 { return of(m, quantity) })
		}
	}
}

// bySchemeOf returns the mean of the scheme of a quantity.
func bySchemeOf(m measured, quantity string) float64 { return m.mean(schemeOf(quantity)) }

// ranking is the claim about the order of quantities in the rows of a table: the
// pairs printed more than 1 % apart are in the same order with us.
type ranking struct {
	pairs int
	wrong []string
	rows  map[string]bool // that have a wrong pair
}

// row looks at the pairs of one row; names, printed values and ours go together.
func (r *ranking) row(row string, names []string, paper, ours []float64) {
	for i := range names {
		for j := range names {
			if paper[j] <= 1.01*paper[i] {
				continue
			}
			r.pairs++
			if ours[j] <= ours[i] {
				r.wrong = append(r.wrong, fmt.Sprintf("%s %s above %s", row, names[i], names[j]))
				if r.rows == nil {
					r.rows = map[string]bool{}
				}
				r.rows[row] = true
			}
		}
	}
}

// wrongIn reports whether a pair is wrong in a row in which another ranking has one.
func (r *ranking) wrongIn(other *ranking) bool {
	for row := range other.rows {
		if r.rows[row] {
			return true
		}
	}
	return false
}

func (r *ranking) claim(text string) lab.Claim {
	c := lab.NewClaim(text, fmt.Sprintf("%d pairs", r.pairs))
	if r.pairs > 0 {
		c.Ours = fmt.Sprintf("%d in the same order", r.pairs-len(r.wrong))
		if len(r.wrong) > 0 {
			c.Ours += "; not " + strings.Join(r.wrong, ", ")
		}
		c.Verdict = lab.Judged(len(r.wrong) == 0)
	}
	return c
}

// tally counts rows for which a claim is true.
type tally struct {
	of    int
	wrong []string
}

func (t *tally) row(row string, holds bool) {
	t.of++
	if !holds {
		t.wrong = append(t.wrong, row)
	}
}

func (t *tally) claim(text, paper string) lab.Claim {
	c := lab.NewClaim(text, paper)
	if t.of > 0 {
		c.Ours = fmt.Sprintf("%d of %d rows", t.of-len(t.wrong), t.of)
		if len(t.wrong) > 0 {
			c.Ours += "; not " + strings.Join(t.wrong, ", ")
		}
		c.Verdict = lab.Judged(len(t.wrong) == 0)
	}
	return c
}
