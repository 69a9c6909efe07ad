package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/internal/fold"
)

// WriteMarkdown writes a page as Markdown. Its pictures are the files of Pictures, with prefix
// before their names.
func (p *Page) WriteMarkdown(w io.Writer, prefix string) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", p.Title)
	for _, part := range p.blocks {
		fmt.Fprintln(b)
		switch {
		case part.heading != "":
			fmt.Fprintf(b, "## %s\n", part.heading)
		case part.text != "":
			fmt.Fprintln(b, fold.Page("", part.text))
		case part.code != "":
			fence := "```"
			for strings.Contains(part.code, fence) {
				fence += "`"
			}
			fmt.Fprintf(b, "%s\n%s\n%s\n", fence, part.code, fence)
		case part.chart != nil:
			fmt.Fprintf(b, "![%s](%s%s.svg)\n", part.chart.Title, prefix, part.chart.Name)
		default:
			if part.summary != "" {
				fmt.Fprintf(b, "%s:\n\n", part.summary)
			}
			part.table.writeMarkdown(b)
		}
	}
	return b.Flush()
}

// writeMarkdown writes a table. Texts are code where Markdown could change them.
func (t *table) writeMarkdown(w io.Writer) {
	line := func(cells []string) {
		fmt.Fprint(w, "|")
		for _, text := range cells {
			if strings.ContainsAny(text, "*_<`[\\|") && !strings.Contains(text, "`") {
				text = "`" + text + "`"
			}
			fmt.Fprintf(w, " %s |", strings.ReplaceAll(text, "|", `\|`))
		}
		fmt.Fprintln(w)
	}
	line(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, cells := range t.Rows {
		line(cells)
	}
}
