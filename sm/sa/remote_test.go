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
	for _, gid := range []mad.GID{far, mad.MakeGID(prefix, 0x99), mad.MakeGID(mad.DefaultGIDPrefix, uint64(s.Graph.EndGUID[router]))} {
		if got := ask(gid).Status(); got != mad.StatusInvalidGID {
			t.Errorf("%v: %v", gid, got)
		}
	}
	s.Router = nil
	if got := ask(far).Status(); got != mad.StatusInvalidGID {
		t.Errorf("without routers: %v", got)
	}
}
