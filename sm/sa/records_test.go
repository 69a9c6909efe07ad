package sa

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/draws"
	"weft/wire/mad"
	"weft/wire/umad"
)

// dumbMatches compares a record with a query component by component, bit by bit.
func dumbMatches(l, inner *mad.Layout, off int, mask uint64, rec, want []byte) bool {
	same := func(from, width int) bool {
		for b := from; b < from+width; b++ {
			if (rec[b/8]^want[b/8])>>(7-b%8)&1 != 0 {
				return false
			}
		}
		return true
	}
	for _, d := range inner.Fields() {
		if d.Part != nil && !dumbMatches(l, d.Part, off+d.Off, mask, rec, want) {
			return false
		}
		bits := l.Component(d)
		for i := range d.Count {
			bit := bits
			if d.Count > 1 {
				bit = bits & -bits
				bits &^= bit
			}
			if mask&bit != 0 && !same(off+d.Off+i*d.Stride, d.Width) {
				return false
			}
		}
	}
	return true
}

// dumbBase replaces the LIDs of a query by the base LIDs of the ports that they name; false where
// one names none.
func dumbBase(s *Subnet, k *kind, mask uint64, rec []byte) ([]byte, bool) {
	rec = bytes.Clone(rec)
	for _, f := range k.lids {
		if mask&k.layout.Component(f.Decl()) == 0 {
			continue
		}
		named := false
		for e, base := range s.Plan.Ends.Base {
			if lid := f.Get(rec); base != 0 && lid >= uint64(base) && lid < uint64(base)+uint64(s.Plan.Ends.Count(int32(e))) {
				f.Put(rec, uint64(base))
				named = true
				break
			}
		}
		if !named {
			return nil, false
		}
	}
	return rec, true
}

// componentsOf is all bits of the ComponentMask that mean something.
func componentsOf(l, inner *mad.Layout) (all uint64) {
	for _, d := range inner.Fields() {
		all |= l.Component(d)
		if d.Part != nil {
			all |= componentsOf(l, d.Part)
		}
	}
	return all
}

// TestQueries asks for records by any components, and compares with a dumb search of the whole
// table.
func TestQueries(t *testing.T) {
	attrs := []mad.AttrID{
		mad.AttrNodeRecord, mad.AttrPortInfoRecord, mad.AttrSwitchInfoRecord, mad.AttrLinkRecord, mad.AttrSMInfoRecord, mad.AttrLinearForwardingTableRecord,
		mad.AttrMulticastForwardingTableRecord, mad.AttrSLtoVLMappingTableRecord, mad.AttrVLArbitrationTableRecord, mad.AttrPKeyTableRecord, mad.AttrGUIDInfoRecord,
	}
	if len(attrs) != len(kinds()) {
		t.Fatalf("%d kinds of records are served, %d are tested", len(kinds()), len(attrs))
	}
	found := map[mad.AttrID]int{}
	draws.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(fabrics).Draw(t, "fabric")
		s := subnetOf(t, f.formula, f.engine, f.lmc, rapid.Uint64Range(0, 5).Draw(t, "seed"))
		for range 4 { // queries
			attr := rapid.SampledFrom(attrs).Draw(t, "attribute")
			k := kinds()[attr]
			var r, other Responder
			all := recordsOf(t, bytes.Clone(other.Answer(s, ask(mad.GetTable, attr, 0, nil))))
			rec := make([]byte, k.layout.RecordSize())
			if len(all) > 0 {
				copy(rec, rapid.SampledFrom(all).Draw(t, "record"))
			}
			if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
				rec[rapid.IntRange(0, len(rec)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			}
			mask := uint64(0)
			for range rapid.IntRange(0, 3).Draw(t, "components") {
				mask |= 1 << rapid.IntRange(0, 63).Draw(t, "component")
			}
			mask &= componentsOf(k.layout, k.layout)
			if rapid.Bool().Draw(t, "by LID") {
				mask |= k.layout.Component(k.lids[0].Decl())
			}
			if l := k.lids[0]; f.lmc > 0 && rapid.Bool().Draw(t, "another LID of the port") { // any LID of a port names it
				l.Put(rec, l.Get(rec)+uint64(rapid.IntRange(0, 1<<f.lmc-1).Draw(t, "offset")))
			}
			norm, named := dumbBase(s, k, mask, rec)
			var want [][]byte
			for _, x := range all {
				if named && dumbMatches(k.layout, k.layout, 0, mask, x, norm) {
					want = append(want, x)
				}
			}
			got := recordsOf(t, r.Answer(s, ask(mad.GetTable, attr, mask, rec)))
			if len(got) != len(want) {
				t.Fatalf("%s by 0x%x: %d records, want %d of %d", mad.ClassSA.AttributeName(attr), mask, len(got), len(want), len(all))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("record %d: %x, want %x", i, got[i], want[i])
				}
			}
			found[attr] += len(got)
			a := r.Answer(s, ask(mad.Get, attr, mask, rec))
			status := mad.StatusOK
			switch {
			case len(want) == 0:
				status = mad.StatusNoRecords
			case len(want) > 1:
				status = mad.StatusTooManyRecords
			}
			if a.Status() != status || a.Method() != mad.GetResp || len(a) != mad.Size || len(want) == 1 && !bytes.Equal(a.Data()[:len(rec)], want[0]) {
				t.Fatalf("Get of %d records: %v", len(want), a)
			}
		}
	}, func() string {
		for _, a := range attrs {
			if found[a] == 0 && a != mad.AttrMulticastForwardingTableRecord { // there are no groups
				return fmt.Sprintf("no %s was found by any query", mad.ClassSA.AttributeName(a))
			}
		}
		return ""
	})
}

