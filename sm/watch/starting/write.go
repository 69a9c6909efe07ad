package starting

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/internal/fold"
	"weft/sm/terms"
)

// Limits of jobs that run.
const (
	MostJobs  = 10_000
	mostBytes = 1 << 20 // of their texts together: standbys get them
	mostTold  = 20      // starts and ends between two turns that are logged one by one
)

// Write carries out a request. It returns what has changed: nothing, if the request comes again.
func (m *Machine) Write(now time.Duration, w *terms.JobWrite, rule terms.JobRule) (changed []Change, err error) {
	list := m.list
	switch {
	case w.Whole:
		list, changed = whole(list, w.All)
	case w.Start != nil:
		list, changed = start(list, *w.Start)
	default:
		list, changed = end(list, w.End)
	}
	if err := check(list); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, nil
	}
	m.list = list
	for _, c := range changed {
		if c.Ended {
			m.count.Ended++
		} else {
			m.count.Started++
		}
	}
	if m.turn == nil {
		m.wait(now, rule)
	}
	return changed, nil
}

// Change is a job that has started or ended.
type Change struct {
	Job   terms.Job
	Ended bool
}

// Tell returns the lines of the log for changes. Of many between two turns it leaves some out, and
// Untold counts those.
func (m *Machine) Tell(changed []Change, by string) (list []terms.Incident) {
	for _, c := range changed {
		if m.told++; m.told > mostTold {
			m.untold++
			continue
		}
		if c.Ended {
			list = append(list, terms.Incident{Kind: terms.JobEnded, Text: "job " + name(&c.Job) + terms.ByWhom(by)})
			continue
		}
		text := fmt.Sprintf("job %s on %s%s: %s", name(&c.Job), fold.Count(c.Job.Count, "node", "nodes"), terms.ByWhom(by), shorten(c.Job.Nodes))
		if len(c.Job.Unknown) > 0 {
			text += fmt.Sprintf("; not found: %s", shorten(strings.Join(c.Job.Unknown, ",")))
		}
		list = append(list, terms.Incident{Kind: terms.JobStarted, Text: text})
	}
	return list
}

// Untold returns the number of changes that were left out of the log since the last call.
func (m *Machine) Untold() int {
	n := m.untold
	m.told, m.untold = 0, 0
	return n
}

// name names a job for people.
func name(j *terms.Job) string {
	if j.User == "" {
		return j.ID
	}
	return j.ID + " (" + j.User + ")"
}

// shorten cuts a text for the log.
func shorten(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return text[:most] + " ..."
}

// begun returns a job that begins. One of a single node has no turn.
func begun(j terms.Job) terms.Job {
	if j.Turn = nil; j.Count < 2 {
		j.Turn = &terms.JobTurn{Why: "it has one node"}
	}
	return j
}

// isSame reports whether a job that begins runs already.
func isSame(runs, j *terms.Job) bool { return runs.Nodes == j.Nodes && runs.User == j.User }

// start adds a job, or replaces one that has other nodes.
func start(list []terms.Job, j terms.Job) ([]terms.Job, []Change) {
	i := slices.IndexFunc(list, func(o terms.Job) bool { return o.ID == j.ID })
	switch j = begun(j); {
	case i < 0:
		return append(slices.Clip(list), j), []Change{{Job: j}}
	case isSame(&list[i], &j):
		return list, nil
	}
	list = slices.Clone(list)
	list[i] = j
	return list, []Change{{Job: j}}
}

// end removes a job.
func end(list []terms.Job, id string) ([]terms.Job, []Change) {
	i := slices.IndexFunc(list, func(o terms.Job) bool { return o.ID == id })
	if i < 0 {
		return list, nil
	}
	return slices.Delete(slices.Clone(list), i, i+1), []Change{{Job: list[i], Ended: true}}
}

// whole replaces the list. Jobs that run already stay as they are.
func whole(list, all []terms.Job) (next []terms.Job, changed []Change) {
	stays := map[string]*terms.Job{}
	for i := range all {
		stays[all[i].ID] = &all[i]
	}
	for i := range list {
		j := list[i]
		switch now := stays[j.ID]; {
		case now == nil:
			changed = append(changed, Change{Job: j, Ended: true})
			continue
		case !isSame(&j, now):
			j = begun(*now)
			changed = append(changed, Change{Job: j})
		}
		next = append(next, j)
		delete(stays, j.ID)
	}
	for i := range all {
		if stays[all[i].ID] == &all[i] {
			next = append(next, begun(all[i]))
			changed = append(changed, Change{Job: next[len(next)-1]})
		}
	}
	return next, changed
}

// check checks the limits.
func check(list []terms.Job) error {
	if len(list) > MostJobs {
		return fmt.Errorf("more than %d jobs run: end those that are over", MostJobs)
	}
	size := 0
	for i := range list {
		size += len(list[i].ID) + len(list[i].User) + len(list[i].Nodes)
		for _, name := range list[i].Unknown {
			size += len(name)
		}
	}
	if size > mostBytes {
		return errors.New("the lists of nodes of all jobs that run are over 1 MiB: end those that are over")
	}
	return nil
}
