package mad

import "fmt"

// Size is the length of a datagram on the wire. Longer messages exist only with RMPP, which cuts
// them into datagrams of this size.
const Size = 256

// The common header. In a directed-route SMP the status has 15 bits and the
// class-specific word holds the hop pointer and count: see DirectedSMP.
var (
	Header              = newLayout("Header", 24, "13.4.3")
	HeaderBaseVersion   = Header.bits("BaseVersion", 0*8, 8)
	HeaderMgmtClass     = Header.bits("MgmtClass", 1*8, 8, hex, enum(classes...))
	HeaderClassVersion  = Header.bits("ClassVersion", 2*8, 8)
	HeaderMethod        = Header.bits("Method", 3*8, 8, hex, enum(methods...), note("bit 7 (R) marks a response"))
	HeaderStatus        = Header.bits("Status", 4*8, 16, hex, union)
	HeaderClassSpecific = Header.bits("ClassSpecific", 6*8, 16, hex, union)
	HeaderTransactionID = Header.bits("TransactionID", 8*8, 64, hex, note("media may replace the upper 32 bits"))
	HeaderAttributeID   = Header.bits("AttributeID", 16*8, 16, hex)
	HeaderModifier      = Header.bits("AttributeModifier", 20*8, 32, hex)
)

// Class is a management class.
type Class uint8

// The management classes.
const (
	ClassSMP         Class = 0x01 // subnet management, LID routed
	ClassDirectedSMP Class = 0x81 // subnet management, directed route
	ClassSA          Class = 0x03
	ClassPerf        Class = 0x04
	ClassCC          Class = 0x21 // congestion control
)

var classes = inOrder([]string{
	0x01: "SMP", 0x81: "DirectedSMP", 0x03: "SA", 0x04: "PerfMgt", 0x05: "BM", 0x06: "DevMgt",
	0x07: "ComMgt", 0x08: "SNMP", 0x0A: "weft.Router", 0x10: "DevAdm", 0x12: "BIS", 0x21: "CC",
}...)

// String returns the class's name, or its number.
func (c Class) String() string { return nameOr(HeaderMgmtClass, uint64(c)) }

// version returns the ClassVersion of the class.
func (c Class) version() uint64 {
	if c == ClassSA || c == ClassCC {
		return 2
	}
	return 1
}

// Method is the method of a datagram.
type Method uint8

// The methods. The second group is the SA's.
const (
	Get          Method = 0x01
	Set          Method = 0x02
	GetResp      Method = 0x81
	Send         Method = 0x03
	Trap         Method = 0x05
	Report       Method = 0x06
	ReportResp   Method = 0x86
	TrapRepress  Method = 0x07
	GetTable     Method = 0x12
	GetTableResp Method = 0x92
	GetTrace     Method = 0x13
	GetMulti     Method = 0x14
	GetMultiResp Method = 0x94
	Delete       Method = 0x15
	DeleteResp   Method = 0x95
)

var methods = inOrder([]string{
	0x01: "Get", 0x02: "Set", 0x81: "GetResp", 0x03: "Send", 0x05: "Trap", 0x06: "Report",
	0x86: "ReportResp", 0x07: "TrapRepress", 0x12: "GetTable", 0x92: "GetTableResp", 0x13: "GetTraceTable",
	0x14: "GetMulti", 0x94: "GetMultiResp", 0x15: "Delete", 0x95: "DeleteResp",
}...)

// String returns the method's name, or its number.
func (m Method) String() string { return nameOr(HeaderMethod, uint64(m)) }

// IsResponse reports whether the method answers a request. TrapRepress has no R bit, but answers a
// trap.
func (m Method) IsResponse() bool { return m&0x80 != 0 || m == TrapRepress }