// TestTables: a table has a record for everything that is there.
func TestTables(t *testing.T) {
	s := subnetOf(t, "torus(4x4,hosts=1)", "dfsssp", 0, 1)
	known, cables, guids, pkeys := 0, 0, 0, 0
	for i := range s.Ports {
		p := &s.Ports[i]
		if p.Known && s.lidOf(p) != 0 {
			known++
		}
		if p.Peer >= 0 {
			cables++
		}
		pkeys += (len(p.PKeys) + 31) / 32
		if p.End >= 0 {
			guids += max(1, (int(mad.PortInfoGUIDCap.Get(p.Info[:]))+7)/8)
		}
	}
	for attr, want := range map[mad.AttrID]int{
		mad.AttrNodeRecord: 32, mad.AttrPortInfoRecord: known, mad.AttrSwitchInfoRecord: 16, mad.AttrLinkRecord: cables, mad.AttrSMInfoRecord: 2,
		mad.AttrLinearForwardingTableRecord: 16, mad.AttrGUIDInfoRecord: guids, mad.AttrPKeyTableRecord: pkeys,
		// 5 ports with a cable: from port 0 and from 4 others; a host one.
		mad.AttrSLtoVLMappingTableRecord: 16*5*5 + 16,
		// Two blocks each: one a priority.
		mad.AttrVLArbitrationTableRecord: (16*5 + 16) * 2,
	} {
		var r Responder
		if got := len(recordsOf(t, r.Answer(s, ask(mad.GetTable, attr, 0, nil)))); got != want {
			t.Errorf("%d of %s, want %d", got, mad.ClassSA.AttributeName(attr), want)
		}
	}
}

// TestOneLane: with one lane, too, lane tables have records: every SL has VL 0, which has a turn.
func TestOneLane(t *testing.T) {
	s := subnetOf(t, "torus(4x4,hosts=1)", "updn", 0, 1)
	if s.Plan.VLs != 1 {
		t.Fatalf("%d lanes", s.Plan.VLs)
	}
	var r Responder
	mappings := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrSLtoVLMappingTableRecord, 0, nil)))
	for _, rec := range mappings {
		if !allZero(mad.SLtoVLMappingTableRecordTable.Get(rec)) {
			t.Fatalf("SL2VL %x", rec)
		}
	}
	turns := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrVLArbitrationTableRecord, 0, nil)))
	weight := uint64(0)
	for _, rec := range turns {
		table := mad.VLArbitrationTableRecordTable.Get(rec)
		for i := range arbBlock {
			weight += mad.VLArbitrationTableWeight.At(table, i)
			if mad.VLArbitrationTableVL.At(table, i) != 0 {
				t.Fatalf("VLArb %x", rec)
			}
		}
	}
	if ports := 16*5 + 16; len(mappings) != 16*5*5+16 || len(turns) != ports*2 || weight != uint64(ports)*uint64(oneTurn.Low[0].Weight) {
		t.Errorf("%d mappings, %d blocks of arbitration with weight %d", len(mappings), len(turns), weight)
	}
}

