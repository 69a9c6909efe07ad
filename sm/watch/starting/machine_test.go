package starting

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/relief"
	"weft/sm/terms"
)

var rule = terms.JobRule{Interval: 10 * time.Second, Moves: 5}

func job(id string, count int) *terms.JobWrite {
	return &terms.JobWrite{Start: &terms.Job{ID: id, Nodes: "n[1-" + fmt.Sprint(count) + "]", Count: count}}
}

// write carries out a request, and returns the number of changes and the codes of the log.
func write(t *testing.T, m *Machine, now time.Duration, w *terms.JobWrite) (changed int, told []terms.IncidentKind) {
	t.Helper()
	jobs, out, err := m.Write(now, w, rule, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := len(out)
	for out = m.Answer(terms.Action{Kind: terms.Decided, Jobs: jobs}, w, out); out[len(out)-1].Kind == terms.Compute; {
		do := out[len(out)-1].Do
		do()
		out = m.Placed(out[:len(out)-1])
	}
	if last := out[len(out)-1]; last.Kind != terms.Decided || !slices.EqualFunc(last.Jobs.List, m.list, func(a, b terms.Job) bool { return a.ID == b.ID && a.Copy == b.Copy }) {
		t.Fatalf("the answer is %+v", last)
	}
	for i := range out[:answer] {
		told = append(told, out[i].Incident.Kind)
	}
	return jobs.Changed, told
}

// TestTurns: a start opens an interval, and all jobs that run at its end have one turn. Those that
// have ended have none, nor does a job of one node. Starts during a turn wait for the next one.
func TestTurns(t *testing.T) {
	m := Resume(nil, 0, rule)
	if m.Due(0) != terms.Never {
		t.Error("due without a job")
	}
	if n, told := write(t, &m, time.Second, job("single", 1)); n != 1 || m.Due(0) != terms.Never || !slices.Equal(told, []terms.IncidentKind{terms.JobStarted}) {
		t.Errorf("a job of one node: %d, due %v, %v", n, m.Due(0), told)
	}
	write(t, &m, 2*time.Second, job("a", 2))
	write(t, &m, 9*time.Second, job("b", 3))
	if n, told := write(t, &m, 9*time.Second, job("b", 3)); n != 0 || len(told) > 0 {
		t.Errorf("repeated: %d, %v", n, told)
	}
	if m.Due(0) != 12*time.Second {
		t.Errorf("due %v", m.Due(0))
	}
	write(t, &m, 10*time.Second, &terms.JobWrite{End: "a"})
	g, plan := &fabric.Graph{}, &route.Plan{Tables: route.NewTables(0, 0)}
	q := m.Begin(g, plan, rule)
	if len(q.Turn) != 1 || q.Jobs[q.Turn[0]].ID != "b" || q.MostMoves != rule.Moves || m.Due(0) != terms.Never || !m.IsPlanning() {
		t.Errorf("%+v", q)
	}
	write(t, &m, 13*time.Second, job("c", 2))
	if m.Due(0) != terms.Never {
		t.Error("a turn is due during another one")
	}
	if out := m.Planned(14*time.Second, &terms.Event{Result: &planner.Result{Plan: plan, ForJobs: &relief.Moves{Entries: 4, Left: true}}}, rule, nil); len(out) > 0 || m.Ready() == nil || m.IsPlanning() {
		t.Errorf("%+v", out)
	}
	out := m.End(15*time.Second, rule, nil, nil)
	if len(out) != 2 || out[0].Incident.Kind != terms.JobMoves || !strings.HasPrefix(out[0].Incident.Text, "4 entries moved for job b; more would gain") {
		t.Errorf("%+v", out)
	}
	if m.Due(0) != 25*time.Second {
		t.Errorf("the next turn is due at %v", m.Due(0))
	}
	m.Begin(g, plan, rule)
	out = m.Planned(26*time.Second, &terms.Event{Err: errors.New("no")}, rule, nil)
	if len(out) != 2 || out[0].Incident.Text != "nothing moved for job c: no" || m.Due(0) != terms.Never {
		t.Errorf("%+v", out)
	}
	if r := m.Report(); r.Count != (Count{Started: 4, Ended: 1, Turns: 2, Moved: 4}) || len(r.Jobs) != 3 {
		t.Errorf("%+v", r)
	}
	for _, j := range m.List() {
		if j.Turn == nil {
			t.Errorf("%+v", j)
		}
	}
}

// TestAgain: a turn that is given up begins again at once, if one of its jobs still runs.
func TestAgain(t *testing.T) {
	g, plan := &fabric.Graph{}, &route.Plan{Tables: route.NewTables(0, 0)}
	m := Resume([]terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2}}, time.Second, rule)
	if m.Due(0) != 11*time.Second {
		t.Errorf("due %v", m.Due(0))
	}
	m.Begin(g, plan, rule)
	if !m.Again(20*time.Second, rule) || m.Due(0) != 20*time.Second {
		t.Errorf("due %v", m.Due(0))
	}
	m.Begin(g, plan, rule)
	write(t, &m, 21*time.Second, &terms.JobWrite{End: "a"})
	if m.Again(22*time.Second, rule); m.Due(0) != terms.Never {
		t.Errorf("due %v", m.Due(0))
	}
	if m.Reconfigure(23*time.Second, terms.JobRule{}, false); m.Due(0) != terms.Never {
		t.Error("due without moves")
	}
}

