package lab

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// writeVerdicts writes an explanation of the verdicts.
func writeVerdicts(b *bufio.Writer) {
	fmt.Fprint(b, "## How a verdict is made\n\n")
	paragraph(b, fmt.Sprintf("A claim about a number has a range in which it holds. weft measures the number in seed blocks. Each block draws all networks, patterns and orders anew; a result that draws nothing runs once. "+
		"After %d blocks, and each time their number has doubled, weft computes the interval of the mean. It stops when the interval lies inside the range or outside it. It also stops at a maximum number of blocks, which is fixed beforehand by their cost.", Enough))
	for _, v := range []string{
		"**Holds**: inside the range under the literal text. If ours is several numbers, each of them is inside, and the page shows the deciding one. A claim without a number is true in every block, with the maximum number of blocks drawn.",
		"**Holds as read**: the same under the chosen set of readings above.",
		"**Fitted**: the same, but a reading or a constant was chosen to match the paper's own figures.",
		fmt.Sprintf("**Differs**: everything else. *Undecided* says that the interval still crosses an end of the range, or is inside it on fewer than %d blocks.", Enough),
		"**Too few**: undecided, but more blocks may be drawn.",
		"**Not testable**: the page gives the reason.",
		"**Not run**: left out in this mode, or nothing to measure.",
	} {
		item(b, "- ", v)
	}
	fmt.Fprintln(b)
	paragraph(b, "± is half an interval. In 19 of 20 runs no interval that weft looks at misses the mean. If one of several numbers does not hold, the interval is wide enough that in 19 of 20 runs none of them misses.")
	item(b, "", "Tables and charts show the first block unless the assumptions say otherwise. In charts a full mark is a number that the paper prints, a slim bar a range. An empty mark, \"relative to ours\", applies a printed gain or part to our value.")
}

// writeReadings writes the assumptions, the readings of a paper, and the effect of each on the
// claims.
func (r *Reproduction) writeReadings(b *bufio.Writer, records []*Record) {
	if r.Assumptions != "" {
		fmt.Fprint(b, "## Assumptions\n\n")
		for line := range strings.SplitSeq(r.Assumptions, "\n") {
			item(b, "- ", line)
		}
		fmt.Fprintln(b)
	}
	if len(r.Readings) > 0 {
		fmt.Fprint(b, "## Readings\n\nOther readings than the literal text:\n\n")
		for _, x := range r.Readings {
			use := "tried alone"
			switch {
			case x.Chosen && x.Fitted:
				use = "of the set, fitted"
			case x.Chosen:
				use = "of the set"
			case x.Fitted:
				use = "tried alone, fitted"
			}
			if x.ChosenIn != nil {
				use = fmt.Sprintf("of the set in %s, elsewhere tried alone", strings.Join(x.ChosenIn, ", "))
			}
			item(b, "- ", fmt.Sprintf("**%s** (%s): %s", x.Name, use, x.Text))
		}
		fmt.Fprintln(b)
	}
	if t := r.byReading(records); len(t.Rows) > 0 {
		paragraph(b, "The table shows what each reading alone does to claims that differ or that a reading changes: true in the first seed block or not. For the set of readings it shows the verdict over all blocks.")
		t.writeMarkdown(b)
		fmt.Fprintln(b)
	}
}

// writeLargest writes the largest differences.
func (r *Reproduction) writeLargest(b *bufio.Writer, records []*Record) {
	far := r.largest(records)
	if len(far) == 0 {
		return
	}
	fmt.Fprint(b, "**The largest differences** from the literal text:\n\n")
	for _, c := range far {
		name := ClaimName(c.artefact, c.Text)
		plain := cmp.Or(r.Plain[name], c.Text+".")
		item(b, "- ", fmt.Sprintf("%s ([%s](#%s): the paper %s; ours %s; %s.)", plain, c.artefact, c.artefact, c.Paper, c.Ours, c.verdict()))
	}
	fmt.Fprintln(b)
}

// hair is the largest value of Range.off that a reader would call equal.
const hair = .01

// claimOf is a claim with its artefact.
type claimOf struct {
	artefact string
	Claim
}

// ClaimName names a claim within a paper: two artefacts may have claims with the same text.
func ClaimName(artefact, text string) string { return artefact + ": " + text }

