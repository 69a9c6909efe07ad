package lab

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/chart"
	"weft/internal/fold"
)

// page returns a Markdown page of a paper's records: first a screen with the paper's claims,
// the outcome, the largest differences and one picture, then the verdicts by artefact, the claims,
// the readings, and each artefact with its pictures and tables. Records are in the paper's order.
func (r *Reproduction) page(records []*Record) []byte {
	var text bytes.Buffer
	b := bufio.NewWriter(&text)
	final := settled(records) // with the verdicts that other seed blocks leave
	fmt.Fprintf(b, "# %s\n\n", r.Name)
	paragraph(b, r.Paper)
	r.writeSummary(b, final)
	writeByArtefact(b, final)
	fmt.Fprint(b, "## Claims\n\n")
	claims := Table{Columns: []string{"where", "claim", "paper", "ours", "holds in", "verdict"}}
	for _, rec := range final {
		for i := range rec.Claims {
			c := &rec.Claims[i]
			claims.Add(fmt.Sprintf("[%s](#%s)", rec.Artefact, rec.Artefact), c.Text, c.Paper, c.Ours, c.Range.bounds(), c.verdict())
		}
	}
	claims.writeMarkdown(b)
	fmt.Fprintln(b)
	r.writeDecisions(b, records)
	writeRepeats(b, records)
	r.writeReadings(b, final)
	writeVerdicts(b)
	for _, rec := range final {
		rec.write(b)
	}
	b.Flush() //nolint:errcheck // memory takes all
	return text.Bytes()
}

// writeSummary writes the first screen of a page.
func (r *Reproduction) writeSummary(b *bufio.Writer, records []*Record) {
	if r.Says != "" {
		paragraph(b, "**The paper claims**: "+r.Says)
	}
	claims := 0
	for _, rec := range records {
		claims += len(rec.Claims)
	}
	found := ""
	if r.Found != "" {
		found = r.Found + " "
	}
	paragraph(b, fmt.Sprintf("**What came out**: %s%d claims; ", found, claims)+countVerdicts(records, "%[2]s: %[1]d")+" ([how a verdict is made](#how-a-verdict-is-made)).")
	r.writeLargest(b, records)
	if c := r.cover(records); c != nil {
		fmt.Fprintf(b, "![%s](%s.svg)\n\n", c.Title, c.Name)
	}
	paragraph(b, fmt.Sprintf("`weft lab reproduce %s` made this page; do not edit it.", r.Name))
}

// cover returns the picture of the first screen: the paper's Cover, or else the first chart of the
// artefact with the largest difference, or else the first chart; nil if there is none.
func (r *Reproduction) cover(records []*Record) *chart.Chart {
	var first, ofLargest *chart.Chart
	far := r.largest(records)
	for _, rec := range records {
		for i := range rec.Charts {
			c := &rec.Charts[i]
			if c.Name == r.Cover {
				return c
			}
			if ofLargest == nil && len(far) > 0 && rec.Artefact == far[0].artefact {
				ofLargest = c
			}
			first = cmp.Or(first, c)
		}
	}
	return cmp.Or(ofLargest, first)
}

// writeByArtefact writes the number of claims by artefact and verdict.
func writeByArtefact(b *bufio.Writer, records []*Record) {
	fmt.Fprint(b, "## By table and figure\n\n")
	held := Table{Columns: []string{"where", "about", "holds", "as read or fitted", "differs", "no verdict"}}
	for _, rec := range records {
		if len(rec.Claims) == 0 {
			continue
		}
		var n [4]int
		for i := range rec.Claims {
			n[column(rec.Claims[i].Verdict)]++
		}
		row := []string{fmt.Sprintf("[%s](#%s)", rec.Artefact, rec.Artefact), rec.Title}
		for _, k := range n {
			row = append(row, strings.TrimPrefix(strconv.Itoa(k), "0"))
		}
		held.Add(row...)
	}
	held.writeMarkdown(b)
	fmt.Fprintln(b)
}

// column returns the column of a verdict in the summary.
func column(v Verdict) int {
	switch v {
	case Holds:
		return 0
	case HoldsAsRead, Fitted:
		return 1
	case Differs:
		return 2
	case TooFew, NotTestable, NotRun:
	}
	return 3
}

// paragraph writes prose and an empty line.
func paragraph(b *bufio.Writer, text string) {
	item(b, "", text)
	fmt.Fprintln(b)
}

// item writes prose in lines of a page; mark begins the first one.
func item(b *bufio.Writer, mark, text string) {
	fmt.Fprintln(b, fold.Page(mark, text))
}

func (r *Record) write(b *bufio.Writer) {
	fmt.Fprintf(b, "\n## %s\n\n", r.Artefact)
	about := fmt.Sprintf("%s (%s). Mode %s, seed %d", r.Title, r.Place, r.Mode, r.Seed)
	if r.Rows != "" {
		about += fmt.Sprintf(", rows %s only", r.Rows)
	}
	if r.Blocks > 1 || r.Few {
		about += fmt.Sprintf(", seed blocks: %d", r.Blocks)
	}
	if r.BlocksAsRead > 1 {
		about += fmt.Sprintf(", as read: %d", r.BlocksAsRead)
	}
	if r.Most > Enough {
		about += fmt.Sprintf(" of at most %d", r.Most)
	}
	if r.Blocks > 0 && r.Blocks < Enough && r.Few {
		about += ", as more would take too long"
	}
	about += "."
	if r.Measured {
		about += " Seconds and memory depend on the machine."
	}
	item(b, "", about)
	for i := range r.Charts {
		fmt.Fprintf(b, "\n![%s](%s.svg)\n", r.Charts[i].Title, r.Charts[i].Name)
	}
	for _, p := range r.Pictures {
		fmt.Fprintf(b, "\n![%s](%s.svg)\n", p.Title, p.Name)
	}
	for i := range r.Tables {
		t := &r.Tables[i]
		fmt.Fprintln(b)
		paragraph(b, fmt.Sprintf("%s ([TSV](%s.tsv)):", t.Title, t.Name))
		t.writeMarkdown(b)
	}
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Why != "" {
			fmt.Fprintln(b)
			item(b, "- ", fmt.Sprintf("%s: %s. %s", c.Text, c.verdict(), c.Why))
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(b)
		item(b, "", note)
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

// countVerdicts counts the claims with each verdict; form formats a number and its verdict.
func countVerdicts(records []*Record, form string) string {
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
		n := fmt.Sprintf(form, counts[v], v)
		if v == Differs && undecided > 0 {
			n += fmt.Sprintf(" (%d undecided)", undecided)
		}
		text = append(text, n)
	}
	return strings.Join(text, ", ")
}
