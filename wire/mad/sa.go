package mad

// RMPP is the header of the protocol that cuts messages into datagrams and acknowledges them. It
// lies between the common header and the class header.
var (
	RMPP              = newLayout("RMPP", 36, "13.6.2")
	RMPPVersion       = RMPP.bits("RMPPVersion", 24*8, 8, note("0: no RMPP"))
	RMPPType          = RMPP.bits("RMPPType", 25*8, 8, enum(rmppTypes...))
	RMPPRespTime      = RMPP.bits("RRespTime", 26*8, 5, note("31: none"))
	RMPPFlags         = RMPP.bits("RMPPFlags", 26*8+5, 3, flags(rmppFlags...))
	RMPPStatus        = RMPP.bits("RMPPStatus", 27*8, 8, enum(rmppStatuses...))
	RMPPSegmentNumber = RMPP.bits("SegmentNumber", 28*8, 32, note("DATA: from 1; ACK: last one received in order"))
	RMPPPayloadLength = RMPP.bits("PayloadLength", 32*8, 32, note("DATA, first: 20 bytes a segment and all data, or 0; last: what it holds and 20"))
	RMPPNewWindowLast = RMPP.bits("NewWindowLast", 32*8, 32, union, note("ACK: last segment that may be sent"))
)

// The types of RMPP datagrams.
const (
	RMPPTypeNone  = 0
	RMPPTypeData  = 1
	RMPPTypeAck   = 2
	RMPPTypeStop  = 3
	RMPPTypeAbort = 4
)

var rmppTypes = inOrder("none", "DATA", "ACK", "STOP", "ABORT")

// The bits of RMPPFlags.
const (
	RMPPActive = 1 << 0
	RMPPFirst  = 1 << 1
	RMPPLast   = 1 << 2
)

var rmppFlags = inOrder("Active", "First", "Last")

// The values of RMPPStatus.
const (
	RMPPStatusOK             = 0
	RMPPStatusNoResources    = 1
	RMPPStatusTooLong        = 118
	RMPPStatusBadLength      = 119
	RMPPStatusBadSegment     = 120
	RMPPStatusBadType        = 121
	RMPPStatusWindowTooSmall = 122
	RMPPStatusSegmentTooBig  = 123
	RMPPStatusIllegalStatus  = 124
	RMPPStatusBadVersion     = 125
	RMPPStatusTooManyRetries = 126
	RMPPStatusUnspecified    = 127
	RMPPRespTimeNone         = 0x1F
	RMPPSegmentData          = Size - saData // data bytes of an SA segment
	RMPPSegmentOverhead      = 20            // bytes a segment that PayloadLength includes
	saData                   = 56
)

var rmppStatuses = inOrder([]string{
	RMPPStatusOK: "ok", RMPPStatusNoResources: "no resources", RMPPStatusTooLong: "total time too long",
	RMPPStatusBadLength: "bad payload length", RMPPStatusBadSegment: "bad segment number",
	RMPPStatusBadType: "bad type", RMPPStatusWindowTooSmall: "window too small",
	RMPPStatusSegmentTooBig: "segment number too big", RMPPStatusIllegalStatus: "illegal status",
	RMPPStatusBadVersion: "unsupported version", RMPPStatusTooManyRetries: "too many retries",
	RMPPStatusUnspecified: "unspecified",
}...)

// SAHeader follows the RMPP header of an SA datagram.
var (
	SAHeader                = newLayout("SAHeader", saData, "15.2.1.1")
	SAHeaderSMKey           = SAHeader.bits("SM_Key", 36*8, 64, hex)
	SAHeaderAttributeOffset = SAHeader.bits("AttributeOffset", 44*8, 16, note("from record to record, in units of 8 bytes"))
	SAHeaderComponentMask   = SAHeader.bits("ComponentMask", 48*8, 64, hex)
)

