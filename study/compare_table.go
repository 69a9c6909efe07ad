package study

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric/bill"
	"weft/internal/fold"
	"weft/route/engine"
)

// ComparedTable prints what engines make of fabrics, each row as soon as it is there.
type ComparedTable struct {
	w       io.Writer
	columns []comparedColumn
	widths  []int
	short   bool        // engines that auto chose go by their own names, without options
	starred bool        // and have a star, since there are others
	all     bool        // with further columns
	fabric  *Comparison // of the rows that come now; nil where nothing is bought
	rows    []Compared
}

// comparedColumn is a column of the table.
type comparedColumn struct {
	head  string
	width int // that its cells usually have
	cell  func(c *Comparison, r *Compared) string
}

// What is said of an engine's Plan.
var (
	verdictColumn = comparedColumn{"VERDICT", len("can deadlock"), func(_ *Comparison, r *Compared) string { return verdict(r.Check) }}
	lanesColumn   = comparedColumn{"VLs", len("4, own"), func(_ *Comparison, r *Compared) string { return lanesCell(r) }}
	ebbColumn     = comparedColumn{"EBB", len("0.5000"), func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.4f", r.ebb()) }}
	ebbShort      = comparedColumn{"EBB", len("0.500"), func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.3f", r.ebb()) }}
	shiftColumn   = comparedColumn{"SHIFT", len("100.0"), func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.1f", r.Figures.Shift.Mean) }}
	secondsColumn = comparedColumn{"ROUTE s", 0, func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.3f", r.Seconds) }}
	memoryColumn  = comparedColumn{"MB", len("1000"), func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.0f", r.RouteRSS) }}
)

// engineColumns lists the columns for one fabric.
var engineColumns = []comparedColumn{
	verdictColumn, lanesColumn,
	{"HOPS", 0, func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.2f", r.Check.Hops.Avg) }},
	ebbColumn, shiftColumn, secondsColumn, memoryColumn,
}

// allColumns lists the columns for one fabric with every figure, and further columns those of a second table, so
// that both fit a page.
var (
	allColumns = []comparedColumn{
		verdictColumn, lanesColumn,
		{"HOPS max/avg", 0, func(_ *Comparison, r *Compared) string {
			return fmt.Sprintf("%d/%.2f", r.Check.Hops.Max, r.Check.Hops.Avg)
		}},
		ebbColumn, shiftColumn, secondsColumn, memoryColumn,
	}
	furtherColumns = []comparedColumn{
		{"REACHABLE", 0, func(_ *Comparison, r *Compared) string { return reachableCell(r.Check) }},
		{"NO DEADLOCK", 0, func(_ *Comparison, r *Compared) string { return deadlockCell(r.Check) }},
		{"LIDs", 0, func(_ *Comparison, r *Compared) string { return strconv.Itoa(r.LIDs) }},
		{"MINIMAL", 0, func(_ *Comparison, r *Compared) string { return minimalCell(r.Check) }},
		{"PATHS/CHANNEL", 0, func(_ *Comparison, r *Compared) string {
			return fmt.Sprintf("%d/%.1f", r.Check.Load.Max, r.Check.Load.Avg)
		}},
		{"JUDGE s", 0, func(_ *Comparison, r *Compared) string { return fmt.Sprintf("%.3f", r.Judged) }},
	}
)

// fabricColumns lists the columns for several fabrics: what is bought, and what it delivers. PORTS/HOST is how
// many ports of switches are bought for a host, PER EBB how many for each host that gets its full rate; with
// prices both are costs.
func fabricColumns(priced bool) []comparedColumn {
	whole := func(head string, width int, n func(*Comparison) int) comparedColumn {
		return comparedColumn{head, width, func(c *Comparison, _ *Compared) string { return strconv.Itoa(n(c)) }}
	}
	columns := []comparedColumn{
		whole("SWITCHES", 0, func(c *Comparison) int { return c.Bill.Switches }),
		whole("BETWEEN", 0, func(c *Comparison) int { return c.Bill.Between }),
	}
	if priced {
		return append(columns,
			comparedColumn{"COST", len("10,000,000"), func(c *Comparison, _ *Compared) string { return bill.Money(*c.Cost, "") }},
			comparedColumn{"PER HOST", 0, func(c *Comparison, _ *Compared) string { return bill.Money(c.perHost(), "") }},
			comparedColumn{"PER EBB", 0, func(c *Comparison, r *Compared) string {
				return c.perRate(r, func(n float64) string { return bill.Money(n, "") })
			}},
			ebbShort, shiftColumn, lanesColumn)
	}
	return append(columns,
		whole("LEFT", 5, func(c *Comparison) int { return c.Bill.Left }),
		whole("DIAM", 0, func(c *Comparison) int { return c.Diameter }),
		comparedColumn{"PORTS/HOST", 0, func(c *Comparison, _ *Compared) string { return fmt.Sprintf("%.1f", c.perHost()) }},
		comparedColumn{"PER EBB", 0, func(c *Comparison, r *Compared) string {
			return c.perRate(r, func(n float64) string { return fmt.Sprintf("%.1f", n) })
		}},
		ebbShort, shiftColumn, lanesColumn)
}

// perHost is the cost of a host, or how many ports of switches are bought for it.
func (c *Comparison) perHost() float64 {
	hosts := float64(max(c.Bill.Hosts, 1))
	if c.Cost != nil {
		return *c.Cost / hosts
	}
	return float64(c.Bill.SwitchPorts()) / hosts
}

// perRate is perHost for each host that gets its full rate, - where there is no bandwidth.
func (c *Comparison) perRate(r *Compared, text func(float64) string) string {
	if r.ebb() == 0 {
		return "-"
	}
	return text(c.perHost() / r.ebb())
}

// Columns says which columns a ComparedTable has.
type Columns struct {
	Engines []string // names in the first column
	Fabrics bool     // there are several
	Priced  bool     // and prices
	Memory  bool     // memory was measured
	All     bool     // every figure
}

// NewComparedTable makes a table; its head comes with the first fabric.
func NewComparedTable(w io.Writer, c Columns) *ComparedTable {
	t := &ComparedTable{w: w, columns: engineColumns}
	switch {
	case c.All:
		t.columns = allColumns
	case c.Fabrics:
		t.columns = fabricColumns(c.Priced)
	}
	if !c.Memory && !c.Fabrics || c.All && !c.Memory {
		t.columns = t.columns[:len(t.columns)-1]
	}
	t.short, t.all = c.Fabrics && !c.All, c.All
	t.starred = t.short && len(c.Engines) > 1 && slices.Contains(c.Engines, engine.Auto)
	t.widths = []int{len("ENGINE")}
	for _, name := range c.Engines {
		if name == engine.Auto {
			name += ": dfsssp" // the engine it chooses
		}
		t.widths[0] = max(t.widths[0], len(t.name(name)))
	}
	for _, column := range t.columns {
		t.widths = append(t.widths, max(len(column.head), column.width))
	}
	return t
}

// name returns the first column of an engine. The options of one that auto chose stand below the table.
func (t *ComparedTable) name(row string) string {
	if t.short {
		name := shortName(row)
		if t.starred && strings.HasPrefix(row, engine.Auto) {
			name += "*"
		}
		return name
	}
	if chosen, auto := strings.CutPrefix(row, engine.Auto+": "); auto {
		return engine.Auto + ": " + shortName(chosen)
	}
	return row
}

// shortName is the name of an engine without options, also of one that auto chose.
func shortName(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, engine.Auto+": "), ",")
	return name
}

// Begin prints what is bought for a fabric, whose rows come next, and the head of the table.
func (t *ComparedTable) Begin(c *Comparison) error {
	if t.fabric != nil {
		fmt.Fprintln(t.w)
	}
	t.fabric = c
	text := fmt.Sprintf("%s: %s, diameter %d", c.Fabric, c.Bill, c.Diameter)
	if c.Cost != nil {
		text += ", " + bill.Money(*c.Cost, c.Currency)
	}
	fmt.Fprintln(t.w, fold.Text(0, text))
	return t.head()
}

// head prints the names of the columns.
func (t *ComparedTable) head() error {
	cells := []string{"ENGINE"}
	for _, c := range t.columns {
		cells = append(cells, c.head)
	}
	return t.line(cells)
}

// line prints cells in the columns; the last one is not filled up.
func (t *ComparedTable) line(cells []string) error {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		width := t.widths[i]
		if i == len(cells)-1 {
			width = 0
		}
		fmt.Fprintf(&b, "%-*s", width, cell)
	}
	_, err := fmt.Fprintln(t.w, b.String())
	return err
}

// Add prints a row.
func (t *ComparedTable) Add(r *Compared) error {
	t.rows = append(t.rows, *r)
	if r.Refused != nil {
		return t.line([]string{r.Engine, "refused"})
	}
	cells := []string{t.name(r.Engine)}
	for _, c := range t.columns {
		cells = append(cells, c.cell(t.fabric, r))
	}
	if !r.Check.OK && !slices.ContainsFunc(t.columns, func(c comparedColumn) bool { return c.head == "VERDICT" }) {
		cells = append(cells, verdict(r.Check))
		t.widths = append(t.widths, 0)
		defer func() { t.widths = t.widths[:len(t.widths)-1] }()
	}
	return t.line(cells)
}

// End prints what stands below the rows of a fabric: the further figures, and why engines refused.
func (t *ComparedTable) End() error {
	if err := errors.Join(t.writeFurther(), writeYardsticks(t.w, t.rows)); err != nil {
		return err
	}
	for i := range t.rows {
		if r := t.rows[i].Refused; r != nil {
			fmt.Fprintln(t.w, fold.Text(0, fmt.Sprint("refused: ", r)))
		}
		switch c := t.rows[i].Choice; {
		case c != nil && t.starred:
			fmt.Fprintln(t.w, "* chosen by auto")
		case c != nil && !t.short:
			fmt.Fprintln(t.w, fold.Text(0, "auto: "+c.String()))
		}
	}
	t.rows = nil
	return nil
}

// writeFurther prints the second table of every figure.
func (t *ComparedTable) writeFurther() error {
	head := []string{"ENGINE"}
	for _, c := range furtherColumns {
		head = append(head, c.head)
	}
	rows := [][]string{head}
	for i := range t.rows {
		r := &t.rows[i]
		if !t.all || r.Refused != nil {
			continue
		}
		row := []string{shortName(r.Engine)}
		for _, c := range furtherColumns {
			row = append(row, c.cell(t.fabric, r))
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		return nil
	}
	fmt.Fprintln(t.w)
	return Table(t.w, rows)
}

// writeYardsticks prints the further figures, where there are any: in two tables, so that they fit a page.
func writeYardsticks(w io.Writer, rows []Compared) error {
	first := [][]string{{"", "EBB", "+-95%", "BOUND", "SHIFTS", "DOUBLING", "DOUBLING random"}}
	second := [][]string{{"", "PERMUTATION median/99%", "PAIRS/CHANNEL hosts/all", "LEAST", "DARK"}}
	for i := range rows {
		if y := rows[i].Yardstick; y != nil {
			first = append(first, []string{
				rows[i].Engine, fmt.Sprintf("%.4f", y.EBB.Mean), fmt.Sprintf("%.4f", y.EBB.CI95), fmt.Sprintf("%.4f", y.EBBBound),
				fmt.Sprintf("%.0f", y.Shift.Sum), fmt.Sprintf("%.1f", y.Doubling.Sum), fmt.Sprintf("%.1f", y.DoublingRandom.Sum),
			})
			second = append(second, []string{
				rows[i].Engine, fmt.Sprintf("%.2f/%.2f", y.PermutationMedian, y.PermutationP99), fmt.Sprintf("%d/%d", y.PairLoad, y.PairLoadSwitches), leastPairs(y.PairLoadBound),
				strconv.Itoa(y.DarkChannels),
			})
		}
	}
	if len(first) == 1 {
		return nil
	}
	fmt.Fprintln(w, "\nThe yardstick: by the rates of links; sums over rounds of the largest congestion")
	if err := Table(w, first); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return Table(w, second)
}

// leastPairs is the bound of the pairs on a channel, where there is one.
func leastPairs(bound float64) string {
	if bound == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", bound)
}
