package partition

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"weft/fabric"
)

var ourPort = Port{GUID: 1, Type: fabric.CA, Desc: "the manager", Manager: true}

// members makes full members of GUIDs.
func members(guids ...fabric.GUID) (list []Member) {
	for _, g := range guids {
		list = append(list, Member{GUID: g, As: Full})
	}
	return list
}

// owned makes partitions of programs.
func owned(t *testing.T, list ...Partition) Owned {
	t.Helper()
	o := Owned{}
	next, _, err := o.Apply(&Write{Deed: Reconcile, Of: list}, nil, &Port{GUID: 99})
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestApply: partitions of programs follow writes as a map of maps does. A write that changes
// nothing keeps the version; any other gives a new one, with equal sums for equal contents. What a
// write may not touch stays.
func TestApply(t *testing.T) {
	file, err := Read("f", []byte("Default=0x7fff:ALL=full; taken=7:ALL;"))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		o, model := Owned{}, map[uint16]map[fabric.GUID]Membership{}
		sums := map[string]uint32{}
		for range rapid.IntRange(1, 20).Draw(t, "writes") {
			w := Write{Deed: rapid.SampledFrom([]Deed{Reconcile, Put, Delete, Add, Remove}).Draw(t, "deed"), Create: rapid.Bool().Draw(t, "create"), Force: true}
			n := 1
			if w.Deed == Reconcile {
				n = rapid.IntRange(0, 3).Draw(t, "partitions")
			}
			for _, key := range rapid.SliceOfNDistinct(rapid.Uint16Range(1, 7), n, n, rapid.ID[uint16]).Draw(t, "keys") {
				p := Partition{Key: key}
				for _, g := range rapid.SliceOfN(rapid.Uint64Range(1, 4), 0, 4).Draw(t, "guids") {
					p.Members = append(p.Members, Member{GUID: fabric.GUID(g), As: rapid.SampledFrom([]Membership{Limited, Full, Both}).Draw(t, "as")})
				}
				w.Of = append(w.Of, p)
			}
			want := expected(&w, model)
			next, done, err := o.Apply(&w, file, &ourPort)
			if (err == nil) != (want != nil) {
				t.Fatalf("%+v: %v, want %v", w, err, want)
			}
			if want == nil {
				if !reflect.DeepEqual(next, o) {
					t.Fatal("a refused write has an effect")
				}
				continue
			}
			got := modelOf(next.List)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%+v: %v, want %v", w, got, want)
			}
			same := fmt.Sprint(want) == fmt.Sprint(model)
			if same != (next.Version == o.Version) || same != (done.Partitions == 0) || done.Version != next.Version {
				t.Fatalf("%+v: version %s, then %s", w, o.Version, next.Version)
			}
			if sum, known := sums[fmt.Sprint(want)]; known && sum != next.Version.Sum {
				t.Fatalf("the same partitions have sums %x and %x", sum, next.Version.Sum)
			}
			if next.Version.Number > 0 {
				sums[fmt.Sprint(want)] = next.Version.Sum
			}
			o, model = next, want
		}
	})
}

// expected says what a write makes of a model; nil if it is refused.
func expected(w *Write, model map[uint16]map[fabric.GUID]Membership) map[uint16]map[fabric.GUID]Membership {
	next := map[uint16]map[fabric.GUID]Membership{}
	if w.Deed != Reconcile {
		for key, has := range model {
			next[key] = maps.Clone(has)
		}
	}
	for _, p := range w.Of {
		if p.Key == 7 {
			return nil
		}
		if w.Deed == Delete {
			delete(next, p.Key)
			continue
		}
		if next[p.Key] == nil && (w.Deed == Add || w.Deed == Remove) {
			if !w.Create {
				return nil
			}
			if w.Deed == Remove {
				continue
			}
		}
		if next[p.Key] == nil || w.Deed == Put {
			next[p.Key] = map[fabric.GUID]Membership{}
		}
		for _, m := range p.Members {
			if w.Deed == Remove {
				delete(next[p.Key], m.GUID)
			} else {
				next[p.Key][m.GUID] = m.As
			}
		}
	}
	return next
}

func modelOf(list Partitions) map[uint16]map[fabric.GUID]Membership {
	out := map[uint16]map[fabric.GUID]Membership{}
	for _, p := range list {
		out[p.Key] = map[fabric.GUID]Membership{}
		for _, m := range p.Members {
			out[p.Key][m.GUID] = m.As
		}
	}
	return out
}

