package vftree

import (
	"fmt"

	"weft/lab"
)

// rateOf returns a claim about a printed rate in Gbit/s, within a twentieth.
func rateOf(text, paper string, printed float64) lab.RangeClaim {
	low, high := .95*printed, 1.05*printed
	return lab.RangeClaim{Claim: lab.NewClaim(fmt.Sprintf("%s (%.3g to %.3g Gbit/s)", text, low, high), paper), Low: low, High: high, Format: "%.2f Gbit/s"}
}

// ratioIn returns a claim that a ratio is in a range.
func ratioIn(text, paper string, low, high float64) lab.RangeClaim {
	return lab.RangeClaim{Claim: lab.NewClaim(fmt.Sprintf("%s (%.4g to %.4g times)", text, low, high), paper), Low: low, High: high, Format: "%.3f times"}
}

// same returns a claim that two rates are equal, within a twentieth.
func same(text, paper string) lab.RangeClaim { return ratioIn(text, paper, .95, 1.05) }

// more returns a claim that one rate is well above another.
func more(text, paper string) lab.RangeClaim { return ratioIn(text, paper, 1.2, 10) }

// factorOf returns a claim that something grows by a printed percentage: ours as a factor, within a
// tenth.
func factorOf(text, paper string, printed float64) lab.RangeClaim {
	factor := 1 + printed/100
	return ratioIn(text, paper, .9*factor, 1.1*factor)
}

// rateAt returns the rate of a flow.
func rateAt(rates []float64, i int) (gbps float64, ok bool) {
	if rates == nil {
		return 0, false
	}
	return rates[i], true
}

// ratio returns the rate of one flow divided by another's.
func ratio(a []float64, i int, b []float64, j int) (times float64, ok bool) {
	x, ok1 := rateAt(a, i)
	y, ok2 := rateAt(b, j)
	return x / y, ok1 && ok2
}

// over returns the rate of a flow divided by the mean of some others.
func over(rates []float64, i int, others ...int) (times float64, ok bool) {
	x, ok1 := rateAt(rates, i)
	y, ok2 := meanRate(rates, others...)
	return x / y, ok1 && ok2
}

// meanRate returns the mean rate of some flows.
func meanRate(rates []float64, flows ...int) (gbps float64, ok bool) {
	if rates == nil {
		return 0, false
	}
	for _, i := range flows {
		gbps += rates[i] / float64(len(flows))
	}
	return gbps, true
}

// totals returns the sum of rates a divided by the sum of rates b.
func totals(a, b []float64) (times float64, ok bool) {
	if a == nil || b == nil {
		return 0, false
	}
	return sum(a) / sum(b), true
}

// rise returns the increase of the total, in percent.
func rise(from, to []float64) (percent float64, ok bool) {
	times, ok := totals(to, from)
	return 100 * (times - 1), ok
}
