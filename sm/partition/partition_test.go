package partition

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route/levels"
)

// The examples of OpenSM's manual, and what is ours.
const example = `
# a comment; with a semicolon: and a colon
Default=0x7fff,ipoib,mtu=4096,rate=100G:
        mgid=ff12:401b::0707,sl=1 # random IPv4 group
        mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2
        ALL=limited, SELF=full;
NewPartition, ipoib : 0x123456=full, 0x3456789034=limi, 0x2134af2306 ;
YetAnotherOne = 0x300 : SELF=full ;
YetAnotherOne = 0x300 : ALL_CAS=limited ;
ShareIO = 0x8080 , indx0, defmember=full : 0x123451, 0x123452,
   "gpu;#-*"=both, ALL_ROUTERS;
`

func TestRead(t *testing.T) {
	ps, err := Read("p.conf", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var local [16]byte
	copy(local[:], "\xff\x12\x40\x1b")
	local[14], local[15] = 7, 7
	one := [16]byte{0: 0xff, 1: 0x12, 15: 1}
	want := Partitions{
		{Name: "Default", Key: 0x7fff, Members: []Member{{Who: All, As: Limited}, {Who: Self, As: Full}}, Groups: []Group{
			{Broadcast: true, MTU: 5, Rate: 16}, {MGID: local, SL: 1}, {MGID: one, SL: 1, QKey: 0xDEADBEEF, Rate: 3, MTU: 2},
		}},
		{
			Name: "NewPartition", Key: 1, Members: []Member{{GUID: 0x123456, As: Full}, {GUID: 0x3456789034, As: Limited}, {GUID: 0x2134af2306, As: Limited}},
			Groups: []Group{{Broadcast: true}},
		},
		{Name: "YetAnotherOne", Key: 0x300, Members: []Member{{Who: Self, As: Full}, {Who: AllCAs, As: Limited}}},
		{Name: "ShareIO", Key: 0x80, IndexZero: true, Members: []Member{
			{GUID: 0x123451, As: Full}, {GUID: 0x123452, As: Full}, {Who: Described, Pattern: "gpu;#-*", As: Both}, {Who: AllRouters, As: Full},
		}},
	}
	if !reflect.DeepEqual(ps, want) {
		t.Errorf("read\n%+v\nwant\n%+v", ps, want)
	}
	for _, c := range []struct {
		port Port
		want []uint16
	}{
		{Port{GUID: 0x123456, Type: fabric.CA, Desc: "gpu;#-7"}, []uint16{0x8080, 0x0080, 0x7fff, 0x8001, 0x0300}},
		{Port{GUID: 9, Type: fabric.CA, Manager: true}, []uint16{0xffff, 0x0300}},
		{Port{GUID: 8, Type: fabric.Switch}, []uint16{0x7fff}},
		{Port{GUID: 7, Type: fabric.Router}, []uint16{0x8080, 0x7fff}},
	} {
		if got, _ := NewIndex(ps, nil).KeysOf(&c.port); !slices.Equal(got, c.want) {
			t.Errorf("%+v gets %#x, want %#x", c.port, got, c.want)
		}
	}
}

// Without the default partition in the file all are limited members of it, the manager a full one.
func TestDefaultPartition(t *testing.T) {
	ps, err := Read("p.conf", []byte("a=2:ALL;"))
	if err != nil {
		t.Fatal(err)
	}
	for manager, want := range map[bool][]uint16{true: {0xffff, 2}, false: {0x7fff, 2}} {
		if got, _ := NewIndex(ps, nil).KeysOf(&Port{Manager: manager}); !slices.Equal(got, want) {
			t.Errorf("manager %v: %#x, want %#x", manager, got, want)
		}
	}
	if got, first := NewIndex(Everyone(), nil).KeysOf(&Port{}); first || !slices.Equal(got, []uint16{0xffff}) {
		t.Errorf("everyone: %#x", got)
	}
}

// What OpenSM takes without a warning is taken, and says the same: flags before ipoib and without
// it, a P_Key for a name, NONE, commas before nothing; and what editors add.
func TestReadAsOpenSM(t *testing.T) {
	all := []Member{{Who: All, As: Full}}
	for text, want := range map[string]Partition{
		"a=0x10,rate=3,mtu=4,scope=2,defmember=full:\n\tALL;":        {Name: "a", Key: 0x10, Members: all},
		"a=0x10,sl=7:ALL=full;":                                      {Name: "a", Key: 0x10, SL: 7, Members: all},
		"a=0x10,sl=7:ALL=full;a=16:;":                                {Name: "a", Key: 0x10, SL: 7, Members: all},
		"a=0x10,mtu=5,ipoib,sl=1:ALL=full;":                          {Name: "a", Key: 0x10, SL: 1, Members: all, Groups: []Group{{Broadcast: true, MTU: 5, SL: 1}}},
		"0x8010,ipoib:ALL=full;":                                     {Key: 0x10, Members: all, Groups: []Group{{Broadcast: true}}},
		"a=0x10:ALL=full,NONE,;":                                     {Name: "a", Key: 0x10, Members: all},
		"a=0x10,,ipoib,:ALL=full;":                                   {Name: "a", Key: 0x10, Members: all, Groups: []Group{{Broadcast: true}}},
		"\xef\xbb\xbf# of an editor\r\na=0x10:\r\nALL=full\r\n;\r\n": {Name: "a", Key: 0x10, Members: all},
	} {
		ps, err := Read("p.conf", []byte(text))
		if err != nil || !reflect.DeepEqual(ps[len(ps)-1], want) {
			t.Errorf("%q: %+v, %v, want %+v", text, ps, err, want)
		}
	}
	if ps, err := Read("p.conf", []byte("\xef\xbb\xbfDefault:ALL=full;")); err != nil || len(ps) != 1 || ps[0].Key != DefaultKey {
		t.Errorf("the default partition after a byte order mark: %+v, %v", ps, err)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"a=1:ALL", "p.conf:1: missing semicolon at the end of a partition"},
		{"a=1:ALL;\n\nb=2", "p.conf:3: missing semicolon"},
		{"a=1;", "p.conf:1: missing colon"},
		{"a=0:ALL;", `p.conf:1: "0" is not a P_Key`},
		{"a=0x10000:ALL;", "is not a P_Key"},
		{"a=1:\nALL,\n EVERY;", `p.conf:3: "EVERY" is not a member`},
		{"a=1:0:ALL;", "p.conf:1: \"0:ALL\": a second colon"},
		{"a=1:ALL=fool;", "is not a membership"},
		{"a=1:ALL=;", "is not a membership"},
		{"a=1,\nquick:ALL;", "p.conf:1: unknown partition flag \"quick\""},
		{"a=1,mtu=4000:ALL;", "mtu=4000: want 256"},
		{"7a:ALL;", `"7a" is not a P_Key`},
		{"ipoib\na=1:ALL;", "p.conf:1: the name of a partition ends with its line"},
		{"a=1,ipoib,mtu=4000:ALL;", "mtu=4000: want 256"},
		{"a=1,ipoib,rate=99G:ALL;", "rate=99G: want one of 2.5G, 5G"},
		{"a=1,ipoib,sl=16:ALL;", "sl=16: want a number from 0 to 15"},
		{"a=1:mgid=fe80::1\nALL;", "is not a multicast address"},
		{`a=1:"[a"=full;`, "is not a pattern"},
		{`a=1:"a=full;`, "missing semicolon"},
	} {
		_, err := Read("p.conf", []byte(c.text))
		if wrong, ok := errors.AsType[*Error](err); !ok || !strings.Contains(wrong.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// Every P_Key that is wanted has one place, those that stood in the table keep theirs, and nothing
// else is in it.
func TestPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Custom(func(t *rapid.T) uint16 {
			return rapid.Uint16Range(1, 6).Draw(t, "base") | rapid.SampledFrom([]uint16{0, 0x8000}).Draw(t, "full")
		})
		table := rapid.SliceOfN(rapid.OneOf(rapid.Just(uint16(0)), key), 1, 8).Draw(t, "table")
		want := rapid.SliceOfNDistinct(key, 0, 10, rapid.ID[uint16]).Draw(t, "want")
		first := rapid.Bool().Draw(t, "first")
		placed, ok := Place(table, want, first)
		if len(placed) != len(table) || ok != (len(want) <= len(table)) {
			t.Fatalf("%d places, %v", len(placed), ok)
		}
		count := 0
		for i, k := range placed {
			if k == 0 {
				continue
			}
			count++
			if !slices.Contains(want, k) || slices.Index(placed, k) != i {
				t.Fatalf("%#x at %d of %#x", k, i, placed)
			}
		}
		if count != min(len(want), len(table)) {
			t.Fatalf("%d of %d in %d places", count, len(want), len(table))
		}
		if first && len(want) > 0 && placed[0] != want[0] {
			t.Fatalf("%#x does not stand first in %#x", want[0], placed)
		}
		for _, k := range want {
			if at := slices.Index(table, k); at >= 0 && !first && placed[at] != k {
				t.Fatalf("%#x has moved from %d: %#x", k, at, placed)
			}
		}
		if again, _ := Place(placed, want, first); ok && !slices.Equal(again, placed) {
			t.Fatalf("%#x, then %#x", placed, again)
		}
	})
}

