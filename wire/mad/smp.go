package mad

// SMP lies between the common header of a LID-routed SMP and its data.
var (
	SMP     = newLayout("SMP", Size, "14.2.1.1")
	SMPMKey = SMP.bits("M_Key", 24*8, 64, hex)
)

// DirectedSMP holds the fields of a directed-route SMP besides the common header and its data.
var (
	DirectedSMP            = newLayout("DirectedSMP", Size, "14.2.1.2")
	DirectedSMPDirection   = DirectedSMP.bits("D", 4*8, 1, note("1 on the way back"))
	DirectedSMPStatus      = DirectedSMP.bits("Status", 4*8+1, 15, hex)
	DirectedSMPHopPointer  = DirectedSMP.bits("HopPointer", 6*8, 8)
	DirectedSMPHopCount    = DirectedSMP.bits("HopCount", 7*8, 8)
	DirectedSMPMKey        = DirectedSMP.bits("M_Key", 24*8, 64, hex)
	DirectedSMPDrSLID      = DirectedSMP.bits("DrSLID", 32*8, 16, hex, note("0xffff: the route starts at the sender"))
	DirectedSMPDrDLID      = DirectedSMP.bits("DrDLID", 34*8, 16, hex, note("0xffff: the route ends at the receiver"))
	DirectedSMPInitialPath = DirectedSMP.bytes("InitialPath", 128, 64, path, note("element i: egress port of hop i; element 0 is unused"))
	DirectedSMPReturnPath  = DirectedSMP.bytes("ReturnPath", 192, 64, path, note("element i: ingress port of hop i"))
)

// MaxHops is the longest directed route.
const MaxHops = 63

// The attributes of subnet management (14.2.5).
const (
	AttrNotice                   AttrID = 0x0002
	AttrNodeDescription          AttrID = 0x0010
	AttrNodeInfo                 AttrID = 0x0011
	AttrSwitchInfo               AttrID = 0x0012
	AttrGUIDInfo                 AttrID = 0x0014
	AttrPortInfo                 AttrID = 0x0015
	AttrPKeyTable                AttrID = 0x0016
	AttrSLtoVLMappingTable       AttrID = 0x0017
	AttrVLArbitrationTable       AttrID = 0x0018
	AttrLinearForwardingTable    AttrID = 0x0019
	AttrRandomForwardingTable    AttrID = 0x001A
	AttrMulticastForwardingTable AttrID = 0x001B
	AttrSMInfo                   AttrID = 0x0020
	AttrVendorDiag               AttrID = 0x0030
	AttrLedInfo                  AttrID = 0x0031
	AttrPortInfoExtended         AttrID = 0x0033
	AttrExtendedPortInfo         AttrID = 0xFF90 // vendor: FDR10
	AttrSwitchRole               AttrID = 0xFF57 // vendor: weft's own
)

// PortModifier returns the modifier of PortInfo: the port (0 is the receiving port on a CA, the
// management port on a switch), and whether the SM understands extended speeds.
func PortModifier(port uint8, extendedSpeeds bool) uint32 {
	m := uint32(port)
	if extendedSpeeds {
		m |= 1 << 31
	}
	return m
}

// PKeyModifier returns the modifier of P_KeyTable: port (0 on a CA) and block of 32.
func PKeyModifier(port uint8, block uint16) uint32 { return uint32(port)<<16 | uint32(block) }

// SLtoVLModifier returns the modifier of SLtoVLMappingTable: input and output port of a switch;
// both 0 on a CA.
func SLtoVLModifier(in, out uint8) uint32 { return uint32(in)<<8 | uint32(out) }

// Modifiers of SLtoVLMappingTable that write one table for many ports at once, if SwitchInfo's
// OptimizedSLtoVLMapping allows it.
const (
	SLtoVLAllOutputs = 1 << 16
	SLtoVLAllInputs  = 1 << 17
)

// The blocks of VLArbitrationTable.
const (
	VLArbLowLower  = 1 // low priority, entries 0..31
	VLArbLowUpper  = 2 // low priority, entries 32..63
	VLArbHighLower = 3
	VLArbHighUpper = 4
)

// VLArbModifier returns the modifier of VLArbitrationTable: block and port (0 on a CA).
func VLArbModifier(block, port uint8) uint32 { return uint32(block)<<16 | uint32(port) }

// MFTModifier returns the modifier of MulticastForwardingTable: position of 16 ports and block of
// 32 MLIDs.
func MFTModifier(position uint8, block uint16) uint32 {
	return uint32(position)<<28 | uint32(block&0x1FF)
}

// Modifiers of Set(SMInfo): the requested transition (14.4.1).
const (
	SMSetHandover    = 1
	SMSetAcknowledge = 2
	SMSetDisable     = 3
	SMSetStandby     = 4
	SMSetDiscover    = 5
)
