package lab

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteReport writes one Markdown page of the records of a paper: the claims first,
// then each artefact with its pictures and tables. Records are in the paper's order.
func WriteReport(w io.Writer, r *Reproduction, records []*Record) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n%s\n\n", r.Name, r.Paper)
	fmt.Fprintf(b, "Made by `weft lab reproduce %s`; do not edit. ", r.Name)
	fmt.Fprintf(b, "Claims: %s.\n\n", countVerdicts(records))
	writeVerdicts(b)
	if r.Assumptions != "" {
		fmt.Fprintf(b, "Assumptions: %s\n\n", r.Assumptions)
	}
	r.writeReadings(b, records)
	claims := Table{Columns: []string{"where", "claim", "paper", "ours", "holds in", "verdict"}}
	for _, rec := range records {
		for i := range rec.Claims {
			c := &rec.Claims[i]
			claims.Add(fmt.Sprintf("[%s](#%s)", rec.Artefact, rec.Artefact), c.Text, c.Paper, c.Ours, c.Range.bounds(), c.verdict())
		}
	}
	claims.writeMarkdown(b)
	for _, rec := range records {
		rec.write(b)
	}
	return b.Flush()
}

func (r *Record) write(b *bufio.Writer) {
	fmt.Fprintf(b, "\n## %s\n\n%s (%s). Mode %s, seed %d", r.Artefact, r.Title, r.Place, r.Mode, r.Seed)
	if r.Rows != "" {
		fmt.Fprintf(b, ", rows %s only", r.Rows)
	}
	if r.Blocks > 1 || r.Few {
		fmt.Fprintf(b, ", seed blocks: %d", r.Blocks)
	}
	if r.BlocksAsRead > 1 {
		fmt.Fprintf(b, ", as read: %d", r.BlocksAsRead)
	}
	if r.Most > Enough {
		fmt.Fprintf(b, " of at most %d", r.Most)
	}
	if r.Blocks > 0 && r.Blocks < Enough && r.Few {
		fmt.Fprint(b, ", as more would take too long")
	}
	fmt.Fprint(b, ".\n")
	if r.Measured {
		fmt.Fprint(b, "Seconds and memory are those of the machine that ran it.\n")
	}
	for i := range r.Charts {
		fmt.Fprintf(b, "\n![%s](%s.svg)\n", r.Charts[i].Title, r.Charts[i].Name)
	}
	for _, p := range r.Pictures {
		fmt.Fprintf(b, "\n![%s](%s.svg)\n", p.Title, p.Name)
	}
	for i := range r.Tables {
		t := &r.Tables[i]
		fmt.Fprintf(b, "\n%s ([TSV](%s.tsv)):\n\n", t.Title, t.Name)
		t.writeMarkdown(b)
	}
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Why != "" {
			fmt.Fprintf(b, "\n- %s: %s. %s\n", c.Text, c.verdict(), c.Why)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
}

// writeMarkdown writes the table as Markdown.
func (t *Table) writeMarkdown(w io.Writer) {
	row := func(cells []string) {
		fmt.Fprint(w, "|")
		for _, cell := range cells {
			fmt.Fprintf(w, " %s |", strings.ReplaceAll(cell, "|", `\|`))
		}
		fmt.Fprint(w, "\n")
	}
	row(t.Columns)
	row(slices.Repeat([]string{"---"}, len(t.Columns)))
	for _, cells := range t.Rows {
		row(cells)
	}
}

// countVerdicts says how many claims have each verdict.
func countVerdicts(records []*Record) string {
	counts, undecided := map[Verdict]int{}, 0
	for _, rec := range records {
		for i := range rec.Claims {
			counts[rec.Claims[i].Verdict]++
			if rec.Claims[i].Undecided {
				undecided++
			}
		}
	}
	var text []string
	for _, v := range verdicts {
		if counts[v] == 0 {
			continue
		}
		n := fmt.Sprintf("%d %s", counts[v], v)
		if v == Differs && undecided > 0 {
			n += fmt.Sprintf(" (%d undecided)", undecided)
		}
		text = append(text, n)
	}
	return strings.Join(text, ", ")
}
