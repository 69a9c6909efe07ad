package watch

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// turning is a manager whose turns take a minute to plan.
type turning struct {
	*virtual
	t *testing.T
}

// newTurning starts a manager on a tree with half the cables upwards.
func newTurning(t *testing.T, rule terms.JobRule) *turning {
	t.Helper()
	v, err := newVirtual(smtest.Formula(t, "rlft(8,2)|without(roots=2)"), emulator.Options{}, terms.Config{}, *jobOf("ftree", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Jobs = rule
	v.manager, v.besides = NewManager(terms.Config{}, watch), time.Minute
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	return &turning{v, t}
}

// tell tells of a start or an end, and returns the outcome.
func (x *turning) tell(w *terms.JobWrite) (done terms.Action) {
	x.t.Helper()
	was := x.onAction
	x.onAction = func(a *terms.Action) {
		if was != nil {
			was(a)
		}
		if a.Kind == terms.Decided && a.Tag == 99 {
			done = *a
		}
	}
	x.step(&terms.Event{Kind: terms.WriteJobs, Tag: 99, Jobs: w})
	x.onAction = was
	if done.Err != nil || done.Jobs == nil {
		x.t.Fatalf("%+v: %+v", w, done)
	}
	return done
}

// start starts a job on every fourth host, so that jobs share channels.
func (x *turning) start(id string, from, step int) {
	x.t.Helper()
	var names []string
	for h := from; h < 32; h += step {
		names = append(names, fmt.Sprintf("host%d", h))
	}
	x.tell(&terms.JobWrite{Start: &terms.Job{ID: id, Nodes: strings.Join(names, ","), Count: len(names)}})
}

// reload takes other settings for watching.
func (x *turning) reload(change func(*terms.Watch)) {
	to := x.manager.watch
	change(&to)
	x.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: x.manager.cfg, Watch: to, Routing: x.routing, What: "as the test says"}})
}

// turn returns the turn of a job.
func (x *turning) turn(id string) *terms.JobTurn {
	for _, j := range x.manager.jobs.List() {
		if j.ID == id {
			return j.Turn
		}
	}
	return nil
}

// TestTurnsInTurmoil: whatever happens while a turn is planned, no entry moves that the rules of
// that moment forbid, and the jobs get their turn when they allow it.
func TestTurnsInTurmoil(t *testing.T) {
	rule := terms.JobRule{Interval: 10 * time.Second, Moves: math.MaxInt}
	atNight := func(w *terms.Watch) { // a window that does not open in this test
		w.NoMoves = []terms.Hours{{From: 0, To: 23 * time.Hour}}
	}
	for name, c := range map[string]struct {
		during func(x *turning)
		moves  bool
	}{
		"calm":            {func(*turning) {}, true},
		"no moves":        {func(x *turning) { x.reload(func(w *terms.Watch) { w.Jobs.Moves = 0 }) }, false},
		"no moves by day": {func(x *turning) { x.reload(atNight) }, false},
		"longer interval": {func(x *turning) { x.reload(func(w *terms.Watch) { w.Jobs.Interval = time.Hour }) }, true},
		"jobs end":        {func(x *turning) { x.tell(&terms.JobWrite{Whole: true}); x.start("a", 1, 4); x.start("b", 2, 3) }, true},
		"all jobs end":    {func(x *turning) { x.tell(&terms.JobWrite{Whole: true}) }, false},
		"a cable is lost": {func(x *turning) {
			_ = x.sub.SetLinkDown(switchLinks(x.sub.Fabric())[0], true)
			x.runUntil(x.now + 5*time.Second)
		}, true},
		"full sweep":   {func(x *turning) { x.step(&terms.Event{Kind: terms.Resweep}); x.runUntil(x.now + 5*time.Second) }, true},
		"from scratch": {func(x *turning) { x.step(&terms.Event{Kind: terms.Rebalance}); x.runUntil(x.now + 5*time.Second) }, true},
		"a drain": {func(x *turning) {
			x.step(&terms.Event{Kind: terms.DrainPart, Name: "root 0", Tag: 5})
			x.runUntil(x.now + 5*time.Second)
		}, true},
		"stop":          {func(x *turning) { x.step(&terms.Event{Kind: terms.Stop}) }, false},
		"unknown nodes": {func(x *turning) { x.tell(&terms.JobWrite{Start: &terms.Job{ID: "c", Nodes: "none[1-9]", Count: 9}}) }, true},
		"the same node": {func(x *turning) { x.tell(&terms.JobWrite{Start: &terms.Job{ID: "c", Nodes: "host1,host1", Count: 2}}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTurning(t, rule)
			x.start("a", 0, 4)
			x.start("b", 0, 3)
			x.runUntil(x.now + 20*time.Second)
			if !x.manager.jobs.IsPlanning() {
				t.Fatal("no turn is under way")
			}
			before := x.manager.inForce
			c.during(x)
			x.runUntil(x.now + 5*time.Minute)
			r := x.manager.jobs.Report()
			if (r.Count.Moved > 0) != c.moves {
				t.Errorf("%+v: %+v", r, x.entries)
			}
			if c.moves && (x.turn("a") == nil || x.turn("b") == nil) {
				t.Errorf("waits still: %+v", r)
			}
			if l := x.manager.inForce; !c.moves && l != nil && l.Plan.Tables != before.Plan.Tables {
				t.Error("the Plan in force is another one")
			}
		})
	}
}

// TestManyStarts: thousands of jobs that start and end within a second have one turn, and lists and
// logs stay short.
func TestManyStarts(t *testing.T) {
	x := newTurning(t, terms.JobRule{Interval: 10 * time.Second, Moves: 100})
	lines := len(x.entries)
	for i := range 5000 {
		x.start(fmt.Sprint(i), i%4, 4)
		if i%2 == 0 {
			x.tell(&terms.JobWrite{End: fmt.Sprint(i)})
		}
	}
	x.tell(&terms.JobWrite{End: "none"})
	var all []terms.Job
	for i, j := range x.manager.jobs.List() {
		if i < 20 {
			all = append(all, j)
		}
	}
	x.tell(&terms.JobWrite{Whole: true, All: all})
	x.runUntil(x.now + 3*time.Minute)
	r := x.manager.jobs.Report()
	if r.Count.Turns != 1 || len(r.Jobs) != 20 || r.Count.Started != 5000 || r.Count.Ended != 4980 || len(x.entries)-lines > 60 {
		t.Errorf("%+v, %d jobs, %d lines", r.Count, len(r.Jobs), len(x.entries)-lines)
	}
}

// TestMasterWithoutJobs: a standby of an older master, which tells no jobs, keeps those that it
// knows, in its state too. A master that has none tells that.
func TestMasterWithoutJobs(t *testing.T) {
	m := NewManager(terms.Config{}, terms.UsualWatch)
	for _, c := range []struct {
		rules  string
		jobs   int
		stored bool
	}{
		{`{"Jobs": [{"ID": "a", "Nodes": "n[1-2]", "Count": 2}]}`, 1, true}, {`{}`, 1, false}, {`{"Jobs": []}`, 0, true}, {`{}`, 0, false},
	} {
		m.out = nil
		m.learnRules([]byte(c.rules))
		stored := false
		for i := range m.out {
			stored = stored || m.out[i].Kind == terms.Decided && m.out[i].Jobs != nil
		}
		if m.inherit(); len(m.learned.rules.Jobs) != c.jobs || len(m.jobs.List()) != c.jobs || stored != c.stored {
			t.Errorf("%s: %v, %v, stored %v", c.rules, m.learned.rules.Jobs, m.jobs.List(), stored)
		}
	}
}
