package state

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/sm/sa"
	"weft/sm/terms"
)

// TestRemoved: a file that is removed while it is open, with all that belongs to it, is written
// anew with what it had by the next thing that is stored, and no other manager can open it
// meanwhile. Where another file has taken its place, or nothing can be written there, nothing is
// said to be stored.
func TestRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "var")
	path := filepath.Join(dir, "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	r := routed(t, "rlft(4,2)", 0)
	if err := s.Record(now, r); err != nil {
		t.Fatal(err)
	}
	drains := func(name string) error { return s.SetDrains(now.Add(time.Minute), &terms.Drains{Now: []string{name}}) }
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := drains("lost"); err == nil {
		t.Fatal("stored where there is no directory")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 { // again and again
		for _, name := range []string{path, path + "-wal", path + "-shm", path + "-lock"} {
			_ = os.Remove(name)
		}
		if err := drains("spine 1"); err != nil {
			t.Fatal(err)
		}
		if err := s.SetEntries(false, []sa.Entry{{EntryName: sa.EntryName{Kind: 1, Key: "a"}, Value: []byte("b")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Limits{}); err == nil || !strings.Contains(err.Error(), "another process has it open") {
			t.Errorf("opened twice: %v", err)
		}
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := drains("lost"); err == nil || !strings.Contains(err.Error(), "another file has taken its place") {
		t.Errorf("another file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := drains("spine 2"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer func() { _ = s.Close() }()
	_, data, err := s.LastPlan()
	if d, err := s.Drains(); err != nil || len(d.Now) != 1 || d.Now[0] != "spine 2" {
		t.Errorf("drains %v, %v", d, err)
	}
	if list, err := s.Entries(); err != nil || len(list) != 1 {
		t.Errorf("entries %v, %v", list, err)
	}
	if !maps.Equal(s.LIDs(), r.LIDs) || err != nil || len(data) == 0 {
		t.Errorf("LIDs %v, Plan of %d bytes, %v", s.LIDs(), len(data), err)
	}
}

// TestRemovedWhileWritten: whatever is stored while the file is removed again and again, not in the
// middle of a transaction, is there afterwards.
func TestRemovedWhileWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	var all sync.WaitGroup
	for kind := range 4 {
		all.Go(func() {
			for n := range 30 {
				if err := s.SetEntries(false, []sa.Entry{{EntryName: sa.EntryName{Kind: sa.EntryKind(kind + 1), Key: string(rune('a' + n))}, Value: []byte("b")}}); err != nil {
					t.Error(err)
				}
				if _, err := s.Entries(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		s.use.Lock()
		_ = os.Remove(path)
		s.use.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
	all.Wait()
	_ = os.Remove(path)
	if err := s.SetEntries(false, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer func() { _ = s.Close() }()
	if list, err := s.Entries(); err != nil || len(list) != 4*30 {
		t.Errorf("%d entries, %v", len(list), err)
	}
}
