package watch

import (
	"errors"
	"slices"
	"time"

	"weft/internal/fold"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch/moving"
)

// whyJobs is the reason of a round in which entries move for jobs that have started.
const whyJobs = "jobs have started"

// writeJobs handles the start or the end of jobs. Decided returns the outcome.
func writeJobs(m *Manager, ev *terms.Event) {
	a := terms.Action{Kind: terms.Decided, Tag: ev.Tag}
	if m.inForce == nil {
		a.Err = errors.New("this manager has not brought the subnet up, or is not its master")
		m.out = append(m.out, a)
		return
	}
	changed, err := m.jobs.Write(m.now, ev.Jobs, m.watch.Jobs)
	if a.Err = err; err != nil {
		m.tell(terms.JobRefused, "refused%s: %v", terms.ByWhom(ev.Jobs.By), err)
	} else {
		a.Jobs = &terms.RunningJobs{List: m.jobs.List(), Changed: len(changed)}
	}
	m.out = append(m.out, a)
	m.untold = m.untold || len(changed) > 0
	for _, i := range m.jobs.Tell(changed, ev.Jobs.By) {
		m.out = append(m.out, terms.Action{Kind: terms.Note, Incident: i})
	}
}

// jobsDue returns when the next turn of jobs begins, or the round with the Plan of the last one. It
// waits for change windows, for an uncontested subnet that is up, and for a better Plan, which is
// made with regard to all jobs.
func jobsDue(m *Manager) time.Duration {
	due := m.jobs.Due()
	if m.jobs.Ready() != nil {
		due = m.now
	}
	if due == terms.Never || m.inForce == nil || m.better.expected() || !m.result.Report.State.IsUp() || m.change.Due() < terms.Never {
		return terms.Never
	}
	return m.contest.delay(moving.Allowed(&m.watch, due, m.now))
}

// serveJobs begins a turn of jobs, or the round with its Plan.
func serveJobs(m *Manager) {
	if m.jobs.Ready() != nil {
		m.beginRound(whyJobs, moveForJobs)
		return
	}
	q := m.jobs.Begin(m.now, m.inForce.Graph, m.inForce.Plan, m.watch.Jobs)
	m.out = append(m.out, terms.Action{Kind: terms.Improve, Request: q})
}

// takeTurn takes the Plan of a turn.
func takeTurn(m *Manager, ev *terms.Event) {
	if ended, text := m.jobs.Planned(m.now, ev, m.watch.Jobs); ended {
		tellTurn(m, text)
	}
}

// afterTurn handles the end of a round that brought the subnet up: it ends the turn whose Plan the
// round was to use, and begins it again if the Plan in force is another one.
func afterTurn(m *Manager) {
	used := isTurn(m)
	switch {
	case used && m.result.Unfit == nil:
		tellTurn(m, m.jobs.End(m.now, m.watch.Jobs, ""))
	case used && !errors.Is(m.result.Unfit, round.ErrChanged):
		tellTurn(m, m.jobs.End(m.now, m.watch.Jobs, m.result.Unfit.Error()))
	case used || !m.jobs.Fits(m.inForce.Graph, m.inForce.Plan):
		stopTurn(m)
	}
}

// isTurn reports whether the last round was to use the Plan of a turn.
func isTurn(m *Manager) bool { return m.given.Better != nil && m.given.Better.ForJobs }

// learnJobs has the jobs stored that the master has told: a standby that restarts alone knows them.
func learnJobs(m *Manager, before *Rules) {
	now := m.learned.rules.Jobs
	if before != nil && !slices.EqualFunc(before.Jobs, now, func(a, b terms.Job) bool {
		return a.ID == b.ID && a.Nodes == b.Nodes && (a.Turn == nil) == (b.Turn == nil)
	}) || before == nil && now != nil {
		m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "the jobs that run", Jobs: &terms.RunningJobs{List: now}})
	}
}

// stopTurn gives up a turn. It begins again later.
func stopTurn(m *Manager) {
	if m.jobs.Again(m.now, m.watch.Jobs) {
		m.out = append(m.out, terms.Action{Kind: terms.Improve})
	}
}

// tellTurn logs the end of a turn, and has the jobs stored with it.
func tellTurn(m *Manager, text string) {
	if n := m.jobs.Untold(); n > 0 {
		m.tell(terms.JobStarted, "and %s since the last turn", fold.Count(n, "more start or end of a job", "more starts and ends of jobs"))
	}
	m.tell(terms.JobMoves, "%s", text)
	m.untold = true
	m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "the turns of jobs", Jobs: &terms.RunningJobs{List: m.jobs.List()}})
	m.tellRules()
}
