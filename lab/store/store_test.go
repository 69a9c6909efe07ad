package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

type Inner struct {
	Share *float64 `parquet:"share"`
	Count *int64   `parquet:"count"`
}

type row struct {
	Case string  `parquet:"case"`
	N    int64   `parquet:"n"`
	X    float64 `parquet:"x_ns"`
	OK   bool    `parquet:"ok"`
	Inner
	Host string `parquet:"commit" store:"made"`
}

func still() time.Duration { return 0 }

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
	db, err := Open[row](filepath.Join(dir, "s p%41?.db"), still)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if err := db.Put(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Tell("sweep", "x"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = Read[row](filepath.Join(dir, "s p%41?.db")); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if got, err := db.Rows(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("SQLite: %v, %+v", err, got)
	}
	if text, err := db.Told("sweep"); err != nil || text != "x" {
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
		parts, _, err := OpenParts[row](filepath.Join(dir, "parts"), "1-of-2", still)
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
	if got, err := ReadParts[row](filepath.Join(dir, "parts")); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Parquet: %v, %+v", err, got)
	}
}

// TestRefusals: a store has one writer, lies on a local disk, and is no other file.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	db, err := Open[row](path, still)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open[row](path, still); !errors.Is(err, errLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[struct {
		Case string `parquet:"case"`
	}](path, still); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("other columns: %v", err)
	}
	other := filepath.Join(dir, "note.db")
	if err := os.WriteFile(other, []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[row](other, still); err == nil || !strings.Contains(err.Error(), "no store") {
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

// TestPartsDiffer: two results under one name are told, unless they differ in how they were made.
func TestPartsDiffer(t *testing.T) {
	for _, c := range []struct {
		change func(*row)
		differ bool
	}{{func(r *row) { r.Host = "other" }, false}, {func(r *row) { r.X++ }, true}} {
		dir := t.TempDir()
		for k := range 2 {
			r := rows()[0]
			if k == 1 {
				c.change(&r)
			}
			p, _, err := OpenParts[row](dir, "w", still)
			if err == nil {
				err = errors.Join(p.Put(&r), p.Close())
			}
			if (err != nil) != (c.differ && k == 2) {
				t.Fatal(err)
			}
		}
		if _, err := ReadParts[row](dir); (err != nil) != c.differ {
			t.Errorf("%v", err)
		}
	}
}

func FuzzReadText(f *testing.F) {
	f.Add("case,n,x_ns,ok,share,count,commit\na,1,.5,true,,3,h\n")
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
