package mad

import (
	"io"
	"testing"
)

var (
	sinkNumber uint64
	sinkData   Datagram
)

func BenchmarkGet(b *testing.B) {
	data := make([]byte, 64)
	for b.Loop() {
		sinkNumber += PortInfoLMC.Get(data)
	}
}

func BenchmarkPut(b *testing.B) {
	data := make([]byte, 64)
	for b.Loop() {
		PortInfoLMC.Put(data, 5)
	}
}

func BenchmarkArray(b *testing.B) {
	data := make([]byte, 64)
	for b.Loop() {
		SLtoVLMappingTableVL.Set(data, 5, SLtoVLMappingTableVL.At(data, 4))
	}
}

// BenchmarkBuildSMP writes a whole directed-route request.
func BenchmarkBuildSMP(b *testing.B) {
	buf, path := make([]byte, Size), []byte{1, 3, 2, 1}
	b.ReportAllocs()
	for b.Loop() {
		sinkData, _ = Request{Method: Get, Attr: AttrPortInfo, Modifier: 1, TID: 5}.Directed(buf, path)
	}
}

// BenchmarkReadSMP reads what discovery needs of an answer: the header, and 20
// fields of a PortInfo.
func BenchmarkReadSMP(b *testing.B) {
	buf := readHex(b, "smp-portinfo-get-ca.rep.hex")
	fields := []Field{
		PortInfoLID, PortInfoMasterSMLID, PortInfoCapabilityMask, PortInfoLocalPortNum, PortInfoWidthActive,
		PortInfoPortState, PortInfoPhysicalState, PortInfoLMC, PortInfoSpeedActive, PortInfoNeighborMTU, PortInfoVLCap,
		PortInfoMTUCap, PortInfoOperationalVLs, PortInfoGUIDCap, PortInfoSubnetTimeOut, PortInfoCapabilityMask2,
		PortInfoSpeedExtActive, PortInfoMKey, PortInfoGidPrefix, PortInfoHOQLife,
	}
	b.ReportAllocs()
	for b.Loop() {
		if Check(buf) != nil {
			b.Fatal("short")
		}
		d := Datagram(buf)
		if d.Method() != GetResp || d.Status() != StatusOK || d.Attr() != AttrPortInfo {
			b.Fatal("not an answer")
		}
		data := d.Data()
		sinkNumber += d.TID()
		for _, f := range fields {
			sinkNumber += f.Get(data)
		}
	}
}

// BenchmarkAnswerSMP turns a request into its answer and writes a NodeInfo.
func BenchmarkAnswerSMP(b *testing.B) {
	request, buf := readHex(b, "smp-nodeinfo-get-farca.req.hex"), make([]byte, Size)
	b.ReportAllocs()
	for b.Loop() {
		copy(buf, request)
		d := Datagram(buf)
		d.Answer(StatusOK)
		data := d.Data()
		NodeInfoBaseVersion.Put(data, 1)
		NodeInfoClassVersion.Put(data, 1)
		NodeInfoNodeType.Put(data, NodeCA)
		NodeInfoNumPorts.Put(data, 1)
		NodeInfoSystemImageGUID.Put(data, 0x100004)
		NodeInfoNodeGUID.Put(data, 0x100004)
		NodeInfoPortGUID.Put(data, 0x100005)
		NodeInfoPartitionCap.Put(data, 64)
		NodeInfoLocalPortNum.Put(data, 1)
	}
}

func BenchmarkDump(b *testing.B) {
	buf := readHex(b, "smp-portinfo-get-ca.rep.hex")
	for b.Loop() {
		_ = Dump(io.Discard, buf)
	}
}

// Building, checking, reading and answering a datagram allocates nothing.
func TestHotPathAllocatesNothing(t *testing.T) {
	buf, path := make([]byte, Size), []byte{1, 3, 2, 1}
	n := testing.AllocsPerRun(100, func() {
		d, err := Request{Method: Set, Attr: AttrLinearForwardingTable}.Directed(buf, path)
		if err != nil || Check(d) != nil {
			t.Fatal("not built")
		}
		copy(LinearForwardingTablePort.Raw(d.Data()), path)
		SLtoVLMappingTableVL.Set(d.Data(), 3, PKeyTablePKey.At(d.Data(), 1))
		PortInfoLMC.Put(d.Data(), PortInfoLID.Get(d.Data()))
		d.Answer(StatusOK)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
