package mad

import (
	"bytes"
	"errors"
	"testing"
)

// builds make captured requests again, from what their notes say.
var builds = []struct {
	vector string
	build  func(buf []byte, tid uint64) (Datagram, error)
}{
	{"smp-nodeinfo-get-self.req", func(buf []byte, tid uint64) (Datagram, error) {
		return Request{Method: Get, Attr: AttrNodeInfo, TID: tid}.Directed(buf, nil)
	}},
	{"smp-portinfo-get-swdown.req", func(buf []byte, tid uint64) (Datagram, error) {
		return Request{Method: Get, Attr: AttrPortInfo, Modifier: PortModifier(4, false), TID: tid}.Directed(buf, []byte{1})
	}},
	{"smp-nodeinfo-get-farca.req", func(buf []byte, tid uint64) (Datagram, error) {
		return Request{Method: Get, Attr: AttrNodeInfo, TID: tid}.Directed(buf, []byte{1, 3, 2, 1})
	}},
	{"smp-pkey-set-ca.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrPKeyTable, Modifier: PKeyModifier(0, 0), TID: tid}.Directed(buf, nil)
		PKeyTablePKey.Set(d.Data(), 0, 0xFFFF)
		PKeyTablePKey.Set(d.Data(), 1, 0x8123)
		return d, err
	}},
	{"smp-pkey-get-swext.req", func(buf []byte, tid uint64) (Datagram, error) {
		return Request{Method: Get, Attr: AttrPKeyTable, Modifier: PKeyModifier(1, 0), TID: tid}.Directed(buf, []byte{1})
	}},
	{"smp-sl2vl-set-sw-in2out1.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrSLtoVLMappingTable, Modifier: SLtoVLModifier(2, 1), TID: tid}.Directed(buf, []byte{1})
		for sl := range 16 {
			SLtoVLMappingTableVL.Set(d.Data(), sl, uint64(sl%8))
		}
		SLtoVLMappingTableVL.Set(d.Data(), 15, 15)
		return d, err
	}},
	{"smp-vlarb-set-ca-low.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrVLArbitrationTable, Modifier: VLArbModifier(VLArbLowLower, 0), TID: tid}.Directed(buf, nil)
		for i, weight := range []uint64{4, 64, 32} {
			VLArbitrationTableVL.Set(d.Data(), i, uint64(i))
			VLArbitrationTableWeight.Set(d.Data(), i, weight)
		}
		return d, err
	}},
	{"smp-lft-set.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrLinearForwardingTable, TID: tid}.Directed(buf, []byte{1})
		block := LinearForwardingTablePort.Raw(d.Data())
		for i := range block {
			block[i] = 255
		}
		copy(block[1:], []byte{1, 0, 3, 3, 2, 3, 3})
		return d, err
	}},
	{"smp-mft-set.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrMulticastForwardingTable, Modifier: MFTModifier(0, 0), TID: tid}.Directed(buf, []byte{1, 3, 2})
		MulticastForwardingTablePort.Set(d.Data(), 0, 1<<1|1<<2|1<<3)
		return d, err
	}},
	{"smp-lid-portinfo-get.req", func(buf []byte, tid uint64) (Datagram, error) {
		return Request{Method: Get, Attr: AttrPortInfo, Modifier: PortModifier(1, false), TID: tid}.Routed(buf)
	}},
	{"sa-noderecord-get.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Get, Attr: AttrNodeRecord, TID: tid}.SA(buf, NodeRecord.Mask(NodeRecordLID))
		NodeRecordLID.Put(d.Data(), 7)
		return d, err
	}},
	{"sa-portinforecord-get.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Get, Attr: AttrPortInfoRecord, TID: tid}.SA(buf, PortInfoRecord.Mask(PortInfoRecordLID, PortInfoRecordPortNum))
		PortInfoRecordLID.Put(d.Data(), 7)
		PortInfoRecordPortNum.Put(d.Data(), 1)
		return d, err
	}},
	{"sa-mcmember-join.req", func(buf []byte, tid uint64) (Datagram, error) {
		mask := MCMemberRecord.Mask(MCMemberRecordMGID, MCMemberRecordPortGID, MCMemberRecordJoinState)
		d, err := Request{Method: Set, Attr: AttrMCMemberRecord, TID: tid}.SA(buf, mask)
		group, gidErr := ParseGID("ff12:401b:ffff::ffff:ffff")
		port := MakeGID(DefaultGIDPrefix, 0x100007)
		MCMemberRecordMGID.Put(d.Data(), group[:])
		MCMemberRecordPortGID.Put(d.Data(), port[:])
		MCMemberRecordJoinState.Put(d.Data(), JoinFull)
		return d, errors.Join(err, gidErr)
	}},
	{"perf-portcounters-set-reset.req", func(buf []byte, tid uint64) (Datagram, error) {
		d, err := Request{Method: Set, Attr: AttrPortCounters, TID: tid}.New(buf, ClassPerf)
		PortCountersPortSelect.Put(d.Data(), 1)
		PortCountersCounterSelect.Put(d.Data(), 0xFFFF)
		PortCountersCounterSelect2.Put(d.Data(), 1)
		return d, err
	}},
}

