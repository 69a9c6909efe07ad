package watch

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/terms"
)

// countTurns counts the turns that a manager begins to plan.
func (x *turning) countTurns() *int {
	n := 0
	x.onAction = func(a *terms.Action) {
		if a.Kind == terms.Improve && a.Request != nil {
			n++
		}
	}
	return &n
}

// TestTurnBeforeMoves: entries that move to less loaded links after a repair, for minutes, do not
// let a turn begin again and again. They move after it.
func TestTurnBeforeMoves(t *testing.T) {
	x := newTurning(t, terms.JobRule{Interval: 10 * time.Second, Moves: math.MaxInt})
	x.reload(func(w *terms.Watch) { w.Moves, w.Rebalance = 6, 0 })
	x.pullAndReturn(t, 2*time.Second)
	x.start("a", 0, 4)
	turns := x.countTurns()
	x.runUntil(x.now + 80*time.Second)
	if before := x.manager.tally.Spread; x.turn("a") == nil || *turns != 1 || before > 3 || !x.manager.moves.Pending() {
		t.Errorf("%d turns were planned, %+v, while %d entries moved: %v", *turns, x.turn("a"), before, x.entries)
	}
	if x.runUntil(x.now + 10*time.Minute); x.manager.tally.Spread < 10 || x.manager.moves.Pending() {
		t.Errorf("%d entries moved", x.manager.tally.Spread)
	}
	x.verify(t)
}

// TestTurnsBetweenTrials: jobs start while all links get another speed, a few at a time. No turn is
// planned while links carry nothing for that, and no trial begins while one is planned, so no turn
// begins again. Neither starves the other.
func TestTurnsBetweenTrials(t *testing.T) {
	v := forced(t, "rlft(8,2)", "*: speed=..DDR", emulator.Options{Training: 2 * time.Second}, func(w *terms.Watch) {
		w.Jobs = terms.JobRule{Interval: 2 * time.Second, Moves: math.MaxInt}
	})
	v.besides = 20 * time.Second
	x, turns, trials := &turning{v, t}, 0, 0
	x.onAction = func(a *terms.Action) {
		switch {
		case a.Kind == terms.Improve && a.Request != nil:
			if turns++; x.manager.forcing.IsTrying() {
				t.Errorf("%v: a turn is planned during a trial", x.now)
			}
		case a.Kind == terms.Note && a.Incident.Kind == terms.SpeedForced && strings.HasSuffix(a.Incident.Text, "is tried"):
			if trials++; x.manager.jobs.IsPlanning() {
				t.Errorf("%v: a trial begins during a turn", x.now)
			}
		}
	}
	x.begin(500 * time.Millisecond)
	for k := 0; x.manager.forcing.Report() != nil; k++ {
		x.start(fmt.Sprint(k), k%3, 3)
		if x.runUntil(x.now + 5*time.Second); k == 120 {
			t.Fatalf("%+v after ten minutes, %d turns: %v", x.manager.forcing.Report(), turns, x.entries)
		}
	}
	if count := x.manager.jobs.Report().Count; trials != len(x.sub.Fabric().Links)-1 || count.Turns < 4 || turns > count.Turns+1 {
		t.Errorf("%d trials; %d turns were planned, of which %d ended: %v", trials, turns, count.Turns, x.entries)
	}
	x.verify(t)
}

// TestWindowCloses: a change window closes while a turn is planned, so that its Plan waits for the
// next one. If other jobs run by then, the turn begins again for those, and nothing moves for jobs
// that have ended. Otherwise the Plan is used as it is.
func TestWindowCloses(t *testing.T) {
	hour := func(h int) terms.Window {
		return terms.Window{Days: 127, Hours: terms.Hours{From: time.Duration(h) * time.Hour, To: time.Duration(h+1) * time.Hour}}
	}
	for name, c := range map[string]struct {
		meanwhile func(x *turning)
		plannings int
		has       string // a job that has its turn in the end; "": none runs
	}{
		"nothing":         {func(*turning) {}, 1, "a"},
		"all end":         {func(x *turning) { x.tell(&terms.JobWrite{Whole: true}) }, 1, ""},
		"another starts":  {func(x *turning) { x.start("c", 1, 3) }, 2, "c"},
		"others instead":  {func(x *turning) { x.tell(&terms.JobWrite{Whole: true}); x.start("c", 1, 3) }, 2, "c"},
		"one of two ends": {func(x *turning) { x.tell(&terms.JobWrite{End: "b"}) }, 2, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTurning(t, terms.JobRule{Interval: 10 * time.Second, Moves: math.MaxInt})
			x.reload(func(w *terms.Watch) {
				w.Windows, w.Epoch = []terms.Window{hour(2), hour(4)}, 2*time.Hour+59*time.Minute
			})
			plannings := x.countTurns()
			x.start("a", 0, 4)
			x.start("b", 0, 3)
			x.runUntil(x.now + 15*time.Minute)
			if x.manager.jobs.Ready() == nil || x.manager.jobs.Report().Count.Turns > 0 {
				t.Fatalf("%+v", x.manager.jobs.Report())
			}
			c.meanwhile(x)
			named := false
			for _, d := range x.manager.Snapshot(x.now).Due {
				named = named || strings.Contains(d.What, "for jobs") && d.Window == "the change window 04:00-05:00"
			}
			if x.runUntil(x.now + 40*time.Minute); x.manager.jobs.Report().Count.Turns > 0 || named != (c.has != "") {
				t.Errorf("outside of the window: %+v, waiting for it is said: %t", x.manager.jobs.Report(), named)
			}
			x.runUntil(x.now + 10*time.Minute)
			r := x.manager.jobs.Report()
			if *plannings != c.plannings || (r.Count.Moved > 0) != (c.has != "") || c.has != "" && x.turn(c.has) == nil {
				t.Errorf("%d turns were planned; %+v: %v", *plannings, r, x.entries)
			}
			for _, text := range x.texts(0, terms.JobMoves) {
				if strings.Contains(text, "ended") {
					t.Error(text)
				}
			}
		})
	}
}

// TestJobsEndInRound: all jobs of a turn end while a round writes its Plan: the turn ends with it.
func TestJobsEndInRound(t *testing.T) {
	x := newTurning(t, terms.JobRule{Interval: 10 * time.Second, Moves: math.MaxInt})
	x.start("a", 0, 4)
	x.start("b", 0, 3)
	ended := false
	x.onEvent = func() {
		if x.manager.inRound && isTurn(x.manager) && !ended {
			ended = true
			x.tell(&terms.JobWrite{Whole: true})
		}
	}
	x.runUntil(x.now + 2*time.Minute)
	if r := x.manager.jobs.Report(); !ended || r.Count.Turns != 1 || r.Count.Moved == 0 || r.Planning {
		t.Errorf("%+v: %v", r, x.entries)
	}
	x.verify(t)
}
