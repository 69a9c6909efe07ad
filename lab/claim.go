package lab

import (
	"fmt"
	"slices"
)

// Verdict is the result of judging a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"         // for the literal text, over the seed blocks
	HoldsAsRead Verdict = "holds as read" // under the paper's one set of readings
	Fitted      Verdict = "fitted"        // the same, but a reading or constants were fitted to the paper's own figures
	Differs     Verdict = "differs"
	TooFew      Verdict = "too few"      // the seed blocks are inconclusive, and more may be drawn
	NotTestable Verdict = "not testable" // Why states the reason
	NotRun      Verdict = "not run"      // left out by mode or by choice of rows, or nothing to measure
)

// verdicts lists all verdicts in the order of a summary.
var verdicts = []Verdict{Holds, HoldsAsRead, Fitted, Differs, TooFew, NotTestable, NotRun}

// Claim is one statement of the paper, with our result.
type Claim struct {
	Text    string  `json:"text"`
	Paper   string  `json:"paper"` // the number or range as printed
	Ours    string  `json:"ours"`
	Verdict Verdict `json:"verdict"`
	// Undecided says that the verdict is Differs only because the maximum number of seed blocks
	// does not decide on which side ours lies, or because fewer than Enough blocks measure it.
	Undecided bool   `json:"undecided,omitempty"`
	Why       string `json:"why,omitempty"` // for a differing claim: the attempts; for an untestable claim: the reason
	// AsRead is our number under the readings, "" if the claim was not judged under them. Of a
	// claim that was, it decides the verdict.
	AsRead string `json:"as_read,omitempty"`
	// RestsOn names constants that were chosen to match the paper's own figures: a claim that holds
	// with them is Fitted.
	RestsOn string `json:"rests_on,omitempty"`
	// Range holds our number and its bounds; nil if the claim is about no number. Of several
	// numbers it holds the deciding one.
	Range *Range `json:"range,omitempty"`
	// Parts are the numbers of a claim about several; each must be in its range.
	Parts []Range `json:"parts,omitempty"`
}

// Range is a number of ours with the least and the greatest value for which its claim holds.
type Range struct {
	Of string `json:"of,omitempty"` // the subject of a part: a row, a column; unique among the parts of a claim
	// Missing says that there was nothing to measure, in a block or in any: for example no network
	// of a row finished.
	Missing bool    `json:"missing,omitempty"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Format  string  `json:"format"` // format of the value, for package fmt
	// Rows are the artefact's rows that the number is measured on, in the form for Setup.Want; nil
	// for all. Once the number is decided, later seed blocks skip rows that nothing else needs.
	Rows []string `json:"-"`
	// Blocks holds the number of each seed block that has one; Value is their mean.
	Blocks []float64 `json:"blocks,omitempty"`
}

// NewClaim returns a claim that is not judged yet.
func NewClaim(text, paper string) Claim {
	return Claim{Text: text, Paper: paper, Ours: "-", Verdict: NotRun}
}

// Judge sets the verdict of a claim and our result.
func (c *Claim) Judge(holds bool, ours string, args ...any) {
	c.Ours, c.Verdict = fmt.Sprintf(ours, args...), VerdictOf(holds)
}

// JudgeRange judges a claim by a number of ours: it holds if the number is in the range. Over
// several seed blocks the confidence interval of the mean must be in the range. If our number is a
// difference between two results on the same networks, this is a paired interval.
func (c *Claim) JudgeRange(value, low, high float64, format string) {
	c.Range = &Range{Value: value, Low: low, High: high, Format: format}
	c.Judge(value >= low && value <= high, format, value)
}

// On names the rows of the artefact on which a claim's number is measured.
func (c *Claim) On(rows ...string) {
	if c.Range != nil {
		c.Range.Rows = rows
	}
}

// JudgeEach judges a claim on several numbers: it holds if each is in its range and none is
// missing. Over several seed blocks each number has its own interval, since the worst number of a
// block would get worse the smaller the block is.
func (c *Claim) JudgeEach(parts []Range) {
	for i := range parts {
		if slices.ContainsFunc(parts[:i], func(r Range) bool { return r.Of == parts[i].Of }) {
			panic(fmt.Sprintf("lab: %s: two numbers are about %q", c.Text, parts[i].Of))
		}
	}
	if len(parts) > 0 {
		c.Parts, c.Ours = parts, "nothing to measure"
	}
	worst := c.worst()
	if worst == nil {
		return
	}
	c.Range = worst
	c.Judge(worst.slack() >= 0, worst.Format, worst.Value)
	c.Ours += c.ofParts()
	if c.Verdict == Holds && slices.ContainsFunc(parts, func(r Range) bool { return r.Missing }) {
		c.Verdict = NotRun
	}
}

// worst returns the number furthest outside its range, or the least far inside; nil if all are
// missing.
func (c *Claim) worst() (worst *Range) {
	for i := range c.Parts {
		if r := &c.Parts[i]; !r.Missing && (worst == nil || r.slack() < worst.slack()) {
			worst = r
		}
	}
	return worst
}

// ofParts names the deciding number of a claim on several.
func (c *Claim) ofParts() string {
	if len(c.Parts) < 2 {
		return ""
	}
	return fmt.Sprintf(" (%s, of %d)", c.Range.Of, len(c.Parts))
}

// verdict returns the verdict for display.
func (c *Claim) verdict() string {
	if c.Undecided {
		return string(c.Verdict) + " (undecided)"
	}
	return string(c.Verdict)
}

// Untestable marks a claim as not testable, with the reason.
func (c *Claim) Untestable(why string) { c.Verdict, c.Why = NotTestable, why }

// fitted returns the verdict, or Fitted if the claim holds but rests on fitted constants.
func (c *Claim) fitted() Verdict {
	if c.RestsOn != "" && (c.Verdict == Holds || c.Verdict == HoldsAsRead) {
		return Fitted
	}
	return c.Verdict
}

// VerdictOf returns Holds or Differs.
func VerdictOf(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Differs
}

// bounds prints the lowest and the highest value with which a claim holds; "-" if it has no number.
func (r *Range) bounds() string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf(r.Format+" to "+r.Format, r.Low, r.High)
}

// Ranges returns the numbers of a claim, each with its bounds.
func (c *Claim) Ranges() []Range {
	if c.Parts == nil && c.Range != nil {
		return []Range{*c.Range}
	}
	return c.Parts
}

// slack returns the distance of the number from the nearer end of its range; negative outside.
func (r *Range) slack() float64 { return min(r.Value-r.Low, r.High-r.Value) }