// Response returns the method of the answer; ok is false for a method without one.
func (m Method) Response() (answer Method, ok bool) {
	switch m {
	case Get, Set:
		return GetResp, true
	case Trap:
		return TrapRepress, true
	case GetTrace:
		return GetTableResp, true
	case Report, GetTable, GetMulti, Delete:
		return m | 0x80, true
	default:
		return 0, false
	}
}

// AttrID is the number of an attribute; its meaning depends on the class.
type AttrID uint16

// Datagram is a management datagram as bytes: Size of them, or a whole RMPP message with the header
// of its first segment. Its methods require a datagram that passes Check.
type Datagram []byte

// Class returns the management class.
func (d Datagram) Class() Class { return Class(d[1]) }

// Method returns the method with its R bit.
func (d Datagram) Method() Method { return Method(d[3]) }

// TID returns the transaction ID. Media replace the upper 32 bits: match answers by the lower ones.
func (d Datagram) TID() uint64 { return HeaderTransactionID.Get(d) }

// Attr returns the attribute's number.
func (d Datagram) Attr() AttrID { return AttrID(HeaderAttributeID.Get(d)) }

// Modifier returns the attribute modifier.
func (d Datagram) Modifier() uint32 { return uint32(HeaderModifier.Get(d)) }

// Status returns the status without the direction bit of directed routes.
func (d Datagram) Status() Status {
	if d.Class() == ClassDirectedSMP {
		return Status(DirectedSMPStatus.Get(d))
	}
	return Status(HeaderStatus.Get(d))
}

// SetStatus writes the status; the direction bit stays.
func (d Datagram) SetStatus(s Status) {
	if d.Class() == ClassDirectedSMP {
		DirectedSMPStatus.Put(d, uint64(s))
		return
	}
	HeaderStatus.Put(d, uint64(s))
}

// dataOffset returns the offset of the attribute or the first record.
func (c Class) dataOffset() int {
	switch c {
	case ClassSA:
		return 56
	case ClassSMP, ClassDirectedSMP, ClassPerf, ClassCC:
		return 64
	default:
		return 24
	}
}

// Data returns the attribute (64 bytes of an SMP), the records of an SA datagram, or all bytes
// after the common header for a class without a layout here. It aliases d.
func (d Datagram) Data() []byte {
	switch c := d.Class(); c {
	case ClassSMP, ClassDirectedSMP:
		return d[64:128:128]
	default:
		return d[c.dataOffset():]
	}
}

// Answer turns the request in d into its answer, in place: response method, status, and for
// directed routes the direction bit and exchanged DrSLID and DrDLID. Attribute, TID and paths stay.
// It returns false, and changes nothing, if the method has no answer. The medium handles the hop
// pointer: ib_umad and ibsim expect it as received.
func (d Datagram) Answer(s Status) bool {
	m, ok := d.Method().Response()
	if !ok {
		return false
	}
	d[3] = byte(m)
	d.SetStatus(s)
	if d.Class() == ClassDirectedSMP {
		DirectedSMPDirection.Put(d, 1)
		from, to := DirectedSMPDrSLID.Get(d), DirectedSMPDrDLID.Get(d)
		DirectedSMPDrSLID.Put(d, to)
		DirectedSMPDrDLID.Put(d, from)
	}
	return true
}

// String describes the datagram in one line: class, method, attribute, and other identifying
// fields.
func (d Datagram) String() string {
	if len(d) < Header.Size {
		return fmt.Sprintf("%d bytes", len(d))
	}
	c, m := d.Class(), d.Method()
	s := fmt.Sprintf("%v %v %s", c, m, c.AttributeName(d.Attr()))
	if mod := d.Modifier(); mod != 0 {
		s += fmt.Sprintf(" modifier 0x%x", mod)
	}
	s += fmt.Sprintf(" tid 0x%x", d.TID())
	if m.IsResponse() && d.Status() != StatusOK {
		s += fmt.Sprintf(" status 0x%04x %v", uint16(d.Status()), d.Status())
	}
	return s
}