// TestForce: a write that takes away much needs force, and says why. Removals that name their
// members do not, unless they are of the manager or the default partition.
func TestForce(t *testing.T) {
	twenty := Partition{Key: 2}
	for g := range fabric.GUID(20) {
		twenty.Members = append(twenty.Members, members(100+g)...)
	}
	has := owned(t, Partition{Key: 1, Members: members(1, 2)}, twenty, Partition{Key: DefaultKey, Members: []Member{{Who: All, As: Full}}})
	less := func(n int) Partition { return Partition{Key: 2, Members: twenty.Members[n:]} }
	for _, c := range []struct {
		deed Deed
		of   Partitions
		want string // "": no force is needed
	}{
		{Reconcile, has.List, ""},
		{Reconcile, nil, "empties partition 0x0001 of 2 members, empties partition 0x0002 of 20 members, empties partition 0x7fff of 1 members, removes the default partition"},
		{Reconcile, Partitions{{Key: 1, Members: members(1, 2)}, less(2), has.List[2]}, ""},
		{Reconcile, Partitions{{Key: 1, Members: members(1, 2)}, less(3), has.List[2]}, "drops 3 of all 23 members"},
		{Reconcile, Partitions{{Key: 1, Members: members(2)}, twenty, has.List[2]}, "takes membership in partition 0x0001 from the manager's own port"},
		{Put, Partitions{{Key: 1}}, "empties partition 0x0001"},
		{Put, Partitions{less(2)}, ""},
		{Put, Partitions{less(3)}, "drops 3 of all 23"},
		{Put, Partitions{{Key: 1, Members: []Member{{GUID: 1, As: Limited}, {GUID: 2, As: Full}}}}, "from the manager's own port"},
		{Put, Partitions{{Key: 1, Members: []Member{{GUID: 1, As: Both}, {GUID: 2, As: Full}}}}, ""},
		{Put, Partitions{{Key: DefaultKey, Members: members(3)}}, "takes ports out of the default partition"},
		{Remove, Partitions{twenty}, ""},
		{Remove, Partitions{{Key: 1, Members: members(2)}}, ""},
		{Remove, Partitions{{Key: 1, Members: members(1)}}, "from the manager's own port"},
		{Remove, Partitions{{Key: DefaultKey, Members: []Member{{Who: All}}}}, "takes ports out of the default partition"},
		{Add, Partitions{{Key: 1, Members: []Member{{GUID: 1, As: Limited}}}}, "from the manager's own port"},
		{Delete, Partitions{{Key: 2}}, ""},
		{Delete, Partitions{{Key: 1}}, "from the manager's own port"},
		{Delete, Partitions{{Key: DefaultKey}}, "removes the default partition"},
	} {
		w := Write{Deed: c.deed, Of: c.of}
		next, _, err := has.Apply(&w, nil, &ourPort)
		refused, _ := errors.AsType[*Refusal](err)
		if (err != nil) != (c.want != "") || err != nil && (refused.Why != NeedsForce || !strings.Contains(refused.Text, c.want)) {
			t.Errorf("%s %+v: %v, want %q", &w, c.of, err, c.want)
		}
		if err != nil && next.Version != has.Version {
			t.Errorf("%s: it is refused, and done", &w)
		}
		if w.Force = true; err != nil {
			if _, done, err := has.Apply(&w, nil, &ourPort); err != nil || done.Partitions == 0 {
				t.Errorf("%s with force: %v", &w, err)
			}
		}
	}
	none := Owned{}
	if _, _, err := none.Apply(&Write{Deed: Put, Of: Partitions{{Key: DefaultKey, Members: members(3)}}}, nil, &ourPort); err == nil {
		t.Error("the default partition that nobody owns loses its ports without force")
	}
	with, _, err := none.Apply(&Write{Deed: Add, Of: Partitions{{Key: DefaultKey, Members: members(3)}}}, nil, &ourPort)
	if err != nil || with.List[0].ofAll() != Full || len(with.List[0].Groups) != 1 {
		t.Errorf("a member more of the default partition: %+v, %v", with, err)
	}
	if _, _, err := none.Apply(&Write{Deed: Add, Of: Partitions{{Key: DefaultKey, Members: []Member{{Who: All, As: Limited}}}}}, nil, &ourPort); err == nil {
		t.Error("all ports become limited members of the default partition without force")
	}
	same, done, err := none.Apply(&Write{Deed: Remove, Of: Partitions{{Key: DefaultKey, Members: members(3)}}}, nil, &ourPort)
	if err != nil || done.Partitions > 0 || len(same.List) > 0 {
		t.Errorf("a program owns the default partition after it has removed nothing: %+v, %v", same, err)
	}
}

