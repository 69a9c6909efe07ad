package naming

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/chart"
	"weft/lab"
	"weft/sim/flow"
)

// meanTolerance is the largest difference of means that counts as agreement.
const meanTolerance = 0.1

// differenceTolerance is the share of a printed difference in percent by which ours may be off.
const differenceTolerance = 0.25

// noLowEnd is the difference in percent from a number to none: the low end of a claim that has only a high one, so that its page shows the part
// that is nearest to that.
const noLowEnd = -100

// leastRise is the smallest step that counts as a rise: a hundredth of a point, or one switch in a hundred networks.
const leastRise = 0.01

// comparison is a table of printed values beside ours.
type comparison struct {
	lab.Table
	digits int // after the point
	cells  []cell
}

// cell is a printed value with the mean of ours by which it is judged.
type cell struct {
	row, quantity string
	paper, ours   float64
}

func (c *cell) off() float64 { return c.ours/c.paper - 1 }

func newComparison(name, title, row string, digits int) *comparison {
	return &comparison{digits: digits, Table: lab.Table{
		Name: name, Title: title,
		Columns: []string{row, "quantity", "paper", "ours", "difference", "within 10 %", "remark"},
	}}
}

// addPrinted adds a printed value beside what is shown of ours; judged is the mean that a claim is about.
func (c *comparison) addPrinted(row, quantity string, paper, judged float64, shown flow.Summary, remark string) {
	c.cells = append(c.cells, cell{row, quantity, paper, judged})
	off := shown.Mean/paper - 1
	near := "no"
	if math.Abs(off) <= meanTolerance {
		near = "yes"
	}
	c.Add(row, quantity, c.number(paper), c.interval(shown), lab.Percent(off), near, remark)
}

// addSuspect adds a printed value that is not judged; why says what is wrong with it.
func (c *comparison) addSuspect(row, quantity string, paper float64, shown flow.Summary, why string) {
	c.Add(row, quantity, c.number(paper), c.interval(shown), lab.Percent(shown.Mean/paper-1), "-", "suspect: "+why)
}

// addOurs adds a value that the paper does not have.
func (c *comparison) addOurs(row, quantity string, shown flow.Summary) {
	c.Add(row, quantity, "-", c.interval(shown), "-", "-", "")
}

func (c *comparison) number(v float64) string { return fmt.Sprintf("%.*f", c.digits, v) }

func (c *comparison) interval(s flow.Summary) string {
	return fmt.Sprintf("%.*f ± %.*f", c.digits, s.Mean, c.digits, s.CI95)
}

// near returns the claim that the means of a row are within 10 % of those printed; keep chooses quantities, nil all. They are measured on some rows
// of the artefact.
func (c *comparison) near(text, row string, keep func(quantity string) bool, on ...string) lab.Claim {
	claim := lab.NewClaim(text, "-")
	var parts []lab.Range
	var list []string
	for i := range c.cells {
		x := &c.cells[i]
		if x.row != row || keep != nil && !keep(x.quantity) {
			continue
		}
		parts = append(parts, lab.Range{Of: x.quantity, Value: 100 * x.off(), Low: -100 * meanTolerance, High: 100 * meanTolerance, Format: "%+.1f %%", Rows: on})
		list = append(list, c.number(x.paper))
	}
	if len(list) > 0 {
		claim.Paper = strings.Join(list, ", ")
		claim.JudgeEach(parts)
	}
	return claim
}

// quarterClaim is the claim that a difference in percent is the printed one, give or take a quarter; not run without ours, which is measured on
// some rows of the artefact.
func quarterClaim(text string, printed float64, ours []float64, on ...string) lab.Claim {
	c := lab.NewClaim(text, fmt.Sprintf("%.1f %%", printed))
	if len(ours) > 0 {
		c.JudgeRange(mean(ours), (1-differenceTolerance)*printed, (1+differenceTolerance)*printed, "%+.1f %%")
		c.On(on...)
	}
	return c
}

// mean is NaN for no values.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return flow.Summarise(values).Mean
}

// percents are differences in percent or points, as printed and ours: of rows, or of rows and schemes.
type percents []percent

type percent struct {
	of          string
	paper, ours float64  // ours is NaN where there was nothing to measure
	on          []string // rows of the artefact that it is measured on, nil for all
}

func (p *percents) add(of string, paper, ours float64, on ...string) {
	*p = append(*p, percent{of, paper, ours, on})
}

// of is the difference that is measured on a row, the first of several; nil where there is none.
func (p percents) of(c conf) *percent {
	k := slices.IndexFunc(p, func(x percent) bool { return slices.Contains(x.on, c.String()) })
	if k < 0 {
		return nil
	}
	return &p[k]
}

// rise is by how many points the difference of a row is above that of another; none where one of them was not run.
func (p percents) rise(of string, from, to conf) percents {
	small, large := p.of(from), p.of(to)
	if small == nil || large == nil {
		return nil
	}
	return percents{{of, large.paper - small.paper, large.ours - small.ours, []string{from.String(), to.String()}}}
}

// claim says that each of them is in a range; not run where there is none.
func (p percents) claim(text string, low, high float64) lab.Claim {
	return p.claimEach(text, func(float64) (float64, float64) { return low, high })
}

// asPrinted says that each of them is the printed one: within a quarter of it, or within a tenth of a point, as figures of 0.06 % are printed.
func (p percents) asPrinted(text string) lab.Claim {
	return p.claimEach(text, func(paper float64) (float64, float64) {
		off := max(differenceTolerance*paper, 0.1)
		return paper - off, paper + off
	})
}

func (p percents) claimEach(text string, bounds func(paper float64) (low, high float64)) lab.Claim {
	c := lab.NewClaim(text, "-")
	var parts []lab.Range
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range p {
		low, high := bounds(x.paper)
		part := lab.Range{Of: x.of, Low: low, High: high, Format: "%+.2f %%", Rows: x.on}
		if part.Missing = math.IsNaN(x.ours); !part.Missing {
			part.Value = x.ours
		}
		parts = append(parts, part)
		least, most = min(least, x.paper), max(most, x.paper)
	}
	if len(parts) > 0 {
		if c.Paper = fmt.Sprintf("%+.2f %%", least); most > least {
			c.Paper = fmt.Sprintf("%+.2f to %+.2f %%", least, most)
		}
		c.JudgeEach(parts)
	}
	return c
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
