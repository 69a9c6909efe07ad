// Package starting decides when entries of forwarding tables move for jobs that start, and keeps
// the list of jobs that run.
//
// The first start opens an interval (terms.JobRule). At its end all jobs that have started and
// still run get one turn: a Plan is made beside the loop. It moves entries towards their nodes
// alone, at most as many as the rule allows. A round then distributes it as any other Plan. So jobs
// shorter than the interval move nothing, and an array has one turn.
//
// The Plan of a turn counts only while the Plan in force stays the same. After a repair the turn
// begins again.
package starting

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"weft/fabric"
	"weft/internal/fold"
	"weft/planner"
	"weft/route"
	"weft/sm/terms"
)

// Machine is the list of jobs with their turns. It is not for concurrent use.
type Machine struct {
	list  []terms.Job // that run, the oldest first; replaced, and never changed
	due   time.Duration
	turn  *turn
	ready bool // its Plan waits for a round
	told  told
	last  lately
	count Count
	lanes lanes
}

// turn is the turn of some jobs.
type turn struct {
	jobs  map[string]terms.Job // by ID
	graph *fabric.Graph        // of the Plan in force
	plan  *route.Plan          // in force when it began
	next  *terms.Better        // nil while it is made
	made  time.Duration        // when next was
	moved int                  // entries
	why   string               // why no more moved
}

// Count counts jobs and their turns since the start of the manager.
type Count struct {
	Started, Ended int // jobs
	Turns          int
	Moved          int // entries, in all turns
	Last           int // entries, in the last turn
}

// Report is the state of a Machine. It does not change.
type Report struct {
	Jobs     []terms.Job
	Count    Count
	Planning bool // a turn is being planned, or waits for its round
}

// Resume returns a Machine with the jobs of a predecessor. A job whose turn has not come waits for
// it. Jobs that fail terms.Job.Check, and further ones with the same ID, are left out.
func Resume(list []terms.Job, now time.Duration, rule terms.JobRule) Machine {
	m := Machine{due: terms.Never}
	met := map[string]bool{}
	for i := range list {
		if j := &list[i]; j.Check() == nil && !met[j.ID] {
			m.list, met[j.ID] = append(m.list, *j), true
		}
	}
	m.lanes.placed = m.list
	m.wait(now, rule)
	return m
}

// Inherit replaces all by the jobs of another master, as Resume does. A placing that is under way
// ends first.
func (m *Machine) Inherit(list []terms.Job, now time.Duration, rule terms.JobRule) {
	next := Resume(list, now, rule)
	if l := &next.lanes; m.lanes.under != nil {
		l.under, l.held, l.counts = m.lanes.under, m.lanes.held, m.lanes.counts
		l.under.void, l.stale = true, true
	}
	*m = next
}

// List returns the jobs that run. It must not be changed.
func (m *Machine) List() []terms.Job { return m.list }

// Report returns the present state.
func (m *Machine) Report() Report { return Report{m.list, m.count, m.turn != nil} }

// waits reports whether a job waits for its turn.
func waits(j *terms.Job) bool { return j.Turn == nil }

// waiting returns the indices of the jobs that wait for their turn.
func (m *Machine) waiting() (list []int) {
	for i := range m.list {
		if waits(&m.list[i]) {
			list = append(list, i)
		}
	}
	return list
}

// Reconfigure takes a new rule. If that lets nothing move, a turn is given up, unless inRound says
// that a round writes its Plan.
func (m *Machine) Reconfigure(now time.Duration, rule terms.JobRule, inRound bool) {
	if rule.Moves <= 0 && !inRound {
		m.turn, m.ready = nil, false
	}
	if m.turn != nil {
		return
	}
	if m.wait(now, rule); m.due < terms.Never {
		m.due = min(m.due, now+rule.Interval)
	}
}

// wait makes the next turn due if a job waits, and not if none does.
func (m *Machine) wait(now time.Duration, rule terms.JobRule) {
	switch none := len(m.waiting()) == 0; {
	case none || rule.Moves <= 0:
		m.due = terms.Never
	case m.due == terms.Never:
		m.due = now + rule.Interval
	}
}

// Due returns when the next turn begins, or the round with the Plan of the present one; never while
// that is made.
func (m *Machine) Due(now time.Duration) time.Duration {
	switch {
	case m.ready:
		return now
	case m.turn != nil:
		return terms.Never
	}
	return m.due
}

// Begin begins the turn of all jobs that wait. It returns what Plan is wanted, from the Plan in
// force.
func (m *Machine) Begin(g *fabric.Graph, plan *route.Plan, rule terms.JobRule) *terms.RouteRequest {
	q := &terms.RouteRequest{Graph: g, Kept: planner.Keep(plan, g), Beside: true, Jobs: m.list, Turn: m.waiting(), MostMoves: rule.Moves}
	m.turn, m.ready, m.due = &turn{jobs: map[string]terms.Job{}, graph: g, plan: plan}, false, terms.Never
	for _, i := range q.Turn {
		m.turn.jobs[m.list[i].ID] = m.list[i]
	}
	return q
}

// IsPlanning reports whether the Plan of a turn is being made.
func (m *Machine) IsPlanning() bool { return m.turn != nil && !m.ready }

