package browse

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/internal/fold"
	"weft/lab/report"
	"weft/lab/store"
	"weft/lab/sweep"
)

// column is a column of a sweep that has a value.
type column struct {
	name   string
	of     *store.Column // of rows; nil: a further one
	cells  []string      // of a further column, by row
	number bool          // every cell with a value is a finite number
	float  bool
	values []string // distinct ones, in the order of the rows; nil: more than mostValues
}

// mostValues is the maximum number of distinct values of a column that one can filter by.
const mostValues = 50

// text returns a cell as text, "" for no value.
func (h *held) text(c *column, row int) string {
	if c.of == nil {
		return c.cells[row]
	}
	return store.Text(store.Value(&h.rows[row], c.of))
}

// value returns a cell as a number; false without one.
func (h *held) value(c *column, row int) (float64, bool) {
	x, err := strconv.ParseFloat(h.text(c, row), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// find returns a column by its name, nil for an unknown one.
func (h *held) find(name string) *column {
	if at := slices.IndexFunc(h.columns, func(c column) bool { return c.name == name }); at >= 0 {
		return &h.columns[at]
	}
	return nil
}

// description describes an open sweep.
type description struct {
	named
	Says    string         `json:"says"` // how its cases ended
	Columns []listedColumn `json:"columns"`
	First   asked          `json:"first"` // the chart that comes first
}

// listedColumn is a column that has values.
type listedColumn struct {
	Name   string   `json:"name"`
	About  string   `json:"about,omitempty"` // in words, with the unit
	Number bool     `json:"number,omitempty"`
	Values []string `json:"values,omitempty"` // all values, at most 50; a chart can be filtered by them
}

// identities are the columns that name a row rather than describe it.
var identities = []string{"case", "graph", "identity", "reason", "fabric"}

// take takes the rows of a table, and describes them and the columns with values.
func (h *held) take(t *store.Table[sweep.Row]) {
	h.rows = t.Rows
	for _, of := range store.Columns[sweep.Row]() {
		if slices.Contains(t.Columns, of.Name) {
			h.note(column{name: of.Name, of: &of})
		}
	}
	for k, name := range t.More {
		list := make([]string, len(t.Further))
		for i := range t.Further {
			list[i] = t.Further[i][k]
		}
		h.note(column{name: name, cells: list})
	}
	h.about = description{named: named{h.id, h.name, h.title, len(h.rows)}, Says: h.says(), Columns: []listedColumn{}}
	for i := range h.columns {
		c := &h.columns[i]
		out := listedColumn{Name: c.name, Number: c.number}
		if words := report.Label(c.name); words != c.name {
			out.About = words
		}
		if !slices.Contains(identities, c.name) && !(c.of != nil && c.of.Made) {
			out.Values = c.values
		}
		h.about.Columns = append(h.about.Columns, out)
	}
	h.about.First = h.first()
}

// note adds a column, unless no row has a value of it.
func (h *held) note(c column) {
	typed := c.of != nil && c.of.Text()
	c.number = !typed && !slices.Contains(identities, c.name)
	seen, has := map[string]bool{}, false
	for i := range h.rows {
		text := h.text(&c, i)
		if text == "" {
			continue
		}
		has = true
		if c.number {
			_, err := strconv.ParseFloat(text, 64)
			c.number = err == nil
			c.float = c.float || strings.ContainsAny(text, ".eE")
		}
		if !seen[text] && len(c.values) <= mostValues {
			seen[text] = true
			c.values = append(c.values, text)
		}
	}
	if len(c.values) > mostValues || c.float {
		c.values = nil
	}
	if has {
		h.columns = append(h.columns, c)
	}
}

// says says how the cases ended.
func (h *held) says() string {
	counts := map[string]int{}
	for i := range h.rows {
		counts[h.rows[i].Status]++
	}
	parts := []string{}
	for _, status := range []string{sweep.Proven, sweep.NotProven, sweep.Refused, sweep.NotRun} {
		if n := counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
			delete(counts, status)
		}
	}
	if len(counts) > 0 {
		parts = append(parts, "others with an unknown status")
	}
	return fmt.Sprintf("%s: %s.", fold.Count(len(h.rows), "row", "rows"), strings.Join(parts, ", "))
}

// usualFigures are the figures that come first, the best known ones at the beginning.
var usualFigures = []string{"ebb_share", "pattern_bandwidth_share", "throughput_gbps", "app_end_us"}

// first returns the chart that comes first: the figure of the workload by damage, or by hosts or
// networks if there is one damage. It is of one network at a time where a mean would mix several.
func (h *held) first() asked {
	a := asked{X: "network", By: "engine"}
	for _, name := range usualFigures {
		if h.find(name) != nil {
			a.Y = name
			break
		}
	}
	for i := range h.columns {
		if c := &h.columns[i]; a.Y == "" && c.number && (c.of == nil || c.of.Optional()) {
			a.Y = c.name
		}
	}
	several := func(name string) bool { c := h.find(name); return c != nil && len(c.values) != 1 }
	switch {
	case several("damage"):
		a.X = "damage"
		if several("network") {
			a.Only = []condition{{"network", []string{h.rows[0].Network}}}
		}
	case h.find("network") == nil || !several("network"):
		a.X, a.By = "engine", ""
	}
	return a
}
