package mad

// Constants of the tables.
const (
	DefaultPKey = 0xFFFF  // full member of the default partition
	PKeyFull    = 1 << 15 // the membership bit of a P_Key
	LFTBlock    = 64      // LIDs in a block of LinearForwardingTable
	MFTBlock    = 32      // MLIDs in a block of MulticastForwardingTable
)

// The tables of switches and ports, which are read and written in blocks.
var (
	// PKeyTable is a block of 32 partition keys of a port.
	PKeyTable     = newAttribute(ClassSMP, AttrPKeyTable, "P_KeyTable", 64, "14.2.5.7")
	PKeyTablePKey = PKeyTable.array("P_Key", 0, 16, 32, 16, hex, note("bit 15: full member"))

	// SLtoVLMappingTable holds the outgoing VL by SL, for one pair of input and output port.
	SLtoVLMappingTable   = newAttribute(ClassSMP, AttrSLtoVLMappingTable, "SLtoVLMappingTable", 8, "14.2.5.8")
	SLtoVLMappingTableVL = SLtoVLMappingTable.array("VL", 0, 4, 16, 4, note("by SL; 15 drops the packet"))

	// VLArbitrationTable is a block of 32 entries of a port's arbiter.
	VLArbitrationTable       = newAttribute(ClassSMP, AttrVLArbitrationTable, "VLArbitrationTable", 64, "14.2.5.9")
	VLArbitrationTableVL     = VLArbitrationTable.array("VL", 4, 4, 32, 16)
	VLArbitrationTableWeight = VLArbitrationTable.array("Weight", 8, 8, 32, 16, note("in units of 64 bytes"))

	// LinearForwardingTable holds the egress port by LID, a block of 64: the LID is 64*block + i.
	LinearForwardingTable     = newAttribute(ClassSMP, AttrLinearForwardingTable, "LinearForwardingTable", 64, "14.2.5.10")
	LinearForwardingTablePort = LinearForwardingTable.array("Port", 0, 8, LFTBlock, 8, note("255: unreachable"))

	// RandomForwardingTable is a block of 16 entries with their LIDs.
	RandomForwardingTable      = newAttribute(ClassSMP, AttrRandomForwardingTable, "RandomForwardingTable", 64, "14.2.5.11")
	RandomForwardingTableLID   = RandomForwardingTable.array("LID", 0, 16, 16, 32)
	RandomForwardingTableValid = RandomForwardingTable.array("Valid", 16, 1, 16, 32)
	RandomForwardingTableLMC   = RandomForwardingTable.array("LMC", 17, 3, 16, 32)
	RandomForwardingTablePort  = RandomForwardingTable.array("Port", 24, 8, 16, 32)

	// MulticastForwardingTable is a mask of 16 egress ports by MLID, a block of 32: bit b is port
	// 16*position + b, the MLID is 0xC000 + 32*block + i.
	MulticastForwardingTable     = newAttribute(ClassSMP, AttrMulticastForwardingTable, "MulticastForwardingTable", 64, "14.2.5.12")
	MulticastForwardingTablePort = MulticastForwardingTable.array("PortMask", 0, 16, MFTBlock, 16, hex)
)