// TestCapabilities: with the modifier a CapabilityMask means all of its bits, others may be set
// too.
func TestCapabilities(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	rec := make([]byte, 72)
	const bits = 0x1001
	mad.PortInfoCapabilityMask.Put(mad.PortInfoRecordPortInfo.Get(rec), bits)
	q := ask(mad.GetTable, mad.AttrPortInfoRecord, mad.PortInfoRecord.Mask(mad.PortInfoCapabilityMask), rec)
	mad.HeaderModifier.Put(q, mad.PortInfoRecordMatchCaps)
	want := 0
	for i := range s.Ports {
		if p := &s.Ports[i]; p.Known && s.lidOf(p) != 0 && mad.PortInfoCapabilityMask.Get(p.Info[:])&bits == bits {
			want++
		}
	}
	if got := len(recordsOf(t, r.Answer(s, q))); got != want || want == 0 {
		t.Errorf("%d records, want %d", got, want)
	}
}

// TestTrust: keys are for those who have the SM_Key, and a wrong one gets no answer.
func TestTrust(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	with := func(key uint64, attr mad.AttrID) mad.Datagram {
		q := ask(mad.GetTable, attr, 0, nil)
		mad.SAHeaderSMKey.Put(q, key)
		return r.Answer(s, q)
	}
	mkey := func(rec []byte) uint64 { return mad.PortInfoMKey.Get(mad.PortInfoRecordPortInfo.Get(rec)) }
	if got := mkey(recordsOf(t, with(testKey, mad.AttrPortInfoRecord))[0]); got != 0xABCD {
		t.Errorf("who is trusted sees M_Key %#x", got)
	}
	for _, rec := range recordsOf(t, with(0, mad.AttrPortInfoRecord)) {
		if mkey(rec) != 0 {
			t.Fatalf("who is not trusted sees M_Key %#x", mkey(rec))
		}
	}
	for key, want := range map[uint64]uint64{testKey: testKey, 0: 0} {
		seen := uint64(0)
		for _, rec := range recordsOf(t, with(key, mad.AttrSMInfoRecord)) {
			seen |= mad.SMInfoSMKey.Get(mad.SMInfoRecordSMInfo.Get(rec))
		}
		if seen != want {
			t.Errorf("who gives SM_Key %#x sees %#x", key, seen)
		}
	}
	if a := with(0, mad.AttrPKeyTableRecord); a.Status() != mad.StatusRequestInvalid {
		t.Errorf("P_Key tables without trust: %v", a)
	}
	if a := with(testKey+1, mad.AttrNodeRecord); a != nil {
		t.Errorf("a wrong SM_Key: %v", a)
	}
}

// TestUnserved: what is not served is refused, and what wants no answer gets none.
func TestUnserved(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	for _, c := range []struct {
		method mad.Method
		attr   mad.AttrID
		status mad.Status
	}{
		{mad.Get, 0x77, mad.StatusBadAttribute},
		{mad.GetTable, mad.AttrClassPortInfo, mad.StatusBadAttribute},
		{mad.Set, mad.AttrNodeRecord, mad.StatusBadAttribute},
		{mad.Delete, mad.AttrServiceRecord, mad.StatusBadAttribute},
		{mad.GetMulti, mad.AttrPathRecord, mad.StatusBadAttribute},
		{mad.GetTrace, mad.AttrNodeRecord, mad.StatusBadAttribute},
		{mad.Report, 2, mad.StatusBadMethod},
		{mad.GetMulti, mad.AttrMultiPathRecord, mad.StatusInsufficientComponents},
	} {
		if a := r.Answer(s, ask(c.method, c.attr, 0, nil)); a == nil || a.Status() != c.status || !a.Method().IsResponse() || len(a) != mad.Size {
			t.Errorf("%v of 0x%x: %v", c.method, c.attr, a)
		}
	}
	for _, m := range []mad.Method{mad.GetResp, mad.GetTableResp, mad.Trap, mad.TrapRepress, 0x33} {
		if a := r.Answer(s, ask(m, mad.AttrNodeRecord, 0, nil)); a != nil {
			t.Errorf("method %v is answered by %v", m, a)
		}
	}
	q := ask(mad.Get, mad.AttrNodeRecord, 0, nil)
	if a := r.Answer(nil, q); a.Status() != mad.StatusBusy {
		t.Errorf("before anything is known: %v", a)
	}
	q[2] = 1
	if a := r.Answer(s, q); a.Status() != mad.StatusBadVersion {
		t.Errorf("class version 1: %v", a)
	}
	for _, n := range []int{0, 24, 55} {
		if r.Answer(s, ask(mad.Get, mad.AttrNodeRecord, 0, nil)[:n]) != nil {
			t.Errorf("%d bytes are answered", n)
		}
	}
}

