package lab

import (
	"fmt"
	"slices"
	"strings"

	"weft/sim/flow"
)

// Verdict says what became of a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"         // under the literal text, in every seed block
	HoldsAsRead Verdict = "holds as read" // under the one set of readings of the paper
	Fitted      Verdict = "fitted"        // the same, but with a reading or constants that were searched for with the paper's own figures as the measure
	Differs     Verdict = "differs"
	TooFew      Verdict = "too few"      // the seed blocks do not tell, and more may be drawn
	NotTestable Verdict = "not testable" // for a reason that is told
	NotRun      Verdict = "not run"      // what it needs was left out, by mode or by choice of rows
)

// verdicts are all, in the order of a summary.
var verdicts = []Verdict{Holds, HoldsAsRead, Fitted, Differs, TooFew, NotTestable, NotRun}

// Claim is one statement of the paper, with what ours says to it.
type Claim struct {
	Text    string  `json:"text"`
	Paper   string  `json:"paper"` // the number or range as printed
	Ours    string  `json:"ours"`
	Verdict Verdict `json:"verdict"`
	// Undecided says that a claim differs as all seed blocks that it may have, by the letter, do not tell on which side ours lies, or are fewer than
	// Enough.
	Undecided bool   `json:"undecided,omitempty"`
	Why       string `json:"why,omitempty"` // for what differs: what was tried; for what cannot be tested: why not
	// RestsOn names constants that ours needs and that were searched for with the paper's own figures as the measure: what holds is Fitted.
	RestsOn string `json:"rests_on,omitempty"`
	// Range holds the number of ours and its bounds; nil where the claim is about no number. Of several it is the one that decides.
	Range *Range `json:"range,omitempty"`
	// Parts are the numbers of a claim on several, each of which must be in its range.
	Parts []Range `json:"parts,omitempty"`
}

// Range is a number of ours with the least and the greatest value under which its claim holds.
type Range struct {
	Of     string  `json:"of,omitempty"` // what a part is about: a row, a column
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Format string  `json:"format"` // of the value, as fmt has it
	// Blocks holds the number in each seed block, of which Value is the mean.
	Blocks []float64 `json:"blocks,omitempty"`
}

// NewClaim returns a claim that is not judged yet.
func NewClaim(text, paper string) Claim {
	return Claim{Text: text, Paper: paper, Ours: "-", Verdict: NotRun}
}

// Judge says whether a claim holds, and what ours is.
func (c *Claim) Judge(holds bool, ours string, args ...any) {
	c.Ours, c.Verdict = fmt.Sprintf(ours, args...), VerdictOf(holds)
}

// JudgeRange says that a claim holds where a number of ours is in a range. Over several seed blocks the 95 % interval of
// its mean must be: where ours is a difference of two that had the same networks in each block, that is a paired interval.
func (c *Claim) JudgeRange(value, low, high float64, format string) {
	c.Range = &Range{Value: value, Low: low, High: high, Format: format}
	c.Judge(value >= low && value <= high, format, value)
}

// JudgeEach says that a claim holds where each of several numbers of ours is in its range. Over several seed blocks each of them has its
// own interval: the worst of several in each block would be the worse the smaller a block is.
func (c *Claim) JudgeEach(parts []Range) {
	if len(parts) == 0 {
		return
	}
	c.Parts = parts
	values := make([][]float64, len(parts))
	for i := range parts {
		values[i] = []float64{parts[i].Value}
	}
	c.decide(values, 1)
	c.Verdict = VerdictOf(c.Range.slack() >= 0)
}

// verdict is the verdict as people read it.
func (c *Claim) verdict() string {
	if c.Undecided {
		return string(c.Verdict) + " (undecided)"
	}
	return string(c.Verdict)
}

// Untestable says why nothing can be said of a claim.
func (c *Claim) Untestable(why string) { c.Verdict, c.Why = NotTestable, why }

// fitted is the verdict on a claim that may rest on constants that were fitted: what holds with them is Fitted.
func (c *Claim) fitted() Verdict {
	if c.RestsOn != "" && (c.Verdict == Holds || c.Verdict == HoldsAsRead) {
		return Fitted
	}
	return c.Verdict
}

