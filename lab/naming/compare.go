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

// meanTolerance is the largest relative difference of means that counts as agreement.
const meanTolerance = 0.1

// differenceTolerance is the allowed deviation of ours, as a share of a printed difference.
const differenceTolerance = 0.25

// noLowEnd is the difference from a number to zero, in percent: the low end of a claim with only a
// high end, so that its page shows the part nearest to the high end.
const noLowEnd = -100

// leastRise is the smallest step that counts as a rise: a hundredth of a point, or one switch in a
// hundred networks.
const leastRise = 0.01

// comparison is a table of printed values next to ours.
type comparison struct {
	lab.Table
	digits int // after the decimal point
	cells  []cell
}

// cell is a printed value and the mean of ours that is compared with it.
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

// addPrinted adds a printed value next to our shown summary; claims compare with the mean judged.
func (c *comparison) addPrinted(row, quantity string, paper, judged float64, shown flow.Summary, remark string) {
	c.cells = append(c.cells, cell{row, quantity, paper, judged})
	off := shown.Mean/paper - 1
	near := "no"
	if math.Abs(off) <= meanTolerance {
		near = "yes"
	}
	c.Add(row, quantity, c.number(paper), c.interval(shown), lab.Percent(off), near, remark)
}

// addSuspect adds a printed value that is not judged; why states its fault.
func (c *comparison) addSuspect(row, quantity string, paper float64, shown flow.Summary, why string) {
	c.Add(row, quantity, c.number(paper), c.interval(shown), lab.Percent(shown.Mean/paper-1), "-", "suspect: "+why)
}

// addOurs adds a value that is not in the paper.
func (c *comparison) addOurs(row, quantity string, shown flow.Summary) {
	c.Add(row, quantity, "-", c.interval(shown), "-", "-", "")
}

func (c *comparison) number(v float64) string { return fmt.Sprintf("%.*f", c.digits, v) }

func (c *comparison) interval(s flow.Summary) string {
	return fmt.Sprintf("%.*f ± %.*f", c.digits, s.Mean, c.digits, s.CI95)
}

// near returns the claim that the means of a row are within 10 % of the printed ones. keep selects
// quantities, nil all. on names the artefact's rows on which they are measured.
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

// quarterClaim returns the claim that a difference in percent is within a quarter of the printed
// one. It is not run if ours is empty; on names the artefact's rows on which ours is measured.
func quarterClaim(text string, printed float64, ours []float64, on ...string) lab.Claim {
	c := lab.NewClaim(text, fmt.Sprintf("%.1f %%", printed))
	if len(ours) > 0 {
		c.JudgeRange(mean(ours), (1-differenceTolerance)*printed, (1+differenceTolerance)*printed, "%+.1f %%")
		c.On(on...)
	}
	return c
}

// mean returns the mean of some values, NaN for none.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return flow.Summarise(values).Mean
}

// percents are printed differences and ours, in percent or points: of rows, or of rows and schemes.
type percents []percent

type percent struct {
	of          string
	paper, ours float64  // ours is NaN if there was nothing to measure
	on          []string // the artefact's rows on which it is measured, nil for all
}

func (p *percents) add(of string, paper, ours float64, on ...string) {
	*p = append(*p, percent{of, paper, ours, on})
}

// of returns the first difference measured on a row; nil if there is none.
func (p percents) of(c conf) *percent {
	k := slices.IndexFunc(p, func(x percent) bool { return slices.Contains(x.on, c.String()) })
	if k < 0 {
		return nil
	}
	return &p[k]
}

// rise returns the step of the difference from one row to another, in points; nil if one was not
// run.
func (p percents) rise(of string, from, to conf) percents {
	small, large := p.of(from), p.of(to)
	if small == nil || large == nil {
		return nil
	}
	return percents{{of, large.paper - small.paper, large.ours - small.ours, []string{from.String(), to.String()}}}
}

// claim returns the claim that each difference is in a range; not run if there is none.
func (p percents) claim(text string, low, high float64) lab.Claim {
	return p.claimEach(text, func(float64) (float64, float64) { return low, high })
}

// asPrinted returns the claim that each difference is as printed: within a quarter of it, or within
// a tenth of a point, since figures such as 0.06 % are printed.
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

// above is a chart of paired differences: the excess of some quantities over another in percent, as
// printed and network by network.
type above struct {
	chart.Chart
	quantities []string // keys of measured, in the order of their names
}

// newAbove returns an empty chart with two series for each quantity.
func newAbove(name, title, label string, names, quantities []string) *above {
	a := &above{chart.Chart{Name: name, Title: title, Kind: chart.Bars, X: chart.Axis{Label: "machines/switches"}, Y: chart.Axis{Label: label}}, quantities}
	for _, n := range names {
		a.Series = append(a.Series, chart.Series{Name: n + ", paper"}, chart.Series{Name: n + ", ours"})
	}
	return a
}

// row adds a row: the printed differences in the order of the quantities, and ours with the 95 %
// interval of the paired difference.
func (a *above) row(row, base string, printed []float64, m measured) {
	x := float64(len(a.Categories))
	a.Categories = append(a.Categories, row)
	for i, q := range a.quantities {
		a.Series[2*i].Add(x, printed[i], 0, 0)
		d := m.eachOver(q, base)
		a.Series[2*i+1].Add(x, d.Mean, d.Mean-d.CI95, d.Mean+d.CI95)
	}
}
