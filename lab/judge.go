package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/sim/flow"
)

// Enough is the number of seed blocks from which a claim that depends on seeds can hold.
const Enough = 8

// mayErr is the share of runs in which an interval may miss the mean, at any of its looks.
const mayErr = .05

// judging judges a claim over seed blocks, which come one after the other. What is decided at a look stays so: the claim, or one of its numbers.
type judging struct {
	Claim        // what it has become: TooFew says that more blocks are needed
	blocks  int  // that came until it was decided
	told    int  // of them, those that tell of it
	held    int  // of those, the ones in which it is true
	same    bool // in all of them ours is in the same words
	noRange bool // one of them is about no number, so that it counts in how many it is true
	numbers []number
}

// number is a number of a claim over the seed blocks.
type number struct {
	Range           // its Blocks has the value of each block that has it
	asked   int     // blocks until it was decided, but those that left its rows out
	half    float64 // half the interval that decides
	verdict Verdict // TooFew until it is decided
}

// add adds what the claim is in the next block. A block in which nothing of it was measured says nothing.
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

// addNumber adds the value of a number in the block that was added last, unless it is decided.
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

// open says whether more blocks are needed.
func (j *judging) open() bool { return j.Verdict == TooFew }

// needs says whether a row of the artefact is needed to decide it.
func (j *judging) needs(row string) bool {
	return j.open() && (j.noRange || slices.ContainsFunc(j.numbers, func(n number) bool {
		return n.verdict == TooFew && (n.Rows == nil || slices.Contains(n.Rows, row))
	}))
}

// look judges by the blocks so far, at one of several looks. At the last one a claim that is not decided differs, undecided, if there were Enough
// blocks, or if the artefact may never have more.
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

// judgeTruth judges a claim about no number: it must be true in each block, and holds at the last look.
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

// judgeNumbers judges by the interval of the mean of each number: a claim differs if one does, and holds if all do. It returns the number that
// decides, which the page shows.
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

// judge judges a number by the interval of its mean over seed blocks, which becomes the number. The interval is that of one of several looks, which
// together err in at most 5 of 100 runs. What is missing in all blocks tells nothing. A claim on several numbers differs only by the wider interval
// that is right for so many. Where all blocks have the same number, at an end of its range, only the last look believes it.
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

// text is the number with half its interval.
func (n *number) text() string {
	switch len(n.Blocks) {
	case 0:
		return "nothing to measure"
	case 1:
		return fmt.Sprintf(n.Format, n.Value)
	}
	return fmt.Sprintf(n.Format+" ± "+strings.ReplaceAll(n.Format, "+", ""), n.Value, n.half)
}

// slack is the distance of the number from the nearer end of its range, below 0 outside. One that was never measured is the furthest of those that
// are not decided.
func (n *number) slack() float64 {
	if n.Missing {
		return math.Inf(-1)
	}
	return n.Range.slack()
}
