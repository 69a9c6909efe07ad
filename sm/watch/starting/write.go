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
	MostNodes = 1 << 20 // of all jobs, each counted by itself: a short list names many
	mostBytes = 1 << 20 // of their texts together: standbys get them
	mostTold  = 20      // starts and ends between two turns that are logged one by one
	toldAgain = time.Minute
)

// Write carries out a request and logs it. It returns the jobs that run then. A request that comes
// again changes nothing.
func (m *Machine) Write(now time.Duration, w *terms.JobWrite, rule terms.JobRule, out []terms.Action) (*terms.RunningJobs, []terms.Action, error) {
	list, changed, newer, id := m.list, []change(nil), 0, w.End
	switch {
	case w.Whole:
		list, changed, newer = whole(list, w, m.last.within(now, w.Age))
	case w.Start != nil:
		list, changed = start(list, *w.Start)
		id = w.Start.ID
	default:
		list, changed = end(list, w.End)
	}
	if err := check(list); err != nil {
		return nil, append(out, note(terms.JobRefused, "refused"+terms.ByWhom(w.By)+": "+err.Error())), err
	}
	if !w.Whole {
		m.last.add(now, id)
	}
	if m.list = list; m.turn == nil {
		m.wait(now, rule)
	}
	if l := &m.lanes; !l.exist() && l.under == nil {
		l.placed = list
	} else if len(changed) > 0 {
		l.stale = true
	}
	for i := range changed {
		out = m.told.add(now, &changed[i], w.By, out)
		if changed[i].ended {
			m.count.Ended++
		} else {
			m.count.Started++
		}
	}
	return &terms.RunningJobs{List: list, Changed: len(changed), Running: len(list), Newer: newer}, out, nil
}

// MostAge is the maximum of JobWrite.Age.
const MostAge = time.Minute

// lately lists the starts and ends of the last MostAge, the oldest first.
type lately []struct {
	at time.Duration
	id string
}

// add adds the start or the end of a job, and forgets old ones.
func (l *lately) add(now time.Duration, id string) {
	old := 0
	for old < len(*l) && (*l)[old].at < now-MostAge {
		old++
	}
	*l = append((*l)[old:], lately{{now, id}}...)
}

// within returns the IDs of jobs that have started or ended within some time.
func (l lately) within(now, age time.Duration) map[string]bool {
	ids := map[string]bool{}
	for i := len(l) - 1; i >= 0 && age > 0 && l[i].at >= now-age; i-- {
		ids[l[i].id] = true
	}
	return ids
}

// told counts the starts and ends since the last turn, and since the time toldAgain.
type told struct {
	since     time.Duration // of the first one that counts
	logged    int
	notLogged int
}

// add logs a start or an end, unless mostTold were logged.
func (t *told) add(now time.Duration, c *change, by string, out []terms.Action) []terms.Action {
	if now >= t.since+toldAgain { // without turns too
		out = t.rest(out)
	}
	switch t.logged {
	case mostTold:
		t.notLogged++
		return out
	case 0:
		t.since = now
	}
	t.logged++
	return append(out, c.note(by))
}

// rest logs the number of starts and ends that were not logged, and begins to count again.
func (t *told) rest(out []terms.Action) []terms.Action {
	if t.notLogged > 0 {
		out = append(out, note(terms.JobStarted, "and "+fold.Count(t.notLogged, "more start or end of a job", "more starts and ends of jobs")))
	}
	*t = told{}
	return out
}

// change is a job that has started or ended.
type change struct {
	job   terms.Job
	ended bool
}

// note logs a change.
func (c *change) note(by string) terms.Action {
	if c.ended {
		return note(terms.JobEnded, "job "+name(&c.job)+terms.ByWhom(by))
	}
	text := fmt.Sprintf("job %s on %s%s: %s", name(&c.job), fold.Count(c.job.Count, "node", "nodes"), terms.ByWhom(by), shorten(c.job.Nodes))
	if len(c.job.Unknown) > 0 {
		text += "; not found: " + shorten(strings.Join(c.job.Unknown, ","))
	}
	return note(terms.JobStarted, text)
}

// Differ reports whether two lists of jobs that run differ in more than words.
func Differ(a, b []terms.Job) bool {
	return !slices.EqualFunc(a, b, func(x, y terms.Job) bool {
		return x.ID == y.ID && isSame(&x, &y) && waits(&x) == waits(&y) && x.Copy == y.Copy && slices.Equal(x.Shares, y.Shares)
	})
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
	return strings.ToValidUTF8(text[:most], "") + " ..." // it may cut a letter
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
func start(list []terms.Job, j terms.Job) ([]terms.Job, []change) {
	i := slices.IndexFunc(list, func(o terms.Job) bool { return o.ID == j.ID })
	switch j = begun(j); {
	case i < 0:
		return append(list, j), []change{{job: j}} // readers of the old list do not see it
	case isSame(&list[i], &j):
		return list, nil
	}
	list = slices.Clone(list)
	list[i] = j
	return list, []change{{job: j}}
}

// end removes a job.
func end(list []terms.Job, id string) ([]terms.Job, []change) {
	i := slices.IndexFunc(list, func(o terms.Job) bool { return o.ID == id })
	if i < 0 {
		return list, nil
	}
	return slices.Concat(list[:i], list[i+1:]), []change{{job: list[i], ended: true}}
}

// whole replaces the list: of jobs of partitions, or of others whose IDs begin with w.Among. Jobs
// that run already stay as they are, and so do jobs that are newer than the list.
func whole(list []terms.Job, w *terms.JobWrite, isNewer map[string]bool) (next []terms.Job, changed []change, newer int) {
	all := w.All
	stays := map[string]*terms.Job{}
	for i := range all {
		stays[all[i].ID] = &all[i]
	}
	for i := range list {
		j := list[i]
		switch now := stays[j.ID]; {
		case j.OfPartition != w.OfPartitions || !strings.HasPrefix(j.ID, w.Among):
			next = append(next, j)
			continue
		case isNewer[j.ID]:
			if now == nil || !isSame(&j, now) {
				newer++
			}
		case now == nil:
			changed = append(changed, change{job: j, ended: true})
			continue
		case !isSame(&j, now):
			j = begun(*now)
			changed = append(changed, change{job: j})
		}
		next = append(next, j)
		delete(stays, j.ID)
	}
	for i := range all {
		if stays[all[i].ID] != &all[i] {
			continue
		}
		if isNewer[all[i].ID] {
			newer++
		} else {
			next = append(next, begun(all[i]))
			changed = append(changed, change{job: next[len(next)-1]})
		}
	}
	return next, changed, newer
}

// check checks the limits.
func check(list []terms.Job) error {
	if len(list) > MostJobs {
		return fmt.Errorf("more than %d jobs run: end those that are over", MostJobs)
	}
	size, nodes := 0, 0
	for i := range list {
		nodes += list[i].Count
		size += len(list[i].ID) + len(list[i].User) + len(list[i].Nodes)
		for _, name := range list[i].Unknown {
			size += len(name)
		}
		for _, s := range list[i].Shares {
			size += len(s.Nodes)
		}
	}
	switch {
	case size > mostBytes:
		return errors.New("the lists of nodes of all jobs that run are over 1 MiB: end those that are over")
	case nodes > MostNodes:
		return fmt.Errorf("all jobs that run have over %d nodes, each job counted by itself: end those that are over", MostNodes)
	}
	return nil
}
