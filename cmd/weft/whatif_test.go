package main

import (
	"testing"
	"time"
)

// TestForecast: what takes a minute or more is announced, in minutes rounded up.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		parts, cores int
		one          time.Duration
		want         string
	}{
		{54, 1, time.Second, ""},
		{60, 1, time.Second, "1 min for all 60"},
		{60, 2, time.Second, ""},
		{0, 2, time.Hour, ""},
		{2812, 1, 100 * time.Millisecond, "5 min for all 2812"},
		{2812, 8, 100 * time.Millisecond, ""},
	} {
		if got := forecast(c.parts, c.cores, c.one); got != c.want {
			t.Errorf("%d parts of %v on %d cores: %q, want %q", c.parts, c.one, c.cores, got, c.want)
		}
	}
}
