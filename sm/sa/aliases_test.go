package sa

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/wire/mad"
)

// withAliases gives a subnet of a test GUIDCap and the aliases of a Registry.
func withAliases(s *Subnet, g *Registry, guidCap uint64) *Subnet {
	now := *s
	now.Ports, now.Aliases = slices.Clone(s.Ports), g.Aliases
	for i := range now.Ports {
		mad.PortInfoGUIDCap.Put(now.Ports[i].Info[:], guidCap)
	}
	return &now
}

// guidRecord makes a GuidInfoRecord of a port, and the mask of LID, block and the GUIDs that are
// given.
func guidRecord(s *Subnet, end int32, block uint8, guids map[int]fabric.GUID) (rec []byte, mask uint64) {
	rec, mask = make([]byte, 72), guidLID|guidBlock
	mad.GUIDInfoRecordLID.Put(rec, uint64(s.Plan.Ends.Base[end]))
	mad.GUIDInfoRecordBlock.Put(rec, uint64(block))
	for at, guid := range guids {
		mask |= 1 << (guidBit + at)
		mad.GUIDInfoGUID.Set(mad.GUIDInfoRecordGUIDInfo.Get(rec), at, uint64(guid))
	}
	return rec, mask
}

// TestAliases: aliases are set and deleted as a model of rows has it, each GUID once in the subnet;
// records tell what stands there, and a Registry that is restored from the Entries of another one
// is like it. Each change has the port told.
func TestAliases(t *testing.T) {
	plain := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	rapid.Check(t, func(t *rapid.T) {
		g := NewRegistry(Limits{})
		s := withAliases(plain, g, 12) // a block and a half
		model := map[[2]int]fabric.GUID{}
		owner := func(guid fabric.GUID) (at [2]int, is bool) {
			for at, has := range model {
				if has == guid {
					return at, true
				}
			}
			return at, false
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			end, block := int32(rapid.IntRange(0, 2).Draw(t, "port")), rapid.IntRange(0, 1).Draw(t, "block")
			guids := map[int]fabric.GUID{}
			for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(1, 7), 0, 3, rapid.ID[int]).Draw(t, "places") {
				guids[at] = fabric.GUID(rapid.Uint64Range(0, 6).Draw(t, "guid"))
			}
			if rapid.IntRange(0, 9).Draw(t, "a port's own") == 0 {
				guids[3] = s.Graph.EndGUID[1]
			}
			rec, mask := guidRecord(s, end, uint8(block), guids)
			method := rapid.SampledFrom([]mad.Method{mad.Set, mad.Set, mad.Delete}).Draw(t, "method")
			a := visit(g, 0, s, end, ask(method, mad.AttrGUIDInfoRecord, mask, rec))
			if a.Status() != 0 {
				t.Fatalf("%v", a)
			}
			info := mad.GUIDInfoRecordGUIDInfo.Get(a.Data())
			for at := range 8 {
				place, told := [2]int{int(end), 8*block + at}, fabric.GUID(mad.GUIDInfoGUID.At(info, at))
				guid, named := guids[at]
				_, taken := owner(guid)
				switch {
				case !named || place[1] >= 12:
				case method == mad.Delete:
					delete(model, place)
				case guid == 0 && model[place] == 0: // chosen
					if _, is := owner(told); is || told == 0 {
						t.Fatalf("%s is chosen", told)
					}
					model[place] = told
				case guid != 0 && !taken && guid != s.Graph.EndGUID[1]:
					model[place] = guid
				}
				want := model[place]
				if place[1] == 0 {
					want = s.Graph.EndGUID[end]
				}
				if told != want {
					t.Fatalf("GUID %d of port %d: %s, want %s", place[1], end, told, want)
				}
			}
			b, lid, _, ok := g.NextToPort(s)
			if !ok || b != (AliasBlock{s.Graph.EndGUID[end], uint8(block)}) || lid != s.Plan.Ends.Base[end] {
				t.Fatalf("the port is not told: %+v", b)
			}
		}
		again := NewRegistry(Limits{})
		if bad := again.Restore(0, g.Entries()); bad > 0 || again.Aliases.count() != len(model) {
			t.Fatalf("%d Entries are bad, %d aliases of %d", bad, again.Aliases.count(), len(model))
		}
		for at, guid := range model {
			if e := withAliases(plain, again, 12).endOfGUID(guid); e != int32(at[0]) {
				t.Fatalf("%s is an alias of port %d, and should be one of %d", guid, e, at[0])
			}
		}
	})
}

