package exchange

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/wire/mad"
)

// A table is read as it was written, cut off ones are refused, and the version is that of the
// content.
func TestTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var table Table
		for i := range rapid.IntRange(0, 40).Draw(rt, "entries") {
			table = append(table, Entry{
				subnets.GID{Prefix: subnets.Prefix(i / rapid.IntRange(1, 20).Draw(rt, "run")), GUID: fabric.GUID(i)},
				fabric.LID(rapid.IntRange(1, 0xBFFF).Draw(rt, "LID")), uint8(rapid.IntRange(0, 15).Draw(rt, "SL")), uint8(rapid.IntRange(0, 3).Draw(rt, "distance")),
			})
		}
		text := table.encode()
		got, err := decodeTable(text)
		if err != nil || !reflect.DeepEqual(got, table) {
			rt.Fatalf("%v, %v", got, err)
		}
		if versionOf(text) == versionOf(append(text, 0)) {
			rt.Fatal("other content has the same version")
		}
		if n := len(text); n > 0 {
			if cut, err := decodeTable(text[:n-1]); err == nil && len(cut) >= len(table) {
				rt.Fatal("a table that is cut off")
			}
		}
	})
}

// request makes a request of the class.
func request(t testing.TB, method mad.Method, attr mad.AttrID, modifier uint32, h *versioned, prefix uint64) mad.Datagram {
	m, err := mad.Request{Method: method, Attr: attr, Modifier: modifier}.New(make([]byte, mad.Size), mad.ClassRouter)
	if err != nil {
		t.Fatal(err)
	}
	mad.RouterBlockPrefix.Put(m.Data(), prefix)
	if h != nil {
		h.putBlock(m.Data(), modifier)
	}
	return m
}

// Blocks in any order, some of them twice, make a note; only the master of the port's subnet may
// write, and an older note does not replace a newer one.
func TestNotesInBlocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := NewRouter(0x77, []uint8{1, 2})
		text := rapid.SliceOfN(rapid.Byte(), 0, 1000).Draw(rt, "note")
		h := &versioned{5, text}
		var order []int
		for i := range blocks(len(text)) {
			order = append(order, i, i)
		}
		order = rapid.Permutation(order).Draw(rt, "order")
		for _, i := range order {
			if s := r.Answer(0, 9, 8, request(t, mad.Set, mad.AttrRouterNote, uint32(i), h, 3)); s == mad.StatusOK {
				rt.Fatal("who is not the master has written")
			}
		}
		for _, i := range order {
			if s := r.Answer(0, 9, 9, request(t, mad.Set, mad.AttrRouterNote, uint32(i), h, 3)); s != mad.StatusOK {
				rt.Fatal(s)
			}
		}
		got := r.notes[3]
		if got.version != 5 || !bytes.Equal(got.bytes, text) {
			rt.Fatalf("%d, %x, want %x", got.version, got.bytes, text)
		}
		if s := r.Answer(1, 9, 9, request(t, mad.Set, mad.AttrRouterNote, 0, &versioned{4, []byte("old")}, 3)); s == mad.StatusOK {
			rt.Fatal("an older note is taken")
		}
		if s := r.Answer(1, 9, 9, request(t, mad.Set, mad.AttrRouterNote, 0, &versioned{6, []byte("new")}, 3)); s != mad.StatusOK || string(r.notes[3].bytes) != "new" {
			rt.Fatal("a newer note is not taken")
		}
		info := request(t, mad.Get, mad.AttrRouterInfo, 0, nil, 0)
		if s := r.Answer(1, 0, 0, info); s != mad.StatusOK || mad.RouterInfoPort.Get(info.Data()) != 2 || mad.RouterInfoVersion.Get(info.Data()) != 6 || mad.RouterInfoGUID.Get(info.Data()) != 0x77 {
			rt.Fatalf("%v: %x", s, info)
		}
	})
}

// A router sends by the ports that have a GID with the fewest routers behind, and always by the
// same one for a pair of LIDs.
func TestForward(t *testing.T) {
	r := NewRouter(1, []uint8{1, 2, 3, 4})
	to := subnets.GID{Prefix: 7, GUID: 8}
	for port, distance := range map[int]uint8{0: 1, 1: 0, 2: 0} {
		text := Table{{to, fabric.LID(10 + port/3), 2, distance}}.encode()
		h := &versioned{versionOf(text), text}
		if s := r.Answer(port, 9, 9, request(t, mad.Set, mad.AttrRouterTable, 0, h, 7)); s != mad.StatusOK {
			t.Fatal(s)
		}
	}
	used := map[int]int{}
	for source := range fabric.LID(64) {
		port, e, ok := r.Forward(source, to, func(int) int { return 0 })
		if again, _, _ := r.Forward(source, to, func(int) int { return 0 }); !ok || again != port || e.LID != 10 || e.SL != 2 {
			t.Fatal(port, e, ok)
		}
		used[port]++
	}
	if len(used) != 2 || used[1] < 16 || used[2] < 16 {
		t.Errorf("by ports %v", used)
	}
	if _, _, ok := r.Forward(1, subnets.GID{Prefix: 7, GUID: 9}, func(int) int { return 0 }); ok {
		t.Error("a GID that no table has")
	}
}

// FuzzRouter: whatever comes, a router answers, and what it holds is bounded.
func FuzzRouter(f *testing.F) {
	text := Table{{subnets.GID{Prefix: 7, GUID: 8}, 10, 2, 0}}.encode()
	f.Add([]byte(request(f, mad.Set, mad.AttrRouterTable, 0, &versioned{versionOf(text), text}, 7)))
	f.Add([]byte(request(f, mad.Set, mad.AttrRouterNote, 0, &versioned{1, []byte("x")}, 7)))
	f.Add([]byte(request(f, mad.Get, mad.AttrRouterInfo, 1, nil, 7)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewRouter(1, []uint8{1, 2})
		for len(b) > 0 {
			m := make(mad.Datagram, mad.Size)
			b = b[copy(m, b):]
			r.Answer(0, 9, 9, m)
			if mad.RouterBlockLength.Get(m.Data()) > maxBytes && len(r.ports[0].note.bytes) > maxBytes {
				t.Fatal("more than there may be")
			}
		}
		r.Forward(1, subnets.GID{Prefix: 7, GUID: 8}, func(int) int { return 0 })
	})
}

// A router whose answers are anything at all neither stops a manager nor has it heed what it says.
func FuzzManager(f *testing.F) {
	f.Add([]byte{1, 2, 3}, true)
	note := (&intersubnet.Note{Prefix: 7}).Encode()
	f.Add(note, false)
	f.Fuzz(func(t *testing.T, b []byte, signed bool) {
		own := ownSubnet(t)
		m := NewManager()
		for range 3 {
			asked := 0
			_, _, _ = m.Round(own, func(_ fabric.LID, _ uint8, _ mad.Method, attr mad.AttrID, modifier uint32, _ []byte) ([]byte, error) {
				if asked++; asked > 1<<18 {
					t.Fatal("it asks without end")
				}
				data := make([]byte, 232)
				if len(b) > 0 {
					copy(data, b[int(modifier)%len(b):])
				}
				if attr == mad.AttrRouterInfo && signed {
					mad.RouterInfoSignature.Put(data, mad.RouterMagic)
				}
				return data, nil
			})
		}
	})
}