// TestAllPKeys: a write takes time that grows with the number of partitions, not with its square:
// the manager does nothing else meanwhile.
func TestAllPKeys(t *testing.T) {
	all := make(Partitions, DefaultKey-2)
	for i := range all {
		all[i] = Partition{Key: uint16(i) + 1, Members: members(fabric.GUID(i) + 2)}
	}
	o := Owned{}
	began := time.Now()
	for _, w := range []Write{{Deed: Reconcile, Of: all}, {Deed: Add, Of: Partitions{{Key: 9, Members: members(5)}}}} {
		next, _, err := o.Apply(&w, Partitions{{Key: DefaultKey, Members: []Member{{Who: All, As: Full}}}}, &ourPort)
		if err != nil {
			t.Fatal(err)
		}
		o = next
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("two writes of %d partitions took %v", len(all), took)
	}
}

// TestRefused: what no manager should take is refused, with what is wrong.
func TestRefused(t *testing.T) {
	file, err := Read("f", []byte("taken=7:ALL;"))
	if err != nil {
		t.Fatal(err)
	}
	has := owned(t, Partition{Key: 1, Name: "a"}, Partition{Key: 7, Members: members(3)})
	many := Partition{Key: 3}
	for i := range mostPatterns + 1 {
		many.Members = append(many.Members, Member{Who: Described, Pattern: fmt.Sprint(i), As: Full})
	}
	huge := Partition{Key: 3}
	for i := range fabric.GUID(MostMembers + 1) {
		huge.Members = append(huge.Members, Member{GUID: i + 1, As: Full})
	}
	for _, c := range []struct {
		w    Write
		why  Reason
		want string
	}{
		{Write{Deed: Put, Of: Partitions{{Key: 0}}}, Invalid, "0x0000 is not a P_Key"},
		{Write{Deed: Put, Of: Partitions{{Key: 0x8001}}}, Invalid, "is not a P_Key"},
		{Write{Deed: Put}, Invalid, "want one partition"},
		{Write{Deed: Reconcile, Of: Partitions{{Key: 2}, {Key: 2}}}, Invalid, "is given twice"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: "a;b=1:ALL"}}}, Invalid, "is not a name"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: "a\nb"}}}, Invalid, "is not a name"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: "7a"}}}, Invalid, "is not a name"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: strings.Repeat("a", 65)}}}, Invalid, "is not a name"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: "a"}}}, Invalid, "have the same name"},
		{Write{Deed: Put, Of: Partitions{{Key: 2, Name: "taken"}}}, NotOwned, "has the name taken"},
		{Write{Deed: Add, Of: Partitions{{Key: 7}}}, NotOwned, "belongs to the file"},
		{Write{Deed: Delete, Of: Partitions{{Key: DefaultKey}}}, NotOwned, "belongs to the file"},
		{Write{Deed: Add, Of: Partitions{{Key: 9}}}, Missing, "no partition 0x0009"},
		{Write{Deed: Remove, Of: Partitions{{Key: 9}}}, Missing, "no partition 0x0009"},
		{Write{Deed: Put, Of: Partitions{many}}, Invalid, "words and patterns: want at most 1000"},
		{Write{Deed: Put, Of: Partitions{{Key: 3, Groups: make([]Group, mostGroups+1)}}}, Invalid, "1001 multicast groups: want at most 1000"},
		{Write{Deed: Put, Of: Partitions{huge}}, Invalid, "131074 members: want at most 131072"},
		{Write{Deed: Put, Of: Partitions{{Key: 2}}, Version: "0"}, Outdated, "version 0 is not the present one"},
	} {
		next, _, err := has.Apply(&c.w, file, &ourPort)
		if refused, ok := errors.AsType[*Refusal](err); !ok || refused.Why != c.why || !strings.Contains(refused.Text, c.want) || !reflect.DeepEqual(next, has) {
			t.Errorf("%s: %v, want %d %q", &c.w, err, c.why, c.want)
		}
	}
	// What the file hides stays in a whole set, and may be deleted.
	next, _, err := has.Apply(&Write{Deed: Reconcile, Force: true}, file, &ourPort)
	if err != nil || len(next.List) != 1 || next.List[0].Key != 7 {
		t.Errorf("%+v, %v", next, err)
	}
	if next, _, err = next.Apply(&Write{Deed: Delete, Of: Partitions{{Key: 7}}}, file, &ourPort); err != nil || len(next.List) > 0 {
		t.Errorf("%+v, %v", next, err)
	}
}

