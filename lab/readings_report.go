package lab

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// writeVerdicts writes what the verdicts mean.
func writeVerdicts(b *bufio.Writer) {
	fmt.Fprintf(b, "Verdicts, over seed blocks, in each of which all networks, patterns and orders are drawn anew (what draws nothing is run once).\n"+
		"A claim on a number is judged by the interval of its mean over the blocks, at %d of them and each time their number has doubled,\n"+
		"until it lies inside the claim's range or outside, or the most of them are drawn, a number fixed by what a block costs. *Holds*:\n"+
		"inside under the literal text; where ours is several numbers, each of them, and the one that decides is shown; where it is none,\n"+
		"true in every block, the most of them. *Holds as read*: under the one set of readings below. *Fitted*: the same, but a reading or\n"+
		"constants were searched for with the paper's own figures as the measure. *Differs*: all else; *undecided* says that the interval still crosses an end of\n"+
		"the range, or that it is inside, but only fewer than %d blocks tell of it, as each takes long or some have nothing to measure. *Too few*: the same where more may be drawn. *Not testable*: with the\n"+
		"reason. *Not run*: left out in this mode, or nothing to measure. ± is half an interval,\n"+
		"so wide that in 19 of 20 runs none at any of the looks misses the mean; where one of several numbers does not hold, so wide that none of them does. Tables and charts are of the first block, unless the assumptions say otherwise. Full marks in charts are\n"+
		"numbers that the paper prints, a slim bar a range; empty ones, \"relative to ours\", are what a printed gain or part makes of our value.\n\n", Enough, Enough)
}

// writeReadings writes the other readings of a paper, the largest differences, and what each reading does to the claims.
func (r *Reproduction) writeReadings(b *bufio.Writer, records []*Record) {
	if len(r.Readings) > 0 {
		fmt.Fprint(b, "Other readings than the letter:\n\n")
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
			fmt.Fprintf(b, "- **%s** (%s): %s\n", x.Name, use, x.Text)
		}
		fmt.Fprintln(b)
	}
	if far := largest(records); len(far) > 0 {
		fmt.Fprint(b, "The largest differences from the literal text:\n\n")
		for _, c := range far {
			name := ClaimName(c.artefact, c.Text)
			line := fmt.Sprintf("%s. The paper: %s; ours: %s; %s.", name, c.Paper, c.Ours, c.verdict())
			if plain := r.Plain[name]; plain != "" {
				line = fmt.Sprintf("%s (%s)", plain, line)
			}
			fmt.Fprintf(b, "- %s\n", line)
		}
		fmt.Fprintln(b)
	}
	if t := r.byReading(records); len(t.Rows) > 0 {
		fmt.Fprint(b, "What each reading alone does to the claims that some of them move: true in the first seed block or not; of the set the verdict over its blocks, where a claim differs:\n\n")
		t.writeMarkdown(b)
		fmt.Fprintln(b)
	}
}

// claimOf is a claim of an artefact.
type claimOf struct {
	artefact string
	Claim
}

// ClaimName names a claim of a paper: artefacts may have claims with the same text.
func ClaimName(artefact, text string) string { return artefact + ": " + text }

// largest are the three claims that differ most from the literal text, of as many artefacts as there are, by the factor between ours and the range.
func largest(records []*Record) (first []claimOf) {
	var list []claimOf
	for _, rec := range records {
		for i, c := range rec.Claims {
			if c.Verdict == Differs || c.Verdict == HoldsAsRead || c.Verdict == Fitted && !rec.fittedByLetter(i) {
				list = append(list, claimOf{rec.Artefact, c})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b claimOf) int { return cmp.Compare(b.Range.off(), a.Range.off()) })
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

// off returns the logarithm of the factor by which the number is off the nearer end of its range, at most that of a hundred. A difference (a number
// with a sign) is in percent or points: it counts as what it makes of a hundred. A level in percent is on a scale whose low end counts little. A claim
// about no number, or about one that was never measured, is off by a factor of two.
func (r *Range) off() float64 {
	if r == nil || r.Missing {
		return math.Ln2
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

// byReading has a row for each claim that differs by the literal text, or that a reading moves, and a column for the letter, for the set and
// for each reading. What is the same as by the letter in the first seed block is no move, whatever all blocks give.
func (r *Reproduction) byReading(records []*Record) Table {
	t := Table{Columns: []string{"where", "claim", "verdict"}}
	first := len(t.Columns)
	held := func(v Verdict) bool { return v == Holds || v == Fitted } // what is tried is Fitted by its constants alone
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

// fittedByLetter says whether a claim is Fitted by its constants alone: by the letter, which is tried wherever the set of readings is.
func (r *Record) fittedByLetter(claim int) bool {
	letter := r.tried(theLetter)
	c := &r.Claims[claim]
	return c.Verdict == Fitted && c.RestsOn != "" && (letter == nil || letter.Verdicts[claim] == Fitted)
}

// tried returns the result of a reading, nil where it was not tried.
func (r *Record) tried(reading string) *Tried {
	if k := slices.IndexFunc(r.Tried, func(t Tried) bool { return t.Reading == reading }); k >= 0 {
		return &r.Tried[k]
	}
	return nil
}

// cell says what a claim is and ours, "-" where nothing was tried: its verdict over blocks, and in a single one true or not.
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
