package mad

// PKeyTable is a block of 32 partition keys of a port.
var (
	PKeyTable     = newLayout("P_KeyTable", 64, "14.2.5.7")
	PKeyTablePKey = PKeyTable.array("P_Key", 0, 16, 32, 16, hex, note("bit 15: full member"))
)

// SLtoVLMappingTable is the VL that a packet leaves on, by SL, for one pair of
// input and output port.
var (
	SLtoVLMappingTable   = newLayout("SLtoVLMappingTable", 8, "14.2.5.8")
	SLtoVLMappingTableVL = SLtoVLMappingTable.array("VL", 0, 4, 16, 4, note("by SL; 15 drops the packet"))
)

// VLArbitrationTable is a block of 32 turns of a port's arbiter.
var (
	VLArbitrationTable       = newLayout("VLArbitrationTable", 64, "14.2.5.9")
	VLArbitrationTableVL     = VLArbitrationTable.array("VL", 4, 4, 32, 16)
	VLArbitrationTableWeight = VLArbitrationTable.array("Weight", 8, 8, 32, 16, note("in units of 64 bytes"))
)

// LFTBlock is the number of LIDs in a block of LinearForwardingTable.
const LFTBlock = 64

// LinearForwardingTable is the egress port by LID, a block of 64: the LID is
// 64*block + i.
var (
	LinearForwardingTable     = newLayout("LinearForwardingTable", 64, "14.2.5.10")
	LinearForwardingTablePort = LinearForwardingTable.array("Port", 0, 8, LFTBlock, 8, note("255: unreachable"))
)

// RandomForwardingTable is a block of 16 entries that name their LID.
var (
	RandomForwardingTable      = newLayout("RandomForwardingTable", 64, "14.2.5.11")
	RandomForwardingTableLID   = RandomForwardingTable.array("LID", 0, 16, 16, 32)
	RandomForwardingTableValid = RandomForwardingTable.array("Valid", 16, 1, 16, 32)
	RandomForwardingTableLMC   = RandomForwardingTable.array("LMC", 17, 3, 16, 32)
	RandomForwardingTablePort  = RandomForwardingTable.array("Port", 24, 8, 16, 32)
)

// MFTBlock is the number of MLIDs in a block of MulticastForwardingTable.
const MFTBlock = 32

// MulticastForwardingTable is a mask of 16 egress ports by MLID, a block of 32:
// bit b is port 16*position + b, the MLID is 0xC000 + 32*block + i.
var (
	MulticastForwardingTable     = newLayout("MulticastForwardingTable", 64, "14.2.5.12")
	MulticastForwardingTablePort = MulticastForwardingTable.array("PortMask", 0, 16, MFTBlock, 16, hex)
)