func TestRequestsEqualCapturedOnes(t *testing.T) {
	for _, c := range builds {
		want := Datagram(readHex(t, c.vector+".hex"))
		if want.Class() == ClassDirectedSMP {
			// OpenSM leaves its stack behind the last hop.
			clear(DirectedSMPInitialPath.Get(want)[1+len(want.Hops()):])
		}
		buf := bytes.Repeat([]byte{0x55}, Size+10)
		got, err := c.build(buf, want.TID())
		if err != nil {
			t.Fatalf("%s: %v", c.vector, err)
		}
		if !bytes.Equal(got, want) {
			a, _ := dump(t, got)
			b, _ := dump(t, want)
			t.Errorf("%s: built\n%s\nwant\n%s", c.vector, a, b)
		}
		if buf[Size] != 0x55 {
			t.Errorf("%s: bytes behind the datagram were written", c.vector)
		}
	}
}

// An answer differs from its request in the data, the return path, the slot
// that ibsim writes into the TID, and in what Answer changes.
func TestAnswersEqualCapturedOnes(t *testing.T) {
	for _, name := range []string{
		"smp-nodeinfo-get-farca", "smp-portinfo-set-swext-nochg", "smp-lid-switchinfo-get", "sa-mcmember-leave",
		"perf-portcounters-get", "sminfo-dr-set-handover", "sa-pathrecord-get-nomatch",
	} {
		got, want := Datagram(readHex(t, name+".req.hex")), Datagram(readHex(t, name+".rep.hex"))
		if !got.Answer(want.Status()) {
			t.Fatalf("%s: %v has no answer", name, got)
		}
		HeaderTransactionID.Put(got, want.TID())
		if got.Class() == ClassDirectedSMP {
			DirectedSMPReturnPath.Put(got, DirectedSMPReturnPath.Get(want))
			if !bytes.Equal(got[128:], want[128:]) {
				t.Errorf("%s: paths differ", name)
			}
		}
		head := got.Class().dataOffset()
		if got.Class() == ClassSA {
			SAHeaderAttributeOffset.Put(got, SAHeaderAttributeOffset.Get(want))
		}
		if !bytes.Equal(got[:head], want[:head]) {
			t.Errorf("%s: answered\n%x\nwant\n%x", name, got[:head], want[:head])
		}
	}
}

func TestAnswerKeepsWhatHasNoAnswer(t *testing.T) {
	trap := Datagram(readHex(t, "trap128.hex"))
	if !trap.Answer(StatusOK) || trap.Method() != TrapRepress {
		t.Errorf("the answer to a trap is %v", trap)
	}
	before := bytes.Clone(trap)
	if trap.Answer(StatusBusy) || !bytes.Equal(trap, before) {
		t.Error("a TrapRepress was answered")
	}
}

func TestMixedRouteIsTurnedRound(t *testing.T) {
	d, err := Request{Method: Get, Attr: AttrNodeInfo}.Directed(make([]byte, Size), []byte{4})
	if err != nil {
		t.Fatal(err)
	}
	DirectedSMPDrSLID.Put(d, 9)
	d.Answer(StatusBadField)
	if DirectedSMPDrSLID.Get(d) != 0xFFFF || DirectedSMPDrDLID.Get(d) != 9 || !DirectedSMPDirection.Is(d) || d.Status() != StatusBadField {
		t.Errorf("answer %x", d[:64])
	}
}

func TestBadRequests(t *testing.T) {
	short := new(ShortError)
	for _, build := range []func([]byte) (Datagram, error){
		func(b []byte) (Datagram, error) { return Request{}.Directed(b, nil) },
		func(b []byte) (Datagram, error) { return Request{}.Routed(b) },
		func(b []byte) (Datagram, error) { return Request{}.SA(b, 0) },
		func(b []byte) (Datagram, error) { return Request{}.New(b, ClassPerf) },
	} {
		if _, err := build(make([]byte, Size-1)); !errors.As(err, &short) {
			t.Errorf("a short buffer gave %v", err)
		}
	}
	ports := make([]byte, MaxHops+1)
	if _, err := (Request{}).Directed(make([]byte, Size), ports); err == nil {
		t.Error("64 hops were taken")
	}
	d, err := Request{}.Directed(make([]byte, Size), ports[:MaxHops])
	if err != nil || len(d.Hops()) != MaxHops {
		t.Errorf("63 hops: %v", err)
	}
	DirectedSMPHopCount.Put(d, 255)
	if len(d.Hops()) != MaxHops {
		t.Error("a wrong hop count makes a long path")
	}
}

func TestModifiers(t *testing.T) {
	for _, c := range []struct{ got, want uint32 }{
		{PortModifier(36, true), 0x80000024},
		{PKeyModifier(3, 2), 0x00030002},
		{SLtoVLModifier(5, 7), 0x00000507},
		{VLArbModifier(VLArbHighUpper, 9), 0x00040009},
		{MFTModifier(2, 17), 0x20000011},
	} {
		if c.got != c.want {
			t.Errorf("modifier 0x%08x, want 0x%08x", c.got, c.want)
		}
	}
}
