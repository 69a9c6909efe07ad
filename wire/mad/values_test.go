package mad

import (
	"fmt"
	"testing"
)

// What the notes of the index and the README of the vectors say of them, read
// through the handles.
func TestVectorValues(t *testing.T) {
	f := func(h Field) func([]byte) string {
		return func(b []byte) string { return fmt.Sprintf("%#x", h.Get(b)) }
	}
	in := func(p Part, h Field) func([]byte) string {
		return func(b []byte) string { return f(h)(p.Get(b)) }
	}
	for _, c := range []struct {
		vector string
		what   string
		get    func(data []byte) string
		want   string
	}{
		{"smp-nodeinfo-get-self.rep", "NodeType", f(NodeInfoNodeType), "0x1"},
		{"smp-nodeinfo-get-self.rep", "NodeGUID", f(NodeInfoNodeGUID), "0x100000"},
		{"smp-nodeinfo-get-self.rep", "PortGUID", f(NodeInfoPortGUID), "0x100001"},
		{"smp-nodeinfo-get-switch.rep", "NodeType", f(NodeInfoNodeType), "0x2"},
		{"smp-nodeinfo-get-switch.rep", "NodeGUID", f(NodeInfoNodeGUID), "0x200000"},
		{"smp-nodeinfo-get-spine.rep", "PortGUID", f(NodeInfoPortGUID), "0x200002"},
		{"smp-nodeinfo-get-spine.rep", "VendorID", f(NodeInfoVendorID), "0x0"},
		{"smp-nodeinfo-get-farca.rep", "Revision", f(NodeInfoRevision), "0xa1"},
		{"smp-nodedesc-get-switch.rep", "text", NodeDescriptionText.Text, "leaf000"},
		{"smp-portinfo-get-ca.rep", "PortState", f(PortInfoPortState), "0x2"},
		{"smp-portinfo-get-ca.rep", "LID", f(PortInfoLID), "0x0"},
		{"smp-portinfo-get-swdown.rep", "PortState", f(PortInfoPortState), "0x1"},
		{"smp-portinfo-get-swdown.rep", "PortPhysicalState", f(PortInfoPhysicalState), "0x2"},
		{"smp-portinfo-set-ca-lid.req", "LID", f(PortInfoLID), "0x1"},
		{"smp-portinfo-set-ca-lid.req", "MasterSMLID", f(PortInfoMasterSMLID), "0x1"},
		{"smp-portinfo-set-ca-lid.req", "GidPrefix", f(PortInfoGidPrefix), "0xfe80000000000000"},
		{"smp-portinfo-set-ca-lid.req", "SubnetTimeOut", f(PortInfoSubnetTimeOut), "0x12"},
		{"smp-portinfo-set-ca-lid.req", "PortState", f(PortInfoPortState), "0x0"},
		{"smp-portinfo-set-sw0-lid.req", "LID", f(PortInfoLID), "0x2"},
		{"smp-portinfo-set-ca-armed.req", "PortState", f(PortInfoPortState), "0x3"},
		{"smp-portinfo-set-swext-active.req", "PortState", f(PortInfoPortState), "0x4"},
		{"smp-switchinfo-get.rep", "PortStateChange", f(SwitchInfoPortStateChange), "0x1"},
		{"smp-switchinfo-get.rep", "LinearFDBCap", f(SwitchInfoLinearFDBCap), "0x7800"},
		{"smp-switchinfo-set-clrpsc.req", "PortStateChange", f(SwitchInfoPortStateChange), "0x1"},
		{"smp-switchinfo-set-top.req", "LinearFDBTop", f(SwitchInfoLinearFDBTop), "0x7"},
		{"smp-switchinfo-set-top.req", "LifeTimeValue", f(SwitchInfoLifeTimeValue), "0x12"},
		{"smp-pkey-set-ca.req", "P_Keys", elements(PKeyTablePKey, 3), "0xffff 0x8123 0x0"},
		{"smp-vlarb-set-ca-low.req", "VLs", elements(VLArbitrationTableVL, 4), "0x0 0x1 0x2 0x0"},
		{"smp-vlarb-set-ca-low.req", "weights", elements(VLArbitrationTableWeight, 4), "0x4 0x40 0x20 0x0"},
		{"smp-sl2vl-set-sw.req", "VLs", elements(SLtoVLMappingTableVL, 9), "0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x0"},
		{"smp-lft-set.req", "ports", elements(LinearForwardingTablePort, 9), "0xff 0x1 0x0 0x3 0x3 0x2 0x3 0x3 0xff"},
		{"smp-mft-set.req", "masks", elements(MulticastForwardingTablePort, 2), "0xe 0x0"},
		{"smp-guidinfo-get.rep", "GUIDs", elements(GUIDInfoGUID, 2), "0x100001 0x0"},
		{"sminfo-lid-get-master.rep", "SMState", f(SMInfoSMState), "0x3"},
		{"sminfo-lid-get-master.rep", "GUID", f(SMInfoGUID), "0x100001"},
		{"trap128", "TrapNumber", f(NoticeTrapNumber), "0x80"},
		{"trap128", "LID", f(Trap128LID), "0x2"},
		{"trap144", "LID", f(Trap144LID), "0x7"},
		{"trap144-priority", "OtherLocalChanges", f(Trap144OtherLocalChanges), "0x1"},
		{"trap144-priority", "flags", f(Trap144ChangeFlags), "0x8"},
		{"sa-report128", "trap", in(SANoticeNotice, NoticeTrapNumber), "0x80"},
		{"sa-report65", "GID", func(b []byte) string { return TrapGIDGID.GID(b).String() }, "fe80::10:3"},
		{"sa-report65", "issuer", func(b []byte) string { return SANoticeIssuerGID.GID(b).String() }, "fe80::10:1"},
		{"sa-noderecord-get.rep", "port GUID", in(NodeRecordNodeInfo, NodeInfoPortGUID), "0x100007"},
		{"sa-portinforecord-get.rep", "LID", in(PortInfoRecordPortInfo, PortInfoLID), "0x7"},
		{"sa-portinforecord-get.rep", "state", in(PortInfoRecordPortInfo, PortInfoPortState), "0x4"},
		{"sa-classportinfo-get.rep", "CapabilityMask", f(ClassPortInfoCapabilityMask), "0x2602"},
		{"sa-classportinfo-get.rep", "CapabilityMask2", f(ClassPortInfoCapabilityMask2), "0xb5e8"},
		{"sa-classportinfo-get.rep", "RespTimeValue", f(ClassPortInfoRespTimeValue), "0x10"},
		{"sa-classportinfo-get.rep", "RedirectQP", f(ClassPortInfoRedirectQP), "0x1"},
		{"sa-pathrecord-get.rep", "rate selector", f(PathRecordRateSelector), "0x2"},
		{"sa-pathrecord-get.rep", "P_Key", f(PathRecordPKey), "0x8123"},
		{"sa-pathrecord-get.rep", "DLID", f(PathRecordDLID), "0x6"},
		{"sa-mcmember-join.req", "MGID", func(b []byte) string { return MCMemberRecordMGID.GID(b).String() }, "ff12:401b:ffff::ffff:ffff"},
		{"sa-mcmember-join.rep", "Q_Key", f(MCMemberRecordQKey), "0xb1b"},
		{"sa-mcmember-join.rep", "MLID", f(MCMemberRecordMLID), "0xc000"},
		{"sa-servicerecord-get.rep", "name", ServiceRecordName.Text, "DAPL Address Translation Service"},
		{"sa-linkrecord-gettable.rep", "FromLID", f(LinkRecordFromLID), "0x1"},
		{"sa-linkrecord-gettable.rep", "ToLID", f(LinkRecordToLID), "0x2"},
		{"sa-sl2vlrecord-gettable.rep", "LID", f(SLtoVLMappingTableRecordLID), "0x2"},
		{"sa-lftrecord-gettable.rep", "entry 1", in(LinearForwardingTableRecordTable, handle(nil, 8, 8)), "0x1"},
		{"sa-informinfo-set.req", "Subscribe", f(InformInfoSubscribe), "0x1"},
		{"sa-informinfo-set.req", "ProducerType", f(InformInfoProducerType), "0xffffff"},
		{"perf-portcounters-get-all.req", "PortSelect", f(PortCountersPortSelect), "0xff"},
		{"perf-portcounters-set-reset.req", "CounterSelect", f(PortCountersCounterSelect), "0xffff"},
	} {
		d := Datagram(readHex(t, c.vector+".hex"))
		if got := c.get(d.Data()); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.vector, c.what, got, c.want)
		}
	}
}

