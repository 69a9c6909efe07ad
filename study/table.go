package study

import (
	"fmt"
	"io"
	"strings"

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

// WriteSome prints the first items of a list.
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

// OneField keeps a text in one field of a table that is separated by tabs.
func OneField(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// UsualRuns is so many random bisections that they take about a second on a core.
func UsualRuns(hosts int) int { return min(max(5_000_000/max(hosts, 1), 100), 1000) }

// Remark prints a text behind what it is about, in lines that fit a page.
func Remark(w io.Writer, about, text string) {
	fmt.Fprintln(w, about+fold.Text(len(about), text))
}

// Duration is a short time in words: milliseconds below a second.
func Duration(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.1f ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.1f s", seconds)
}