// TestWhole: a list ends jobs that it lacks, starts new ones, and leaves the others as they are.
// More jobs than the limit are refused, and of many changes the log has some.
func TestWhole(t *testing.T) {
	m := Resume([]terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2, Turn: &terms.JobTurn{Moved: 3}}, {ID: "b", Nodes: "n[1-2]", Count: 2}}, 0, rule)
	all := []terms.Job{{ID: "c", Nodes: "n[1-2]", Count: 2}, {ID: "a", Nodes: "n[1-2]", Count: 2}}
	n, told := write(t, &m, 0, &terms.JobWrite{Whole: true, All: all})
	if list := m.List(); n != 2 || len(list) != 2 || list[0].ID != "a" || list[0].Turn == nil || list[1].ID != "c" || list[1].Turn != nil || len(told) != 2 {
		t.Errorf("%d changes, %+v, %v", n, m.List(), told)
	}
	many := make([]terms.Job, MostJobs+1)
	for i := range many {
		many[i] = terms.Job{ID: fmt.Sprint(i), Count: 2}
	}
	if _, out, err := m.Write(0, &terms.JobWrite{Whole: true, All: many}, rule, nil); err == nil || len(out) != 1 || out[0].Incident.Kind != terms.JobRefused || len(m.List()) != 2 {
		t.Errorf("%v, %+v", err, out)
	}
	if n, told := write(t, &m, 0, &terms.JobWrite{Whole: true, All: many[:MostJobs]}); n != MostJobs+2 || len(told) != mostTold-2 {
		t.Errorf("%d changes, %d lines", n, len(told))
	}
}

// TestRequeued: a job that ends during its turn and starts again under the same ID, with other
// nodes, waits for a turn of its own: nothing has moved for these nodes. With the same nodes it has
// had one.
func TestRequeued(t *testing.T) {
	g, plan := &fabric.Graph{}, &route.Plan{Tables: route.NewTables(0, 0)}
	for count, waits := range map[int]bool{2: false, 3: true} {
		m := Resume(nil, 0, rule)
		write(t, &m, 0, job("a", 2))
		write(t, &m, 0, job("stays", 2))
		m.Begin(g, plan, rule)
		write(t, &m, time.Second, &terms.JobWrite{End: "a"})
		write(t, &m, time.Second, job("a", count))
		m.Planned(2*time.Second, &terms.Event{Result: &planner.Result{Plan: plan, ForJobs: &relief.Moves{Entries: 4}}}, rule, nil)
		m.End(3*time.Second, rule, nil, nil)
		if got := m.List()[1]; (got.Turn == nil) != waits || waits != (m.Due(0) == 13*time.Second) {
			t.Errorf("%d nodes: %+v, due %v", count, got, m.Due(0))
		}
	}
}

// TestLogWithoutTurns: where no turn comes, the log goes on all the same, and counts what it leaves
// out.
func TestLogWithoutTurns(t *testing.T) {
	off := terms.JobRule{Interval: rule.Interval}
	m := Resume(nil, 0, off)
	lines := func(now time.Duration, n int) (list []string) {
		t.Helper()
		for i := range n {
			_, out, err := m.Write(now, job(fmt.Sprint(now, i), 2), off, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range out {
				list = append(list, a.Incident.Text)
			}
		}
		return list
	}
	if got := lines(time.Hour, mostTold+7); len(got) != mostTold {
		t.Errorf("%d lines", len(got))
	}
	if got := lines(time.Hour+toldAgain, 2); len(got) != 3 || got[0] != "and 7 more starts and ends of jobs" {
		t.Errorf("%q", got)
	}
}

// TestShorterInterval: with a shorter interval a turn that is due comes sooner.
func TestShorterInterval(t *testing.T) {
	m := Resume([]terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2}}, 0, terms.JobRule{Interval: time.Hour, Moves: 1})
	if m.Reconfigure(time.Second, rule, false); m.Due(0) != 11*time.Second {
		t.Errorf("due %v", m.Due(0))
	}
}