// Planned takes the end of the planning. If nothing moves, the turn has ended, as by End; otherwise
// its Plan is Ready. If none of its jobs runs any more, the turn ends without a trace.
func (m *Machine) Planned(now time.Duration, ev *terms.Event, rule terms.JobRule, out []terms.Action) []terms.Action {
	t, r := m.turn, ev.Result
	switch {
	case m.DropVain(now, rule):
		return out
	case ev.Err != nil:
		return m.End(now, rule, ev.Err, out)
	case r.NotForJobs != nil:
		return m.End(now, rule, r.NotForJobs, out)
	case r.ForJobs.Entries == 0:
		return m.End(now, rule, errNoGain, out)
	}
	m.ready, t.made, t.moved = true, now, r.ForJobs.Entries
	if r.ForJobs.Left {
		t.why = "more would gain: job-moves has ended it"
	}
	t.next = &terms.Better{Kept: planner.Keep(r.Plan, t.graph), ForJobs: true}
	return out
}

var errNoGain = errors.New("no entry gains by a move")

// DropVain drops a turn none of whose jobs runs any more, and reports whether there was one.
func (m *Machine) DropVain(now time.Duration, rule terms.JobRule) bool {
	if m.turn == nil || slices.ContainsFunc(m.list, func(j terms.Job) bool { return m.turn.isFor(&j) }) {
		return false
	}
	m.turn, m.ready = nil, false
	m.wait(now, rule)
	return true
}

// IsOld reports whether the Plan of a turn has waited for its round longer than an interval, as for
// a change window, and other jobs wait by now.
func (m *Machine) IsOld(now time.Duration, rule terms.JobRule) bool {
	if !m.ready || now <= m.turn.made+rule.Interval {
		return false
	}
	list := m.waiting()
	return len(list) != len(m.turn.jobs) || slices.ContainsFunc(list, func(i int) bool { return !m.turn.isFor(&m.list[i]) })
}

// Ready returns the Plan of a turn that waits for its round; nil if there is none.
func (m *Machine) Ready() *terms.Better {
	if !m.ready {
		return nil
	}
	return m.turn.next
}

// isFor reports whether a job that runs has this turn. One that was requeued on other nodes has
// not.
func (t *turn) isFor(j *terms.Job) bool {
	was, had := t.jobs[j.ID]
	return had && waits(j) && isSame(&was, j)
}

// End ends the turn under way. It logs how many entries have moved, for which jobs, and has that
// stored. failed says why none has; with nil the Plan of the turn is in force.
func (m *Machine) End(now time.Duration, rule terms.JobRule, failed error, out []terms.Action) []terms.Action {
	t := m.turn
	m.turn, m.ready = nil, false
	if failed != nil {
		t.moved, t.why = 0, failed.Error()
	}
	m.count.Turns++
	m.count.Moved += t.moved
	m.count.Last = t.moved
	mark := &terms.JobTurn{Jobs: len(t.jobs), Moved: t.moved, Why: t.why}
	list, first := slices.Clone(m.list), ""
	for i := range list {
		j := &list[i]
		if t.isFor(j) {
			j.Turn = mark
			first = cmp.Or(first, j.ID)
		}
	}
	m.list = list
	m.wait(now, rule)
	text, because := "nothing moved for ", ": "
	if t.moved > 0 || t.why == "" {
		text, because = fold.Count(t.moved, "entry", "entries")+" moved for ", "; "
	}
	switch n := len(t.jobs); {
	case first == "":
		text += "jobs that have ended"
	case n == 1:
		text += "job " + first
	default:
		text += fmt.Sprintf("%d jobs (the first that still runs is %s)", n, first)
	}
	if t.why != "" {
		text += because + t.why
	}
	out = m.told.rest(append(out, note(terms.JobMoves, text)))
	return append(out, terms.Action{Kind: terms.Decided, Name: "the turns of jobs", Jobs: &terms.RunningJobs{List: m.list}})
}

// note returns the action that logs something.
func note(kind terms.IncidentKind, text string) terms.Action {
	return terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: kind, Text: text}}
}

// Again gives up the turn under way: it begins again, or not at all if all its jobs have ended. It
// reports whether there was one whose Plan was being made.
func (m *Machine) Again(now time.Duration, rule terms.JobRule) (planning bool) {
	planning = m.IsPlanning()
	if m.turn != nil {
		m.turn, m.ready = nil, false
		m.wait(now-rule.Interval, rule)
	}
	return planning
}

// Fits reports whether the Plan in force is still that of the turn; true if there is no turn.
func (m *Machine) Fits(g *fabric.Graph, plan *route.Plan) bool {
	return m.turn == nil || haveSameTables(m.turn.graph, m.turn.plan, g, plan)
}

// haveSameTables reports whether two Plans have the same entries, LIDs and SLs by switch and port.
func haveSameTables(ag *fabric.Graph, a *route.Plan, bg *fabric.Graph, b *route.Plan) bool {
	if !reflect.DeepEqual(a.SL, b.SL) || !slices.Equal(ag.SwitchGUID, bg.SwitchGUID) || !slices.Equal(ag.EndGUID, bg.EndGUID) || !slices.Equal(a.Ends.Base, b.Ends.Base) || a.Tables.NumBlocks() != b.Tables.NumBlocks() {
		return false
	}
	for s := range int32(ag.NumSwitches) {
		for i := range a.Tables.NumBlocks() {
			if x, y := a.Tables.Block(s, i), b.Tables.Block(s, i); x != y && *x != *y {
				return false
			}
		}
	}
	return true
}
