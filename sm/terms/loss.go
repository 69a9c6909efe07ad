package terms

import "math"

// LossCount estimates the loss of datagrams, to choose the number of retries. On a bad wire it must
// be high, so that a live node is not taken for dead; on a good wire low, so that dead nodes cost
// little time.
type LossCount struct{ sent, again int }

// Add counts a finished request. A silent node says nothing about the wire.
func (l *LossCount) Add(ev *Event) {
	if ev.Kind == Answer && (ev.Outcome == Answered || ev.Outcome == Refused) {
		l.sent += ev.Attempts
		l.again += ev.Attempts - 1
	}
}

// Retries returns the number of retries. least is the caller's minimum (--retries), 0 for the
// default; a negative least is returned unchanged.
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

// Default retries, retries on the worst wire, and the accepted probability of giving up a live
// node: 10^-certainty.
const (
	usualRetries = 7
	mostRetries  = 60
	certainty    = 12
)