// TestMoreExactMembersCount: whatever the order in which a program names them, a port's own
// membership counts more than that of a pattern, and this more than that of a word.
func TestMoreExactMembersCount(t *testing.T) {
	list := []Member{{GUID: 5, As: Limited}, {Who: Described, Pattern: "gpu*", As: Both}, {Who: All, As: Full}, {Who: Self, As: Limited}}
	for range 24 {
		o := owned(t, Partition{Key: 3, Members: list})
		for _, c := range []struct {
			port Port
			want Membership
		}{{Port{GUID: 5, Desc: "gpu1"}, Limited}, {Port{GUID: 6, Desc: "gpu2"}, Both}, {Port{GUID: 7}, Full}, {Port{GUID: 8, Manager: true}, Limited}} {
			if got := o.List[0].membershipOf(&c.port); got != c.want {
				t.Errorf("%+v of %+v: %d, want %d", c.port, o.List[0].Members, got, c.want)
			}
		}
		list = append(list[1:], list[0])
		list[0], list[1] = list[1], list[0]
	}
}

// TestFlags: flags are read as they are printed.
func TestFlags(t *testing.T) {
	for _, flags := range [][]string{{}, {"indx0"}, {"sl=3", "ipoib,mtu=4096,rate=100G,sl=3,Q_Key=0xb1b"}, {"ipoib", "mgid=ff12::1,sl=1,scope=2,TClass=7,FlowLabel=9"}} {
		var p Partition
		if err := ParseFlags(&p, flags); err != nil || !slices.Equal(p.Flags(), flags) {
			t.Errorf("%q: %q, %v", flags, p.Flags(), err)
		}
	}
	if _, err := ParseMember(`"` + strings.Repeat("*a", mostText/2) + `"=full`); err == nil || !strings.Contains(err.Error(), "want at most 512") {
		t.Errorf("a long pattern: %v", err)
	}
	for _, bad := range []string{strings.Repeat(" ", mostText+1), "", "indx0,sl=1", "sl=16", "sl", "ipoib,mtu=5000", "ipoib,quick", "mgid=fe80::1", "IPOIB=1", "defmember=full"} {
		if err := ParseFlags(&Partition{}, []string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// FuzzParseMember: a member that is read is printed as what reads the same; no other is taken.
func FuzzParseMember(f *testing.F) {
	for _, text := range []string{"0x0002c90300001234=full", "ALL=limited", `"gpu-*"=both`, "SELF=full", "7", "=", `"a=full`, "0=full", `"="=full`, `"gpu\[1\]"=full`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMember(text)
		if err != nil {
			return
		}
		if len(m.String()) > mostText || strings.ContainsFunc(m.Pattern, func(r rune) bool { return !unicode.IsPrint(r) }) { // Quote would escape it
			return
		}
		if again, err := ParseMember(m.String()); err != nil || again != m {
			t.Errorf("%q: %+v, then %q: %+v, %v", text, m, m.String(), again, err)
		}
	})
}

// BenchmarkApply adds a member to 10,000 others in 50 partitions.
func BenchmarkApply(b *testing.B) {
	o := Owned{}
	for i := range uint16(50) {
		p := Partition{Key: i + 1, Owner: Programs}
		for j := range fabric.GUID(200) {
			p.Members = append(p.Members, Member{GUID: 1000*fabric.GUID(i) + j + 1, As: Full})
		}
		o.List = append(o.List, p)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := Write{Deed: Add, Of: Partitions{{Key: uint16(i%50) + 1, Members: members(fabric.GUID(1 << 40))}}}
		if _, _, err := o.Apply(&w, nil, &ourPort); err != nil {
			b.Fatal(err)
		}
	}
}
