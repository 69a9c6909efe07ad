package terms

import "time"

// TimeBounds are the upper bounds of the buckets of Times.
var TimeBounds = [...]time.Duration{
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond,
	time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 100 * time.Second, 300 * time.Second,
}

// Times counts durations by TimeBounds. It is a value: a copy does not change.
type Times struct {
	By  [len(TimeBounds)]int // durations up to the bound, and over the previous one
	All int                  // those over the last bound included
	Sum time.Duration
}

// Add counts a duration.
func (t *Times) Add(d time.Duration) {
	t.All++
	t.Sum += d
	for i, bound := range TimeBounds {
		if d <= bound {
			t.By[i]++
			return
		}
	}
}