// The attributes of subnet administration (15.2.5).
const (
	AttrClassPortInfo                  AttrID = 0x0001 // of every class
	AttrInformInfo                     AttrID = 0x0003
	AttrNodeRecord                     AttrID = 0x0011
	AttrPortInfoRecord                 AttrID = 0x0012
	AttrSLtoVLMappingTableRecord       AttrID = 0x0013
	AttrSwitchInfoRecord               AttrID = 0x0014
	AttrLinearForwardingTableRecord    AttrID = 0x0015
	AttrRandomForwardingTableRecord    AttrID = 0x0016
	AttrMulticastForwardingTableRecord AttrID = 0x0017
	AttrSMInfoRecord                   AttrID = 0x0018
	AttrLinkRecord                     AttrID = 0x0020
	AttrGUIDInfoRecord                 AttrID = 0x0030
	AttrServiceRecord                  AttrID = 0x0031
	AttrPKeyTableRecord                AttrID = 0x0033
	AttrPathRecord                     AttrID = 0x0035
	AttrVLArbitrationTableRecord       AttrID = 0x0036
	AttrMCMemberRecord                 AttrID = 0x0038
	AttrTraceRecord                    AttrID = 0x0039
	AttrMultiPathRecord                AttrID = 0x003A // answered by PathRecords
	AttrServiceAssociationRecord       AttrID = 0x003B
	AttrInformInfoRecord               AttrID = 0x00F3
)

// RecordSize returns the distance between records in a table: the layout's size, padded to units of
// 8 bytes.
func (l *Layout) RecordSize() int { return (l.Size + 7) &^ 7 }

// Records returns the size of a record from the datagram's AttributeOffset, and the number of
// records that fit into the datagram. Without an RMPP header, a single datagram of a table does not
// tell more; a whole RMPP message ends with its last record.
func (d Datagram) Records() (size, n int) {
	size = int(SAHeaderAttributeOffset.Get(d)) * 8
	if size == 0 {
		return 0, 0
	}
	return size, (len(d) - saData) / size
}

// isData reports whether the RMPP header is that of a DATA segment.
func (d Datagram) isData() bool {
	return RMPPFlags.Get(d)&RMPPActive != 0 && RMPPType.Get(d) == RMPPTypeData
}

// MessageLength returns the length, with headers, of the whole RMPP message that starts with the SA
// datagram d. It is 0 if d is not the first segment, or if its length is open or impossible.
func (d Datagram) MessageLength() int {
	if !d.isData() || RMPPFlags.Get(d)&RMPPFirst == 0 {
		return 0
	}
	const segment = RMPPSegmentOverhead + RMPPSegmentData
	payload := int(RMPPPayloadLength.Get(d))
	whole, rest := payload/segment, payload%segment
	single := payload <= segment
	if payload == 0 || rest > 0 && rest < RMPPSegmentOverhead || RMPPFlags.Get(d)&RMPPLast != 0 && !single {
		return 0
	}
	return saData + whole*RMPPSegmentData + max(0, rest-RMPPSegmentOverhead)
}

// PutSegment writes the RMPP header of DATA segment n, from 1 on, of a message with total bytes of
// data. The segment carries the data from..to-1.
func (d Datagram) PutSegment(n, total int) (from, to int) {
	from = min((n-1)*RMPPSegmentData, total)
	to = min(from+RMPPSegmentData, total)
	flags, length := uint64(RMPPActive), 0
	if to == total {
		flags |= RMPPLast
		length = to - from + RMPPSegmentOverhead
	}
	if n == 1 {
		flags |= RMPPFirst
		segments := max(1, (total+RMPPSegmentData-1)/RMPPSegmentData)
		length = total + segments*RMPPSegmentOverhead
	}
	d.putRMPP(RMPPTypeData, flags, uint64(n), uint64(length))
	return from, to
}

// PutNoRMPP clears the RMPP header of a datagram that is a message by itself.
func (d Datagram) PutNoRMPP() { clear(d[Header.Size:RMPP.Size]) }

// PutAck writes an RMPP header that acknowledges the segments up to last and allows the ones up to
// window.
func (d Datagram) PutAck(last, window int) {
	d.putRMPP(RMPPTypeAck, RMPPActive, uint64(last), uint64(window))
}

func (d Datagram) putRMPP(kind, flags, data1, data2 uint64) {
	RMPPVersion.Put(d, 1)
	RMPPType.Put(d, kind)
	RMPPRespTime.Put(d, 0)
	RMPPFlags.Put(d, flags)
	RMPPStatus.Put(d, RMPPStatusOK)
	RMPPSegmentNumber.Put(d, data1)
	RMPPPayloadLength.Put(d, data2)
}