func elements(a Array, n int) func([]byte) string {
	return func(b []byte) string {
		s := fmt.Sprintf("%#x", a.At(b, 0))
		for i := 1; i < n; i++ {
			s += fmt.Sprintf(" %#x", a.At(b, i))
		}
		return s
	}
}

func TestStatusInWords(t *testing.T) {
	for s, want := range map[Status]string{
		StatusOK:              "ok",
		StatusBusy:            "busy",
		StatusBadMethod:       "method not supported",
		StatusBadAttribute:    "method and attribute not supported together",
		StatusBadField:        "invalid field",
		StatusNoRecords:       "no records",
		StatusTooManyRecords:  "too many records",
		StatusDenied | 0x0003: "busy, redirect, denied",
		0x0010:                "reserved code 4",
		0xFF20:                "class status 0xff, reserved bits 0x20",
	} {
		if got := s.String(); got != want {
			t.Errorf("0x%04x: %q, want %q", uint16(s), got, want)
		}
	}
}

// The names of classes and methods stand for the constants.
func TestConstantsHaveNames(t *testing.T) {
	for _, m := range []Method{
		Get, Set, GetResp, Send, Trap, Report, ReportResp, TrapRepress, GetTable, GetTableResp, GetTrace, GetMulti,
		GetMultiResp, Delete, DeleteResp,
	} {
		if m.String()[:2] == "0x" {
			t.Errorf("method 0x%02x has no name", uint8(m))
		}
	}
	for m, want := range map[Method]Method{
		Get: GetResp, Set: GetResp, GetTable: GetTableResp, GetTrace: GetTableResp, GetMulti: GetMultiResp,
		Delete: DeleteResp, Report: ReportResp, Trap: TrapRepress, GetResp: 0, Send: 0, TrapRepress: 0, ReportResp: 0,
	} {
		if got, ok := m.Response(); got != want || ok != (want != 0) {
			t.Errorf("the answer to %v is %v, %v; want %v", m, got, ok, want)
		}
	}
	if got := Class(0x32).String(); got != "0x32" {
		t.Errorf("class 0x32 is called %q", got)
	}
}

