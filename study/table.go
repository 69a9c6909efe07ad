package study

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/fold"
)

// Table prints rows in aligned columns, and wraps the last column at the end of a page.
func Table(w io.Writer, rows [][]string) error {
	_, err := io.WriteString(w, fold.Rows(rows))
	return err
}

// Plural returns a number with its noun, which gets an s unless the number is 1.
func Plural[N int | int64](n N, noun string) string {
	return fold.Count(n, noun, noun+"s")
}

// WriteSome prints a title and the first items of a list, and how many more there are.
func WriteSome(w io.Writer, title string, items []string, shown int) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, item := range items[:min(len(items), shown)] {
		fmt.Fprintln(w, " ", fold.Text(2, item))
	}
	if more := len(items) - shown; more > 0 {
		fmt.Fprintf(w, "  and %d more (-v lists all)\n", more)
	}
}

// OneField replaces control characters by blanks, so that a text stays in one field of a table with
// tabs.
func OneField(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// UsualRuns returns the number of random bisections that take about a second on one core.
func UsualRuns(hosts int) int { return min(max(5_000_000/max(hosts, 1), 100), 1000) }

// Remark prints a label and a text, in lines that fit a page.
func Remark(w io.Writer, about, text string) {
	fmt.Fprintln(w, about+fold.Text(len(about), text))
}

// Duration formats a short time: milliseconds below a second.
func Duration(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.1f ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.1f s", seconds)
}
