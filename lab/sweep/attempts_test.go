package sweep

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/lab/store"
)

// TestAttempts: a job at which a worker was killed runs first and alone; after three kills it is
// not run, with the reason, and the sheet says so. All others have their rows.
func TestAttempts(t *testing.T) {
	d := describe(t, small)
	whole, _ := run(t, d, setup(), Shard{})
	p, err := d.Expand(t.Context(), setup(), nil)
	if err != nil {
		t.Fatal(err)
	}
	suspect, poison := p.Jobs[len(p.Jobs)-1], p.Jobs[3]
	var mu sync.Mutex
	var marks []string
	r := &Run{Description: d, Setup: setup(), Keep: keepNothing{}, Rows: map[string]*Row{}, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) {}}
	r.Ended = map[string]Ends{suspect.name(): {2, "x"}, poison.name(): {3, "short of memory"}, "gone": {9, "y"}}
	r.Mark = func(job string, begins bool) error {
		mu.Lock()
		defer mu.Unlock()
		if begins {
			job = "begin " + job
		}
		marks = append(marks, job)
		return nil
	}
	if p, err = r.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"begin " + suspect.name(), suspect.name()}; !slices.Equal(marks[:2], want) || len(marks) != 2*(len(p.Jobs)-1) {
		t.Errorf("%d marks of %d jobs, the first %v", len(marks), len(p.Jobs), marks[:2])
	}
	var lost []string
	for name, row := range whole {
		if diff := store.Differences(row, r.Rows[name]); len(diff) > 0 {
			lost = append(lost, name)
			if got := r.Rows[name]; got.Status != NotRun || got.Reason != "given up: 3 runs of the worker ended at it: short of memory" || got.VLs != nil {
				t.Errorf("%+v", got)
			}
		}
	}
	slices.Sort(lost)
	if sheet := r.SheetOf(p, "", ""); len(lost) != len(poison.Cases) || !slices.Equal(slices.Sorted(slices.Values(sheet.GivenUp)), lost) {
		t.Errorf("given up: %v, in the sheet %v", lost, sheet.GivenUp)
	}
	if slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(m, poison.name()) }) {
		t.Error("the job that was given up began")
	}
}
