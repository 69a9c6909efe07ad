package state

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/sm/sa"
)

// TestEntries: what clients have registered is there after a restart as a map would have it; before
// the first time nothing is known.
func TestEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := open(t, fmt.Sprint(path, n))
		if list, err := s.Entries(); err != nil || list != nil {
			rt.Fatalf("a new file has %v, %v", list, err)
		}
		want := map[sa.EntryName][]byte{}
		for range rapid.IntRange(1, 6).Draw(rt, "writes") {
			var list []sa.Entry
			for range rapid.IntRange(0, 5).Draw(rt, "entries") {
				e := sa.Entry{EntryName: sa.EntryName{Kind: sa.EntryKind(rapid.IntRange(1, 3).Draw(rt, "kind")), Key: string(rapid.SliceOfN(rapid.Byte(), 0, 2).Draw(rt, "key"))}}
				if rapid.Bool().Draw(rt, "there") {
					e.Value = rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(rt, "value")
				}
				list = append(list, e)
			}
			replaces := rapid.IntRange(0, 3).Draw(rt, "replaces") == 0
			if replaces {
				clear(want)
			}
			if err := s.SetEntries(replaces, list); err != nil {
				rt.Fatal(err)
			}
			for _, e := range list {
				if want[e.EntryName] = e.Value; e.Value == nil {
					delete(want, e.EntryName)
				}
			}
		}
		s = reopened(t, s)
		list, err := s.Entries()
		got := map[sa.EntryName][]byte{}
		for _, e := range list {
			got[e.EntryName] = e.Value
		}
		if err != nil || !maps.EqualFunc(got, want, slices.Equal[[]byte]) || len(got) != len(list) {
			rt.Fatalf("%v, want %v, %v", got, want, err)
		}
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestVersion2: a file without entries is read, and gets them when it is opened to be written.
func TestVersion2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, "DROP TABLE entries", "DROP TABLE mark", "DROP TABLE partitions", "DROP TABLE jobs", "PRAGMA user_version = 2")
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := read.Entries(); err != nil || list != nil {
		t.Errorf("%v, %v", list, err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	want := []sa.Entry{{EntryName: sa.EntryName{Kind: sa.Nothing}, Value: []byte{}}}
	if err := s.SetEntries(true, want); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Entries(); err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v, %v", list, err)
	}
}