func TestRates(t *testing.T) {
	portInfo := make([]byte, PortInfo.Size)
	rate := func(width, speed, ext uint64) string {
		PortInfoWidthActive.Put(portInfo, width)
		PortInfoSpeedActive.Put(portInfo, speed)
		PortInfoSpeedExtActive.Put(portInfo, ext)
		return fmt.Sprint(RateMbps(PortRate(portInfo)))
	}
	for _, c := range []struct {
		width, speed, ext uint64
		want              string
	}{
		{1, 1, 0, "2500"},
		{2, 1, 0, "10000"},
		{2, 4, 0, "40000"},
		{8, 4, 0, "120000"},
		{2, 4, 1, "56000"},
		{2, 4, 2, "100000"},
		{16, 4, 4, "100000"},
		{2, 0, 8, "400000"},
		{8, 4, 8, "1200000"},
		{0, 4, 8, "0"},
		{3, 1, 0, "0"},
		{2, 0, 0, "0"},
		{2, 8, 0, "0"},
		{2, 1, 3, "0"},
		{32, 1, 0, "0"},
	} {
		if got := rate(c.width, c.speed, c.ext); got != c.want {
			t.Errorf("width %#x speed %#x ext %#x: %s Mbit/s, want %s", c.width, c.speed, c.ext, got, c.want)
		}
	}
	if RateMbps(0) != 0 || RateMbps(63) != 0 {
		t.Error("codes without meaning have a rate")
	}
	if MTUBytes(1) != 256 || MTUBytes(5) != 4096 || MTUBytes(0) != 0 || MTUBytes(6) != 0 {
		t.Error("MTU codes are wrong")
	}
	if LifeTimeNanos(0x12) != 4096<<18 || LifeTimeNanos(63) <= 0 {
		t.Error("life times are wrong")
	}
}

func TestGIDText(t *testing.T) {
	g := MakeGID(DefaultGIDPrefix, 0x100007)
	if g.String() != "fe80::10:7" || GIDGUID.Get(g[:]) != 0x100007 {
		t.Errorf("GID is %v", g)
	}
	if back, err := ParseGID(g.String()); back != g || err != nil {
		t.Errorf("came back as %v, %v", back, err)
	}
	for _, bad := range []string{"", "1.2.3.4", "fe80::1%eth0", "fe80"} {
		if _, err := ParseGID(bad); err == nil {
			t.Errorf("%q was taken for a GID", bad)
		}
	}
}

// A response has the R bit; the answer to a trap is the exception.
func TestIsResponse(t *testing.T) {
	for m := range 256 {
		if got, want := Method(m).IsResponse(), m >= 0x80 || m == 0x07; got != want {
			t.Errorf("method %#x: %v", m, got)
		}
	}
}
