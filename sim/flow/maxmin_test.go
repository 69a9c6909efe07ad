package flow

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFair holds progressive filling against the definition of max-min fairness: no link
// carries more than it can, and every flow has a full link on which nobody has a higher rate.
func TestFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		links := rapid.IntRange(1, 6).Draw(r, "links")
		s := &flowSet{}
		for range rapid.IntRange(1, 8).Draw(r, "flows") {
			for l := range links {
				if rapid.Bool().Draw(r, "uses") {
					s.path = append(s.path, int32(l))
				}
			}
			s.end = append(s.end, int32(len(s.path)))
		}
		capacity := make([]float64, links)
		for l := range capacity {
			capacity[l] = float64(rapid.IntRange(1, 8).Draw(r, "capacity")) / 4
		}
		f := newFiller(capacity)
		sum := f.shares(s)
		const eps = 1e-6
		load, highest := make([]float64, links), make([]float64, links)
		for i, rate := range f.rate {
			sum -= rate
			for _, l := range s.path[s.start(int32(i)):s.end[i]] {
				load[l] += rate
				highest[l] = max(highest[l], rate)
			}
		}
		for i, rate := range f.rate {
			path := s.path[s.start(int32(i)):s.end[i]]
			content := slices.ContainsFunc(path, func(l int32) bool { return load[l] >= capacity[l]-eps && rate >= highest[l]-eps })
			if !content && len(path) > 0 || len(path) == 0 && rate != 0 {
				r.Fatalf("flow %d has rate %g, and no full link to blame", i, rate)
			}
		}
		for l, v := range load {
			if v > capacity[l]+eps {
				r.Fatalf("link %d carries %g of %g", l, v, capacity[l])
			}
		}
		if sum > eps || sum < -eps {
			r.Fatalf("the sum is off by %g", sum)
		}
	})
}
