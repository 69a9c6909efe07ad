package watch

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/jobs"
	"weft/internal/racing"
	"weft/route/joblanes"
	"weft/sm/terms"
	"weft/sm/tuning"
)

var jobStarts = flag.Int("job-starts", 30, "how many jobs start and end in each run of TestJobsOfMonths")

// TestJobsOfMonths: jobs start and end in a subnet with two managers, while links are pulled and
// flap, nodes restart, parts are drained, and managers die and come back. All that TestMonth
// demands holds. A turn moves entries towards the hosts of its jobs alone, no more than the rule
// allows, and no LID or SL; while it is written no packet loops, and no cycle of dependencies
// closes. The jobs outlive restarts and takeovers. In every other run jobs have lanes: the SL that
// path queries get for two nodes of a job is one of those that the judge has proven for the pair,
// and stays from the start of the job to its end. In the others, reloads force speeds and set
// change windows.
func TestJobsOfMonths(t *testing.T) {
	racing.SkipLong(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { jobsOfMonth(t, seed, seed > 0, *jobStarts) })
	}
}

// workload is a monthly with jobs.
type workload struct {
	*monthly
	runs     map[string][]string // hosts by job
	started  int
	rules    [2][]byte              // by manager: the last rules of the master that it has not heard
	routes   [2]*terms.RouteRequest // by manager: the last Route
	improves [2]*terms.RouteRequest // by manager: the last Improve
	turns    map[string]int         // by outcome
	moved    []int                  // entries, by turn that moved some
	lanes    bool                   // jobs have lanes
	sls      map[[2]fabric.GUID]heldSL
	copies   map[int]bool    // that jobs had
	checked  *joblanes.Pairs // last compared
	compared int             // pairs that had an SL before
}

// heldSL is the SL that path queries got for a pair, and the jobs that run on it.
type heldSL struct {
	sl   uint8
	jobs map[string]bool // that run on both ports
}

// jobRule is that of these tests.
var jobRule = terms.JobRule{Interval: 10 * time.Second, Moves: 100}

func jobsOfMonth(t *testing.T, seed uint64, bad bool, starts int) {
	x := &workload{monthly: newMonthly(t, "rlft(8,2)", seed, bad, time.Duration(seed%2)*2*time.Second), runs: map[string][]string{}, turns: map[string]int{}}
	x.sls, x.copies, x.lanes = map[[2]fabric.GUID]heldSL{}, map[int]bool{}, seed%2 == 0
	for k, v := range x.all {
		if x.lanes {
			v.routing.JobLanes = joblanes.Ask(4)
			v.step(&terms.Event{Kind: terms.Rebalance})
		}
		x.attach(t, k, v)
	}
	for x.started < starts || len(x.runs) > 0 {
		for range 1 + x.rng.IntN(20) {
			switch {
			case x.rng.IntN(3) == 0:
				x.next(t)
				for k, v := range x.all { // a new one, perhaps
					x.attach(t, k, v)
				}
			case !x.lanes && x.rng.IntN(6) == 0:
				x.reload(t, []string{"*: speed=..DDR", "spine *: speed=QDR", "*: speed=all"}[x.rng.IntN(3)], x.rng.IntN(2) == 0)
			default:
				x.startOrEnd(t, starts)
			}
			x.wait()
		}
		x.heal(t)
		if !x.lanes {
			x.reload(t, "*: speed=all", false)
		}
		x.pass(3 * time.Hour)
		x.check(t)
		x.checkJobs(t)
	}
	sum, most := 0, 0
	for _, n := range x.moved {
		sum, most = sum+n, max(most, n)
	}
	t.Logf("%d starts and ends in %v; turns: %v; entries moved a start: %.1f in the mean, %d at most", x.started, x.all[0].now.Round(time.Hour), x.turns, float64(sum)/float64(x.started), most)
	if sum == 0 {
		t.Error("nothing moved for any job")
	}
	if x.lanes && (len(x.copies) < 2 || x.compared == 0) {
		t.Errorf("jobs had the copies %v of the lanes; %d pairs were compared", x.copies, x.compared)
	}
}

