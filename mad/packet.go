package mad

// The headers of the packet that carries a datagram. umad and ibsim do not show
// them; a simulator of packets needs them.

// LRH is the local route header.
var (
	LRH       = newLayout("LRH", 8, "7.7")
	LRHVL     = LRH.bits("VL", 0, 4, note("15 for subnet management"))
	LRHLVer   = LRH.bits("LVer", 4, 4)
	LRHSL     = LRH.bits("SL", 1*8, 4)
	LRHLNH    = LRH.bits("LNH", 1*8+6, 2, enum(named{2, "local"}, named{3, "GRH follows"}))
	LRHDLID   = LRH.bits("DLID", 2*8, 16)
	LRHPktLen = LRH.bits("PktLen", 4*8+5, 11, note("in words of 4 bytes"))
	LRHSLID   = LRH.bits("SLID", 6*8, 16)
)

// GRH is the global route header.
var (
	GRH          = newLayout("GRH", 40, "8.3")
	GRHIPVer     = GRH.bits("IPVer", 0, 4, note("6"))
	GRHTClass    = GRH.bits("TClass", 4, 8)
	GRHFlowLabel = GRH.bits("FlowLabel", 12, 20, hex)
	GRHPayLen    = GRH.bits("PayLen", 4*8, 16)
	GRHNxtHdr    = GRH.bits("NxtHdr", 6*8, 8, hex, note("0x1b"))
	GRHHopLmt    = GRH.bits("HopLmt", 7*8, 8)
	GRHSGID      = GRH.bytes("SGID", 8, 16, gid)
	GRHDGID      = GRH.bytes("DGID", 24, 16, gid)
)

// BTH is the base transport header.
var (
	BTH       = newLayout("BTH", 12, "9.2")
	BTHOpCode = BTH.bits("OpCode", 0*8, 8, hex, enum(named{0x64, "UD send only"}))
	BTHSE     = BTH.bits("SE", 1*8, 1)
	BTHM      = BTH.bits("M", 1*8+1, 1)
	BTHPadCnt = BTH.bits("PadCnt", 1*8+2, 2)
	BTHTVer   = BTH.bits("TVer", 1*8+4, 4)
	BTHPKey   = BTH.bits("P_Key", 2*8, 16, hex)
	BTHDestQP = BTH.bits("DestQP", 5*8, 24)
	BTHA      = BTH.bits("A", 8*8, 1)
	BTHPSN    = BTH.bits("PSN", 9*8, 24)
)

// DETH is the datagram extended transport header.
var (
	DETH      = newLayout("DETH", 8, "9.3.2")
	DETHQKey  = DETH.bits("Q_Key", 0*8, 32, hex)
	DETHSrcQP = DETH.bits("SrcQP", 5*8, 24)
)

// Numbers that every packet of management knows.
const (
	QP1QKey     = 0x80010000 // Q_Key of QP1
	DefaultPKey = 0xFFFF     // full member of the default partition
	PKeyFull    = 1 << 15    // the membership bit of a P_Key
)
