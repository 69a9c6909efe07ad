package terms

import "math"

// LossCount counts what gets lost on the way, to say how often a request must be repeated:
// on a bad wire more often, so that a live node does not pass for a dead one, and on a good
// one not more often than a dead node needs.
type LossCount struct{ sent, again int }

// Add counts the end of a request. A silent node says nothing about the wire.
func (l *LossCount) Add(ev *Event) {
	if ev.Kind == Answer && (ev.Outcome == Answered || ev.Outcome == Refused) {
		l.sent += ev.Attempts
		l.again += ev.Attempts - 1
	}
}

// Retries returns how often to repeat a request; least is the caller's least (--retries of
// the commands), 0 for the usual.
func (l *LossCount) Retries(least int) int {
	if least == 0 {
		least = usualRetries
	}
	if l.again == 0 || least < 0 {
		return least
	}
	lost := float64(l.again) / float64(l.sent+10)
	return min(max(least, int(math.Ceil(-certainty/math.Log10(lost)))), max(least, mostRetries))
}

// The repetitions where nothing is lost and on the worst wire, and how improbable it must be
// that a live node is given up: 10 to the power of minus certainty.
const (
	usualRetries = 7
	mostRetries  = 60
	certainty    = 12
)