// keysOf says by the words of the file what P_Keys a port gets.
func keysOf(ps Partitions, p *Port) []uint16 {
	var first, middle, last []uint16
	for _, part := range ps {
		said := Membership(0)
		for _, m := range part.Members {
			if m.names(p) {
				said = m.As
			}
		}
		if part.Key == 0x7fff && p.Manager {
			said = Full
		}
		var keys []uint16
		if said == Full || said == Both {
			keys = append(keys, part.Key+0x8000)
		}
		if said == Limited || said == Both {
			keys = append(keys, part.Key)
		}
		switch {
		case part.IndexZero:
			first = append(first, keys...)
		case part.Key == 0x7fff:
			middle = append(middle, keys...)
		default:
			last = append(last, keys...)
		}
	}
	return append(append(first, middle...), last...)
}

func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		member := rapid.Custom(func(t *rapid.T) Member {
			return Member{
				Who:  rapid.SampledFrom([]Who{OnePort, OnePort, OnePort, Described, All, AllCAs, AllSwitches, AllRouters, Self}).Draw(t, "who"),
				GUID: fabric.GUID(rapid.Uint64Range(1, 3).Draw(t, "guid")), Pattern: rapid.SampledFrom([]string{"a*", "b"}).Draw(t, "pattern"),
				As: rapid.SampledFrom([]Membership{Limited, Full, Both}).Draw(t, "as"),
			}
		})
		var ps Partitions
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]uint16{1, 2, 3, 4, 0x7fff}), 1, 5, rapid.ID[uint16]).Draw(t, "keys") {
			ps = append(ps, Partition{Key: key, IndexZero: rapid.Bool().Draw(t, "zero"), Members: rapid.SliceOfN(member, 0, 4).Draw(t, "members")})
		}
		p := Port{
			GUID: fabric.GUID(rapid.Uint64Range(1, 4).Draw(t, "port")), Type: rapid.SampledFrom([]fabric.NodeType{fabric.CA, fabric.Switch, fabric.Router}).Draw(t, "type"),
			Desc: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "desc"), Manager: rapid.Bool().Draw(t, "manager"),
		}
		got, first := NewIndex(ps, nil).KeysOf(&p)
		if want := keysOf(ps, &p); !slices.Equal(got, want) {
			t.Fatalf("%+v of %+v: %#x, want %#x", p, ps, got, want)
		}
		if first != slices.ContainsFunc(ps, func(part Partition) bool { return len(got) > 0 && part.Key == got[0]&0x7fff && part.IndexZero }) {
			t.Fatalf("%+v of %+v: %#x, first %v", p, ps, got, first)
		}
	})
}

