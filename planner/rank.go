package planner

import (
	"math"

	"weft/sim/flow"
)

// Rank sets the losses of the trials with figures, and returns the best and the second best. Trials
// that come up to the best plain ones in bandwidth and shifts (held) come first: nobody gives up
// the bandwidth of an engine that users can name. Among them, or among all if there are none, it
// prefers trials that come up to the best of these in most figures. Several such trials are alike,
// and so are trials whose losses exceed the least by at most asGood. Of them the trial with the
// fewest LIDs of a port is best, then the one with the fewest lanes, then the first.
func Rank(trials []Trial) (best, next *Trial) {
	return rank(trials, plainIdeal(trials))
}

// plainIdeal returns the best of each figure over plain trials, whichever has it; nil without such
// trials.
func plainIdeal(trials []Trial) *flow.KeyFigures {
	return idealOf(withFigures(trials, func(t *Trial) bool { return !t.moved && !t.small }))
}

// withFigures lists the trials that have figures and fulfil a condition.
func withFigures(trials []Trial, has func(*Trial) bool) (list []*Trial) {
	for i := range trials {
		if trials[i].Figures != nil && has(&trials[i]) {
			list = append(list, &trials[i])
		}
	}
	return list
}

// idealOf returns the best of each figure; nil without trials.
func idealOf(list []*Trial) *flow.KeyFigures {
	if len(list) == 0 {
		return nil
	}
	ideal := *list[0].Figures
	for _, t := range list {
		ideal.EBB.Mean = max(ideal.EBB.Mean, t.Figures.EBB.Mean)
		ideal.Shift.Sum = min(ideal.Shift.Sum, t.Figures.Shift.Sum)
		ideal.PairLoad = min(ideal.PairLoad, t.Figures.PairLoad)
	}
	return &ideal
}

// rank is Rank with the best figures of plain trials given; nil if there are none.
func rank(trials []Trial, plain *flow.KeyFigures) (best, next *Trial) {
	all := withFigures(trials, func(*Trial) bool { return true })
	first := withFigures(trials, func(t *Trial) bool { return plain != nil && held(t.Figures, plain) > 0 })
	rest := withFigures(trials, func(t *Trial) bool { return plain == nil || held(t.Figures, plain) == 0 })
	ideal := idealOf(all)
	for _, t := range all {
		t.Loss = loss(t.Figures, ideal)
	}
	best, next = bestOf(first)
	switch {
	case best == nil:
		best, next = bestOf(rest)
	case next == nil:
		next, _ = bestOf(rest)
	}
	return best, next
}

// bestOf returns the best and the second best of trials that have losses.
func bestOf(list []*Trial) (best, next *Trial) {
	ideal, least := idealOf(list), math.Inf(1)
	for _, t := range list {
		least = min(least, t.Loss)
	}
	better := func(t, than *Trial) bool {
		has, other := held(t.Figures, ideal), held(than.Figures, ideal)
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
	for _, t := range list {
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

// bestTwo returns the best and the second best trial. If only one was not clearly behind, there are
// no Figures, and the first bisections decide. Engines for small networks only have to be ahead of
// the best of the others: they do not change the order of these.
func (c *Choice) bestTwo() (best, next *Trial) {
	if best, next = Rank(c.Trials); best != nil {
		return c.bestWithSmall(best, next)
	}
	for i := range c.Trials {
		t := &c.Trials[i]
		switch {
		case t.Reason != "":
		case best == nil || t.First.EBB.Mean > best.First.EBB.Mean:
			best, next = t, best
		case next == nil || t.First.EBB.Mean > next.First.EBB.Mean:
			next = t
		}
	}
	if next != nil {
		for i := range c.Trials {
			if t := &c.Trials[i]; t.First != nil {
				t.Loss = ebbWeight * (1 - t.First.EBB.Mean/best.First.EBB.Mean)
			}
		}
	}
	return best, next
}

// bestWithSmall ranks again, without the engines for small networks, and then compares each of them
// with the best so far. If no other engine has Figures, the result of Rank stays.
func (c *Choice) bestWithSmall(best, next *Trial) (first, second *Trial) {
	var usual []Trial
	var small []*Trial
	for i := range c.Trials {
		switch t := &c.Trials[i]; {
		case t.Figures == nil:
		case t.small:
			small = append(small, t)
		default:
			usual = append(usual, *t)
		}
	}
	if len(small) == 0 || len(usual) == 0 {
		return best, next
	}
	plain := plainIdeal(usual)
	if best, next = rank(usual, plain); next != nil {
		second = c.trial(next.Engine)
	}
	first = c.trial(best.Engine)
	for _, t := range small {
		if ahead, _ := rank([]Trial{*first, *t}, plain); ahead.Engine == t.Engine {
			first, second = t, first
		}
	}
	return first, second
}
