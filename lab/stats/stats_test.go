package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPublished: the example of Wilcoxon's test in its textbooks, Darwin's plants (Fisher 1935): 15
// pairs, signed-rank sum 96 against 24.
func TestPublished(t *testing.T) {
	darwin := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	p := PairsOf(darwin)
	if p.Wins != 13 || p.Losses != 2 || math.Abs(p.Difference.Mean-20.933) > 5e-4 || math.Abs(p.Difference.Half-20.902) > 5e-3 {
		t.Errorf("%+v", p)
	}
	if math.Abs(p.Sign-2*(1+15+105)/math.Exp2(15)) > 1e-12 || math.Abs(p.Rank-.04126) > 5e-6 {
		t.Errorf("%+v", p)
	}
}

// TestSignedRankDumb: the same as counting all signs, with ties and zeros.
func TestSignedRankDumb(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		d := make([]float64, 1+rng.IntN(10))
		for i := range d {
			d[i] = float64(rng.IntN(9) - 4)
		}
		if got, want := signedRank(d), dumbRank(d); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %g, want %g", d, got, want)
		}
	}
}

// dumbRank counts the signs whose sum of ranks is at least as far from its mean.
func dumbRank(d []float64) float64 {
	var size []float64
	var is []bool
	for _, x := range d {
		if x != 0 {
			size, is = append(size, math.Abs(x)), append(is, x > 0)
		}
	}
	n := len(size)
	rank, total := make([]float64, n), 0.0
	for i := range size {
		less, same := 0, 0
		for _, y := range size {
			if y < size[i] {
				less++
			}
			if y == size[i] {
				same++
			}
		}
		rank[i] = float64(less) + float64(same+1)/2
		total += rank[i]
	}
	sum := func(is func(int) bool) (s float64) {
		for i := range rank {
			if is(i) {
				s += rank[i]
			}
		}
		return s
	}
	seen := math.Abs(sum(func(i int) bool { return is[i] }) - total/2)
	count := 0
	for signs := range 1 << n {
		if math.Abs(sum(func(i int) bool { return signs>>i&1 == 1 })-total/2) >= seen {
			count++
		}
	}
	return float64(count) / float64(int(1)<<n)
}

// TestLargeSamples: the approximations meet the exact values where they begin.
func TestLargeSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	d := make([]float64, mostExact+1)
	for i := range d {
		d[i] = rng.NormFloat64() + .1
	}
	if a, b := signedRank(d), signedRank(d[:mostExact]); a <= 0 || a > 1 || math.Abs(a-b) > .1*b+.01 {
		t.Errorf("%g and %g", a, b)
	}
	if a, b := sign(540, 460), sign(541, 460); math.Abs(a-b) > .1*b {
		t.Errorf("%g and %g", a, b)
	}
	if p := PairsOf(nil); p.Sign != 1 || p.Rank != 1 || p.Difference != (Interval{}) {
		t.Errorf("%+v", p)
	}
}
