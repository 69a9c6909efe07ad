package lab

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Repeat holds the claims of an artefact, judged again with other seed blocks than the record's.
type Repeat struct {
	From   int     `json:"from_seed_block"` // the first block; the record's own begin at 0
	Claims []Claim `json:"claims"`          // without their numbers
}

// errOverlap says that a repeat would draw blocks that the record, or another repeat, has drawn.
var errOverlap = errors.New("the seed blocks overlap blocks that the result has already")

// firstBlock returns the number of the first block that a run with this setup draws.
func (r *Record) firstBlock(s *Setup) int { return int((s.Seed - r.Seed) / BlockSeeds) }

// findRepeat returns the place in Repeats for a run with this setup, and whether it is there
// already. It returns an error if the run is no repeat of the record: it has another size, or draws
// blocks that are drawn already.
func (r *Record) findRepeat(p *Reproduction, a *Artefact, s *Setup) (place int, found bool, err error) {
	own := *s
	if own.Seed = r.Seed; !r.Fits(p, a, &own, "") {
		return 0, false, fmt.Errorf("%s was made in another mode, with other rows, blocks or readings: make it again in full first", r.Artefact)
	}
	from := r.firstBlock(s)
	apart := func(one, other int) bool { return max(one, other)-min(one, other) >= r.Most }
	switch {
	case s.Seed < r.Seed || (s.Seed-r.Seed)%BlockSeeds != 0:
		return 0, false, fmt.Errorf("%s was made with seed %d", r.Artefact, r.Seed)
	case !apart(from, 0):
		return 0, false, fmt.Errorf("%s: %w: begin at block %d or later", r.Artefact, errOverlap, r.Most)
	}
	place, found = slices.BinarySearchFunc(r.Repeats, from, func(x Repeat, n int) int { return x.From - n })
	for _, x := range r.Repeats {
		if x.From != from && !apart(x.From, from) {
			return 0, false, fmt.Errorf("%s: %w: %d is within %d of %d", r.Artefact, errOverlap, from, r.Most, x.From)
		}
	}
	return place, found, nil
}

// note adds to the record the claims that a repeat has judged.
func (r *Record) note(p *Reproduction, a *Artefact, s *Setup, claims []Claim) error {
	place, found, err := r.findRepeat(p, a, s)
	if err != nil {
		return err
	}
	x := Repeat{From: r.firstBlock(s), Claims: slices.Clone(claims)}
	for i := range x.Claims {
		x.Claims[i].Range, x.Claims[i].Parts = nil, nil
	}
	if found {
		r.Repeats[place] = x
	} else {
		r.Repeats = slices.Insert(r.Repeats, place, x)
	}
	return nil
}

// repeatFrom returns the repeat that begins at a block, nil if there is none.
func (r *Record) repeatFrom(block int) *Repeat {
	for i := range r.Repeats {
		if x := &r.Repeats[i]; x.From == block {
			return x
		}
	}
	return nil
}

// again returns the claim in a repeat, nil if it was not judged there, or there is no repeat.
func (x *Repeat) again(text string) *Claim {
	if x == nil {
		return nil
	}
	if k := slices.IndexFunc(x.Claims, func(c Claim) bool { return c.Text == text }); k >= 0 && !x.Claims[k].open() {
		return &x.Claims[k]
	}
	return nil
}

// settled returns a copy of the record. A claim with another verdict in a repeat is undecided
// there.
func (r *Record) settled() *Record {
	s, result := *r, *r.Result
	s.Result, result.Claims = &result, slices.Clone(r.Claims)
	for i := range result.Claims {
		c, own := &result.Claims[i], &r.Claims[i]
		for k := range r.Repeats {
			x := &r.Repeats[k]
			if again := x.again(c.Text); again != nil && again.Verdict != own.Verdict && !own.open() {
				c.Verdict, c.Undecided = Differs, true
				c.Why = strings.TrimSpace(fmt.Sprintf("%s The blocks of this page say %s, those from %d %s.", c.Why, said(own), x.From, said(again)))
			}
		}
	}
	return &s
}

// settled returns the settled records.
func settled(records []*Record) (all []*Record) {
	for _, rec := range records {
		all = append(all, rec.settled())
	}
	return all
}

// said prints a claim's verdict and its number: the one by the readings, if that decided.
func said(c *Claim) string {
	ours := c.Ours
	if c.AsRead != "" {
		ours = c.AsRead + " as read"
	}
	return c.verdict() + " (" + ours + ")"
}

// froms returns the first blocks of all repeats of some records, in order.
func froms(records []*Record) (all []int) {
	for _, rec := range records {
		for _, x := range rec.Repeats {
			all = append(all, x.From)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// repeated returns a record for each artefact with a repeat from a block: it has the claims of the
// repeat.
func repeated(records []*Record, from int) (all []*Record) {
	for _, rec := range records {
		if x := rec.repeatFrom(from); x != nil {
			all = append(all, &Record{Artefact: rec.Artefact, Result: &Result{Claims: x.Claims}})
		}
	}
	return all
}

// repeatsFile is the table of all claims with the verdicts of the repeats.
const repeatsFile = "seed-blocks.tsv"

// repeatTable returns a row for each claim that a repeat has judged, with the verdict of the page
// and of each repeat; no rows if there is no repeat.
func repeatTable(records []*Record) *Table {
	blocks := froms(records)
	t := &Table{Columns: []string{"where", "claim", "page"}}
	for _, from := range blocks {
		t.Columns = append(t.Columns, "from "+strconv.Itoa(from))
	}
	for _, rec := range records {
		for i := range rec.Claims {
			c := &rec.Claims[i]
			row, judged := []string{rec.Artefact, c.Text, said(c)}, false
			for _, from := range blocks {
				cell := "-"
				if again := rec.repeatFrom(from).again(c.Text); again != nil {
					cell, judged = said(again), true
				}
				row = append(row, cell)
			}
			if judged {
				t.Add(row...)
			}
		}
	}
	return t
}

// writeRepeats writes how many claims have the same verdict with other seed blocks, and the claims
// with another one.
func writeRepeats(b *bufio.Writer, records []*Record) {
	blocks := froms(records)
	if len(blocks) == 0 {
		return
	}
	fmt.Fprint(b, "## With other seed blocks\n\n")
	paragraph(b, "weft has judged claims again, with seed blocks that this page does not use. A claim with another verdict there is undecided on this page. \"Differs\" counts as one verdict, undecided or not. "+
		"All of these claims with their verdicts are in ["+repeatsFile+"]("+repeatsFile+").")
	t := Table{Columns: []string{"blocks from", "same verdict", "tables and figures"}}
	changed := Table{Columns: []string{"where", "claim", "this page", "other blocks"}}
	for _, from := range blocks {
		again := repeated(records, from)
		a := Compare(records, again)
		var names []string
		for _, rec := range again {
			names = append(names, rec.Artefact)
		}
		t.Add(strconv.Itoa(from), fmt.Sprintf("%d of %d", a.Same, a.Claims), strings.Join(names, ", "))
		for _, c := range a.Changed {
			changed.Add(c.Artefact, c.First.Text, said(&c.First), fmt.Sprintf("from %d: %s", from, said(&c.Second)))
		}
	}
	t.writeMarkdown(b)
	fmt.Fprintln(b)
	if len(changed.Rows) > 0 {
		changed.writeMarkdown(b)
		fmt.Fprintln(b)
	}
}
