package fattree

import (
	"fmt"
	"slices"

	"weft/lab"
)

// atLeast starts a claim on several differences, each at least this many points. From lab.Noise on,
// a difference counts as more or less.
func atLeast(points float64, text, paper string) *lab.Several {
	return lab.RangeClaim{Claim: lab.NewClaim(text, paper), Low: points, High: lab.Most, Format: "%+.1f"}.Each()
}

// notBehind returns the claim that DFSSSP is not ahead of fat-tree routing at any number of failed
// parts.
func (l shareLeft) notBehind(what failure, when, paper string, numbers []int) lab.Claim {
	c := atLeast(-lab.Noise, when+", each number: fat-tree routing is not behind DFSSSP (by more than 0.5 points)", paper)
	for _, n := range numbers {
		points, ok := l.ahead(what, n, "fat-tree", "DFSSSP")
		c.Add(fmt.Sprintf("%d failed", n), points, ok)
	}
	return c.Judged()
}

// crossing returns the claims that DFSSSP is ahead of fat-tree routing from some number of failed
// links on, and not with fewer.
func (l shareLeft) crossing(numbers []int, at int, paper string) []lab.Claim {
	i := slices.Index(numbers, at)
	after := atLeast(lab.Noise, fmt.Sprintf("%d failed links or more, each number: DFSSSP is ahead of fat-tree routing (by more than 0.5 points)", at), paper)
	for _, n := range numbers[i:] {
		points, ok := l.ahead(anyLink, n, "DFSSSP", "fat-tree")
		after.Add(fmt.Sprintf("%d failed", n), points, ok)
	}
	return []lab.Claim{l.notBehind(anyLink, fmt.Sprintf("fewer than %d failed links", at), paper, numbers[:i]), after.Judged()}
}

// falls returns the claim that failed links cost an engine throughput, and that no number of them
// gives more than the previous one. A single failed link cannot take 0.5 points each time: all 259
// together take less.
func (l shareLeft) falls(engine string, numbers []int) lab.Claim {
	c := atLeast(-lab.Noise, engine+" gives less with 259 failed links than with none, and from each number to the next not more (by more than 0.5 points)", "all deliver less with each failed link")
	last := len(numbers) - 1
	less, ok := l.rise(anyLink, engine, numbers[last], numbers[0])
	c.AddIn(fmt.Sprintf("%d to %d, less", numbers[0], numbers[last]), less, ok, lab.Noise, lab.Most)
	for i := range last {
		less, ok := l.rise(anyLink, engine, numbers[i+1], numbers[i])
		c.Add(fmt.Sprintf("%d to %d, not more", numbers[i], numbers[i+1]), less, ok)
	}
	return c.Judged()
}

// spike returns the claims that MinHop gives more with 2 and with 3 failed switches than with fewer
// and with more.
func (l shareLeft) spike(paper string) []lab.Claim {
	one := atLeast(lab.Noise, "MinHop gives more with 2 and with 3 failed switches than with one (by more than 0.5 points)", paper)
	two := atLeast(lab.Noise, "MinHop gives more with 2 and with 3 failed switches than with 4 and with 5 (by more than 0.5 points)", paper)
	for _, high := range []int{2, 3} {
		for _, low := range []int{1, 4, 5} {
			c := two
			if low == 1 {
				c = one
			}
			points, ok := l.rise(wholeSwitch, "MinHop", low, high)
			c.Add(fmt.Sprintf("%d against %d", high, low), points, ok)
		}
	}
	return []lab.Claim{one.Judged(), two.Judged()}
}

// lowerSpike returns the claim that this spike exists, on average, and is higher for random rings.
func (l shareLeft) lowerSpike(rings shareLeft, paper string) lab.Claim {
	c := atLeast(lab.Noise, "MinHop: what 2 and 3 failed switches give beyond 1, 4 and 5 is more than nothing, and less than of random rings (by more than 0.5 points)", paper)
	ours, ok1 := l.height()
	ofRings, ok2 := rings.height()
	c.Add("uniform traffic", ours, ok1)
	c.Add("random rings less uniform traffic", ofRings-ours, ok1 && ok2)
	return c.Judged()
}

// height returns MinHop's gain with 2 and 3 failed switches over 1, 4 and 5, in points, on average.
func (l shareLeft) height() (points float64, ok bool) {
	ok = true
	for _, high := range []int{2, 3} {
		for _, low := range []int{1, 4, 5} {
			more, found := l.rise(wholeSwitch, "MinHop", low, high)
			points, ok = points+more/6, ok && found
		}
	}
	return points, ok
}

// jagged returns the claim that the curves have rises; our runs have too few points to judge it.
func jagged() lab.Claim {
	c := lab.NewClaim("no curve but LASH's only falls: each gives more somewhere with more failed links", "not strictly monotonically decreasing")
	c.Untestable("Ten of the paper's 89 numbers of failed links are run, far apart: between neighbours curves may rise.")
	return c
}

// switchesAgainstLinks returns the claim comparing the cost of 259 links with the cost of 7
// switches, which have 252 links.
func (l shareLeft) switchesAgainstLinks(engine, text, paper string, low, high float64) lab.Claim {
	a, ok1 := l.lost(wholeSwitch, 7, engine)
	b, ok2 := l.lost(anyLink, 259, engine)
	return lab.Signed(lab.InRange(text+": 259 links cost more than 7 switches, by", paper, low, high)).JudgedBy(b-a, ok1 && ok2)
}
