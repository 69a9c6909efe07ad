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

// TestNoCalm: a round begins after Watch.MostQuiet, though changes come without end, and names the
// first of them.
func TestNoCalm(t *testing.T) {
	c := New()
	w := terms.UsualWatch
	now := time.Second
	for range 10 {
		c.Count(now)
	}
	begun := now
	for ; now < begun+2*w.MostQuiet && now < c.Due(); now += w.Quiet {
		c.Note(&w, now, "a trap")
	}
	if c.Due() != begun+w.MostQuiet || c.Since() != begun || c.Text() != "a trap, and 39 more signs of change" {
		t.Errorf("due %v after the first, at %v: %s", c.Due()-begun, c.Since(), c.Text())
	}
	if c.Drop(); c.Due() != terms.Never {
		t.Errorf("due at %v", c.Due())
	}
}
