package watch

import (
	"time"

	"weft/sm/terms"
)

// moves decides when a round moves entries of the Plan in force to less loaded links, and how many.
// Watch.Moves is the number a minute. Such a round begins movesAfter after one that repaired the
// Plan or added something, and movesEvery after another, until no entry gains by a move.
type moves struct {
	due  time.Duration // never: nothing is to be moved
	last time.Duration // when the last such round began
}

const (
	movesAfter = 2 * time.Second
	movesEvery = 10 * time.Second
)

// movesText is the reason of such a round.
const movesText = "entries move to less loaded links"

// movesDue returns when entries may move: never while the subnet is contested, and not in the hours of
// Watch.NoMoves.
func (m *Manager) movesDue() time.Duration {
	if m.watch.Moves <= 0 || m.moves.due == terms.Never {
		return terms.Never
	}
	return m.contest.delay(m.watch.AfterNoMoves(max(m.moves.due, m.now)))
}

// afreshDue returns when the Plan is routed from scratch, which moves entries too.
func (m *Manager) afreshDue() time.Duration {
	if m.afresh == terms.Never {
		return terms.Never
	}
	return m.contest.delay(m.watch.AfterNoMoves(max(m.afresh, m.now)))
}

// most returns the number of entries that the next round may move.
func (m *moves) most(perMinute int) int {
	return max(1, perMinute*int(movesEvery/time.Second)/60)
}

// takeRound plans the moves after a round that brought the subnet up. changed says that it repaired
// the Plan or added something.
func (v *moves) takeRound(m *Manager, changed bool) {
	switch {
	case m.given.Afresh:
		v.due = terms.Never
	case m.given.Moves > 0 && m.result.Spread != nil:
		v.due = v.last + movesEvery
	case m.given.Moves > 0:
		v.due = terms.Never
	case changed:
		v.due = m.now + movesAfter
		if v.last > 0 {
			v.due = max(v.due, v.last+movesEvery)
		}
	}
}
