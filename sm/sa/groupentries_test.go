package sa

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/share"
	"weft/wire/mad"
)

// groupsText tells all of the groups, but whether they stand.
func groupsText(gs *Groups) (text string) {
	gs.All(func(g *Group) {
		c := *g
		c.Standing = false
		text += fmt.Sprintf("%+v\n", c)
	})
	return text
}

// withoutStanding returns what ports hold in restored groups as the original counts it: nothing of
// permanent groups, which the restored ones become later.
func withoutStanding(original *Groups, held map[fabric.GUID]int) map[fabric.GUID]int {
	original.All(func(g *Group) {
		for i := range g.Members {
			if by := g.Members[i].By; g.Standing {
				if held[by]--; held[by] == 0 {
					delete(held, by)
				}
			}
		}
	})
	return held
}

// TestGroupEntries: after any joins, leaves, lost ports and other partitions, a table that takes
// the Changes has the Entries; and groups restored from it are those that were, under their MLIDs,
// which new groups do not get.
func TestGroupEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := groupSubnet(t)
		s.Keys = make([][]uint16, s.Graph.NumEnds)
		gs := newTestGroups(s)
		r := Responder{Groups: gs}
		table := map[EntryName]string{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			for e := range s.Keys {
				s.Keys[e] = []uint16{mad.DefaultPKey}
			}
			group, end := byte(rapid.IntRange(1, 6).Draw(t, "group")), int32(rapid.IntRange(0, 3).Draw(t, "end"))
			rec := memberRecord(s, end, [16]byte{0xFF, 0x12, 15: group}, uint8(rapid.IntRange(1, 15).Draw(t, "state")))
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0:
				s.Keys[end] = nil // it is in no partition
				other := broadcast
				other.QKey = uint32(group)
				gs.Follow(s, []Standing{other})
			case 1, 2, 3:
				r.Answer(s, ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, rec))
			default:
				r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin|memberToMake, rec))
			}
			if rapid.Bool().Draw(t, "later") {
				continue
			}
			for _, e := range gs.Changes() {
				if table[e.EntryName] = string(e.Value); e.Value == nil {
					delete(table, e.EntryName)
				}
			}
			list := gs.Entries()
			for _, e := range list {
				if table[e.EntryName] != string(e.Value) {
					t.Fatalf("the table has %x for %x, want %x", table[e.EntryName], e.Key, e.Value)
				}
			}
			if len(table) != len(list) {
				t.Fatalf("%d entries in the table, want %d", len(table), len(list))
			}
			again := NewGroups(share.Rule{})
			if bad := again.Restore(list); bad > 0 || len(again.Changes()) > 0 || !again.Changed() {
				t.Fatalf("%d entries are not restored", bad)
			}
			if a, b := groupsText(gs), groupsText(again); a != b || gs.members != again.members || gs.used != again.used || !maps.Equal(gs.held, withoutStanding(gs, again.held)) {
				t.Fatalf("restored\n%swant\n%s", b, a)
			}
			again.most = 100
			for i := range 40 {
				g := &Group{MGID: [16]byte{0xFF, 1, 15: byte(i)}}
				if !again.add(g, 0) || int(g.MLID-fabric.FirstMLID) < len(gs.byMLID) && len(gs.of(g).groups) > 0 {
					t.Fatalf("a new group gets MLID 0x%X", uint16(g.MLID))
				}
			}
		}
	})
}

// TestBadGroupEntries: what nobody writes, and members of no group, are left out and said to have
// ended.
func TestBadGroupEntries(t *testing.T) {
	g := Group{MGID: broadcast.MGID, MLID: fabric.FirstMLID}
	gid := Member{GID: [16]byte{0xFE, 0x80, 15: 1}, State: mad.JoinFull}
	twin, low, high := g, g, g
	twin.MGID[15], low.MGID[15], high.MGID[15] = 1, 2, 3
	twin.PKey = 5
	low.MLID, high.SL = 7, 16
	var list []Entry
	add := func(key string, value []byte) { list = append(list, Entry{EntryName{GroupMembers, key}, value}) }
	add(twin.key(), twin.value()) // has the MLID before the next one, in another partition
	add(g.key(), g.value())
	add(low.key(), low.value())
	add(high.key(), high.value())
	add("short", []byte{1})
	add(g.key()+"xx", g.value())
	add(g.memberKey(&gid), gid.value())
	add(twin.memberKey(&gid), []byte{0x80, 0})
	add(low.memberKey(&gid), gid.value())
	list = append(list, Entry{EntryName{Service, "another kind"}, []byte{1}})
	gs := NewGroups(share.Rule{})
	bad := gs.Restore(list)
	if c := gs.Counts(); bad != 8 || c.Groups != 1 || c.Members != 0 || len(gs.Changes()) != 8 {
		t.Errorf("%d are bad, %+v", bad, c)
	}
}

// FuzzGroupEntries: whatever entries say, groups that are restored from them hold together, and are
// restored again from their own.
func FuzzGroupEntries(f *testing.F) {
	g := Group{MGID: broadcast.MGID, MLID: fabric.FirstMLID + 3}
	m := Member{GID: [16]byte{0xFE, 0x80, 15: 1}, State: mad.JoinFull}
	f.Add(g.key(), g.value(), g.memberKey(&m), m.value())
	f.Add(g.key(), g.value()[1:], g.memberKey(&m)[1:], []byte{0, 0})
	f.Fuzz(func(t *testing.T, key string, value []byte, memberKey string, memberValue []byte) {
		gs, again := NewGroups(share.Rule{}), NewGroups(share.Rule{})
		gs.Restore([]Entry{{EntryName{GroupMembers, memberKey}, memberValue}, {EntryName{GroupMembers, key}, value}})
		if bad := again.Restore(gs.Entries()); bad > 0 || groupsText(gs) != groupsText(again) {
			t.Fatalf("%d bad\n%s%s", bad, groupsText(gs), groupsText(again))
		}
	})
}