// TestAliasesRefused: what no port may do to another, and what is no place for an alias, has the
// status of OpenSM; only a stranger's request is denied, which OpenSM grants.
func TestAliasesRefused(t *testing.T) {
	g := NewRegistry(Limits{})
	s := withAliases(subnetOf(t, "rlft(4,2)", "minhop", 0, 1), g, 12)
	member := fabric.GUID(77)
	g.IsMember = func(alias fabric.GUID) bool { return alias == member }
	set := func(end, from int32, block uint8, at int, guid fabric.GUID, method mad.Method) mad.Status {
		rec, mask := guidRecord(s, end, block, map[int]fabric.GUID{at: guid})
		q := ask(method, mad.AttrGUIDInfoRecord, mask, rec)
		mad.SAHeaderSMKey.Put(q, 0) // who has the SM_Key may change all
		return visit(g, 0, s, from, q).Status()
	}
	for name, c := range map[string]struct{ got, want mad.Status }{
		"of another node":          {set(0, 1, 0, 1, 5, mad.Set), mad.StatusDenied},
		"deleted by another node":  {set(0, 1, 0, 1, 0, mad.Delete), mad.StatusDenied},
		"the port's own":           {set(0, 0, 0, 0, 5, mad.Set), mad.StatusRequestInvalid},
		"the port's own, deleted":  {set(0, 0, 0, 0, 5, mad.Delete), mad.StatusRequestInvalid},
		"a block beyond":           {set(0, 0, 2, 1, 5, mad.Set), mad.StatusNoRecords},
		"a block far beyond":       {set(0, 0, 255, 1, 5, mad.Set), mad.StatusNoRecords},
		"a member of a group":      {set(1, 1, 0, 1, member, mad.Set), mad.StatusOK},
		"a member, deleted":        {set(1, 1, 0, 1, 0, mad.Delete), mad.StatusDenied},
		"without LID":              {visit(g, 0, s, 0, ask(mad.Set, mad.AttrGUIDInfoRecord, guidBlock, nil)).Status(), mad.StatusInsufficientComponents},
		"without block":            {visit(g, 0, s, 0, ask(mad.Delete, mad.AttrGUIDInfoRecord, guidLID, nil)).Status(), mad.StatusInsufficientComponents},
		"a LID that nobody has":    {visit(g, 0, s, 0, ask(mad.Set, mad.AttrGUIDInfoRecord, guidLID|guidBlock, []byte{0xBF, 0xFF})).Status(), mad.StatusNoRecords},
		"another method":           {visit(g, 0, s, 0, ask(mad.GetMulti, mad.AttrGUIDInfoRecord, 0, nil)).Status(), mad.StatusBadAttribute},
		"beyond the end of a port": {set(0, 0, 1, 5, 6, mad.Set), mad.StatusOK},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if g.Aliases.count() != 1 {
		t.Errorf("%d aliases", g.Aliases.count())
	}
	for _, e := range []Entry{
		{EntryName{AliasGUIDs, "short"}, make([]byte, 64)},
		{EntryName{AliasGUIDs, "12345678\x00"}, make([]byte, 63)},
		{EntryName{AliasGUIDs, "12345678\x00"}, binary.BigEndian.AppendUint64(make([]byte, 56), uint64(member))}, // another port's
		{EntryName{AliasGUIDs, "12345678\x00"}, append([]byte{1}, make([]byte, 63)...)},                          // the port's own
	} {
		if g.Aliases.restore(&e) {
			t.Errorf("%+v is taken", e)
		}
	}
}

// TestAliasesAreTold: ports are told their aliases when they come into service.
func TestAliasesAreTold(t *testing.T) {
	g := NewRegistry(Limits{})
	s := withAliases(subnetOf(t, "rlft(4,2)", "minhop", 0, 1), g, 12)
	rec, mask := guidRecord(s, 1, 1, map[int]fabric.GUID{2: 5})
	visit(g, 0, s, 1, ask(mad.Set, mad.AttrGUIDInfoRecord, mask, rec))
	visit(g, 0, s, 1, ask(mad.Set, mad.AttrGUIDInfoRecord, mask, rec))
	told := func() (n int) {
		for {
			_, _, info, ok := g.NextToPort(s)
			if !ok {
				return n
			}
			if mad.GUIDInfoGUID.At(info[:], 2) != 5 {
				t.Errorf("%x", info)
			}
			n++
		}
	}
	if n := told(); n != 1 {
		t.Errorf("two requests for a block: %d times", n)
	}
	for name, c := range map[string]struct {
		before *Subnet
		want   int
	}{"by a new master": {nil, 1}, "as before": {s, 0}} {
		if g.Follow(c.before, s); told() != c.want {
			t.Errorf("%s: not %d times", name, c.want)
		}
	}
}

// TestAliasesGiveWayToPorts: the GUID of a port that is away does not become an alias of another
// one, and an alias ends when a port comes that has it as its own GUID.
func TestAliasesGiveWayToPorts(t *testing.T) {
	const away = fabric.GUID(77)
	g := NewRegistry(Limits{})
	g.IsPort = func(guid fabric.GUID) bool { return guid == away }
	g = g.Renew()
	s := withAliases(subnetOf(t, "rlft(4,2)", "minhop", 0, 1), g, 12)
	rec, mask := guidRecord(s, 1, 0, map[int]fabric.GUID{1: away, 2: 5})
	if a := visit(g, 0, s, 1, ask(mad.Set, mad.AttrGUIDInfoRecord, mask, rec)); a.Status() != 0 || g.Aliases.PortOf(away) != away || g.Aliases.PortOf(5) != s.Graph.EndGUID[1] {
		t.Errorf("%v: the GUID of a port that is away is an alias of %s", a, g.Aliases.PortOf(away))
	}
	b, other := AliasBlock{s.Graph.EndGUID[1], 0}, s.Graph.EndGUID[2]
	g.Aliases.put(aliasPlace{b, 3}, other) // while it was not known
	g.Changes()
	g.Follow(s, s)
	if g.Aliases.PortOf(other) != other || g.Aliases.PortOf(5) != b.Port {
		t.Errorf("%s is an alias of %s, and a port's own GUID", other, g.Aliases.PortOf(other))
	}
	if list := g.Changes(); len(list) != 1 || list[0].EntryName != (EntryName{AliasGUIDs, b.key()}) {
		t.Errorf("%+v is told to standbys", list)
	}
	told := false
	for {
		block, _, info, ok := g.NextToPort(s)
		if !ok {
			break
		}
		told = told || block == b && mad.GUIDInfoGUID.At(info[:], 3) == 0 && mad.GUIDInfoGUID.At(info[:], 2) == 5
	}
	if !told {
		t.Error("the port keeps the alias")
	}
}
