package terms

import (
	"encoding/json"
	"reflect"
	"testing"

	"weft/fabric"
	"weft/sm/partition"
)

// manager is the port of one.
var manager = &partition.Port{GUID: 1, Type: fabric.CA, Manager: true}

// put makes a partition of a program.
func put(t *testing.T, p *Partitioning, key uint16) *Partitioning {
	t.Helper()
	next, done, err := p.Write(&partition.Write{Deed: partition.Put, Of: partition.Partitions{{Key: key, Members: []partition.Member{{GUID: 5, As: partition.Full}}}}, In: true}, manager)
	if err != nil || done.Partitions != 1 || next == p {
		t.Fatalf("%+v, %v", done, err)
	}
	return next
}

// TestWithoutFile: without a file, partitions of programs stand beside the default one, enforced as
// the option says while there are any. JSON, in which a standby gets them, keeps it all.
func TestWithoutFile(t *testing.T) {
	var none *Partitioning
	if none.With(partition.Owned{}, Enforcement{true, true}) != nil || none.File() != nil || none.Base() != nil || none.Owned().List != nil {
		t.Error("there is something without anything")
	}
	p := put(t, none, 3)
	if !p.In || p.Out || len(p.Partitions) != 2 || p.Partitions[0].Owner != partition.Nobody || p.File() != nil || p.Base() != nil {
		t.Errorf("%+v", p)
	}
	var again Partitioning
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil || !reflect.DeepEqual(&again, p) {
		t.Errorf("%s: %+v, %v", text, again, err)
	}
	if q := none.With(p.Owned(), Enforcement{false, true}); q.In || !q.Out || q.Version != p.Version {
		t.Errorf("%+v", q)
	}
	q, _, err := p.Write(&partition.Write{Deed: partition.Delete, Of: partition.Partitions{{Key: 3}}, In: true}, manager)
	if err != nil || q.In || q.Listed() != nil || q.Version.Number != 2 {
		t.Errorf("%+v, %v", q, err)
	}
	if r, _, err := p.Write(&partition.Write{Deed: partition.Add, Of: partition.Partitions{{Key: 9}}}, manager); err == nil || r != p {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefiled: a reload replaces what the file says and keeps what programs own.
func TestRefiled(t *testing.T) {
	read := func(text string) *Partitioning {
		ps, err := partition.Read("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return &Partitioning{Partitions: ps, Out: true}
	}
	one, two := read("a=3:ALL;"), read("b=4:ALL=full;")
	with := put(t, one, 9)
	for name, c := range map[string]struct {
		was, own *Partitioning
		had, on  bool
		keys     []uint16 // expected
		in, out  bool
	}{
		"another file":                     {with, two, true, true, []uint16{0x7fff, 4, 9}, false, true},
		"the same file":                    {with, one, true, true, []uint16{0x7fff, 3, 9}, false, true},
		"no file any more":                 {with, nil, true, true, []uint16{0x7fff, 9}, true, false},
		"no file any more, as a standby":   {with, nil, true, false, []uint16{0x7fff, 9}, true, false},
		"never a file":                     {with, nil, false, true, []uint16{0x7fff, 3, 9}, false, true},
		"never a file nor another's":       {put(t, nil, 9), nil, false, true, []uint16{0x7fff, 9}, true, false},
		"a file for the first time":        {put(t, nil, 9), two, false, true, []uint16{0x7fff, 4, 9}, false, true},
		"a file that hides it":             {put(t, nil, 4), two, false, true, []uint16{0x7fff, 4}, false, true},
		"no file any more, and no program": {one, nil, true, true, []uint16{0x7fff}, false, false},
	} {
		got := c.was.Refiled(c.own, c.had, c.on, Enforcement{In: true})
		var keys []uint16
		for _, p := range got.Partitions {
			keys = append(keys, p.Key)
		}
		if !reflect.DeepEqual(keys, c.keys) || got.In != c.in || got.Out != c.out || !reflect.DeepEqual(got.Owned(), c.was.Owned()) {
			t.Errorf("%s: %+v, want %x", name, got, c.keys)
		}
	}
	var none *Partitioning
	if none.Refiled(nil, false, true, Enforcement{true, true}) != nil || one.Refiled(nil, true, false, Enforcement{}) != nil || one.Refiled(two, true, true, Enforcement{}) != two {
		t.Error("without programs a reload does something else than before")
	}
}