// reload has both managers force speeds, and make changes in 20 minutes of every two hours alone.
func (x *workload) reload(t *testing.T, rules string, windows bool) {
	t.Helper()
	x.log = append(x.log, fmt.Sprintf("%v: %q, windows %t", x.all[0].now, rules, windows))
	for _, v := range x.all {
		cfg, to := v.manager.cfg, v.manager.watch
		cfg.Tuning, to.Windows = &tuning.Settings{Links: linkRules(t, rules)}, nil
		for h := 0; windows && h < 24; h += 2 {
			from := time.Duration(h) * time.Hour
			to.Windows = append(to.Windows, terms.Window{Days: 127, Hours: terms.Hours{From: from, To: from + 20*time.Minute}})
		}
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: to, Routing: v.routing, What: "other speeds"}})
	}
}

// attach watches a manager, and tells it the rules of the other one.
func (x *workload) attach(t *testing.T, k int, v *virtual) {
	v.manager.watch.Jobs, v.besides, v.computes = jobRule, 300*time.Millisecond, 200*time.Millisecond
	single := v.onEvent
	if v.onAction != nil { // it is attached already, or stands for one that was
		single = nil
	}
	v.onAction = func(a *terms.Action) {
		switch {
		case a.Kind == terms.TellRules, a.Kind == terms.Decided && a.Jobs != nil && v.manager.Role() == terms.Master:
			x.rules[1-k] = v.manager.RulesToTell().Data
		case a.Kind == terms.Route:
			x.routes[k] = a.Request
		case a.Kind == terms.Improve && a.Request != nil:
			x.improves[k] = a.Request
		}
		if a.Kind == terms.Decided && a.Name == "the turns of jobs" {
			x.noteTurn(v)
		}
	}
	v.alter = func(ev *terms.Event) {
		if q := x.routes[k]; ev.Kind == terms.Planned && q.Better != nil && q.Better.ForJobs && ev.Unfit == nil && ev.Err == nil {
			checkTurn(t, q, x.improves[k], ev)
		}
	}
	if single == nil {
		return
	}
	v.onEvent = func() {
		single()
		v := x.all[k]
		if x.lanes {
			x.checkSLs(t, v)
		}
		if told := x.rules[k]; told != nil {
			x.rules[k] = nil
			v.step(terms.NewsEvent(&terms.News{Rules: told}))
		}
		if v.manager.inRound && isTurn(v.manager) && v.manager.inForce != nil {
			checkMixture(t, v)
		}
	}
}

// checkSLs compares the SLs that path queries get with those that they got before, and with the
// proven ones.
func (x *workload) checkSLs(t *testing.T, v *virtual) {
	t.Helper()
	s := v.manager.Standing()
	if s.Role != terms.Master || s.Jobs == nil || x.checked == s.Jobs {
		return
	}
	x.checked = s.Jobs
	g, plan, now := s.Ledger.Graph, s.Ledger.Plan, map[[2]fabric.GUID]heldSL{}
	find := jobs.NewFinder(g)
	for _, j := range v.manager.jobs.List() {
		if x.runs[j.ID] == nil {
			continue // its start is not answered yet, and it has no copy
		}
		hosts, _, _ := find.Match(j.Nodes)
		x.copies[j.Copy] = true
		for _, a := range hosts {
			for _, b := range hosts {
				if a == b || plan.Ends.Base[a] == 0 || plan.Ends.Base[b] == 0 {
					continue
				}
				path := plan.SL.At(a, plan.Ends.Base[b])
				sl, pair := s.Jobs.SL(plan, a, b, path), [2]fabric.GUID{g.EndGUID[a], g.EndGUID[b]}
				if plan.SLsFor(path)>>sl&1 == 0 {
					t.Fatalf("%v: SL %d of a pair of job %s is not proven", v.now, sl, j.ID)
				}
				if now[pair].jobs == nil {
					now[pair] = heldSL{sl, map[string]bool{}}
				}
				now[pair].jobs[j.ID] = true
			}
		}
	}
	for pair, is := range now {
		for id := range x.sls[pair].jobs {
			if x.compared++; is.jobs[id] && x.sls[pair].sl != is.sl {
				t.Fatalf("%v: packets of job %s had SL %d, now %d: %v", v.now, id, x.sls[pair].sl, is.sl, x.log)
			}
		}
	}
	for pair, was := range x.sls { // ports that are away
		for id := range was.jobs {
			if x.runs[id] != nil && now[pair].jobs == nil {
				now[pair] = was
			}
		}
	}
	x.sls = now
}

