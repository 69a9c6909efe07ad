package state

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"weft/sm/terms"
)

// TestJobs: the jobs that run are read as they were stored last, in the order of their starts,
// whatever was stored before. An older list changes nothing.
func TestJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	var want []terms.Job
	next, order := 0, uint64(1)
	rapid.Check(t, func(t *rapid.T) {
		var list []terms.Job
		for _, j := range want { // some have ended, some had their turn
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				continue
			case 1:
				j.Turn = &terms.JobTurn{Jobs: 1, Moved: 7}
			}
			list = append(list, j)
		}
		for range rapid.IntRange(0, 3).Draw(t, "starts") {
			next++
			list = append(list, terms.Job{ID: fmt.Sprint(next), User: "u", Nodes: "n[1-2]", Count: 2, Began: int64(next)})
		}
		order++
		if err := s.SetJobs(&terms.RunningJobs{List: list, Order: order}); err != nil {
			t.Fatal(err)
		}
		want = list
		if err := s.SetJobs(&terms.RunningJobs{Order: order - 1}); err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if s, err = Open(path, Limits{}); err != nil {
				t.Fatal(err)
			}
			order = 1
		}
		if got, err := s.Jobs(); err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		if c, err := s.Contents(0); err != nil || c.Jobs != len(want) {
			t.Fatalf("%+v, %v", c, err)
		}
	})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestIsSameJob: every field of a job counts, also of its turn.
func TestIsSameJob(t *testing.T) {
	full := func() terms.Job {
		return terms.Job{
			ID: "a", User: "u", Nodes: "n", Count: 1, Unknown: []string{"x"}, Began: 1, Turn: &terms.JobTurn{Jobs: 1, Moved: 1, Why: "w"},
			Copy: 1, Shares: []terms.LaneShare{{Nodes: "m", Copy: 2}}, OfPartition: true,
		}
	}
	a, b := full(), full()
	if !isSameJob(&a, &b) {
		t.Error("equal jobs differ")
	}
	for i := range reflect.TypeFor[terms.Job]().NumField() {
		b = full()
		reflect.ValueOf(&b).Elem().Field(i).SetZero()
		if isSameJob(&a, &b) || isSameJob(&b, &a) {
			t.Errorf("field %d does not count, or has no value in this test", i)
		}
	}
	for i := range reflect.TypeFor[terms.JobTurn]().NumField() {
		b = full()
		reflect.ValueOf(b.Turn).Elem().Field(i).SetZero()
		if isSameJob(&a, &b) {
			t.Errorf("field %d of the turn does not count, or has no value in this test", i)
		}
	}
}