// TestClassPortInfo: nothing is claimed that is not served.
func TestClassPortInfo(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	a := r.Answer(s, ask(mad.Get, mad.AttrClassPortInfo, 0, nil))
	if a.Status() != 0 || mad.ClassPortInfoClassVersion.Get(a.Data()) != 2 || mad.ClassPortInfoRespTimeValue.Get(a.Data()) != responseTime {
		t.Fatalf("%v", a)
	}
	caps := mad.ClassPortInfoCapabilityMask.Get(a.Data())
	for bit, attr := range map[uint64]mad.AttrID{mad.SACapUDMulticast: mad.AttrMCMemberRecord, mad.SACapTraps: mad.AttrInformInfo} {
		if served := r.Answer(s, ask(mad.Set, attr, 0, nil)).Status() != mad.StatusBadAttribute; served != (caps&bit != 0) {
			t.Errorf("capability 0x%x, and served is %v", bit, served)
		}
	}
}

// FuzzAnswer: whatever is asked, the answer is a datagram, a message whose header is right, or
// nothing.
func FuzzAnswer(f *testing.F) {
	var subnets []*Subnet
	for _, x := range fabrics[:3] {
		subnets = append(subnets, subnetOf(f, x.formula, x.engine, x.lmc, 1))
	}
	for attr := range kinds() {
		f.Add(uint8(0), []byte(ask(mad.GetTable, attr, 1, []byte{0, 3})))
	}
	f.Add(uint8(1), []byte(ask(mad.GetTable, mad.AttrPathRecord, 0, nil)))
	f.Add(uint8(1), []byte(ask(mad.GetTrace, mad.AttrPathRecord, pathSLID|pathDLID, bytes.Repeat([]byte{0, 3}, 32))))
	f.Add(uint8(2), []byte(ask(mad.GetMulti, mad.AttrMultiPathRecord, 1<<19|1<<20, bytes.Repeat([]byte{1}, 80))))
	f.Fuzz(func(t *testing.T, which uint8, q []byte) {
		s := subnets[int(which)%len(subnets)]
		before := bytes.Clone(q)
		var r Responder
		a := r.Answer(s, q)
		if !bytes.Equal(before, q) {
			t.Fatal("the request was changed")
		}
		if a == nil {
			return
		}
		if err := mad.Check(a); err != nil || !a.Method().IsResponse() || a.TID() != mad.Datagram(q).TID() {
			t.Fatalf("%v answered by %v: %v", mad.Datagram(q), a, err)
		}
		if again := r.Answer(s, q); again == nil {
			t.Fatal("asked again it gets no answer")
		}
	})
}

// TestAnyLID: each LID of a port names it, and the record has the first one.
func TestAnyLID(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "updn", 2, 1)
	base := s.Plan.Ends.Base[0]
	for i := range uint64(4) {
		rec := make([]byte, 112)
		mad.NodeRecordLID.Put(rec, uint64(base)+i)
		var r Responder
		a := r.Answer(s, ask(mad.Get, mad.AttrNodeRecord, mad.NodeRecord.Mask(mad.NodeRecordLID), rec))
		if a.Status() != 0 || mad.NodeRecordLID.Get(a.Data()) != uint64(base) {
			t.Errorf("LID %d: %v", uint64(base)+i, a)
		}
	}
}

// TestMethodsArrive: the kernel passes requests of a method only to an agent that has registered
// for it. Every method that has an answer is among those of a manager.
func TestMethodsArrive(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	r := Responder{Groups: newTestGroups(groupSubnet(t))}
	var registered []mad.Method
	for _, a := range umad.ManagerAgents() {
		if a.Class == mad.ClassSA {
			registered = a.Methods
		}
	}
	served := 0
	for method := range mad.Method(0x80) {
		a := r.Answer(s, ask(method, mad.AttrPathRecord, 0, nil))
		if a == nil || a.Status() == mad.StatusBadMethod {
			continue
		}
		served++
		if !slices.Contains(registered, method) {
			t.Errorf("no agent for %v", method)
		}
	}
	if served < 6 {
		t.Errorf("%d methods have answers", served)
	}
}
