// Package stats computes intervals of means and compares pairs of measurements. It is pure.
//
// Intervals are of Student's t. The sign test is exact up to 1000 pairs. The signed-rank test
// (Wilcoxon, "Individual comparisons by ranking methods", 1945) leaves out differences of 0, gives
// equal differences their mean rank, and is exact over all signs up to mostExact differences;
// above, it uses the normal approximation with the corrections for ties and continuity. Both tests
// are two-sided.
//
// Sums are exact fractions. The exact signed-rank test takes time and memory of n times the smaller
// sum of ranks: at most n^3/2 steps of n differences.
package stats

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with its 95 % confidence interval.
type Interval struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	Half float64 `json:"ci95"` // half the width; 0 if N is below 2
}

// Mean returns the mean of a sample, 0 of an empty one. The sum is exact and the result is rounded
// once, so that it does not depend on the order, and each printed digit is right.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	mean, _ := exactMean(v).Float64()
	return mean
}

func exactMean(v []float64) *big.Rat {
	sum := new(big.Rat)
	for _, x := range v {
		if r := new(big.Rat).SetFloat64(x); r != nil { // a figure is finite
			sum.Add(sum, r)
		}
	}
	return sum.Quo(sum, big.NewRat(int64(len(v)), 1))
}

// IntervalOf returns the interval of the mean of a sample.
func IntervalOf(v []float64) Interval {
	out := Interval{N: len(v)}
	if len(v) == 0 {
		return out
	}
	mean, squares := exactMean(v), new(big.Rat)
	if out.Mean, _ = mean.Float64(); len(v) < 2 {
		return out
	}
	for _, x := range v {
		if d := new(big.Rat).SetFloat64(x); d != nil {
			d.Sub(d, mean)
			squares.Add(squares, d.Mul(d, d))
		}
	}
	n := float64(len(v))
	sum, _ := squares.Float64()
	out.Half = distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(.975) * math.Sqrt(sum/(n-1)/n)
	return out
}

// Pairs compares two contestants on the same subjects by their differences.
type Pairs struct {
	Difference Interval `json:"difference"`
	Wins       int      `json:"wins"` // differences above 0
	Losses     int      `json:"losses"`
	Ties       int      `json:"ties"`
	Sign       float64  `json:"sign_p"`     // probability of wins and losses at least as uneven as these, if neither is better
	Rank       float64  `json:"wilcoxon_p"` // the same for the sums of signed ranks
}

// PairsOf compares two contestants by their differences, one for each subject.
func PairsOf(differences []float64) Pairs {
	p := Pairs{Difference: IntervalOf(differences)}
	for _, d := range differences {
		switch {
		case d > 0:
			p.Wins++
		case d < 0:
			p.Losses++
		default:
			p.Ties++
		}
	}
	p.Sign, p.Rank = sign(p.Wins, p.Losses), signedRank(differences)
	return p
}

// sign returns the two-sided probability of the sign test: exact, by Binomial(n, 1/2), up to n =
// 1000; above, by the normal approximation with correction for continuity, since 2^-n underflows.
func sign(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	if n > 1000 {
		z := (math.Abs(float64(wins-losses)) - 1) / math.Sqrt(float64(n))
		return math.Erfc(max(z, 0) / math.Sqrt2)
	}
	sum, term := 0.0, math.Exp2(-float64(n)) // term: of i wins
	for i := 0; i <= k; i++ {
		sum += term
		term *= float64(n-i) / float64(i+1)
	}
	return min(1, 2*sum)
}

// mostExact is the largest number of differences with an exact signed-rank test.
const mostExact = 200

// signedRank returns the two-sided probability of the signed-rank test.
func signedRank(differences []float64) float64 {
	d := slices.DeleteFunc(slices.Clone(differences), func(x float64) bool { return x == 0 })
	if len(d) == 0 {
		return 1
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	twice := make([]int, len(d)) // twice the rank, so that mean ranks are whole
	plus, ties := 0, 0.0
	for i := 0; i < len(d); {
		k := i
		for k < len(d) && math.Abs(d[k]) == math.Abs(d[i]) {
			k++
		}
		for j := i; j < k; j++ {
			if twice[j] = i + 1 + k; d[j] > 0 {
				plus += twice[j]
			}
		}
		m := float64(k - i)
		ties, i = ties+m*m*m-m, k
	}
	n := float64(len(d))
	total := len(d) * (len(d) + 1)
	less := min(plus, total-plus)
	if len(d) > mostExact {
		z := (float64(less-total/2)/2 + .5) / math.Sqrt(n*(n+1)*(2*n+1)/24-ties/48)
		return math.Erfc(-min(z, 0) / math.Sqrt2)
	}
	share := make([]float64, less+1) // share of all signs that have this sum of twice the positive ranks
	share[0] = 1
	for _, r := range twice {
		for s := less; s >= 0; s-- {
			if share[s] /= 2; s >= r {
				share[s] += share[s-r] / 2
			}
		}
	}
	sum := 0.0
	for _, p := range share {
		sum += p
	}
	return min(1, 2*sum)
}