// TestLimits: jobs with too many nodes are refused, however short their lists, and lines of the log
// have whole letters.
func TestLimits(t *testing.T) {
	m := Resume(nil, 0, rule)
	many := make([]terms.Job, MostNodes/1000)
	for i := range many {
		many[i] = terms.Job{ID: fmt.Sprint(i), Nodes: "n[1-1000]", Count: 1000}
	}
	write(t, &m, 0, &terms.JobWrite{Whole: true, All: many})
	if _, _, err := m.Write(0, job("more", 1000), rule, nil); err == nil || !strings.Contains(err.Error(), "nodes") {
		t.Error(err)
	}
	for i := range 4 {
		if text := shorten(strings.Repeat("x", i) + strings.Repeat("ü", 100)); !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
	}
}

// TestFits: a Plan with other SLs is not the one that a turn began with.
func TestFits(t *testing.T) {
	g := &fabric.Graph{}
	plan := func(cell uint8) *route.Plan {
		return &route.Plan{Tables: route.NewTables(0, 0), SL: &route.SLs{Cells: []uint8{cell}}}
	}
	m := Resume([]terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2}}, 0, rule)
	if m.Begin(g, plan(1), rule); !m.Fits(g, plan(1)) || m.Fits(g, plan(2)) {
		t.Error("SLs do not count")
	}
}

// TestAge: a list that may be old neither ends jobs that started meanwhile, nor starts those that
// ended, nor takes nodes from those that got others. A list that is right does all that.
func TestAge(t *testing.T) {
	for age, want := range map[time.Duration]string{
		0: "[a/2 ended/2 moved/2 new/2] 5 0", 9 * time.Second: "[a/2 moved/3 new/2 started/2] 2 3",
		time.Minute: "[a/2 missed/2 moved/3 new/2 started/2] 1 4",
	} {
		m := Resume([]terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2}, {ID: "ended", Nodes: "n[1-2]", Count: 2}, {ID: "moved", Nodes: "n[1-2]", Count: 2}}, 0, rule)
		now := time.Hour
		write(t, &m, now, job("older", 2))
		write(t, &m, now, &terms.JobWrite{End: "older"})
		write(t, &m, now+10*time.Minute, job("missed", 2))
		now += 10*time.Minute + 30*time.Second
		write(t, &m, now, job("started", 2))
		write(t, &m, now, &terms.JobWrite{End: "ended"})
		write(t, &m, now, job("moved", 3))
		all := &terms.JobWrite{Whole: true, Age: age}
		for _, id := range []string{"a", "ended", "moved", "new"} {
			j := job(id, 2)
			if id != "new" {
				j.Start.Nodes = "n[1-2]"
			}
			all.All = append(all.All, *j.Start)
		}
		done, _, err := m.Write(now+9*time.Second, all, rule, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, j := range m.List() {
			names = append(names, fmt.Sprintf("%s/%d", j.ID, j.Count))
		}
		slices.Sort(names)
		if got := fmt.Sprint(names, done.Changed, done.Newer); got != want {
			t.Errorf("age %v: %s, want %s", age, got, want)
		}
		for range 10 {
			write(t, &m, now+2*time.Minute, &terms.JobWrite{End: "none"})
		}
		if len(m.last) > 10 {
			t.Errorf("%d starts and ends are kept", len(m.last))
		}
	}
}

// TestNoJob: what a damaged state or an odd master tells is no reason to fail.
func TestNoJob(t *testing.T) {
	good := terms.Job{ID: "a", Nodes: "n[1-2]", Count: 2}
	m := Resume([]terms.Job{
		good,
		good,
		{ID: "b", Nodes: "n[1", Count: 2},
		{ID: "c", Nodes: "n[1-2]", Count: 2, Copy: -1},
		{ID: "d", Nodes: "n[1-2]", Count: -2},
		{Nodes: "n1", Count: 1},
		{ID: "e", Nodes: "n[1-2]", Count: 2, Shares: []terms.LaneShare{{Nodes: "n[", Copy: 1}}},
		{ID: "f", Nodes: "n[1-2]", Count: 2, Shares: []terms.LaneShare{{Nodes: "n[1-2]", Copy: -1}}},
	}, 0, rule)
	if list := m.List(); len(list) != 1 || list[0].ID != "a" {
		t.Errorf("%+v", list)
	}
}

// TestClusters: a list of the jobs of one cluster leaves those of others as they are.
func TestClusters(t *testing.T) {
	var m Machine
	for _, id := range []string{"1", "a:1", "a:2", "b:1"} {
		write(t, &m, 0, job(id, 2))
	}
	write(t, &m, 0, &terms.JobWrite{Whole: true, Among: "a:", All: []terms.Job{*job("a:2", 2).Start, *job("a:3", 2).Start}})
	var names []string
	for _, j := range m.List() {
		names = append(names, j.ID)
	}
	if got := fmt.Sprint(names); got != "[1 a:2 b:1 a:3]" {
		t.Error(got)
	}
}
