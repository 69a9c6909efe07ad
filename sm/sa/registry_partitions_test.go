package sa

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"weft/fabric"
	"weft/wire/mad"
)

// TestRegistryPartitions: services, subscriptions, and reports of ports and groups are told to
// those alone who share a partition with them; GIDs have the prefix of the subnet.
func TestRegistryPartitions(t *testing.T) {
	const prefix = 0xFEC0_0000_0000_0007
	of := func(down ...int32) *Subnet {
		s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
		s.Prefix = prefix
		s.Keys = slices.Repeat([][]uint16{{0x7FFF}}, s.Graph.NumEnds)
		s.Keys[0], s.Keys[1], s.Keys[2], s.Keys[3] = []uint16{0xFFFF}, []uint16{0x7FFF, 0x0010}, []uint16{0x7FFF, 0x8010}, []uint16{0x7FFF, 0x8011}
		s.Managers = []Manager{{End: 0, State: mad.SMStateMaster}}
		for _, end := range down {
			s.Plan.Ends.Base[end] = 0
		}
		return s
	}
	s, g := of(), NewRegistry(Limits{})
	query := func(end int32, attr mad.AttrID, mask uint64, rec []byte) (got [][]byte) {
		q := ask(mad.GetTable, attr, mask, rec)
		mad.SAHeaderSMKey.Put(q, 0)
		return recordsOf(t, visit(g, 0, s, end, q))
	}
	for i, at := range []int32{1, 2, 3, 3} {
		rec, mask := serviceAt(s, at, uint64(i), forEver, 0, "x")
		if i < 3 {
			mask |= servicePKey
			mad.ServiceRecordPKey.Put(rec, []uint64{0x10, 0x8010, 0x8011}[i])
		}
		if a := visit(g, 0, s, at, ask(mad.Set, mad.AttrServiceRecord, mask, rec)); a.Status() != 0 {
			t.Fatalf("service %d: %v", i, a)
		}
	}
	rec := make([]byte, 176)
	for end, want := range map[int32]string{0: "[3]", 1: "[0 1]", 2: "[0 1]", 3: "[2 3]", 4: "[]"} {
		var ids []uint64
		for _, r := range query(end, mad.AttrServiceRecord, 0, rec) {
			ids = append(ids, mad.ServiceRecordID.Get(r))
		}
		if fmt.Sprint(ids) != want {
			t.Errorf("port %d sees services %v, want %s", end, ids, want)
		}
	}
	mad.ServiceRecordID.Put(rec, 2)
	if a := visit(g, 0, s, 1, ask(mad.Delete, mad.AttrServiceRecord, serviceID, rec)); a.Status() != 0 { // with the SM_Key
		t.Errorf("a trusted Delete: %v", a)
	}
	mad.ServiceRecordID.Put(rec, 3)
	q := ask(mad.Delete, mad.AttrServiceRecord, serviceID, rec)
	mad.SAHeaderSMKey.Put(q, 0)
	if a := visit(g, 0, s, 1, q); a.Status() != mad.StatusNoRecords {
		t.Errorf("Delete of a service that is not seen: %v", a)
	}

	for end := range int32(5) {
		for _, trap := range []uint64{mad.TrapGIDInService, mad.TrapGIDOutOfService, mad.TrapGroupCreated} {
			visit(g, 0, s, end, ask(mad.Set, mad.AttrInformInfo, 0, informOf(trap, true)))
		}
	}
	for end, want := range map[int32]string{0: "[0 1 2 3 4]", 1: "[0 1 2]", 2: "[0 1 2]", 3: "[0 3]", 4: "[0 4]"} {
		var ends []int32
		for _, r := range query(end, mad.AttrInformInfoRecord, 0, make([]byte, 60)) {
			ends = append(ends, s.endOfGID(mad.InformInfoRecordSubscriberGID.Get(r)))
		}
		if slices.Sort(ends); fmt.Sprint(slices.Compact(ends)) != want {
			t.Errorf("port %d sees subscriptions of %v, want %s", end, ends, want)
		}
	}
	byGID := make([]byte, 60)
	s.putGID(byGID, 2)
	if got := query(1, mad.AttrInformInfoRecord, mad.InformInfoRecord.Mask(mad.InformInfoRecordSubscriberGID), byGID); len(got) != 3 {
		t.Errorf("%d subscriptions of a GID", len(got))
	}

	told := func(want string, gid []byte) {
		t.Helper()
		var ends []int32
		for d, tag, ok := g.NextReport(); ok; d, tag, ok = g.NextReport() {
			if !bytes.Equal(mad.TrapGIDGID.Get(d.MAD.Data()), gid) {
				t.Errorf("told of %x, want %x", mad.TrapGIDGID.Get(d.MAD.Data()), gid)
			}
			ends = append(ends, s.endOfLID(fabric.LID(d.Addr.DLID)))
			g.Reported(tag, true)
		}
		if slices.Sort(ends); fmt.Sprint(ends) != want {
			t.Errorf("of %x are told %v, want %s", gid, ends, want)
		}
	}
	g.NotifyOfGroup(s, mad.TrapGroupCreated, &Group{MGID: [16]byte{0xFF, 0x12}, PKey: 0x8010})
	told("[1 2]", append([]byte{0xFF, 0x12}, make([]byte, 14)...))
	without := of(2)
	g.Follow(s, without)
	told("[0 1]", s.gidOf(s.Graph.EndGUID[2]))
	s = of()
	visit(g, 0, s, 2, ask(mad.Set, mad.AttrInformInfo, 0, informOf(mad.TrapGIDInService, true)))
	g.Follow(without, s)
	told("[0 1 2]", s.gidOf(s.Graph.EndGUID[2]))
	if gid := s.gidOf(1); gid[1] != 0xC0 || gid[7] != 7 {
		t.Errorf("GID %x", gid)
	}
}
