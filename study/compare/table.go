package compare

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
	"weft/sim/flow"
	"weft/study"
)

// Table prints the rows of engines on fabrics. It prints each row when it is complete.
type Table struct {
	w       io.Writer
	columns []column
	widths  []int
	short   bool        // engines chosen by auto have their own names, without options
	starred bool        // and a star, to tell them from other rows
	all     bool        // with further columns
	fabric  *Comparison // of the present rows; nil before Begin
	rows    []Row
}

// column is a column of the table.
type column struct {
	head  string
	width int // usual width of its cells
	cell  func(c *Comparison, r *Row) string
}

// Columns about an engine's Plan.
var (
	verdictColumn = column{"VERDICT", len("can deadlock"), func(_ *Comparison, r *Row) string { return verdict(r.Check) }}
	lanesColumn   = column{"VLs", len("4, own"), func(_ *Comparison, r *Row) string { return lanesCell(r) }}
	ebbColumn     = column{"EBB", len("0.5000"), func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.4f", r.ebb()) }}
	ebbShort      = column{"EBB", len("0.500"), func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.3f", r.ebb()) }}
	shiftColumn   = column{"SHIFT", len("100.0"), func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.1f", r.Figures.Shift.Mean) }}
	secondsColumn = column{"ROUTE s", 0, func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.3f", r.Seconds) }}
	memoryColumn  = column{"MB", len("1000"), func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.0f", r.RouteRSS) }}
)

// engineColumns lists the columns for one fabric.
var engineColumns = []column{
	verdictColumn, lanesColumn,
	{"HOPS", 0, func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.2f", r.Check.Hops.Avg) }},
	ebbColumn, shiftColumn, secondsColumn, memoryColumn,
}

// allColumns lists the columns for one fabric with every figure, furtherColumns the columns of a
// second table, so that both fit a page.
var (
	allColumns = []column{
		verdictColumn, lanesColumn,
		{"HOPS max/avg", 0, func(_ *Comparison, r *Row) string {
			return fmt.Sprintf("%d/%.2f", r.Check.Hops.Max, r.Check.Hops.Avg)
		}},
		ebbColumn, shiftColumn, secondsColumn, memoryColumn,
	}
	furtherColumns = []column{
		{"REACHABLE", 0, func(_ *Comparison, r *Row) string { return reachableCell(r.Check) }},
		{"NO DEADLOCK", 0, func(_ *Comparison, r *Row) string { return deadlockCell(r.Check) }},
		{"LIDs", 0, func(_ *Comparison, r *Row) string { return strconv.Itoa(r.LIDs) }},
		{"MINIMAL", 0, func(_ *Comparison, r *Row) string { return minimalCell(r.Check) }},
		{"PATHS/CHANNEL", 0, func(_ *Comparison, r *Row) string {
			return fmt.Sprintf("%d/%.1f", r.Check.Load.Max, r.Check.Load.Avg)
		}},
		{"JUDGE s", 0, func(_ *Comparison, r *Row) string { return fmt.Sprintf("%.3f", r.Judged) }},
	}
)

// fabricColumns lists the columns for several fabrics: the parts to buy, and the bandwidth.
// PORTS/HOST is the number of switch ports to buy for a host. PER EBB is the number for each host
// that gets its full rate. With prices both are costs.
func fabricColumns(priced bool) []column {
	whole := func(head string, width int, n func(*Comparison) int) column {
		return column{head, width, func(c *Comparison, _ *Row) string { return strconv.Itoa(n(c)) }}
	}
	columns := []column{
		whole("SWITCHES", 0, func(c *Comparison) int { return c.Bill.Switches }),
		whole("BETWEEN", 0, func(c *Comparison) int { return c.Bill.Between }),
	}
	if priced {
		return append(columns,
			column{"COST", len("10,000,000"), func(c *Comparison, _ *Row) string { return bill.Money(*c.Cost, "") }},
			column{"PER HOST", 0, func(c *Comparison, _ *Row) string { return bill.Money(c.PerServer, "") }},
			column{"PER EBB", 0, func(c *Comparison, r *Row) string {
				return c.perRate(r, func(n float64) string { return bill.Money(n, "") })
			}},
			ebbShort, shiftColumn, lanesColumn)
	}
	return append(columns,
		whole("LEFT", 5, func(c *Comparison) int { return c.Bill.Left }),
		whole("DIAM", 0, func(c *Comparison) int { return c.Diameter }),
		column{"PORTS/HOST", 0, func(c *Comparison, _ *Row) string { return fmt.Sprintf("%.1f", c.PerServer) }},
		column{"PER EBB", 0, func(c *Comparison, r *Row) string {
			return c.perRate(r, func(n float64) string { return fmt.Sprintf("%.1f", n) })
		}},
		ebbShort, shiftColumn, lanesColumn)
}

// perRate formats the share of a server in the parts for each server that gets its full rate, "-"
// without any bandwidth.
func (c *Comparison) perRate(r *Row, text func(float64) string) string {
	if r.ebb() == 0 {
		return "-"
	}
	return text(c.PerServer / r.ebb())
}

// Columns selects the columns of a Table.
type Columns struct {
	Engines []string // names in the first column
	Fabrics bool     // there are several
	Priced  bool     // and prices
	Memory  bool     // memory was measured
	All     bool     // every figure
}

// NewTable makes a table; its head comes with the first fabric.
func NewTable(w io.Writer, c Columns) *Table {
	t := &Table{w: w, columns: engineColumns}
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

// name returns the first column of a row. The options of an engine chosen by auto are below the
// table.
func (t *Table) name(row string) string {
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

// shortName returns the name of an engine without options, without "auto" too.
func shortName(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, engine.Auto+": "), ",")
	return name
}

// Begin prints the parts of a fabric and the head of the table. The fabric's rows follow.
func (t *Table) Begin(c *Comparison) error {
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
func (t *Table) head() error {
	cells := []string{"ENGINE"}
	for _, c := range t.columns {
		cells = append(cells, c.head)
	}
	return t.line(cells)
}

// line prints cells in the columns; the last cell is not padded.
func (t *Table) line(cells []string) error {
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
func (t *Table) Add(r *Row) error {
	t.rows = append(t.rows, *r)
	if r.Refused != nil {
		return t.line([]string{r.Engine, "refused"})
	}
	cells := []string{t.name(r.Engine)}
	for _, c := range t.columns {
		cells = append(cells, c.cell(t.fabric, r))
	}
	if !r.Check.OK && !slices.ContainsFunc(t.columns, func(c column) bool { return c.head == "VERDICT" }) {
		cells = append(cells, verdict(r.Check))
		t.widths = append(t.widths, 0)
		defer func() { t.widths = t.widths[:len(t.widths)-1] }()
	}
	return t.line(cells)
}

// End prints further figures below the rows of a fabric, and the reasons of refusals.
func (t *Table) End() error {
	if err := errors.Join(t.writeFurther(), t.writeYardsticks(), t.writeApps()); err != nil {
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

// writeFurther prints the second table, if every figure was requested.
func (t *Table) writeFurther() error {
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
	return study.Table(t.w, rows)
}

// writeYardsticks prints the yardsticks of the rows.
func (t *Table) writeYardsticks() error {
	var engines []string
	var all []*flow.Yardstick
	for i := range t.rows {
		engines, all = append(engines, t.rows[i].Engine), append(all, t.rows[i].Yardstick)
	}
	return study.WriteYardsticks(t.w, engines, all)
}
