package state

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
)

// TestOwned: the partitions of programs are read as they were stored last, whatever was stored
// before; a write that comes late is not stored over a later one.
func TestOwned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	if o, err := s.Owned(); err != nil || !reflect.DeepEqual(o, partition.Owned{}) {
		t.Fatalf("%+v, %v", o, err)
	}
	order, want := uint64(0), partition.Owned{}
	rapid.Check(t, func(t *rapid.T) {
		o := partition.Owned{Version: partition.Version{Number: rapid.Uint64().Draw(t, "number"), Sum: rapid.Uint32().Draw(t, "sum")}}
		for _, key := range rapid.SliceOfNDistinct(rapid.Uint16Range(1, 4), 0, 4, rapid.ID[uint16]).Draw(t, "keys") {
			p := partition.Partition{Key: key, Name: rapid.SampledFrom([]string{"", "a"}).Draw(t, "name"), Owner: partition.Programs, Groups: []partition.Group{{Broadcast: true}}}
			for _, guid := range rapid.SliceOfN(rapid.Uint64(), 0, 2).Draw(t, "guids") {
				p.Members = append(p.Members, partition.Member{GUID: fabric.GUID(guid), As: partition.Full})
			}
			o.List = append(o.List, p)
		}
		o.List = partition.Sorted(o.List)
		late := order > 0 && rapid.Bool().Draw(t, "late")
		w := &terms.Wrote{Owned: o, Order: order + 1}
		if late {
			w.Order = order - 1
		} else {
			order, want = w.Order, o
		}
		if err := s.SetOwned(w); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Owned(); err != nil || !same(got, want) {
			t.Fatalf("%+v, want %+v, %v", got, want, err)
		}
		if !late && rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if s, err = Open(path, Limits{}); err != nil {
				t.Fatal(err)
			}
			order = 0
		}
		if c, err := s.Contents(0); err != nil || c.Owned.Partitions != len(want.List) || c.Owned.Version != want.Version.String() {
			t.Fatalf("%+v, %v", c, err)
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// same compares partitions, where nil is as good as none.
func same(a, b partition.Owned) bool {
	if a.Version != b.Version || len(a.List) != len(b.List) {
		return false
	}
	for i := range a.List {
		x, y := a.List[i], b.List[i]
		x.Members, y.Members = append([]partition.Member{}, x.Members...), append([]partition.Member{}, y.Members...)
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// TestDamagedPartitions: a row that is none of ours is an error, not a partition less.
func TestDamagedPartitions(t *testing.T) {
	for name, change := range map[string]string{
		"another P_Key": `INSERT INTO partitions VALUES (3, '{"Key":4}')`, "no JSON": "INSERT INTO partitions VALUES (3, 'x')", "no version": "INSERT INTO partitions VALUES (0, '[]')",
	} {
		path := filepath.Join(t.TempDir(), "state")
		s := open(t, path)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		alter(t, path, strings.Replace(change, "'", "CAST('", 1)[:len(change)+len("CAST(")-1]+" AS BLOB))")
		s = open(t, path)
		if o, err := s.Owned(); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVersion4: a file without partitions is upgraded, and can be read before.
func TestVersion4(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, "DROP TABLE partitions", "DROP TABLE jobs", "PRAGMA user_version = 4")
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := read.Owned(); err != nil || len(o.List) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	want := partition.Owned{Version: partition.Version{Number: 3}, List: partition.Partitions{{Key: 5, Owner: partition.Programs}}}
	if err := s.SetOwned(&terms.Wrote{Owned: want, Order: 1}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Owned(); err != nil || !same(o, want) {
		t.Errorf("%+v, %v", o, err)
	}
}
