package sa

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/wire/mad"
)

// TestMemberQueries asks for groups and members by any components, and compares with a dumb search
// of all of them.
func TestMemberQueries(t *testing.T) {
	found := 0
	draws.Check(t, func(t *rapid.T) {
		s := groupSubnet(t)
		r := Responder{Groups: newTestGroups(s)}
		for range rapid.IntRange(0, 12).Draw(t, "joins") {
			rec := memberRecord(s, rapid.Int32Range(0, 3).Draw(t, "end"), [16]byte{0xFF, 0x12, 15: byte(rapid.IntRange(1, 4).Draw(t, "group"))}, uint8(rapid.IntRange(1, 15).Draw(t, "state")))
			mad.MCMemberRecordTClass.Put(rec, rapid.Uint64Range(0, 1).Draw(t, "TClass"))
			r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin|memberToMake, rec))
		}
		trusted := rapid.Bool().Draw(t, "trusted")
		var all [][]byte // of members, or of groups alone
		mask := uint64(0)
		for range rapid.IntRange(0, 3).Draw(t, "components") {
			mask |= 1 << rapid.IntRange(0, 17).Draw(t, "component")
		}
		mask &^= memberMTUSel | memberMTU | memberRateSel | memberRate | memberLifeSel | memberLife // matched by their selectors
		r.Groups.All(func(g *Group) {
			for i := range g.Members {
				rec := make([]byte, mad.MCMemberRecord.RecordSize())
				if g.put(rec, &g.Members[i]); trusted || mask&memberPort != 0 {
					all = append(all, rec)
				}
			}
			if !trusted && mask&memberPort == 0 {
				rec := make([]byte, mad.MCMemberRecord.RecordSize())
				g.put(rec, nil)
				all = append(all, rec)
			}
		})
		rec := memberRecord(s, 0, broadcast.MGID, 0)
		if len(all) > 0 {
			rec = bytes.Clone(rapid.SampledFrom(all).Draw(t, "record"))
		}
		if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
			rec[rapid.IntRange(0, 49).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		q := ask(mad.GetTable, mad.AttrMCMemberRecord, mask, rec)
		if !trusted {
			mad.SAHeaderSMKey.Put(q, 0)
		}
		got := recordsOf(t, r.Answer(s, q))
		var want [][]byte
		for _, x := range all {
			if dumbMatches(mad.MCMemberRecord, mad.MCMemberRecord, 0, mask, x, rec) {
				want = append(want, x)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("by 0x%x, trusted %v: %d records, want %d of %d", mask, trusted, len(got), len(want), len(all))
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("by 0x%x: %x, want %x", mask, got[i], want[i])
			}
		}
		found += len(got)
	}, func() string {
		if found == 0 {
			return "nothing was found"
		}
		return ""
	})
}

// TestAllMLIDs: as many groups of different partitions are made as there are MLIDs, each with
// another one; the next is refused. Those of deleted groups are all used again, the one longest
// free first, and all groups together take no more than before.
func TestAllMLIDs(t *testing.T) {
	s := groupSubnet(t)
	for i := range s.Nodes {
		if s.Nodes[i].Switch != nil {
			mad.SwitchInfoMulticastFDBCap.Put(s.Nodes[i].Switch, 0x3FFF)
		}
	}
	gs := newTestGroups(s)
	const all = int(fabric.LastMLID - fabric.FirstMLID) // beside the broadcast group
	of := map[uint64]int{}
	request := func(method mad.Method, n int) (mad.Status, uint64) {
		g := &Group{MGID: [16]byte{0xFF, 0x12}, PKey: uint16(n + 1)}
		binary.BigEndian.PutUint32(g.MGID[12:], uint32(n+1))
		if method == mad.Delete {
			g = gs.Find(g.MGID[:])
			gs.remove(g)
		} else if !gs.add(g, 0) {
			return mad.StatusNoResources, 0
		}
		return mad.StatusOK, uint64(g.MLID)
	}
	for n := range all {
		status, mlid := request(mad.Set, n)
		if other, is := of[mlid]; status != mad.StatusOK || is {
			t.Fatalf("group %d: %v, MLID 0x%X of %d", n, status, mlid, other)
		}
		of[mlid] = n
	}
	if status, _ := request(mad.Set, all); status != mad.StatusNoResources {
		t.Fatalf("one more: %v", status)
	}
	for round := range 3 {
		var freed []uint64
		for n := 0; n+round < all; n += 7 {
			status, mlid := request(mad.Delete, n+round)
			if status != mad.StatusOK || of[mlid] != n+round {
				t.Fatalf("group %d is left: %v, MLID 0x%X", n+round, status, mlid)
			}
			freed = append(freed, mlid)
		}
		for i, was := range freed {
			status, mlid := request(mad.Set, 7*i+round)
			if status != mad.StatusOK || mlid != was {
				t.Fatalf("group %d again: %v, MLID 0x%X, longest free is 0x%X", 7*i+round, status, mlid, was)
			}
		}
		if status, _ := request(mad.Set, all); status != mad.StatusNoResources {
			t.Fatalf("one more: %v", status)
		}
	}
}
