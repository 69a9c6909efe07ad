package terms

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	for _, text := range []string{"", "7-9", "07:00", "07:00-19:60", "24:01-03:00", "25:00-03:00", "07:00-07:00", "07:00-09:00x", "-7:00-09:00"} {
		if h, err := ParseHours(text); err == nil {
			t.Errorf("%q is %v", text, h)
		}
	}
	for _, c := range []struct {
		hours         []string
		midnight      string
		at, leave, in time.Duration // in: the same a day later
	}{
		{nil, "0h", time.Hour, time.Hour, 25 * time.Hour},
		{[]string{"07:00-19:00"}, "6h", time.Hour, 13 * time.Hour, 37 * time.Hour},
		{[]string{"07:00-19:00"}, "6h", 59 * time.Minute, 59 * time.Minute, 24*time.Hour + 59*time.Minute},
		{[]string{"22:00-06:30"}, "23h", time.Hour, 7*time.Hour + 30*time.Minute, 31*time.Hour + 30*time.Minute},
		{[]string{"22:00-06:30", "06:00-08:00"}, "-1h", 0, 9 * time.Hour, 33 * time.Hour},
		{[]string{"00:00-24:00"}, "0h", time.Hour, Never, Never},
		{[]string{"00:00-12:00", "12:00-00:00"}, "0h", time.Hour, Never, Never},
	} {
		w := Watch{}
		w.Epoch, _ = time.ParseDuration(c.midnight)
		for _, text := range c.hours {
			h, err := ParseHours(text)
			if err != nil || h.String() != text {
				t.Fatalf("%q is %v: %v", text, h, err)
			}
			w.NoMoves = append(w.NoMoves, h)
		}
		if got := w.AfterNoMoves(c.at); got != c.leave {
			t.Errorf("%v at %v: %v, want %v", c.hours, c.at, got, c.leave)
		}
		if got := w.AfterNoMoves(c.at + 24*time.Hour); got != c.in {
			t.Errorf("%v at %v a day later: %v, want %v", c.hours, c.at, got, c.in)
		}
	}
}
