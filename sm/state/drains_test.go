package state

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"weft/sm/terms"
)

// TestDrains: what is to be drained is there after a restart, as it was stored last; what comes
// late is not stored.
func TestDrains(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	now := time.UnixMilli(1000)
	for i, d := range []terms.Drains{
		{}, {Told: []string{"b", "a"}, Now: []string{"b", "a"}}, {Told: []string{"b", "a"}, Now: []string{"a", "x[3]"}}, {Now: []string{"y"}, Trials: []string{`{"Trial":1}`, "2"}}, {Now: []string{"y"}}, {},
	} {
		if err := s.SetDrains(now.Add(time.Duration(i)*time.Second), &d); err != nil {
			t.Fatal(err)
		}
		if err := s.SetDrains(now.Add(-time.Second), &terms.Drains{Now: []string{"late"}}); err != nil && i > 0 {
			t.Fatal(err)
		} else if i == 0 {
			_ = s.SetDrains(now, &d)
		}
		s = reopened(t, s)
		got, err := s.Drains()
		if err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%+v, want %+v, %v", got, d, err)
		}
		if c, err := s.Contents(0); err != nil || len(c.Drains) != len(d.Now) {
			t.Errorf("%v, %v", c, err)
		}
		s.drainsTime = now.Add(time.Duration(i) * time.Second)
	}
}

// TestVersion1: a file without drains is read, and gets them when it is opened to be written;
// nothing else of it is lost.
func TestVersion1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	r := routed(t, "rlft(4,2)", 0)
	if err := s.Record(time.UnixMilli(1), r); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, "DROP TABLE drains", "DROP TABLE entries", "DROP TABLE mark", "DROP TABLE partitions", "DROP TABLE jobs", "PRAGMA user_version = 1")
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := read.Drains(); err != nil || len(d.Now) > 0 {
		t.Errorf("%v, %v", d, err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s = open(t, path)
		if err := s.SetDrains(time.UnixMilli(2), &terms.Drains{Now: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		if d, err := s.Drains(); err != nil || len(d.Now) != 1 || !reflect.DeepEqual(s.LIDs(), r.LIDs) {
			t.Errorf("%v, %v", d, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
