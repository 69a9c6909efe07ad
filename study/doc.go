// Package study runs what is asked of routings - one routing job with its report, a
// comparison of engines, a simulation of traffic - and writes the results as JSON, which
// docs/json.md lists and whose keys stay, or as text for people.
package study

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table prints rows in aligned columns.
func Table(w io.Writer, rows [][]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	return tw.Flush()
}

// Plural is a number with its noun.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
