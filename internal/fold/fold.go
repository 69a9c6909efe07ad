// Package fold breaks long lines of text for people: to at most 80 columns for a terminal (Text,
// Rows, Named), and to at most 100 for Markdown pages (Page). Count puts a noun beside a number.
package fold

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Columns is the width of a page.
const Columns = 80

// least is the narrowest column for broken text.
const least = 24

// Text breaks a text between words, so that it ends before column Columns. It begins at column
// indent, like the later lines. It breaks nothing if fewer than least columns are left, and never
// within a word or between a number and its per cent sign.
func Text(indent int, text string) string {
	width := Columns - indent
	if width < least || ansi.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	at := 0
	for i, word := range words(text) {
		n := ansi.StringWidth(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// words splits a text at its spaces, except before a per cent sign.
func words(text string) (list []string) {
	for word := range strings.SplitSeq(text, " ") {
		if last := len(list) - 1; last >= 0 && strings.HasPrefix(word, "%") {
			list[last] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// Rows aligns the columns of a table, two spaces apart, and breaks the texts of the last one.
func Rows(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:max(0, len(row)-1)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		at := 0
		var line strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				line.WriteString(Text(at, cell))
				break
			}
			line.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
			at += widths[i] + 2
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Named aligns the columns of a table whose rows have names. The names follow the columns if all of
// them fit on the page; otherwise each stands on a line of its own below its row.
func Named(rows [][]string, names []string) string {
	lines := strings.SplitAfter(Rows(rows), "\n")[:len(rows)]
	width, longest := 0, 0
	for i, name := range names {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
		width, longest = max(width, ansi.StringWidth(lines[i])), max(longest, ansi.StringWidth(name))
	}
	var b strings.Builder
	for i, name := range names {
		b.WriteString(lines[i])
		if width+2+longest <= Columns {
			b.WriteString(strings.Repeat(" ", width-ansi.StringWidth(lines[i])+2) + name + "\n")
		} else {
			b.WriteString("\n  " + Text(2, name) + "\n")
		}
	}
	return b.String()
}
