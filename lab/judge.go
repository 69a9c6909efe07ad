package lab

import (
	"fmt"
	"slices"
	"strings"

	"weft/sim/flow"
)

// Enough is the number of seed blocks from which a claim that depends on seeds can hold.
const Enough = 8

// mayErr is the share of runs in which an interval may miss the mean, at any of its looks.
const mayErr = .05

// overBlocks judges a claim by what it was in each seed block drawn so far, at one of several looks: TooFew says that more are needed. Where no
// more may be drawn, what they do not tell differs, and so does what fewer than Enough tell of. Blocks in which nothing of it was measured say nothing.
func overBlocks(blocks []Claim, looks int, last, noMore bool) Claim {
	var telling []Claim
	for _, c := range blocks {
		switch {
		case c.Verdict == NotTestable:
			return c
		case c.Verdict != NotRun || len(c.Ranges()) > 0:
			telling = append(telling, c)
		}
	}
	if len(telling) == 0 {
		return blocks[0]
	}
	c := telling[0]
	told := len(telling) // blocks that tell of what decides
	if slices.ContainsFunc(telling, func(b Claim) bool { return len(b.Ranges()) == 0 }) {
		c.judgeTruth(telling, last)
	} else {
		c.judgeNumbers(telling, looks)
		told = len(c.Range.Blocks)
	}
	if told > 0 && told < len(blocks) {
		c.Ours += fmt.Sprintf(", measured in %d of %d seed blocks", told, len(blocks))
	}
	if c.Verdict == TooFew && last && (noMore || len(blocks) >= Enough) {
		c.Verdict, c.Undecided = Differs, true
	}
	return c
}

// judgeTruth judges a claim about no number: it must be true in each block, and holds at the last look.
func (c *Claim) judgeTruth(blocks []Claim, last bool) {
	held, same := 0, true
	for i := range blocks {
		if blocks[i].Verdict == Holds {
			held++
		}
		same = same && blocks[i].Ours == c.Ours
	}
	if !same {
		c.Ours += fmt.Sprintf("; in %d of %d seed blocks", held, len(blocks))
	}
	if c.Verdict = VerdictOf(held == len(blocks)); c.Verdict == Holds && (!last || len(blocks) < Enough) {
		c.Verdict = TooFew
	}
}

// judgeNumbers judges a claim by the interval of the mean of each of its numbers, over the blocks that have it.
func (c *Claim) judgeNumbers(blocks []Claim, looks int) {
	var numbers []Range
	var values [][]float64
	for i := range blocks {
		for _, r := range blocks[i].Ranges() {
			k := slices.IndexFunc(numbers, func(n Range) bool { return n.Of == r.Of })
			if k < 0 {
				k, numbers, values = len(numbers), append(numbers, r), append(values, nil)
			}
			if !r.Missing {
				values[k] = append(values[k], r.Value)
			}
		}
	}
	if c.Parts != nil {
		c.Parts = numbers
	}
	c.decide(values, looks)
}

// Ranges are the numbers that a claim is about, each with its bounds.
func (c *Claim) Ranges() []Range {
	if c.Parts == nil && c.Range != nil {
		return []Range{*c.Range}
	}
	return c.Parts
}

// decide judges by the values of each part over the seed blocks: a claim differs if one does, and holds if all do. The part that decides is
// what the page shows.
func (c *Claim) decide(values [][]float64, looks int) {
	ranges := slices.Clone(c.Ranges())
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
	c.Ours += c.ofParts()
}

// over judges by the interval of the mean over seed blocks, which becomes the number. The interval is that of one of several looks, which
// together err in at most 5 of 100 runs. What is missing in all blocks tells nothing. A claim on several numbers differs only by the wider interval
// that is right for so many.
func (r *Range) over(values []float64, looks, numbers int) (ours string, v Verdict) {
	s := flow.Summarise(values)
	n := len(values)
	r.Value, r.Blocks, r.Missing = s.Mean, values, n == 0
	switch n {
	case 0:
		return "nothing to measure", TooFew
	case 1:
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
