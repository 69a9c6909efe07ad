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

// TestSeveral: a claim on several numbers is judged by each in its own range, and only if all were
// measured.
func TestSeveral(t *testing.T) {
	for _, c := range []struct {
		b, low float64
		ok     bool
		want   Verdict
	}{{1.5, 1, true, Holds}, {.5, 1, true, Differs}, {.5, 0, true, Holds}, {1.5, 1, false, NotRun}} {
		several := InRange("both", "so", 1, 2).Each()
		several.Add("a", 1.5, true)
		several.AddIn("b", c.b, c.ok, c.low, 2)
		if got := several.Judged(); got.Verdict != c.want {
			t.Errorf("%+v: %s", c, got.Verdict)
		}
	}
}
