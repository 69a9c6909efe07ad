package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/sim/flow"
)

// Enough is the least number of seed blocks with which a claim that depends on seeds can hold.
const Enough = 8

// mayErr is the largest share of runs whose interval may miss the mean, over all looks together.
const mayErr = .05

// judging judges a claim over successive seed blocks. A decision at a look is final, for the claim
// and for each of its numbers.
type judging struct {
	Claim        // the result so far: TooFew if more blocks are needed
	blocks  int  // seen until the claim was decided
	told    int  // blocks that measured the claim
	held    int  // of those, the blocks in which it is true
	same    bool // all blocks have the same words in Ours
	noRange bool // a block has no number, so judge by the count of true blocks
	numbers []number
}

// number is one number of a claim over the seed blocks.
type number struct {
	Range           // its Blocks has the value of each block that measured it
	asked   int     // blocks until it was decided, without blocks that left out its rows
	half    float64 // half the deciding interval
	verdict Verdict // TooFew until decided
}

// add adds the claim's result in the next block. A block that measured nothing of the claim does
// not count.
func (j *judging) add(c Claim) {
	if j.blocks == 0 {
		j.Claim = c
	}
	if c.Text != j.Text {
		panic(fmt.Sprintf("lab: the claim %q is %q in another seed block", j.Text, c.Text))
	}
	if j.told > 0 && !j.open() {
		return
	}
	j.blocks++
	ranges := c.Ranges()
	for i := range j.numbers {
		if n := &j.numbers[i]; n.verdict == TooFew && n.Rows == nil {
			n.asked++
		}
	}
	if c.Verdict == NotRun && len(ranges) == 0 {
		return
	}
	if j.told == 0 {
		j.Claim, j.same = c, true
	}
	j.told++
	j.same = j.same && c.Ours == j.Ours
	j.noRange = j.noRange || len(ranges) == 0
	if c.Verdict == Holds {
		j.held++
	}
	for i := range ranges {
		j.addNumber(&ranges[i])
	}
	if j.Verdict = TooFew; c.Verdict == NotTestable {
		j.Claim = c
	}
}

// addNumber adds a number's value in the latest block, unless the number is decided.
func (j *judging) addNumber(r *Range) {
	k := slices.IndexFunc(j.numbers, func(n number) bool { return n.Of == r.Of })
	if k < 0 {
		k = len(j.numbers)
		j.numbers = append(j.numbers, number{Range: *r, verdict: TooFew})
		if j.numbers[k].Blocks = nil; r.Rows == nil {
			j.numbers[k].asked = j.blocks
		}
	}
	n := &j.numbers[k]
	if n.verdict != TooFew {
		return
	}
	if n.Rows != nil {
		n.asked++
	}
	if !r.Missing {
		n.Blocks = append(n.Blocks, r.Value)
	}
}

// open reports whether more blocks are needed.
func (j *judging) open() bool { return j.Verdict == TooFew }

// needs reports whether a row of the artefact is needed to decide the claim.
func (j *judging) needs(row string) bool {
	return j.open() && (j.noRange || slices.ContainsFunc(j.numbers, func(n number) bool {
		return n.verdict == TooFew && (n.Rows == nil || slices.Contains(n.Rows, row))
	}))
}

// look judges by the blocks so far, at one of several looks. At the last look an undecided claim
// differs (Undecided is set) if there were Enough blocks, or if the artefact may never have more.
func (j *judging) look(looks int, last, never bool) {
	if !j.open() || j.told == 0 {
		return
	}
	told, asked := j.told, j.blocks
	if j.noRange {
		j.judgeTruth(last)
	} else {
		decides := j.judgeNumbers(looks, last)
		told, asked = len(decides.Blocks), decides.asked
	}
	if j.Verdict == TooFew && !last {
		return
	}
	if told > 0 && told < asked {
		j.Ours += fmt.Sprintf(", measured in %d of %d seed blocks", told, asked)
	}
	if j.Verdict == TooFew && (never || j.blocks >= Enough) {
		j.Verdict, j.Undecided = Differs, true
	}
}

// judgeTruth judges a claim without a number: it must be true in each block, and holds only at the
// last look.
func (j *judging) judgeTruth(last bool) {
	switch {
	case j.held < j.told:
		j.Verdict = Differs
	case last && j.told >= Enough:
		j.Verdict = Holds
	}
	if !j.same && (j.Verdict != TooFew || last) {
		j.Ours += fmt.Sprintf("; in %d of %d seed blocks", j.held, j.told)
	}
}

// judgeNumbers judges by the interval of each number's mean: a claim differs if one number does,
// and holds if all do. It returns the deciding number, which the page shows.
func (j *judging) judgeNumbers(looks int, last bool) *number {
	weight := map[Verdict]int{Holds: 0, TooFew: 1, Differs: 2}
	var decides *number
	for i := range j.numbers {
		n := &j.numbers[i]
		if n.verdict == TooFew {
			n.judge(looks, len(j.numbers), last)
		}
		if decides == nil || weight[n.verdict] > weight[decides.verdict] || n.verdict == decides.verdict && n.slack() < decides.slack() {
			decides = n
		}
	}
	j.Verdict, j.Ours = decides.verdict, decides.text()
	several := j.Parts != nil
	if j.Range, j.Parts = &decides.Range, nil; several {
		for i := range j.numbers {
			j.Parts = append(j.Parts, j.numbers[i].Range)
		}
		j.Ours += j.ofParts()
	}
	return decides
}

// judge judges a number by the interval of its mean over seed blocks, and stores the mean as the
// value. All looks together err in at most 5 of 100 runs. A number missing in all blocks stays
// undecided. A number of a claim on several differs only by the wider interval for that many
// numbers. If all blocks have the same value, at an end of the range, only the last look accepts
// it.
func (n *number) judge(looks, numbers int, last bool) {
	s, count := flow.Summarise(n.Blocks), len(n.Blocks)
	n.Value, n.Missing = s.Mean, count == 0
	if count < 2 {
		return
	}
	one, all := s.Half(count, mayErr/float64(looks)), s.Half(count, mayErr/float64(looks*numbers))
	atEnd := one == 0 && (s.Mean == n.Low || s.Mean == n.High)
	switch {
	case s.Mean+all < n.Low || s.Mean-all > n.High:
		n.verdict, n.half = Differs, all
	case s.Mean-one >= n.Low && s.Mean+one <= n.High && count >= Enough && (last || !atEnd):
		n.verdict, n.half = Holds, one
	default:
		n.half = all
	}
}

// text prints the number with half its interval.
func (n *number) text() string {
	switch len(n.Blocks) {
	case 0:
		return "nothing to measure"
	case 1:
		return fmt.Sprintf(n.Format, n.Value)
	}
	return fmt.Sprintf(n.Format+" ± "+strings.ReplaceAll(n.Format, "+", ""), n.Value, n.half)
}

// slack returns the distance of the number from the nearer end of its range; negative outside. A
// number that was never measured has the lowest slack.
func (n *number) slack() float64 {
	if n.Missing {
		return math.Inf(-1)
	}
	return n.Range.slack()
}
