package lab

import (
	"fmt"
	"slices"
	"strconv"

	"weft/internal/chart"
	"weft/sim/flow"
)

// Result holds the tables, claims and charts of an artefact.
type Result struct {
	Tables []Table       `json:"tables"` // the artefact's own tables first, then those of experiments
	Claims []Claim       `json:"claims"`
	Charts []chart.Chart `json:"charts,omitempty"`
	// Pictures are drawings other than charts.
	Pictures []Picture `json:"pictures,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
}

// Picture is a drawing.
type Picture struct {
	Name  string `json:"name"` // file name without .svg
	Title string `json:"title"`
	SVG   []byte `json:"-"`
}

// Table is a table of text; column names state the units.
type Table struct {
	Name    string     `json:"name"` // file name without .tsv
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// NonEmpty drops charts without data.
func NonEmpty(all ...chart.Chart) []chart.Chart {
	var out []chart.Chart
	for _, c := range all {
		if slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Points) > 0 }) {
			out = append(out, c)
		}
	}
	return out
}

// Num prints a number with three significant digits, or with all digits before the point if there
// are more.
func Num(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100 || v <= -100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Mean prints a mean and half its 95 % confidence interval.
func Mean(s flow.Summary) string { return fmt.Sprintf("%.4f ± %.4f", s.Mean, s.CI95) }

// Percent prints a relative difference, signed.
func Percent(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) }
