package state

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
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

// TestDamagedJob: a job that is damaged keeps no manager from its start. It is left out and told,
// and the others are there. The next write replaces it.
func TestDamagedJob(t *testing.T) {
	for _, value := range []string{"garbage", `{"ID":"b","Nodes":"n[1","Count":2}`, `{"ID":"b","Nodes":"n[1-2]","Count":2,"Copy":-1}`, `{"ID":"c","Nodes":"n[1-2]","Count":2}`, "{}"} {
		s := open(t, filepath.Join(t.TempDir(), "state"))
		list := []terms.Job{{ID: "a", Nodes: "n[1-2]", Count: 2}, {ID: "b", Nodes: "n[1-2]", Count: 2}, {ID: "c", Nodes: "n3", Count: 1}}
		if err := s.SetJobs(&terms.RunningJobs{List: list, Order: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec("UPDATE jobs SET value = ? WHERE id = 'b'", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := Open(s.path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Jobs()
		if told := s.Told(); err != nil || len(got) != 2 || got[0].ID != "a" || got[1].ID != "c" || len(told) != 1 || !strings.Contains(told[0].Text, `job "b" is damaged`) {
			t.Errorf("%s: %v, %v, %v", value, got, err, told)
		}
		err = s.SetJobs(&terms.RunningJobs{List: list, Order: 1})
		if again, failed := s.Jobs(); err != nil || failed != nil || !reflect.DeepEqual(again, list) {
			t.Errorf("%s: %v, %v, %v", value, again, err, failed)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
