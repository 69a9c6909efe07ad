package main

import (
	"testing"
	"time"
)

// TestForecast: what takes a minute or more is announced, in minutes rounded up.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		parts int
		today time.Duration
		want  string
	}{
		{54, time.Second, ""}, {60, time.Second, "1 min for 60 of them"}, {2812, 100 * time.Millisecond, "5 min for 2812 of them"}, {0, time.Hour, ""},
	} {
		if got := forecast(c.parts, c.today); got != c.want {
			t.Errorf("%d parts of %v: %q, want %q", c.parts, c.today, got, c.want)
		}
	}
}
