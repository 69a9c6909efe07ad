package naming

import (
	"fmt"
	"math"
	"strings"

	"weft/lab"
	"weft/lab/chart"
	"weft/sim/flow"
)

// within is the largest difference of means that counts as agreement.
const within = 0.1

// quarter is the share of a printed difference in percent by which ours may be off.
const quarter = 0.25

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

// near returns the claim that the means of a row are within 10 % of those printed, judged by the one that is furthest off;
// keep chooses quantities, nil all.
func (c *comparison) near(text, row string, keep func(quantity string) bool) lab.Claim {
	claim := lab.NewClaim(text, "-")
	far := 0.0
	var list []string
	for i := range c.cells {
		x := &c.cells[i]
		if x.row != row || !x.judged || keep != nil && !keep(x.quantity) {
			continue
		}
		if math.Abs(x.off()) > math.Abs(far) {
			far = x.off()
		}
		list = append(list, c.number(x.paper))
	}
	if len(list) > 0 {
		claim.Paper = strings.Join(list, ", ")
		claim.JudgeRange(100*far, -100*within, 100*within, "%+.1f %%")
	}
	return claim
}

// quarterClaim is the claim that a difference in percent is the printed one, give or take a quarter; not run without ours.
func quarterClaim(text string, printed float64, ours []float64) lab.Claim {
	c := lab.NewClaim(text, fmt.Sprintf("%.4g %%", printed))
	if len(ours) > 0 {
		c.JudgeRange(mean(ours), (1-quarter)*printed, (1+quarter)*printed, "%+.1f %%")
	}
	return c
}

func mean(values []float64) float64 { return flow.Summarise(values).Mean }

// percents are differences in percent by group of rows, as printed and ours. A group is a number of switches, so that a claim on all rows is not
// judged by the luck of one of them.
type percents struct {
	groups      []string
	paper, ours map[string][]float64
}

func (p *percents) add(group string, paper, ours float64) {
	if p.ours == nil {
		p.paper, p.ours = map[string][]float64{}, map[string][]float64{}
	}
	if len(p.ours[group]) == 0 {
		p.groups = append(p.groups, group)
	}
	p.paper[group], p.ours[group] = append(p.paper[group], paper), append(p.ours[group], ours)
}

// claim judges what a function makes of the means of the groups, such as the least, by its bounds; not run where there is no row.
func (p *percents) claim(text string, of func([]float64) float64, low, high float64) lab.Claim {
	c := lab.NewClaim(text, "-")
	var paper, ours []float64
	for _, g := range p.groups {
		paper, ours = append(paper, mean(p.paper[g])), append(ours, mean(p.ours[g]))
	}
	if len(ours) > 0 {
		c.Paper = fmt.Sprintf("%+.2f %%", of(paper))
		c.JudgeRange(of(ours), low, high, "%+.2f %%")
	}
	return c
}

// furthest returns the value that is furthest from a number.
func furthest(from float64) func([]float64) float64 {
	return func(values []float64) float64 {
		far := from
		for _, v := range values {
			if math.Abs(v-from) > math.Abs(far-from) {
				far = v
			}
		}
		return far
	}
}

// above is a chart of paired differences: by how many percent some quantities are above another one, in print and network by network.
type above struct {
	chart.Chart
	quantities []string // of measured, in the order of their names
}

// newAbove begins such a chart with two series for each quantity.
func newAbove(name, title, label string, names, quantities []string) *above {
	a := &above{chart.Chart{Name: name, Title: title, Kind: chart.Bars, X: chart.Axis{Label: "machines/switches"}, Y: chart.Axis{Label: label}}, quantities}
	for _, n := range names {
		a.Series = append(a.Series, chart.Series{Name: n + ", paper"}, chart.Series{Name: n + ", ours"})
	}
	return a
}

// row adds a row: the printed differences in the order of the quantities, and ours with the 95 % interval of the paired difference.
func (a *above) row(row, base string, printed []float64, m measured) {
	x := float64(len(a.Categories))
	a.Categories = append(a.Categories, row)
	for i, q := range a.quantities {
		a.Series[2*i].Add(x, printed[i], 0, 0)
		d := m.eachOver(q, base)
		a.Series[2*i+1].Add(x, d.Mean, d.Mean-d.CI95, d.Mean+d.CI95)
	}
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