// noteTurn counts the turn that has ended.
func (x *workload) noteTurn(v *virtual) {
	n := v.manager.jobs.Report().Count.Last
	if n > 0 {
		x.turns["moved"]++
		x.moved = append(x.moved, n)
		return
	}
	for _, j := range v.manager.jobs.List() {
		if j.Turn != nil && j.Turn.Why != "" && j.Turn.Moved == 0 && j.Count > 1 {
			x.turns[j.Turn.Why]++
			return
		}
	}
	x.turns["for jobs that have ended"]++
}

// startOrEnd starts a job on free hosts, or ends one. The request comes twice, as it may.
func (x *workload) startOrEnd(t *testing.T, starts int) {
	t.Helper()
	_, v := masters(x.all)
	if v == nil || v.manager.inForce == nil || x.started >= starts && len(x.runs) == 0 {
		return
	}
	w := &terms.JobWrite{}
	if x.started >= starts || len(x.runs) > 0 && x.rng.IntN(2) == 0 {
		ids := []string{}
		for id := range x.runs {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		w.End = ids[x.rng.IntN(len(ids))]
	} else {
		find, used := jobs.NewFinder(v.manager.inForce.Graph), map[string]bool{}
		for _, hosts := range x.runs {
			for _, name := range hosts {
				used[name] = true
			}
		}
		var names []string
		list := ""
		shares := x.lanes && x.rng.IntN(3) == 0 // nodes with other jobs
		for _, k := range x.rng.Perm(32)[:2+x.rng.IntN(12)] {
			name := fmt.Sprintf("host%d", k)
			if hosts, _, err := find.Match(name); err == nil && len(hosts) > 0 && (shares || !used[name]) {
				names, list = append(names, name), list+","+name
			}
		}
		if len(names) == 0 {
			return
		}
		x.started++
		w.Start = &terms.Job{ID: fmt.Sprintf("%04d", x.started), Nodes: list[1:], Count: len(names)}
	}
	answers, was := 0, v.onAction
	v.onAction = func(a *terms.Action) {
		if was(a); a.Kind == terms.Decided && a.Tag == 99 {
			if answers++; a.Err != nil || a.Jobs == nil {
				t.Fatalf("%+v is refused: %v", w, a.Err)
			}
		}
	}
	for range 2 {
		v.step(&terms.Event{Kind: terms.WriteJobs, Tag: 99, Jobs: w})
	}
	v.endComputing()
	if v.onAction = was; answers != 2 {
		t.Fatalf("%+v: %d answers", w, answers)
	}
	if delete(x.runs, w.End); w.Start != nil {
		find := x.all[0].sub.Fabric().Compile()
		hosts, _, _ := jobs.NewFinder(find).Match(w.Start.Nodes)
		names := []string{}
		for _, h := range hosts {
			names = append(names, jobs.Names(find, h)[3])
		}
		x.runs[w.Start.ID] = names
	}
}

// checkJobs compares the jobs of all managers with those that run.
func (x *workload) checkJobs(t *testing.T) {
	t.Helper()
	_, v := masters(x.all)
	list := v.manager.jobs.List()
	for _, j := range list {
		if x.runs[j.ID] == nil || j.Turn == nil {
			t.Errorf("job %+v: runs is %v, and all has been well for hours", j, x.runs[j.ID] != nil)
		}
	}
	if len(list) != len(x.runs) {
		t.Errorf("%d jobs run, the master knows %d: %v", len(x.runs), len(list), x.log)
	}
}

// checkTurn checks the Plan of a turn, which q is to put in force, against the one in force.
func checkTurn(t *testing.T, q, turn *terms.RouteRequest, ev *terms.Event) {
	t.Helper()
	was, now, g := q.Kept.Plan, ev.Result.Plan, q.Graph
	if !ev.Result.Report.OK || !ev.Way.Mixture.OK || ev.Way.Pauses() {
		t.Errorf("a turn is not proven: %+v, %+v", ev.Result.Report, ev.Way)
	}
	if !slices.Equal(was.Ends.Base, now.Ends.Base) || !slices.Equal(was.Ends.LMC, now.Ends.LMC) || !reflect.DeepEqual(was.SL, now.SL) || was.Service.Default != now.Service.Default {
		t.Error("a turn moves LIDs or SLs")
	}
	find, allowed := jobs.NewFinder(g), map[fabric.LID]bool{}
	for _, i := range turn.Turn {
		hosts, _, _ := find.Match(turn.Jobs[i].Nodes)
		for _, h := range hosts {
			allowed[was.Ends.Base[h]] = true
		}
	}
	moved := 0
	for s := range int32(g.NumSwitches) {
		for lid := fabric.LID(1); lid <= now.Ends.Top(); lid++ {
			if was.Tables.Port(s, lid) == now.Tables.Port(s, lid) {
				continue
			}
			if moved++; !allowed[lid] {
				t.Errorf("the entry of %s for LID %d moves, which is of no job", fabric.SwitchName(g, s), lid)
			}
		}
	}
	if moved == 0 || moved > jobRule.Moves {
		t.Errorf("%d entries move in a turn", moved)
	}
}

// checkMixture follows the tables that switches hold now: packets to hosts do not loop, and the
// channels that they hold and want close no cycle.
func checkMixture(t *testing.T, v *virtual) {
	t.Helper()
	l := v.manager.inForce
	g, plan, held := l.Graph, l.Plan, v.sub.Tables()
	at := map[fabric.GUID]int{}
	for i := range held.Switches {
		at[held.Switches[i].GUID] = i
	}
	wants := make([]map[int32]bool, g.NumChannels)
	for h := range int32(g.NumHosts) {
		lid := plan.Ends.Base[h]
		for s := range int32(g.NumSwitches) {
			last, x := int32(-1), s
			for steps := 0; lid != 0; steps++ {
				if steps > g.NumSwitches {
					t.Fatalf("%v: packets to LID %d loop: %v", v.now, lid, v.entries)
				}
				i, ok := at[g.SwitchGUID[x]]
				if !ok {
					break
				}
				c, _ := g.At(x, held.Switches[i].Port(lid))
				if c < 0 {
					break
				}
				if last >= 0 {
					if wants[last] == nil {
						wants[last] = map[int32]bool{}
					}
					wants[last][c] = true
				}
				last, x = c, g.To[c]
			}
		}
	}
	state := make([]uint8, g.NumChannels)
	var visit func(c int32) bool
	visit = func(c int32) bool {
		if state[c] > 0 {
			return state[c] == 2
		}
		state[c] = 1
		for next := range wants[c] {
			if !visit(next) {
				return false
			}
		}
		state[c] = 2
		return true
	}
	for c := range state {
		if !visit(int32(c)) {
			t.Fatalf("%v: a cycle of dependencies", v.now)
		}
	}
}

// TestJobsOnStandby: a standby learns the jobs of its master with their lanes and turns, has them
// stored, and goes on with them when the master dies.
func TestJobsOnStandby(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 2, 1)
	master, standby := all[0], all[1]
	var stored *terms.RunningJobs
	for _, v := range all {
		v.routing.JobLanes, v.besides = joblanes.Ask(4), 100*time.Millisecond
		v.manager.watch.Jobs = jobRule
		v.step(&terms.Event{Kind: terms.Start})
		runTogether(all[0].now+time.Second, all...)
	}
	standby.onAction = func(a *terms.Action) {
		if a.Kind == terms.Decided && a.Jobs != nil {
			stored = a.Jobs
		}
	}
	for i, nodes := range []string{"host[0-3]", "host[0,4,6]", "host7"} {
		master.step(&terms.Event{Kind: terms.WriteJobs, Jobs: &terms.JobWrite{Start: &terms.Job{ID: fmt.Sprint(i), Nodes: nodes, Count: []int{4, 3, 1}[i]}}})
	}
	runTogether(master.now+time.Minute, all...)
	list := master.manager.jobs.List()
	if len(list) != 3 || list[0].Copy == list[1].Copy || list[0].Turn == nil || list[2].Copy != 0 {
		t.Fatalf("%+v", list)
	}
	standby.step(terms.NewsEvent(&terms.News{Rules: master.manager.RulesToTell().Data}))
	if stored == nil || !reflect.DeepEqual(stored.List, list) {
		t.Fatalf("the standby stores %+v, the master has %+v", stored, list)
	}
	master.sub.Detach(master.id)
	runTogether(standby.now+5*time.Minute, standby)
	if s := standby.manager.Standing(); s.Role != terms.Master || s.Jobs == nil || !reflect.DeepEqual(standby.manager.jobs.List(), list) {
		t.Fatalf("role %v, lanes %v, jobs %+v", s.Role, s.Jobs, standby.manager.jobs.List())
	}
	standby.step(&terms.Event{Kind: terms.WriteJobs, Jobs: &terms.JobWrite{End: "1"}})
	standby.endComputing()
	if now := standby.manager.jobs.List(); len(now) != 2 || stored == nil || !reflect.DeepEqual(stored.List, now) {
		t.Errorf("%+v", now)
	}
}
