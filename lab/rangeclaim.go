package lab

import (
	"fmt"
	"math"
)

// Noise is the largest difference between two shares, in points, that counts as equal.
const Noise = .5

// Largest distances at which our number counts as the printed one.
const (
	Exact = 2. // points from a printed level
	Rough = 5. // points from an "about" or "approximately" level
	Most  = 100.
)

// Least ratio of the lower of two levels to the higher, for words in papers that compare without a
// number.
const (
	AsGood     = .95 // "as well as", "the same"
	NearlySame = .9  // "nearly the same"
	Similar    = .8  // "similar", "relatively constant"
)

// Slight is the largest gain, in percent, that counts as "small" or "slight". Noise is the least.
const Slight = 10.

// HowNear explains these limits on the page.
const HowNear = "A printed gain counts as found if ours is from half to twice of it, and at most 5 points off; if none is printed, within half a point. " +
	"A printed level counts as found within 2 points, \"about\" within 5. For a printed ratio, its excess over one (or that of its inverse) must be met from half to twice."

// RangeClaim is a claim that a number is in a range.
type RangeClaim struct {
	Claim
	Low, High float64
	Format    string
}

// InRange returns a claim about a number in percent or percentage points.
func InRange(text, paper string, low, high float64) RangeClaim {
	return RangeClaim{NewClaim(fmt.Sprintf("%s (%.4g to %.4g %%)", text, low, high), paper), low, high, "%.1f %%"}
}

// Level returns a claim about a printed share, in percent.
func Level(text, paper string, printed, within float64) RangeClaim {
	return InRange(text, paper, printed-within, printed+within)
}

// Gained returns a claim about a printed gain, in points or percent.
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

// Signed makes a claim print its number with a sign.
func Signed(w RangeClaim) RangeClaim {
	w.Format = "%+.1f %%"
	return w
}

// even is the largest distance from 1 at which a ratio counts as 1.
const even = .05

// RatioOf returns a claim about a printed ratio. The excess of the ratio, or of its inverse, over 1
// may be half to twice the printed excess. A printed ratio of about 1 allows 0.05 on either side.
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

// JudgedBy returns the claim, judged by our number if ok is set.
func (w RangeClaim) JudgedBy(ours float64, ok bool) Claim {
	if ok {
		w.Claim.JudgeRange(ours, w.Low, w.High, w.Format)
	}
	return w.Claim
}

// Several is a claim on several numbers, each with a range. It is judged if all of them were
// measured.
type Several struct {
	RangeClaim
	parts   []Range
	missing bool // a number was not measured
}

// Each starts a claim on several numbers, with the range of w by default.
func (w RangeClaim) Each() *Several { return &Several{RangeClaim: w} }

// Add adds a number; ok is false if it was not measured.
func (c *Several) Add(of string, ours float64, ok bool) { c.AddIn(of, ours, ok, c.Low, c.High) }

// AddIn adds a number with a range of its own.
func (c *Several) AddIn(of string, ours float64, ok bool, low, high float64) {
	c.missing = c.missing || !ok
	c.parts = append(c.parts, Range{Of: of, Value: ours, Low: low, High: high, Format: c.Format})
}

// Judged returns the claim, judged unless a number is missing.
func (c *Several) Judged() Claim {
	if !c.missing {
		c.JudgeEach(c.parts)
	}
	return c.Claim
}
