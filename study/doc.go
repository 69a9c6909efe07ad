// Package study runs what is asked of routings - one routing job with its report, a
// comparison of engines, a simulation of traffic - and writes the results as JSON, which
// docs/json.md lists and whose keys stay, or as text for people.
package study

import (
	"fmt"
	"io"

	"weft/internal/fold"
)

// Table prints rows in aligned columns; texts of the last column are broken at the end of a page.
func Table(w io.Writer, rows [][]string) error {
	_, err := io.WriteString(w, fold.Rows(rows))
	return err
}

// Plural is a number with its noun.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