// 500 partitions of 500 ports each: the P_Keys of one port.
func BenchmarkKeysOf(b *testing.B) {
	var ps Partitions
	for i := range uint64(500) {
		p := Partition{Key: uint16(i) + 1}
		for j := range uint64(500) {
			p.Members = append(p.Members, Member{GUID: fabric.GUID((i*7919 + j*23) % 11664), As: Full})
		}
		ps = append(ps, p)
	}
	x := NewIndex(ps, nil)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.KeysOf(&Port{GUID: fabric.GUID(i % 11664)})
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		a, b []uint16
		ask  uint16
		want uint16
	}{
		{[]uint16{0xffff}, []uint16{0xffff}, 0, 0xffff},
		{[]uint16{0x7fff}, []uint16{0x7fff}, 0, 0},
		{[]uint16{0x7fff}, []uint16{0xffff}, 0, 0x7fff},
		{[]uint16{0x7fff, 0x8001}, []uint16{0x7fff, 0x0001}, 0, 0x8001},
		{[]uint16{0xffff, 0x8001}, []uint16{0x7fff, 0x0001}, 1, 0x8001},
		{[]uint16{0xffff}, []uint16{0x7fff, 0x0001}, 0x8001, 0},
		{nil, []uint16{0xffff}, 0, 0},
	} {
		if got, ok := Share(c.a, c.b, c.ask); got != c.want || ok != (got != 0) {
			t.Errorf("%#x and %#x share %#x, %v, want %#x", c.a, c.b, got, ok, c.want)
		}
	}
}

// Any bytes give partitions with P_Keys of their own, or an *Error with a line of the file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("a:ALL;b:;c=0x7fff,indx0:\"*\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := Read("f", data)
		if err != nil {
			if wrong, ok := errors.AsType[*Error](err); !ok || wrong.Line < 1 || wrong.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("%v", err)
			}
			return
		}
		seen := map[uint16]bool{}
		for _, p := range ps {
			if p.Key == 0 || p.Key > 0x7fff || seen[p.Key] {
				t.Errorf("P_Key %#x", p.Key)
			}
			seen[p.Key] = true
		}
		NewIndex(ps, nil).KeysOf(&Port{GUID: 1, Desc: "a"})
	})
}

// Partitions belong to the level that names them, or else to the one with their SL.
func TestLevels(t *testing.T) {
	ps, err := Read("p", []byte("a=0x10,sl=5:ALL; b=0x11,sl=5:ALL; c=0x12,sl=6:ALL; d=0x13:ALL;"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := levels.Read("l", []byte("first\nsecond sl=5\nthird partition=b partition=0x8013 partition=e"))
	if err != nil {
		t.Fatal(err)
	}
	byKey, unknown, without := ps.Levels(list)
	if want := map[uint16]uint8{0x10: 1, 0x11: 2, 0x13: 2}; !maps.Equal(byKey, want) {
		t.Errorf("levels %v, want %v", byKey, want)
	}
	if len(unknown) != 1 || !strings.HasPrefix(unknown[0], "level third: unknown partition e: want one of ") || len(without) != 1 || !strings.HasPrefix(without[0], "partition c has sl=6") {
		t.Errorf("%q, %q", unknown, without)
	}
}
