package sa

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire/mad"
)

// TestLongSearch: a search for paths that matches nothing, or nearly nothing, ends as one does that
// matches too much.
func TestLongSearch(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "updn", 7, 1) // 12 end ports of 128 LIDs: 2.4 million pairs
	s.anySL = false                             // as with several lanes: no path has SL 9
	rec := make([]byte, 64)
	mad.PathRecordSL.Put(rec, 9)
	mad.PathRecordRate.Put(rec, 63)
	var r Responder
	for _, mask := range []uint64{pathSL, pathSL | pathNumbPath, pathRate} {
		if a := r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, mask, rec)); a.Status() != mad.StatusNoResources {
			t.Errorf("a search by 0x%x: %v", mask, a)
		}
		if a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, mask, rec)); a.Status() != mad.StatusNoResources {
			t.Errorf("a Get by 0x%x: %v", mask, a)
		}
	}
	s.putGID(mad.PathRecordSGID.Get(rec), 0)
	if a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, pathSGID|pathSL, rec)); a.Status() != mad.StatusNoRecords {
		t.Errorf("from one port: %v", a)
	}
	many := make([]byte, mad.MultiPathRecord.Size, mad.MultiPathRecord.Size+200*16)
	mad.MultiPathRecordSGIDCount.Put(many, 100)
	mad.MultiPathRecordDGIDCount.Put(many, 100)
	mad.MultiPathRecordSL.Put(many, 9)
	for i := range 200 {
		gid := make([]byte, 16)
		s.putGID(gid, int32(i%s.Graph.NumEnds))
		many = append(many, gid...)
	}
	q := ask(mad.GetMulti, mad.AttrMultiPathRecord, mad.MultiPathRecord.Mask(mad.MultiPathRecordSGIDCount, mad.MultiPathRecordDGIDCount, mad.MultiPathRecordSL), nil)
	q = append(q[:mad.SAHeader.Size:mad.SAHeader.Size], many...)
	q.PutSegment(1, len(many))
	if a := r.Answer(s, q); a.Status() != mad.StatusNoResources {
		t.Errorf("many ports with many: %v", a)
	}
}

// TestNotAQuery: what belongs to a message of several segments is none, whatever its method says.
func TestNotAQuery(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	for _, kind := range []uint64{0, mad.RMPPTypeAck, mad.RMPPTypeStop, mad.RMPPTypeAbort, 200} {
		q := ask(mad.GetTable, mad.AttrNodeRecord, 0, nil)
		q.PutAck(1, 2)
		mad.RMPPType.Put(q, kind)
		if a := r.Answer(s, q); a != nil {
			t.Errorf("type %d is answered by %v", kind, a)
		}
	}
}

// odd lists small and damaged fabrics.
var odd = []string{
	"rlft(2,1)", "fullmesh(1,hosts=1)", "fullmesh(2,hosts=1)", "rlft(4,2)|ports(2)", "rlft(4,2)|without(hosts=0)", "rlft(4,2)|fail(links=3,seed=1)",
	"rlft(4,2)|fail(switches=1,seed=1)", "rlft(4,2)|drain(switches=1,seed=1)",
}

// TestOddFabrics: queries by chance on small and damaged fabrics are answered, and nothing that
// they find is unknown to the Plan.
func TestOddFabrics(t *testing.T) {
	var subnets []*Subnet
	for _, formula := range odd {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Links {
			f.Links[i].Width = 4
		}
		for _, lmc := range []uint8{0, 3} {
			g, plan := routed(t, f, "updn", lmc)
			subnets = append(subnets, fill(f, g, plan, rand.New(rand.NewPCG(1, 0))))
		}
	}
	var attrs []mad.AttrID
	for attr := range kinds() {
		attrs = append(attrs, attr)
	}
	attrs = append(attrs, mad.AttrPathRecord, mad.AttrMultiPathRecord, mad.AttrClassPortInfo)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(subnets).Draw(t, "subnet")
		attr := attrs[rapid.IntRange(0, len(attrs)-1).Draw(t, "attribute")]
		method := rapid.SampledFrom([]mad.Method{mad.Get, mad.GetTable, mad.GetMulti, mad.GetTrace, mad.Set, mad.Delete}).Draw(t, "method")
		rec := rapid.SliceOfN(rapid.Byte(), 200, 200).Draw(t, "record")
		for i := range 4 { // GIDs and LIDs that are there
			if rapid.Bool().Draw(t, "end") {
				s.putGID(rec[8+16*i:], int32(rapid.IntRange(0, s.Graph.NumEnds-1).Draw(t, "end port")))
			}
		}
		lid := uint64(rapid.IntRange(0, int(s.Plan.Ends.Top())+2).Draw(t, "LID"))
		mad.PathRecordDLID.Put(rec, lid)
		mad.PathRecordSLID.Put(rec, uint64(rapid.IntRange(0, int(s.Plan.Ends.Top())+2).Draw(t, "SLID")))
		if k := kinds()[attr]; k != nil {
			k.lids[0].Put(rec, lid)
		}
		mask := rapid.Uint64().Draw(t, "mask") & rapid.Uint64().Draw(t, "and") & rapid.Uint64().Draw(t, "and")
		var r Responder
		a := r.Answer(s, ask(method, attr, mask, rec))
		if err := mad.Check(a); a == nil || err != nil {
			t.Fatalf("%v of 0x%x: %v", method, attr, err)
		}
		if attr != mad.AttrPathRecord || a.Status() != 0 || method != mad.GetTable {
			return
		}
		for _, x := range recordsOf(t, a) {
			from, to := s.endOfLID(fabric.LID(mad.PathRecordSLID.Get(x))), s.endOfLID(fabric.LID(mad.PathRecordDLID.Get(x)))
			if from < 0 || to < 0 || len(dumbWalk(s, from, to, fabric.LID(mad.PathRecordDLID.Get(x)))) == 0 && from != to {
				t.Fatalf("a path from %d to %d: %x", from, to, x)
			}
		}
	})
}