// VerdictOf is Holds or Differs.
func VerdictOf(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Differs
}

// Enough is the number of seed blocks from which a claim that depends on seeds can hold.
const Enough = 8

// mayErr is the share of runs in which an interval may miss the mean, at any of its looks.
const mayErr = .05

// overBlocks judges a claim by what it was in each seed block drawn so far, at one of several looks: TooFew says that more are needed. Where no
// more may be drawn, what they do not tell differs, and so does what was true in all of them if they are fewer than Enough.
func overBlocks(blocks []Claim, looks int, last, noMore bool) Claim {
	c := blocks[0]
	parts := c.ranges()
	values := make([][]float64, len(parts))
	held, same, numbers := 0, true, len(parts) > 0
	for i := range blocks {
		b := &blocks[i]
		if b.Verdict != Holds && b.Verdict != Differs { // not run, or not testable
			return *b
		}
		if b.Verdict == Holds {
			held++
		}
		same = same && b.Ours == c.Ours
		if numbers = numbers && len(b.ranges()) == len(parts); numbers {
			for k, r := range b.ranges() {
				values[k] = append(values[k], r.Value)
			}
		}
	}
	enough := last && len(blocks) >= Enough
	if numbers {
		c.decide(values, looks)
	} else {
		if !same {
			c.Ours += fmt.Sprintf("; in %d of %d seed blocks", held, len(blocks))
		}
		if c.Verdict = VerdictOf(held == len(blocks)); c.Verdict == Holds && !enough {
			c.Verdict = TooFew
		}
	}
	if c.Verdict == TooFew && (enough || last && noMore) {
		c.Verdict, c.Undecided = Differs, true
	}
	return c
}

// ranges are the numbers that a claim is about.
func (c *Claim) ranges() []Range {
	if c.Parts == nil && c.Range != nil {
		return []Range{*c.Range}
	}
	return c.Parts
}

// decide judges by the values of each part over the seed blocks: a claim differs if one does, and holds if all do. The part that decides is
// what the page shows.
func (c *Claim) decide(values [][]float64, looks int) {
	ranges := slices.Clone(c.ranges())
	weight := map[Verdict]int{Holds: 0, TooFew: 1, Differs: 2}
	c.Verdict = ""
	for i := range ranges {
		r := &ranges[i]
		ours, v := r.over(values[i], looks, len(ranges))
		if c.Verdict == "" || weight[v] > weight[c.Verdict] || v == c.Verdict && r.slack() < c.Range.slack() {
			c.Range, c.Ours, c.Verdict = r, ours, v
		}
	}
	if c.Parts == nil {
		return
	}
	c.Parts = ranges
	if len(ranges) > 1 {
		c.Ours += fmt.Sprintf(" (%s, of %d)", c.Range.Of, len(ranges))
	}
}

// bounds are the least and the greatest value under which a claim holds, "-" for one about no number.
func (r *Range) bounds() string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf(r.Format+" to "+r.Format, r.Low, r.High)
}

// slack returns the distance of the number from the nearer end of the range, below 0 outside.
func (r *Range) slack() float64 { return min(r.Value-r.Low, r.High-r.Value) }

// over judges by the interval of the mean over seed blocks, which becomes the number. The interval is that of one of several looks, which
// together err in at most 5 of 100 runs. A claim on several numbers differs only by the wider interval that is right for so many.
func (r *Range) over(values []float64, looks, numbers int) (ours string, v Verdict) {
	s := flow.Summarise(values)
	r.Value, r.Blocks = s.Mean, values
	n := len(values)
	if n == 1 {
		return fmt.Sprintf(r.Format, s.Mean), TooFew
	}
	one, all := s.Half(n, mayErr/float64(looks)), s.Half(n, mayErr/float64(looks*numbers))
	ours = fmt.Sprintf(r.Format+" ± "+strings.ReplaceAll(r.Format, "+", ""), s.Mean, one)
	switch {
	case s.Mean+all < r.Low || s.Mean-all > r.High:
		return ours, Differs
	case s.Mean-one >= r.Low && s.Mean+one <= r.High && n >= Enough:
		return ours, Holds
	}
	return ours, TooFew
}
