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
