package sm

import (
	"slices"
	"time"

	"weft/sm/terms"
)

// stopwatch measures how long a round and its phases take.
type stopwatch struct {
	round time.Duration // when the round began
	phase string        // the phase under way; "" between rounds
	begun time.Duration // when that phase began
}

// begin ends the phase under way, if there is one, and begins another.
func (w *stopwatch) begin(now time.Duration, phase string, took *terms.Time) {
	if w.phase == "" {
		w.round = now
	}
	w.end(now, took)
	w.phase = phase
}

// stop ends the last phase of a round, and the round.
func (w *stopwatch) stop(now time.Duration, took *terms.Time) {
	w.end(now, took)
	w.phase = ""
	took.Seconds = (now - w.round).Seconds()
}

// end adds the time of the phase under way to the entry of its name.
func (w *stopwatch) end(now time.Duration, took *terms.Time) {
	if w.phase != "" {
		at := slices.IndexFunc(took.Phases, func(p terms.PhaseTime) bool { return p.Name == w.phase })
		if at < 0 {
			at = len(took.Phases)
			took.Phases = append(took.Phases, terms.PhaseTime{Name: w.phase})
		}
		took.Phases[at].Seconds += (now - w.begun).Seconds()
	}
	w.begun = now
}
