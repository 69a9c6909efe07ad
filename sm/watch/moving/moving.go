// Package moving decides when a round moves entries of the Plan in force to less loaded links, and
// how many. Watch.Moves is the number a minute. Such a round begins some time after one that
// repaired the Plan or added something, and then again and again, until no entry gains by a move.
package moving

import (
	"time"

	"weft/sm/terms"
)

const (
	after = 2 * time.Second  // a repair, or an addition
	every = 10 * time.Second // from one such round to the next
)

// Why is the reason of such a round.
const Why = "entries move to less loaded links"

// Schedule holds when entries move.
type Schedule struct {
	due  time.Duration // Never: nothing is to be moved
	last time.Duration // when the last such round began; 0: there was none
}

// New returns a Schedule of nothing.
func New() Schedule { return Schedule{due: terms.Never} }

// Due returns when entries move, as Allowed.
func (s *Schedule) Due(w *terms.Watch, now time.Duration) time.Duration {
	if w.Moves <= 0 {
		return terms.Never
	}
	return Allowed(w, s.due, now)
}

// Allowed returns when something that is due may be done which moves entries though nothing has
// failed: in a change window, and outside of the hours without moves.
func Allowed(w *terms.Watch, due, now time.Duration) time.Duration {
	if due == terms.Never {
		return due
	}
	return w.ChangesAllowed(max(due, now))
}

// Begin begins a round that moves entries, and returns how many it may move.
func (s *Schedule) Begin(w *terms.Watch, now time.Duration) int {
	s.last, s.due = now, now+every
	return max(1, w.Moves*int(every/time.Second)/60)
}

// Ended takes the end of such a round, which moved something or not.
func (s *Schedule) Ended(moved bool) {
	if s.due = terms.Never; moved {
		s.due = s.last + every
	}
}

// Changed takes a repair or an addition.
func (s *Schedule) Changed(now time.Duration) {
	if s.due = now + after; s.last > 0 {
		s.due = max(s.due, s.last+every)
	}
}

// Pending reports whether entries are to move some time.
func (s *Schedule) Pending() bool { return s.due < terms.Never }

// Drop cancels moves that are due.
func (s *Schedule) Drop() { s.due = terms.Never }
