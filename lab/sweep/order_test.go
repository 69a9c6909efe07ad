package sweep

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/lab/measure"
)

// jobOf returns a job of an engine on a network of a size.
func jobOf(engine string, hosts int64) *Job {
	c := &Case{identity: &identity{}}
	c.Row.Place = Place{Hosts: hosts, Links: 2 * hosts}
	return &Job{routing: &measure.Routing{Engines: []measure.Engine{{Name: engine}}}, Cases: []*Case{c}}
}

// idle returns the share of the workers' time that passes until the last job is over, while they
// have none: each takes the next job of the list when it is free.
func idle(jobs []*Job, workers int) float64 {
	free := make([]float64, workers)
	sum := 0.0
	for _, j := range jobs {
		i := slices.Index(free, slices.Min(free))
		free[i] += j.guess()
		sum += j.guess()
	}
	return 1 - sum/(slices.Max(free)*float64(workers))
}

// TestOrder: long jobs of the end go ahead; no job is lost, and those before the tail stay.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 39))
	worst, before := 0.0, 0.0
	for range 300 {
		var jobs []*Job
		for range 40 + rng.IntN(60) {
			jobs = append(jobs, jobOf([]string{"updn", "dfsssp", "auto", "nue"}[rng.IntN(4)], 40+rng.Int64N(100)))
		}
		workers := 1 + rng.IntN(4)
		was := slices.Clone(jobs)
		order(jobs, workers)
		if i, k := idle(was, workers), idle(jobs, workers); true {
			before, worst = max(before, i), max(worst, k)
		}
		seen := map[*Job]bool{}
		for _, j := range jobs {
			seen[j] = true
		}
		if len(seen) != len(was) {
			t.Fatalf("%d of %d jobs are left", len(seen), len(was))
		}
		first := slices.IndexFunc(jobs, func(j *Job) bool { return j != was[slices.Index(jobs, j)] })
		if first < 0 {
			continue
		}
		longest, work := 0.0, 0.0
		for _, j := range jobs {
			longest = max(longest, j.guess())
		}
		for _, j := range jobs[first:] {
			work += j.guess()
		}
		if workers == 1 || work > (tail*float64(workers)+1)*longest {
			t.Errorf("%d workers: more of the list than its tail is sorted", workers)
		}
		if !slices.IsSortedFunc(jobs[first:], func(a, b *Job) int { return int(b.guess() - a.guess()) }) {
			t.Error("the tail is not sorted")
		}
	}
	if before < .1 || worst > before/2 {
		t.Errorf("idle for %.3f of the time, %.3f if nothing is sorted", worst, before)
	}
	t.Logf("idle for %.3f of the time at most; %.3f if nothing is sorted", worst, before)
}

// TestGuess: engines, passes, workloads and sizes count.
func TestGuess(t *testing.T) {
	base := jobOf("updn", 100).guess()
	steps, err := measure.ParseEngines("dfsssp,paths=sssp,passes=3", nil)
	if err != nil {
		t.Fatal(err)
	}
	passes := jobOf("dfsssp", 100)
	passes.routing.Engines = steps
	twice := jobOf("updn", 100)
	twice.Cases = append(twice.Cases, twice.Cases[0])
	for what, j := range map[string]*Job{"size": jobOf("updn", 101), "engine": jobOf("auto", 100), "workloads": twice} {
		if j.guess() <= base {
			t.Errorf("%s does not count", what)
		}
	}
	if passes.guess() <= jobOf("dfsssp", 100).guess() {
		t.Error("passes do not count")
	}
}

// TestAgainLast: cases that did not run before are tried after the others.
func TestAgainLast(t *testing.T) {
	d := describe(t, small)
	rows, _ := run(t, d, setup(), Shard{})
	left := map[string]*Row{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if row := *rows[name]; row.Damage == NoDamage && row.Engine == "updn" { // the first jobs
			row.Outcome = Outcome{Status: NotRun}
			left[name] = &row
		}
	}
	tried := maps.Clone(left)
	var done []*Row
	r := &Run{Description: d, Setup: setup(), Keep: keepNothing{}, Rows: left, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(row *Row) { done = append(done, row) }}
	r.Setup.Workers = 1
	if _, err := r.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, row := range done {
		if again := tried[row.Case] != nil; again != (i >= len(done)-len(tried)) {
			t.Errorf("case %d of %d, tried before: %t", i, len(done), again)
		}
	}
	same(t, "tried again", rows, left)
}
