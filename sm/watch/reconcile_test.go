package watch

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/internal/hostlist"
	"weft/route/joblanes"
	"weft/sm/smtest"
	"weft/sm/terms"
)

var (
	reconcileOn   = flag.String("reconcile-on", "rlft(8,2)", "the network of TestReconcile")
	reconcileJobs = flag.Int("reconcile-jobs", 60, "how many jobs TestReconcile starts at once")
)

// held measures how long a Manager holds the loop: the time of each Step.
type held struct {
	*virtual
	t       *testing.T
	answers map[uint64]terms.Action
}

// tell tells of jobs, and returns the time that the Step took.
func (h *held) tell(tag uint64, w *terms.JobWrite) time.Duration {
	begun := time.Now()
	h.step(&terms.Event{Kind: terms.WriteJobs, Tag: tag, Jobs: w})
	return time.Since(begun)
}

// newHeld returns a manager with lanes for jobs, of which some run.
func newHeld(t *testing.T, on *emulator.Subnet, list []terms.Job) *held {
	t.Helper()
	at, err := on.DefaultEnd()
	if err != nil {
		t.Fatal(err)
	}
	cfg := terms.Config{}
	cfg.Jobs = list
	v, err := newVirtualAt(on, at, cfg, *jobOf("ftree", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.routing.JobLanes, v.computes, v.planTime = joblanes.Ask(4), 30*time.Second, time.Minute
	watch := terms.UsualWatch
	watch.Jobs = terms.JobRule{Interval: time.Hour}
	h := &held{v, t, map[uint64]terms.Action{}}
	v.manager = NewManager(cfg, watch)
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Decided && a.Tag > 0 {
			h.answers[a.Tag] = *a
		}
	}
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(2 * time.Minute)
	if s := v.manager.Standing(); s.Role != terms.Master || s.Jobs == nil {
		t.Fatalf("not up: %+v", s)
	}
	v.planTime = 0
	return h
}

// TestReconcile: copies of the lanes for the jobs of a long list are found beside the loop.
// Meanwhile faults are repaired, and a job that starts is in the list at once. Each write is
// answered when its jobs have their copies: a start after the next placing, however long the list.
// A manager that takes up the list has the same pairs.
func TestReconcile(t *testing.T) {
	f := smtest.Formula(t, *reconcileOn)
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := newHeld(t, sub, nil)
	g := h.manager.inForce.Graph
	w := &terms.JobWrite{Whole: true}
	for i := range *reconcileJobs {
		var names []string
		for k := range 16 {
			names = append(names, fmt.Sprintf("host%d", (i*37+k*(i+5)*7)%g.NumHosts))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		w.All = append(w.All, terms.Job{ID: fmt.Sprint(i), Nodes: hostlist.Compress(names), Count: len(names)})
	}
	before, longest := h.manager.Standing().Jobs, time.Duration(0)
	step := func(what string, took time.Duration) {
		longest = max(longest, took)
		t.Logf("%s: %v", what, took)
	}
	step("reconcile", h.tell(1, w))
	step("a start", h.tell(2, &terms.JobWrite{Start: &terms.Job{ID: "later", Nodes: "host[0-3]", Count: 4}}))
	step("an end", h.tell(3, &terms.JobWrite{End: "0"}))
	if list := h.manager.jobs.List(); len(h.answers) > 0 || len(list) != *reconcileJobs || list[len(list)-1].ID != "later" {
		t.Fatalf("%d jobs, answers %v", len(list), h.answers)
	}
	_ = sub.SetLinkDown(switchLinks(f)[0], true)
	h.step(&terms.Event{Kind: terms.Resweep})
	h.runUntil(h.now + 20*time.Second)
	if h.manager.inForce.Graph == g || len(h.answers) > 0 || h.manager.inRound {
		t.Fatal("the fault waits for the jobs")
	}
	placings := 0
	ended := func() {
		h.computed = terms.Never
		begun := time.Now()
		h.compute()
		found := time.Now()
		h.step(&terms.Event{Kind: terms.Computed})
		step("copies are found", time.Since(found))
		t.Logf("beside the loop: %v", found.Sub(begun))
		placings++
	}
	if ended(); (h.answers[1].Jobs != nil) != (*reconcileJobs < 200) || h.answers[2].Jobs != nil {
		t.Fatalf("%v", h.answers)
	}
	ended()
	list := h.manager.jobs.List()
	if a := h.answers[2].Jobs; a == nil || h.answers[3].Jobs == nil || &a.List[0] != &list[0] {
		t.Fatalf("%v", h.answers)
	}
	for h.computed < terms.Never {
		ended()
	}
	list = h.manager.jobs.List()
	if h.answers[1].Jobs == nil || h.answers[1].Jobs.Changed != *reconcileJobs || placings > 2+*reconcileJobs/200 {
		t.Fatalf("%d placings: %v", placings, h.answers)
	}
	copies := map[int]int{}
	for _, j := range list {
		copies[j.Copy]++
	}
	after := h.manager.Standing().Jobs
	if len(copies) != 4 || after == before {
		t.Errorf("jobs by copy: %v", copies)
	}
	other := newHeld(t, sub, list)
	now := other.manager.Standing().Jobs
	for a := range int32(g.NumHosts) {
		for b := range min(int32(g.NumHosts), 100) {
			if now.Copy(a, b) != after.Copy(a, b) {
				t.Fatalf("packets from %d to %d have copy %d, before %d", a, b, now.Copy(a, b), after.Copy(a, b))
			}
		}
	}
	other.tell(4, &terms.JobWrite{Start: &terms.Job{ID: "last", Nodes: "host[0-1]", Count: 2}})
	if other.step(&terms.Event{Kind: terms.Stop}); other.answers[4].Jobs == nil {
		t.Error("a manager that ends does not answer")
	}
	t.Logf("the longest of these: %v", longest)
}
