// Package pacing decides when a round begins after changes were noticed. After calm it begins at
// once, since it also sees changes that come while it discovers. Rounds in quick succession wait
// longer and longer, until nothing has changed for a while: a device that reports changes without
// end does not keep the manager busy.
package pacing

import (
	"time"

	"weft/internal/fold"
	"weft/sm/terms"
)

// Changes holds the changes that no round has handled yet, and counts the rounds that changes began
// in quick succession.
type Changes struct {
	pending
	last  time.Duration // when the last such round began
	count int
}

// pending holds the changes that no round has handled yet.
type pending struct {
	since         time.Duration // when the first sign came; Never
	quiet, latest time.Duration // when a round begins if nothing more changes, and at the latest; Never
	first         string        // what changed first
	more          int           // how often something changed after that
}

var none = pending{since: terms.Never, quiet: terms.Never, latest: terms.Never}

// New returns Changes of nothing.
func New() Changes { return Changes{pending: none} }

// Forgets is the time after a round after which the next one counts as the first again.
const Forgets = 10 * time.Second

// Note notes a change.
func (c *Changes) Note(w *terms.Watch, now time.Duration, what string) {
	c.quiet = now + c.wait(w, now)
	if c.latest != terms.Never {
		c.more++
		return
	}
	c.since, c.latest, c.first = now, now+w.MostQuiet, what
}

// Due returns when a round begins.
func (c *Changes) Due() time.Duration { return min(c.quiet, c.latest) }

// Since returns when the first sign of them came.
func (c *Changes) Since() time.Duration { return c.since }

// Text says what has changed.
func (c *Changes) Text() string {
	if c.more == 0 {
		return c.first
	}
	return c.first + ", and " + fold.Count(c.more, "more sign of change", "more signs of change")
}

// Drop forgets changes: a round handles them, or the next master.
func (c *Changes) Drop() { c.pending = none }

// Count counts a round that changes began.
func (c *Changes) Count(now time.Duration) {
	if c.count++; c.IsCalm(now) {
		c.count = 0
	}
	c.last = now
}

// IsCalm reports whether no change began a round lately.
func (c *Changes) IsCalm(now time.Duration) bool { return c.last == 0 || now-c.last >= Forgets }

// wait returns how long nothing may change before a round begins.
func (c *Changes) wait(w *terms.Watch, now time.Duration) time.Duration {
	if c.IsCalm(now) {
		return 0
	}
	quiet := w.Quiet
	for range min(c.count, 20) {
		quiet = min(2*quiet, w.MostQuiet)
	}
	return quiet
}
