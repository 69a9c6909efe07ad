package lab

import "testing"

// TestRanges: what counts as printed.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name      string
		w         RangeClaim
		low, high float64
	}{
		{"a small gain", Gained("", "", 3), 1.5, 6},
		{"a large gain", Gained("", "", 30), 25, 35},
		{"a loss", Gained("", "", -4.5), -9, -2.25},
		{"no gain", Gained("", "", 0), -.5, .5},
		{"a level", Level("", "", 65, Rough), 60, 70},
		{"a ratio", RatioOf("", "", 4), 2.5, 7},
		{"a ratio below one", RatioOf("", "", .5), 1. / 3, 1 / 1.5},
		{"a ratio of one", RatioOf("", "", 1), .95, 1.05},
	} {
		if c.w.Low != c.low || c.w.High != c.high {
			t.Errorf("%s: %g to %g", c.name, c.w.Low, c.w.High)
		}
	}
}
