package state

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/terms"
)

// cp copies files as cp does; names are pairs.
func cp(t *testing.T, names ...string) {
	t.Helper()
	for i := 0; i < len(names); i += 2 {
		data, err := os.ReadFile(names[i])
		if err == nil {
			err = os.WriteFile(names[i+1], data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// drain stores that one part is drained.
func drain(t *testing.T, s *Store, name string) {
	t.Helper()
	if err := s.SetDrains(time.Now(), &terms.Drains{Now: []string{name}}); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutItsLog: a file that lacks its write-ahead log, or has that of another time or file, is
// refused with the commands that help, and stays as it is.
func TestWithoutItsLog(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s := open(t, at("state"))
	cp(t, s.path, at("fresh"))
	if err := s.Record(now, routed(t, "rlft(4,2)", 0)); err != nil {
		t.Fatal(err)
	}
	cp(t, s.path, at("old"), s.path+"-wal", at("old wal"))
	drain(t, s, "spine 1")
	s.use.Lock()
	err := s.checkpoint()
	s.use.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	cp(t, s.path, at("copied"))
	drain(t, s, "spine 2")
	cp(t, s.path, at("state then"), s.path+"-wal", at("wal then"))
	other := open(t, at("other"))
	drain(t, other, "leaf 1")
	cp(t, other.path+"-wal", at("other wal"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	pair := func(name, file, wal string) string {
		cp(t, at(file), at(name), at(wal), at(name)+"-wal")
		return at(name)
	}
	empty := func(name string, size int) string {
		if err := os.WriteFile(at(name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	cp(t, at("wal then"), at("alone-wal"))
	cp(t, at("copied"), at("emptied"), empty("nothing", 0), at("emptied-wal"))
	for _, c := range []struct{ path, want string }{
		{at("fresh"), "fresh-wal is missing"},
		{at("copied"), "copied-wal is missing"},
		{at("emptied"), "emptied-wal is missing"},
		{pair("older", "old", "wal then"), "it is older than its write-ahead log"},
		{pair("newer", "state then", "old wal"), "it is newer than its write-ahead log"},
		{pair("mixed", "state then", "other wal"), "belongs to another file"},
		{at("alone"), "the file is gone, and its write-ahead log"},
		{at("nothing"), "the file has 0 bytes"},
		{empty("zeros", 4096), "it is not a database"},
	} {
		before, _ := os.ReadFile(c.path)
		s, err := Open(c.path, Limits{})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s was opened", filepath.Base(c.path))
			continue
		}
		if _, is := errors.AsType[*Refused](err); !is || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "weft sm state "+c.path+" --start-empty") {
			t.Errorf("%s: %v, want %s and what starts empty", filepath.Base(c.path), err, c.want)
		}
		if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", filepath.Base(c.path))
		}
		aside, err := StartEmpty(c.path)
		if err != nil || aside == "" {
			t.Errorf("%s: %v", filepath.Base(c.path), err)
		}
		if s, err = Open(c.path, Limits{}); err != nil || len(s.LIDs()) > 0 || s.Close() != nil {
			t.Errorf("%s, started empty: %v", filepath.Base(c.path), err)
		}
	}
	s = open(t, pair("whole", "state then", "wal then"))
	if d, err := s.Drains(); err != nil || len(d.Now) != 1 || d.Now[0] != "spine 2" {
		t.Errorf("file and log together: %v, %v", d, err)
	}
	old := open(t, at("version 3"))
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, old.path, "DROP TABLE mark", "DROP TABLE partitions", "DROP TABLE jobs", "PRAGMA user_version = 3", "PRAGMA journal_mode = WAL")
	db, err := connect(old.path, "rw")
	if err == nil {
		_, err = db.Exec("INSERT INTO drains VALUES ('spine 3', 0, 1)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	cp(t, old.path, at("upgraded"), old.path+"-wal", at("upgraded-wal"))
	if d, err := open(t, at("upgraded")).Drains(); err != nil || len(d.Now) != 1 {
		t.Errorf("of version 3: %v, %v", d, err)
	}
}

// TestEmptyWithHead: the main file of a weft of before, copied while it ran, has the head of a
// database and no table.
func TestEmptyWithHead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	db, err := connect(path, "rwc")
	if err == nil {
		err = useLog(db)
	}
	if err == nil {
		_, err = db.Exec("CREATE TABLE t (a)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	cp(t, path, path+" copy")
	if info, err := os.Stat(path + " copy"); err != nil || info.Size() != 4096 {
		t.Fatalf("%v, %v", info, err)
	}
	if _, err := Open(path+" copy", Limits{}); err == nil || !strings.Contains(err.Error(), "its write-ahead log is missing") {
		t.Errorf("%v", err)
	}
}

// entriesFrom returns registrations numbered from first on.
func entriesFrom(first, n int) (list []sa.Entry) {
	for i := range n {
		list = append(list, sa.Entry{EntryName: sa.EntryName{Kind: 1, Key: fmt.Sprintf("%08d", first+i)}, Value: []byte("b")})
	}
	return list
}

// TestBackup: backups made while a manager writes hold everything that was stored before, and
// nothing in part. They are for their owner alone, replace nothing, and can be put back.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "state"), Limits{log: 10 * 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Record(now, routed(t, "rlft(8,2)", 0)); err != nil {
		t.Fatal(err)
	}
	var acked atomic.Int64
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i += 3 {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := s.SetEntries(false, entriesFrom(i, 3)); err != nil {
				done <- err
				return
			}
			acked.Store(int64(i + 3))
		}
	}()
	var copies []string
	for i := range 8 {
		to := filepath.Join(dir, fmt.Sprint("copy ", i))
		before := int(acked.Load())
		if err := Backup(time.Now(), s.path, to, false); err != nil {
			t.Fatal(err)
		}
		after := int(acked.Load()) + 3 // one may be stored, and not yet counted
		c, err := Read(to)
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Entries()
		if err := errors.Join(err, c.Close()); err != nil || len(list) < before || len(list) > after || len(list)%3 != 0 || !maps.Equal(c.LIDs(), s.LIDs()) {
			t.Errorf("%d registrations, %d before and %d after: %v", len(list), before, after, err)
		}
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		copies = append(copies, to)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := Backup(time.Now(), s.path, copies[0], false); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("replaced: %v", err)
	}
	if err := Backup(time.Now(), s.path, s.path, true); err == nil || !strings.Contains(err.Error(), "it is the state itself") {
		t.Errorf("onto itself: %v", err)
	}
	other := open(t, filepath.Join(dir, "of another manager"))
	if err := Backup(time.Now(), s.path, other.path, true); !errors.Is(err, ErrLocked) {
		t.Errorf("onto the state of another manager: %v", err)
	}
	drain(t, s, "spine 1")
	if err := Backup(time.Now(), s.path, copies[0], true); err != nil {
		t.Fatal(err)
	}
	drain(t, s, "spine 2")
	if _, err := Restore(s.path, copies[0], false); !errors.Is(err, ErrLocked) {
		t.Errorf("restored under a manager: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	aside, err := Restore(s.path, copies[0], false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, drained string
		copied        bool
	}{{s.path, "spine 1", true}, {s.path, "spine 1", false}, {aside, "spine 2", false}} {
		r, err := Open(c.path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := r.Drains(); err != nil || len(d.Now) != 1 || d.Now[0] != c.drained || r.Copied().IsZero() == c.copied || time.Since(r.Copied()) > time.Hour == c.copied {
			t.Errorf("%s: %v, copied at %v: %v", c.path, d, r.Copied(), err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*-anew*")); err != nil || len(list) > 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}

// TestRestoreChecks: what is no whole copy is not put back, unless a copy without its log is asked
// for; the state stays.
func TestRestoreChecks(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "state"))
	drain(t, s, "spine 1")
	s.use.Lock()
	if err := s.checkpoint(); err != nil {
		t.Fatal(err)
	}
	s.use.Unlock()
	drain(t, s, "spine 2")
	lacking, text := filepath.Join(dir, "lacking"), filepath.Join(dir, "text")
	cp(t, s.path, lacking)
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, want string
		force      bool
	}{{lacking, "lacking-wal is missing", false}, {text, "it is not a database", true}, {s.path, "it is the state itself", false}, {filepath.Join(dir, "nowhere"), "no such file", false}} {
		if _, err := Restore(s.path, c.from, c.force); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.from, err, c.want)
		}
	}
	if after, err := os.ReadFile(s.path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the state has changed: %v", err)
	}
	if _, err := Restore(s.path, lacking, true); err != nil {
		t.Fatal(err)
	}
	if d, err := open(t, s.path).Drains(); err != nil || len(d.Now) != 1 || d.Now[0] != "spine 1" {
		t.Errorf("%v, %v", d, err)
	}
}

// TestDamagedParts: damage in one part alone. What a manager can do without is set aside, and all
// else is there; the file is kept under another name. With damaged LIDs or drains it is refused.
func TestDamagedParts(t *testing.T) {
	for _, p := range parts {
		t.Run(p.table, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "state"))
			r := routed(t, "rlft(4,2)", 0)
			w := NewWriter(s, func(err error) { t.Error(err) })
			w.Event(Event{now, terms.Incident{Kind: "first"}})
			w.Subnet(now, fabric.New("subnet"))
			if err := errors.Join(s.Record(now, r), s.SetEntries(true, entriesFrom(1, 3)), w.Close()); err != nil {
				t.Fatal(err)
			}
			drain(t, s, "spine 1")
			var root, size int64
			if err := errors.Join(s.db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", p.table).Scan(&root), s.db.QueryRow("PRAGMA page_size").Scan(&size), s.Close()); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range size {
				data[(root-1)*size+i] ^= 0x5A
			}
			if err := os.WriteFile(s.path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err = Open(s.path, Limits{})
			if p.needed {
				if _, is := errors.AsType[*Refused](err); !is || !strings.Contains(err.Error(), "it is damaged") {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			c, err := s.Contents(9)
			if err != nil {
				t.Fatal(err)
			}
			list, err := s.Entries()
			if has := map[string]bool{"plans": len(c.Plans) == 1, "entries": len(list) == 3, "subnet": c.Subnet != nil, "events": len(c.Events) == 1}; err != nil || has[p.table] {
				t.Errorf("%v, %v", has, err)
			} else if delete(has, p.table); !has["plans"] && p.table != "plans" || !has["entries"] && p.table != "entries" || len(c.Drains) != 1 || !maps.Equal(s.LIDs(), r.LIDs) {
				t.Errorf("%v, %v", has, c.Drains)
			}
			if told := s.Told(); len(told) != 1 || told[0].Kind != terms.SetAside || !strings.Contains(told[0].Text, "lost: "+p.words) {
				t.Errorf("%v", told)
			}
			if err := s.Record(now, routed(t, "rlft(6,2)", 0)); err != nil {
				t.Error(err)
			}
			aside, err := filepath.Glob(s.path + ".aside-*")
			if kept, failed := os.ReadFile(aside[0]); err != nil || failed != nil || !bytes.Equal(kept, data) {
				t.Errorf("%v: %v, %v", aside, err, failed)
			}
		})
	}
}

// TestModes: the files are for their owner alone, whatever the umask, and also if an older weft
// made them for all.
func TestModes(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0))
	s := open(t, filepath.Join(dir, "state"))
	check := func() {
		t.Helper()
		drain(t, s, "spine 1")
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	check()
	for _, end := range []string{"", "-wal", "-shm", "-lock"} {
		if err := os.Chmod(s.path+end, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s = reopened(t, s)
	check()
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	check()
}

// TestNotMarked: a file that cannot be written when it is closed, or opened, keeps its log, and all
// that was stored.
func TestNotMarked(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	drain(t, s, "spine 1")
	if _, err := s.db.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, s)
	if _, err := s.db.Exec("CREATE TRIGGER full BEFORE INSERT ON mark BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(s.path, Limits{}); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Fatal(err)
		}
		r, err := Read(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := r.Drains(); err != nil || len(d.Now) != 1 || r.Close() != nil {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// TestOwed: what could not be stored is stored as soon as there is room, without anything new to
// store.
func TestOwed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	told := make(chan error, 10)
	w := NewWriter(s, func(err error) { told <- err })
	setFull := func(full string) {
		s.use.Lock()
		defer s.use.Unlock()
		if _, err := s.db.Exec("PRAGMA query_only = " + full); err != nil {
			t.Fatal(err)
		}
	}
	setFull("1")
	r := routed(t, "rlft(4,2)", 0)
	if err := s.Record(now, r); err == nil {
		t.Fatal("it was stored")
	}
	w.Owe("LIDs", func() error { return s.Record(now, r) })
	w.Event(Event{now, terms.Incident{Kind: "first"}})
	if err := <-told; err == nil {
		t.Error("no error")
	}
	setFull("0")
	if err := <-told; err != nil {
		t.Error(err)
	}
	if c, err := s.Contents(9); err != nil || len(c.Events) != 1 || len(c.LIDs) != len(r.LIDs) {
		t.Errorf("%+v, %v", c, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestKilledTwice: a manager is killed with changes in its log. The next one is killed as soon as
// its first transaction is in the log. The third opens the file.
func TestKilledTwice(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s := open(t, at("state"))
	drain(t, s, "spine 1")
	drain(t, s, "spine 2")
	cp(t, s.path, at("once"), s.path+"-wal", at("once-wal"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	second := &Store{path: at("once"), limits: UsualLimits, schema: schemaVersion}
	var err error
	if second.db, err = connect(second.path, "rw"); err == nil {
		err = second.takeMark()
	}
	if err == nil {
		err = second.commit(func(*sql.Tx) error { return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	cp(t, second.path, at("twice"), second.path+"-wal", at("twice-wal"))
	third, err := Open(at("twice"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := third.Drains(); err != nil || fmt.Sprint(got.Now) != "[spine 2]" {
		t.Errorf("drained: %v (%v)", got, err)
	}
	if err := errors.Join(third.Close(), second.db.Close()); err != nil {
		t.Error(err)
	}
}
