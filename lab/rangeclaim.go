package lab

import (
	"fmt"
	"math"
)

// Noise is the largest difference of two shares, in points, that counts as none.
const Noise = .5

// Ranges in which numbers of ours count as the printed ones.
const (
	Exact = 2. // points about a level that is printed
	Rough = 5. // about one that is "about" or "approximately"
	Most  = 100.
)

// Words of papers that compare two levels without a number: the least share of the higher that the lower must have.
const (
	AsGood     = .95 // "as well as", "the same"
	NearlySame = .9  // "nearly the same"
	Similar    = .8  // "similar", "relatively constant"
)

// Slight is the largest gain, in percent, that is "small" or "slight". The least is Noise.
const Slight = 10.

// HowNear says so on the page.
const HowNear = "A printed gain counts as found if ours is from half to twice of it, and at most 5 points off; if none is printed, within half a point. " +
	"A printed level counts as found within 2 points, \"about\" within 5. For a printed ratio, its excess over one (or that of its inverse) must be met from half to twice."

// RangeClaim is a claim that a number is in a range.
type RangeClaim struct {
	Claim
	Low, High float64
	Format    string
}

// InRange is a claim about a number in percent, or in points of it.
func InRange(text, paper string, low, high float64) RangeClaim {
	return RangeClaim{NewClaim(fmt.Sprintf("%s (%.4g to %.4g %%)", text, low, high), paper), low, high, "%.1f %%"}
}

// Level is a claim about a printed share, in percent.
func Level(text, paper string, printed, within float64) RangeClaim {
	return InRange(text, paper, printed-within, printed+within)
}

// Gained is a claim about a printed gain, in points or percent.
func Gained(text, paper string, printed float64) RangeClaim {
	low, high := max(printed/2, printed-5), min(2*printed, printed+5)
	switch {
	case printed == 0:
		low, high = -Noise, Noise
	case printed < 0:
		low, high = max(2*printed, printed-5), min(printed/2, printed+5)
	}
	return Signed(InRange(text, paper, low, high))
}

// Signed prints the number with its sign.
func Signed(w RangeClaim) RangeClaim {
	w.Format = "%+.1f %%"
	return w
}

// even is the largest distance of a ratio from one that counts as none.
const even = .05

// RatioOf is a claim about a printed ratio: what it, or its inverse, has above one is found from half of it to twice. A ratio of about one is
// found within 0.05.
func RatioOf(text, paper string, printed float64) RangeClaim {
	low, high := 1+(printed-1)/2, 1+2*(printed-1)
	switch {
	case math.Abs(printed-1) < even:
		low, high = printed-even, printed+even
	case printed < 1:
		low, high = 1/(1+2*(1/printed-1)), 1/(1+(1/printed-1)/2)
	}
	return RangeClaim{NewClaim(fmt.Sprintf("%s (%.3g to %.3g times)", text, low, high), paper), low, high, "%.2f times"}
}

// JudgedBy is the claim judged by ours, if there is one.
func (w RangeClaim) JudgedBy(ours float64, ok bool) Claim {
	if ok {
		w.Claim.JudgeRange(ours, w.Low, w.High, w.Format)
	}
	return w.Claim
}

// Several is a claim on several numbers, each in its range; it is judged if all of them were measured.
type Several struct {
	RangeClaim
	parts   []Range
	missing bool // a number was not measured
}

// Each begins such a claim, whose numbers are in the range of w unless told otherwise.
func (w RangeClaim) Each() *Several { return &Several{RangeClaim: w} }

// Add adds a number; ok is false where it was not measured.
func (c *Several) Add(of string, ours float64, ok bool) { c.AddIn(of, ours, ok, c.Low, c.High) }

// AddIn adds a number with a range of its own.
func (c *Several) AddIn(of string, ours float64, ok bool, low, high float64) {
	c.missing = c.missing || !ok
	c.parts = append(c.parts, Range{Of: of, Value: ours, Low: low, High: high, Format: c.Format})
}

// Judged is the claim, judged if nothing is missing.
func (c *Several) Judged() Claim {
	if !c.missing {
		c.JudgeEach(c.parts)
	}
	return c.Claim
}
