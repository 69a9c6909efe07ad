package sa

import (
	"bytes"
	"testing"

	"weft/fabric"
	"weft/wire/mad"
)

// TestPathsToOtherSubnets: a path to a GID with another prefix is the path to the router port, with
// the GID and the hop limit that were asked for; inside, GIDs have the subnet's prefix.
func TestPathsToOtherSubnets(t *testing.T) {
	const prefix = 0xfec0000000000007
	s := subnetOf(t, "rlft(4,2)", "updn", 1, 3)
	router, src := int32(5), int32(1)
	known := true
	s.Between = Between{Prefix: prefix, Router: func(gid mad.GID, _ fabric.GUID, usable func(fabric.GUID) bool) (fabric.GUID, bool) {
		if !usable(s.Graph.EndGUID[router]) || usable(0xDEAD) {
			t.Error("usable is not what is there")
		}
		return s.Graph.EndGUID[router], known
	}}
	var r Responder
	ask := func(dgid mad.GID, fields ...any) mad.Datagram {
		t.Helper()
		sgid := mad.MakeGID(prefix, uint64(s.Graph.EndGUID[src]))
		mask := mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSGID)
		q, err := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), 0)
		if err != nil {
			t.Fatal(err)
		}
		copy(q.Data()[8:], dgid[:])
		copy(q.Data()[24:], sgid[:])
		for i := 0; i < len(fields); i += 2 {
			f := fields[i].(mad.Field)
			f.Put(q.Data(), uint64(fields[i+1].(int)))
			mask |= mad.PathRecord.Mask(f)
		}
		mad.SAHeaderComponentMask.Put(q, mask)
		return bytes.Clone(r.Answer(s, q))
	}
	far := mad.MakeGID(0xfec0000000000001, 0x99)
	inside := ask(mad.MakeGID(prefix, uint64(s.Graph.EndGUID[router])))
	outside := ask(far)
	if inside.Status() != mad.StatusOK || outside.Status() != mad.StatusOK {
		t.Fatalf("status %v, %v", inside.Status(), outside.Status())
	}
	want := bytes.Clone(inside.Data()[:64])
	copy(want[8:], far[:])
	mad.PathRecordHopLimit.Put(want, remoteHops)
	if !bytes.Equal(want, outside.Data()[:64]) {
		t.Errorf("told %x\nwant %x", outside.Data()[:64], want)
	}
	if got := mad.PathRecordHopLimit.Get(ask(far, mad.PathRecordHopLimit, 9).Data()); got != 9 {
		t.Errorf("hop limit %d, asked for 9", got)
	}
	base := int(s.Plan.Ends.Base[router])
	if got := ask(far, mad.PathRecordDLID, base+1); got.Status() != mad.StatusOK || mad.PathRecordDLID.Get(got.Data()) != uint64(base+1) {
		t.Errorf("the router's second LID: %v", got.Status())
	}
	if got := ask(far, mad.PathRecordDLID, int(s.Plan.Ends.Base[src])).Status(); got != mad.StatusNoRecords {
		t.Errorf("a LID that is no router's: %v", got)
	}
	known = false
	for _, gid := range []mad.GID{far, mad.MakeGID(prefix, 0x99), mad.MakeGID(mad.DefaultGIDPrefix, 0x99)} {
		if got := ask(gid).Status(); got != mad.StatusInvalidGID {
			t.Errorf("%v: %v", gid, got)
		}
	}
	s.Router = nil
	if got := ask(far).Status(); got != mad.StatusInvalidGID {
		t.Errorf("without routers: %v", got)
	}
}

// TestDefaultPrefix: fe80::/64 is local in every subnet. Paths have the GIDs that were asked for; a
// port is a member of a group once, whatever its prefix.
func TestDefaultPrefix(t *testing.T) {
	s := groupSubnet(t)
	const prefix = 0xfec0000000000007
	s.Between = Between{Prefix: prefix, Router: func(mad.GID, fabric.GUID, func(fabric.GUID) bool) (fabric.GUID, bool) {
		t.Error("a router is asked for")
		return 0, false
	}}
	gid := func(prefix uint64, end int32) []byte {
		g := mad.MakeGID(prefix, uint64(s.Graph.EndGUID[end]))
		return g[:]
	}
	r := Responder{Groups: newTestGroups(s)}
	for _, from := range []uint64{prefix, mad.DefaultGIDPrefix} {
		for _, to := range []uint64{prefix, mad.DefaultGIDPrefix} {
			rec := make([]byte, 64)
			copy(rec[8:], gid(to, 5))
			copy(rec[24:], gid(from, 1))
			got := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, pathSGID|pathDGID, rec)))
			if len(got) != 1 || !bytes.Equal(got[0][8:40], rec[8:40]) || mad.PathRecordHopLimit.Get(got[0]) != 0 {
				t.Errorf("%x to %x: %x", from, to, got)
			}
		}
	}
	member := memberRecord(s, 0, broadcast.MGID, mad.JoinFull)
	for _, own := range []uint64{mad.DefaultGIDPrefix, prefix} {
		copy(member[16:], gid(own, 0))
		if a := r.Answer(s, ask(mad.Set, mad.AttrMCMemberRecord, memberToJoin, member)); a.Status() != mad.StatusOK {
			t.Fatalf("a join by %x: %v", own, a)
		}
	}
	if g := r.Groups.Find(broadcast.MGID[:]); len(g.Members) != 1 || s.endOfGID(g.Members[0].GID[:]) != 0 {
		t.Errorf("members %+v", g.Members)
	}
	for _, own := range []uint64{mad.DefaultGIDPrefix, prefix} {
		copy(member[16:], gid(own, 0))
		if got := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrMCMemberRecord, memberPort, member))); len(got) != 1 {
			t.Errorf("%d groups of %x", len(got), own)
		}
	}
	copy(member[16:], gid(mad.DefaultGIDPrefix, 0))
	if a := r.Answer(s, ask(mad.Delete, mad.AttrMCMemberRecord, memberToJoin, member)); a.Status() != mad.StatusOK || len(r.Groups.Membership()) > 0 {
		t.Errorf("a leave: %v", a)
	}
	registry := NewRegistry(Limits{})
	visit(registry, 0, s, 1, ask(mad.Set, mad.AttrInformInfo, 0, informOf(64, true)))
	for _, own := range []uint64{mad.DefaultGIDPrefix, prefix} {
		rec := make([]byte, 60)
		copy(rec, gid(own, 1))
		q := ask(mad.GetTable, mad.AttrInformInfoRecord, mad.InformInfoRecord.Mask(mad.InformInfoRecordSubscriberGID), rec)
		if got := recordsOf(t, visit(registry, 0, s, 1, q)); len(got) != 1 {
			t.Errorf("%d subscriptions of %x", len(got), own)
		}
	}
}
