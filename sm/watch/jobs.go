package watch

import (
	"errors"
	"time"

	"weft/sm/partition"
	"weft/sm/round/planning"
	"weft/sm/terms"
	"weft/sm/watch/moving"
	"weft/sm/watch/starting"
	"weft/sm/watch/succession"
)

// whyJobs names the reason of a round: entries move for jobs that have started.
const whyJobs = "jobs have started"

// writeJobs handles the start or the end of jobs. Decided returns the outcome.
func writeJobs(m *Manager, ev *terms.Event) {
	a := terms.Action{Kind: terms.Decided, Tag: ev.Tag}
	if m.inForce == nil {
		a.Err = errNotReigning
	} else {
		m.jobs.On(m.inForce.Graph, m.inForce.Plan)
		a.Jobs, m.out, a.Err = m.jobs.Write(m.now, ev.Jobs, m.watch.Jobs, m.out)
		m.untold = m.untold || a.Err == nil && a.Jobs.Changed > 0
	}
	if m.jobs.Ready() != nil && !(m.inRound && isTurn(m)) {
		m.jobs.DropVain(m.now, m.watch.Jobs)
	}
	m.out = m.jobs.Answer(a, ev.Jobs, m.out)
}

// errNotReigning refuses a write of jobs or partitions.
var errNotReigning = errors.New("this manager has not brought the subnet up, or is not its master")

// takePlaced takes the copies of the lanes that were found for jobs, and answers those who told of
// them.
func takePlaced(m *Manager) {
	n := len(m.out)
	m.out = m.jobs.Placed(m.out)
	m.untold = m.untold || len(m.out) > n
	for i := range m.out[n:] {
		if a := &m.out[n+i]; a.Kind == terms.Decided && m.inForce == nil {
			a.Jobs, a.Err = nil, errNotReigning
		}
	}
}

// jobsDue returns when the next turn of jobs begins, or the round with the Plan of the last one. It
// waits for change windows, and for an uncontested subnet that is up. It waits for a better Plan,
// which is made with regard to all jobs. And it waits for links on trial at forced speeds: they
// carry nothing meanwhile.
func jobsDue(m *Manager) time.Duration {
	due := m.jobs.Due(m.now)
	switch {
	case due == terms.Never, m.inForce == nil, m.better.expected(), !m.result.Report.State.IsUp(), m.change.Due() < terms.Never, m.forcing.IsTrying():
		return terms.Never
	}
	return m.contest.delay(moving.Allowed(&m.watch, due, m.now))
}

// serveJobs begins a turn of jobs, or the round with its Plan.
func serveJobs(m *Manager) {
	if m.jobs.IsOld(m.now, m.watch.Jobs) {
		stopTurn(m)
	}
	if m.jobs.Ready() != nil {
		m.beginRound(whyJobs, moveForJobs)
		return
	}
	m.out = append(m.out, terms.Action{Kind: terms.Improve, Request: m.jobs.Begin(m.inForce.Graph, m.inForce.Plan, m.watch.Jobs)})
}

// takeTurn takes the Plan of a turn.
func takeTurn(m *Manager, ev *terms.Event) {
	m.out = m.jobs.Planned(m.now, ev, m.watch.Jobs, m.out)
	m.untold = true
	m.tellRules()
}

// afterTurn handles the end of a round that brought the subnet up: it ends the turn whose Plan the
// round was to use, and begins it again if the Plan in force is another one.
func afterTurn(m *Manager) {
	switch {
	case isTurn(m) && !errors.Is(m.result.Unfit, planning.ErrChanged):
		m.out = m.jobs.End(m.now, m.watch.Jobs, m.result.Unfit, m.out)
	case isTurn(m) || !m.jobs.Fits(m.inForce.Graph, m.inForce.Plan):
		stopTurn(m)
	}
}

// isTurn reports whether the last round was to use the Plan of a turn.
func isTurn(m *Manager) bool { return m.given.Better != nil && m.given.Better.ForJobs }

// followJobs has jobs get lanes of the Plan in force, and partitions in force be jobs.
func followJobs(m *Manager) {
	m.jobs.On(m.inForce.Graph, m.inForce.Plan)
	n, list := len(m.out), partition.Partitions(nil)
	if p := m.inForce.By.Partitions.Listed(); p != nil {
		list = p.Partitions
	}
	m.out = m.jobs.FollowPartitions(m.now, list, m.inForce.KeysByEnd, m.watch.Jobs, m.out)
	m.untold = m.untold || len(m.out) > n
	m.out = m.jobs.Place(m.out)
}

// learnJobs has the jobs stored that the master has told: a standby that restarts alone knows them.
// From an older weft, which sends none, nothing is learned.
func learnJobs(m *Manager, before *succession.Rules) {
	if m.learned.rules.Jobs == nil && before != nil {
		m.learned.rules.Jobs = before.Jobs
	}
	if now := m.learned.rules.Jobs; before == nil && now != nil || before != nil && starting.Differ(before.Jobs, now) {
		m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "the jobs that run", Jobs: &terms.RunningJobs{List: now}})
	}
}

// stopTurn gives up a turn. It begins again later.
func stopTurn(m *Manager) {
	if m.jobs.Again(m.now, m.watch.Jobs) {
		m.out = append(m.out, terms.Action{Kind: terms.Improve})
	}
}
