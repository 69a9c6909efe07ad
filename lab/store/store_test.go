package store

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

type Inner struct {
	Share *float64 `parquet:"share"`
	Count *int64   `parquet:"count"`
}

type row struct {
	Case string  `parquet:"case"`
	Cell string  `parquet:"cell" store:"label"`
	N    int64   `parquet:"n"`
	X    float64 `parquet:"x_ns"`
	OK   bool    `parquet:"ok"`
	Inner
	Host string `parquet:"commit" store:"made"`
}

func never(*row) bool { return false }

func rows() []row {
	third, n := 1.0/3, int64(-7)
	return []row{
		{Case: "a", N: 1, X: .1, OK: true, Inner: Inner{Share: &third}, Host: "h\"1,\t\n2"},
		{Case: "b", N: -1 << 62, X: 1e300, Inner: Inner{Count: &n}},
	}
}

// TestRoundTrips: what is written is read, from SQLite, text with commas or tabs, and Parquet.
func TestRoundTrips(t *testing.T) {
	dir, want := t.TempDir(), rows()
	db, err := Open[row](filepath.Join(dir, "s p%41?.db"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if err := db.Put(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.SetAbout("sweep", "x"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = Read[row](filepath.Join(dir, "s p%41?.db")); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if got, err := db.Rows(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("SQLite: %v, %+v", err, got)
	}
	if text, err := db.About("sweep"); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"x.csv", "x.tsv"} {
		path := filepath.Join(dir, name)
		for _, half := range []string{"", "c,1"} {
			file, have, err := OpenText[row](path)
			if err != nil {
				t.Fatal(err)
			}
			for i := len(have); i < len(want); i++ {
				err = errors.Join(err, file.Put(&want[i]))
			}
			if err = errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			data, _ := os.ReadFile(path)
			os.WriteFile(path, append(data, half...), 0o600) //nolint:errcheck // read below
		}
		file, have, err := OpenText[row](path)
		if err != nil || !reflect.DeepEqual(have, want) {
			t.Fatalf("%s: %v, %+v", name, err, have)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	if err := WriteText("x.csv", &text, want, []string{"more"}, func(int) ([]string, error) { return []string{"m"}, nil }); err != nil || !strings.HasSuffix(text.String(), ",,m\n") {
		t.Errorf("%v, %q", err, text.String())
	}
	for range 2 { // two workers that wrote the same
		parts, _, err := OpenParts[row](filepath.Join(dir, "parts"), "1-of-2", never)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			err = errors.Join(err, parts.Put(&want[i]))
		}
		if err = errors.Join(err, parts.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := ReadParts(filepath.Join(dir, "parts"), never); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Parquet: %v, %+v", err, got)
	}
}

// TestRefusals: a store has one writer, lies on a local disk, and is no other file.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	db, err := Open[row](path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open[row](path); !errors.Is(err, errLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[struct {
		Case string `parquet:"case"`
	}](path); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("other columns: %v", err)
	}
	other := filepath.Join(dir, "note.db")
	if err := os.WriteFile(other, []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[row](other); err == nil || !strings.Contains(err.Error(), "no store") {
		t.Errorf("a note: %v", err)
	}
	if data, _ := os.ReadFile(other); string(data) != "a note" {
		t.Errorf("the note is now %q", data)
	}
	nfs := func(_ string, s *syscall.Statfs_t) error { s.Type = 0x6969; return nil }
	if err := checkPlace(path, nfs); err == nil || !strings.Contains(err.Error(), "NFS") || !strings.Contains(err.Error(), "weft lab merge") {
		t.Errorf("on NFS: %v", err)
	}
}

// TestPartsDiffer: two results under one name are told, unless they differ in how they were made,
// or in their labels, or one of them is weak.
func TestPartsDiffer(t *testing.T) {
	for _, c := range []struct {
		change func(*row)
		differ bool
	}{
		{func(r *row) { r.Host = "other" }, false},
		{func(r *row) { r.Cell = "other" }, false},
		{func(r *row) { r.N, r.X = weakN, 0 }, false},
		{func(r *row) { r.X++ }, true},
	} {
		dir := t.TempDir()
		for k := range 2 {
			r := rows()[0]
			if k == 1 {
				c.change(&r)
			}
			// The file of the changed row comes first in one folder, and last in the other.
			for i, sub := range []string{"first", "last"} {
				p, _, err := OpenParts(filepath.Join(dir, sub), []string{"b", "a", "b"}[i+k], isWeak)
				if err == nil {
					err = errors.Join(p.Put(&r), p.Close())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, sub := range []string{"first", "last"} {
			got, err := ReadParts(filepath.Join(dir, sub), isWeak)
			if (err != nil) != c.differ {
				t.Errorf("%v", err)
			}
			if err == nil && (len(got) != 1 || got[0].N != 1) {
				t.Errorf("%+v", got)
			}
		}
	}
}

// weakN marks weak rows.
const weakN = 99

func isWeak(r *row) bool { return r.N == weakN }

// TestRowsWait: a row that waits is written after the patience, though no other row comes.
func TestRowsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue[row]{most: 10, patience: patience}
		q.write = func([]row) error { return nil }
		for _, r := range rows() {
			if err := q.Put(&r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(patience - time.Millisecond)
			if waiting(q) != 1 {
				t.Error("written too early")
			}
			time.Sleep(2 * time.Millisecond)
			if waiting(q) != 0 {
				t.Error("the row waits still")
			}
		}
	})
}

// TestRowsReachDisk: the timer writes the rows of a part, which grows by that without a second
// file, and then waits longer; and the rows of a store. Compressors are shared by all tests and
// must not be made in a bubble of synctest, so the clock is the real one.
func TestRowsReachDisk(t *testing.T) {
	dir := t.TempDir()
	p, _, err := OpenParts(filepath.Join(dir, "parts"), "w", never)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open[row](filepath.Join(dir, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range rows() {
		p.patience, s.patience = time.Millisecond, time.Millisecond
		if err := errors.Join(p.Put(&r), s.Put(&r)); err != nil {
			t.Fatal(err)
		}
		waitFor(t, &p.queue)
		waitFor(t, &s.queue)
		got, err := ReadParts(p.dir, never)
		stored, failed := s.Rows()
		if want := rows()[:k+1]; err != nil || failed != nil || !reflect.DeepEqual(got, want) || len(stored) != k+1 {
			t.Errorf("%v, %+v; %v, %+v", err, got, failed, stored)
		}
		if want := patience + time.Duration(k+1)*patienceForRow; p.patience != want {
			t.Errorf("a part of %d rows waits %s, want %s", k+1, p.patience, want)
		}
	}
	if files, err := os.ReadDir(p.dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %d files", err, len(files))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// waitFor returns when no row waits.
func waitFor(t *testing.T, q *queue[row]) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if waiting(q) == 0 {
			return
		}
	}
	t.Fatal("rows wait for a minute")
}

func waiting(q *queue[row]) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.rows)
}

// TestKilledTransaction: a process was killed in the middle of a transaction. If the transaction
// made the tables, the store is made anew; otherwise it has the rows from before, also for a
// reader.
func TestKilledTransaction(t *testing.T) {
	for _, first := range []bool{true, false} {
		dir := t.TempDir()
		path, killed := filepath.Join(dir, "x.db"), filepath.Join(dir, "killed.db")
		r := rows()[0]
		if !first {
			db, err := Open[row](path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Put(&r), db.Close()); err != nil {
				t.Fatal(err)
			}
		}
		half, err := sql.Open("sqlite", path+"?_pragma=cache_size(1)")
		if err != nil {
			t.Fatal(err)
		}
		half.SetMaxOpenConns(1)
		if _, err := half.Exec("BEGIN IMMEDIATE; CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(1000000)); PRAGMA application_id = 7"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(copyFile(path, killed), copyFile(path+"-journal", killed+"-journal"), half.Close()); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(killed); err != nil || info.Size() < 100_000 {
			t.Fatalf("the transaction has written nothing: %v", err)
		}
		if !first {
			db, err := Read[row](killed)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := db.Rows(); err != nil || len(got) != 1 {
				t.Errorf("%v, %d rows", err, len(got))
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		db, err := Open[row](killed)
		if err != nil {
			t.Fatalf("first: %t: %v", first, err)
		}
		if err := errors.Join(db.Put(&r), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailedWrite: rows of a failed write wait for the next one.
func TestFailedWrite(t *testing.T) {
	broken, written := errors.New("the disk is full"), 0
	synctest.Test(t, func(t *testing.T) {
		wrong := broken
		q := &queue[row]{most: 10, patience: patience}
		q.write = func(rows []row) error {
			if wrong == nil {
				written += len(rows)
			}
			return wrong
		}
		r := rows()[0]
		if err := q.Put(&r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * patience)
		if err := q.Put(&r); !errors.Is(err, broken) {
			t.Errorf("the error of the timer's write is lost: %v", err)
		}
		wrong = nil
		if err := q.Flush(); err != nil || written != 2 {
			t.Errorf("%v, %d rows", err, written)
		}
	})
}

// TestPartsGrow: a part has partRows rows at least before the next one begins.
func TestPartsGrow(t *testing.T) {
	dir := t.TempDir()
	p, _, err := OpenParts(dir, "w", never)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*partRows + 1 {
		r := row{Case: strconv.Itoa(i)}
		err = errors.Join(err, p.Put(&r))
		if i%2500 == 0 {
			err = errors.Join(err, p.Flush())
		}
	}
	if err = errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(dir)
	got, err := ReadParts(dir, never)
	if err != nil || len(got) != 2*partRows+1 || len(files) > 2 {
		t.Errorf("%v, %d rows, %d files", err, len(got), len(files))
	}
}

// TestHalfWritten: a worker removes the half-written files of its predecessor, and those alone. One
// that is not dead writes its file again.
func TestHalfWritten(t *testing.T) {
	dir := t.TempDir()
	alive, _, err := OpenParts(dir, "1-of-2", never)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".1-of-2.tmp-1", ".2-of-2.tmp-1", ".11-of-2.tmp-1", ".nfs0001", "1-of-2.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (list []string) {
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			list = append(list, f.Name())
		}
		return list
	}
	if _, _, err := OpenParts(dir, "1-of-2", never); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{".11-of-2.tmp-1", ".2-of-2.tmp-1", ".nfs0001", "1-of-2.json"}) {
		t.Errorf("%q", got)
	}
	if err := CleanParts(dir, "*"); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{".nfs0001", "1-of-2.json"}) {
		t.Errorf("%q", got)
	}
	r := rows()[0]
	if err := errors.Join(alive.Put(&r), alive.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestLock: of many processes that open and close a file at once, one at a time has it.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	var inside, most, locked atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				lock, err := takeLock(path)
				if err != nil {
					continue // another one has it
				}
				locked.Add(1)
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				runtime.Gosched()
				inside.Add(-1)
				if err := dropLock(lock); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most.Load() != 1 || locked.Load() < 10 {
		t.Errorf("%d processes had the lock at once; it was taken %d times", most.Load(), locked.Load())
	}
}

// TestNetwork: a store on a network file system is written as a local copy, which replaces it as a
// whole, and is read without locks.
func TestNetwork(t *testing.T) {
	shared, local := t.TempDir(), t.TempDir()
	statfs := func(dir string, s *syscall.Statfs_t) error {
		if dir == shared {
			s.Type = 0x6969
		}
		return nil
	}
	path := filepath.Join(shared, "x.db")
	for k, r := range rows() {
		db, err := openAnywhere[row](path, local, statfs)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Put(&r); err != nil {
			t.Fatal(err)
		}
		if files, _ := os.ReadDir(shared); len(files) != k {
			t.Errorf("%d files before the end", len(files))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := read[row](path, statfs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Rows()
	if err := errors.Join(err, db.Close()); err != nil || !reflect.DeepEqual(got, rows()) {
		t.Errorf("%v, %+v", err, got)
	}
	if files, _ := os.ReadDir(local); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
	if _, err := openAnywhere[row](path, shared, statfs); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("no local folder: %v", err)
	}
}

func FuzzReadText(f *testing.F) {
	f.Add("case,cell,n,x_ns,ok,share,count,commit\na,c,1,.5,true,,3,h\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readText[row]("x.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := WriteText("x.csv", &again, got, nil, nil); err != nil {
			t.Fatal(err)
		}
		back, err := readText[row]("x.csv", &again)
		if err != nil || len(back) != len(got) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
