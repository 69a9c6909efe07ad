package joblanes

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sum returns the conflicts between jobs on the same copy.
func sum(lane []int, shared [][]int32) (n int64) {
	for j := range lane {
		for k := range j {
			if lane[j] == lane[k] {
				n += int64(shared[j][k])
			}
		}
	}
	return n
}

// TestColour: fixed copies stay, no single job gains by another copy, and in small cases the sum of
// conflicts is near that of the best of all choices. For one free job it is the best.
func TestColour(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	all, bestOfAll, exact := int64(0), int64(0), 0
	const cases = 300
	for range cases {
		n, copies := 2+rng.IntN(6), 2+rng.IntN(2)
		shared := make([][]int32, n)
		for j := range shared {
			shared[j] = make([]int32, n)
			for k := range j {
				if rng.IntN(3) > 0 {
					shared[j][k] = int32(rng.IntN(20))
					shared[k][j] = shared[j][k]
				}
			}
		}
		given := make([]int, n)
		free := 0
		for j := range given {
			if given[j] = rng.IntN(copies); rng.IntN(4) > 0 {
				given[j] = -1
				free++
			}
		}
		lane := slices.Clone(given)
		colour(lane, shared, copies)
		for j := range lane {
			if lane[j] < 0 || lane[j] >= copies || given[j] >= 0 && lane[j] != given[j] {
				t.Fatalf("copies %v, given %v", lane, given)
			}
			for c := range copies {
				if other := slices.Clone(lane); given[j] < 0 {
					if other[j] = c; sum(other, shared) < sum(lane, shared) {
						t.Fatalf("job %d of %v gains on copy %d", j, lane, c)
					}
				}
			}
		}
		best := int64(1 << 60)
		tryAll(slices.Clone(given), copies, func(lane []int) { best = min(best, sum(lane, shared)) })
		got := sum(lane, shared)
		if got < best || free == 1 && got != best {
			t.Fatalf("conflicts %d of %v, the best of all choices %d; %d jobs were free", got, lane, best, free)
		}
		all, bestOfAll = all+got, bestOfAll+best
		if got == best {
			exact++
		}
	}
	if t.Logf("%d of %d cases as the best of all choices; all conflicts %d, %d at best", exact, cases, all, bestOfAll); exact < cases*8/10 || all*20 > bestOfAll*21 {
		t.Errorf("%d of %d cases as the best of all choices; all conflicts %d, %d at best", exact, cases, all, bestOfAll)
	}
}

// tryAll visits all choices of copies for jobs without one.
func tryAll(lane []int, copies int, visit func([]int)) {
	j := slices.Index(lane, -1)
	if j < 0 {
		visit(lane)
		return
	}
	for c := range copies {
		lane[j] = c
		tryAll(lane, copies, visit)
	}
	lane[j] = -1
}