// largest returns three claims that differ from the literal text, preferably of different
// artefacts. Claims of the abstract and the conclusion come first, unless they differ by a hair.
// Among these, and among the others, claims with a number come first, by the factor between our
// number and the range.
func (r *Reproduction) largest(records []*Record) (first []claimOf) {
	var list []claimOf
	for _, rec := range records {
		for i, c := range rec.Claims {
			if c.Verdict == Differs || c.Verdict == HoldsAsRead || c.Verdict == Fitted && !rec.fittedByLetter(i) {
				list = append(list, claimOf{rec.Artefact, c})
			}
		}
	}
	headlines := r.headlines()
	group := func(c *claimOf) int { // 0 for a headline, 1 for others
		if off := c.Range.off(); headlines[ClaimName(c.artefact, c.Text)] && (off < 0 || off > hair) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b claimOf) int {
		return cmp.Or(cmp.Compare(group(&a), group(&b)), cmp.Compare(b.Range.off(), a.Range.off()))
	})
	shown := map[string]bool{}
	var rest []claimOf
	for _, d := range list {
		if len(first) < 3 && !shown[d.artefact] {
			first, shown[d.artefact] = append(first, d), true
		} else {
			rest = append(rest, d)
		}
	}
	return append(first, rest[:min(len(rest), 3-len(first))]...)
}

// off returns the logarithm of the factor between the number and the nearer end of its range, at
// most that of 100. A difference (a number with a sign) is in percent or points, so off adds it to
// 100. A level in percent gets an offset, so that a difference at the low end counts little. off is
// negative if there is no number, or none was measured.
func (r *Range) off() float64 {
	if r == nil || r.Missing {
		return -1
	}
	zero := 0.
	switch {
	case strings.Contains(r.Format, "%+"):
		zero = 100
	case strings.Contains(r.Format, "%%"):
		zero = 10
	}
	ours, end := r.Value+zero, min(max(r.Value, r.Low), r.High)+zero
	least := max(ours, end, 1e-9) / 100
	return math.Abs(math.Log(max(ours, least) / max(end, least)))
}

// byReading returns a row for each claim that differs by the literal text or that a reading
// changes, and a column for the literal text, the set, and each reading. A change is one against
// the literal text in the first seed block, whatever all blocks give.
func (r *Reproduction) byReading(records []*Record) Table {
	t := Table{Columns: []string{"where", "claim", "verdict"}}
	first := len(t.Columns)
	held := func(v Verdict) bool { return v == Holds || v == Fitted } // under a reading alone, Fitted means by its constants alone
	if slices.ContainsFunc(records, func(rec *Record) bool { return rec.tried(theLetter) != nil }) {
		t.Columns = append(t.Columns, theLetter)
	}
	if set, _ := r.chosen(nil); len(set) > 1 {
		t.Columns = append(t.Columns, theSet)
	}
	for _, x := range r.Readings {
		t.Columns = append(t.Columns, x.Name)
	}
	for _, rec := range records {
		if len(rec.Tried) == 0 {
			continue
		}
		letter := rec.tried(theLetter)
		for i, c := range rec.Claims {
			row, moved := []string{rec.Artefact, c.Text, c.verdict()}, false
			literal := c.Verdict == Holds || c.Verdict == TooFew || rec.fittedByLetter(i)
			for _, name := range t.Columns[first:] {
				tried := rec.tried(name)
				row = append(row, tried.cell(i, name == theSet && rec.BlocksAsRead > 0))
				if tried != nil && name != theLetter && (letter == nil || name == theSet && rec.BlocksAsRead > 0 || tried.Ours[i] != letter.Ours[i]) {
					moved = moved || tried.Verdicts[i] != TooFew && held(tried.Verdicts[i]) != literal
				}
			}
			if moved || c.Verdict == Differs {
				t.Add(row...)
			}
		}
	}
	return t
}

// fittedByLetter reports whether a claim is Fitted by the literal text, so by its constants alone.
func (r *Record) fittedByLetter(claim int) bool {
	letter := r.tried(theLetter)
	c := &r.Claims[claim]
	return c.Verdict == Fitted && c.RestsOn != "" && (letter == nil || letter.Verdicts[claim] == Fitted)
}

// tried returns the result of a reading, nil if it was not tried.
func (r *Record) tried(reading string) *Tried {
	if k := slices.IndexFunc(r.Tried, func(t Tried) bool { return t.Reading == reading }); k >= 0 {
		return &r.Tried[k]
	}
	return nil
}

// cell prints a claim's result and our number, "-" if not tried: the verdict over blocks, or true
// or not in a single block.
func (t *Tried) cell(claim int, overBlocks bool) string {
	if t == nil {
		return "-"
	}
	said := string(t.Verdicts[claim])
	inOneBlock := map[Verdict]string{Holds: "true", Fitted: "true", Differs: "not"}
	if !overBlocks {
		said = cmp.Or(inOneBlock[t.Verdicts[claim]], said)
	}
	return fmt.Sprintf("%s: %s", said, t.Ours[claim])
}
