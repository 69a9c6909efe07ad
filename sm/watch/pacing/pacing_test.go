package pacing

import (
	"testing"
	"time"

	"weft/sm/terms"
)

// TestPace: rounds shortly after each other are waited for longer and longer, one that comes much
// later is not.
func TestPace(t *testing.T) {
	c := New()
	w := terms.UsualWatch
	if got := c.wait(&w, 0); got != 0 {
		t.Errorf("the first round waits %v", got)
	}
	for k, want := range []time.Duration{w.Quiet, 2 * w.Quiet, 4 * w.Quiet} {
		if c.Count(time.Second * time.Duration(1+k)); c.wait(&w, c.last+time.Second) != want {
			t.Errorf("round %d: %v, want %v", k, c.wait(&w, c.last+time.Second), want)
		}
	}
	for range 30 {
		c.Count(c.last + time.Second)
	}
	if got := c.wait(&w, c.last+Forgets-1); got != w.MostQuiet {
		t.Errorf("after many: %v", got)
	}
	if got := c.wait(&w, c.last+Forgets); got != 0 {
		t.Errorf("after calm: %v", got)
	}
	if c.Count(c.last + time.Hour); c.wait(&w, c.last+time.Second) != w.Quiet {
		t.Errorf("after the first one after calm: %v", c.wait(&w, c.last+time.Second))
	}
}
