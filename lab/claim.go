package lab

import (
	"fmt"
	"strings"

	"weft/sim/flow"
)

// Verdict says what became of a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"         // under the literal text, in every seed block
	HoldsAsRead Verdict = "holds as read" // under the one set of readings of the paper
	Fitted      Verdict = "fitted"        // under that set, but only with a reading that was searched for with the paper's own figures as the measure
	Differs     Verdict = "differs"
	TooFew      Verdict = "too few"      // the seed blocks do not tell
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
	Why     string  `json:"why,omitempty"` // for what differs: what was tried; for what cannot be tested: why not
	// Range holds the number of ours and its bounds; nil where the claim is about no number.
	Range *Range `json:"range,omitempty"`
}

// Range is a number of ours with the least and the greatest value under which its claim holds.
type Range struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Format string  `json:"format"` // of the value, as fmt has it
}

// NewClaim returns a claim that is not judged yet.
func NewClaim(text, paper string) Claim {
	return Claim{Text: text, Paper: paper, Ours: "-", Verdict: NotRun}
}

// Judge says whether a claim holds, and what ours is.
func (c *Claim) Judge(holds bool, ours string, args ...any) {
	c.Ours, c.Verdict = fmt.Sprintf(ours, args...), Judged(holds)
}

// JudgeRange says that a claim holds where a number of ours is in a range. Over several seed blocks the 95 % interval of
// its mean must be: where ours is a difference of two that had the same networks in each block, that is a paired interval.
func (c *Claim) JudgeRange(value, low, high float64, format string) {
	c.Range = &Range{value, low, high, format}
	c.Judge(value >= low && value <= high, format, value)
}

// Untestable says why nothing can be said of a claim.
func (c *Claim) Untestable(why string) { c.Verdict, c.Why = NotTestable, why }

// Judged is Holds or Differs.
func Judged(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Differs
}

// Enough is the number of seed blocks from which a claim that depends on seeds can hold.
const Enough = 8

// overBlocks judges a claim by what it was in each seed block.
func overBlocks(blocks []Claim) Claim {
	c := blocks[0]
	var values []float64
	held := 0
	for i := range blocks {
		b := &blocks[i]
		if b.Verdict != Holds && b.Verdict != Differs { // not run, or not testable
			return *b
		}
		if b.Verdict == Holds {
			held++
		}
		if b.Range != nil {
			values = append(values, b.Range.Value)
		}
	}
	if len(values) == len(blocks) {
		c.overRange(flow.SummariseFew(values), len(blocks))
		return c
	}
	c.Ours += fmt.Sprintf("; in %d of %d seed blocks", held, len(blocks))
	if c.Verdict = Judged(held == len(blocks)); c.Verdict == Holds && len(blocks) < Enough {
		c.Verdict = TooFew
	}
	return c
}

// overRange judges by the interval of the mean over seed blocks.
func (c *Claim) overRange(s flow.Summary, blocks int) {
	r := *c.Range
	r.Value = s.Mean
	c.Range = &r
	if blocks == 1 {
		c.Ours, c.Verdict = fmt.Sprintf(r.Format, s.Mean), TooFew
		return
	}
	c.Ours = fmt.Sprintf(r.Format+" ± "+strings.ReplaceAll(r.Format, "+", ""), s.Mean, s.CI95)
	low, high := s.Mean-s.CI95, s.Mean+s.CI95
	switch {
	case high < r.Low || low > r.High:
		c.Verdict = Differs
	case low >= r.Low && high <= r.High && blocks >= Enough:
		c.Verdict = Holds
	default:
		c.Verdict = TooFew
	}
}
