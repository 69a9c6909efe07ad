package planner

import (
	"math"

	"weft/sim/flow"
)

// Rank sets the losses of the trials with figures, and returns the best and the second best. It
// prefers trials that come up to the best in most figures (held). Several such trials are
// alike, and so are trials whose losses exceed the least by at most asGood. Of them the trial with
// the fewest LIDs of a port is best, then the one with the fewest lanes, then the first.
func Rank(trials []Trial) (best, next *Trial) {
	var measured []*Trial
	var ideal flow.KeyFigures // the best of each figure, whichever trial has it
	for i := range trials {
		if f := trials[i].Figures; f != nil {
			if len(measured) == 0 {
				ideal = *f
			}
			measured = append(measured, &trials[i])
			ideal.EBB.Mean = max(ideal.EBB.Mean, f.EBB.Mean)
			ideal.Shift.Sum = min(ideal.Shift.Sum, f.Shift.Sum)
			ideal.PairLoad = min(ideal.PairLoad, f.PairLoad)
		}
	}
	least := math.Inf(1)
	for _, t := range measured {
		t.Loss = loss(t.Figures, &ideal)
		least = min(least, t.Loss)
	}
	better := func(t, than *Trial) bool {
		has, other := held(t.Figures, &ideal), held(than.Figures, &ideal)
		good, otherGood := has > 0 || t.Loss <= least+asGood, other > 0 || than.Loss <= least+asGood
		switch {
		case has != other:
			return has > other
		case good && otherGood && t.LMC != than.LMC:
			return t.LMC < than.LMC
		case good && otherGood:
			return t.VLs < than.VLs
		case good != otherGood:
			return good
		}
		return t.Loss < than.Loss
	}
	for _, t := range measured {
		switch {
		case best == nil || better(t, best):
			best, next = t, best
		case next == nil || better(t, next):
			next = t
		}
	}
	return best, next
}

// held grades figures by the best of each. 0: effective bisection bandwidth or all-to-all by shifts
// falls behind by more than asGood. 1: neither does. 2: also the largest number of pairs on a
// channel is at most mostPairs times the least.
func held(f, best *flow.KeyFigures) int {
	switch {
	case f.EBB.Mean < (1-asGood)*best.EBB.Mean || (1-asGood)*f.Shift.Sum > best.Shift.Sum:
		return 0
	case float64(f.PairLoad) > mostPairs*float64(best.PairLoad):
		return 1
	}
	return 2
}

const (
	asGood    = .01  // engines count as equal up to this difference of losses, or share of a figure
	mostPairs = 1.15 // times the least number of pairs on a channel: no loss up to there

	// Weights of shares behind the best, where that in shifts weighs 1.
	ebbWeight   = 10
	pairsWeight = .1
)

// loss returns how far figures fall behind the best of each, as a weighted sum. The share in
// all-to-all by shifts counts once, the share in effective bisection bandwidth ten times. The
// excess of the largest number of pairs on a channel over mostPairs times the least counts a tenth.
// These are the weights of Auto.
func loss(f, best *flow.KeyFigures) float64 {
	sum := 0.0
	if best.EBB.Mean > 0 {
		sum += ebbWeight * (1 - f.EBB.Mean/best.EBB.Mean)
	}
	if f.Shift.Sum > 0 {
		sum += 1 - best.Shift.Sum/f.Shift.Sum
	}
	if best.PairLoad > 0 {
		sum += pairsWeight * max(0, float64(f.PairLoad)/(mostPairs*float64(best.PairLoad))-1)
	}
	return sum
}
