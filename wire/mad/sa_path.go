package mad

// PathRecord is a path from one end port to another. Answers have selector 2 for mtu, rate and life
// time; they are enumerated by pair of SLID and DLID.
var (
	PathRecord                       = newAttribute(ClassSA, AttrPathRecord, "PathRecord", 64, "15.2.5.16")
	PathRecordServiceID              = PathRecord.bits("ServiceID", 0*8, 64, hex, comp(0, 1))
	PathRecordDGID                   = PathRecord.bytes("DGID", 8, 16, gid, comp(2))
	PathRecordSGID                   = PathRecord.bytes("SGID", 24, 16, gid, comp(3))
	PathRecordDLID                   = PathRecord.bits("DLID", 40*8, 16, comp(4))
	PathRecordSLID                   = PathRecord.bits("SLID", 42*8, 16, comp(5))
	PathRecordRawTraffic             = PathRecord.bits("RawTraffic", 44*8, 1, comp(6))
	PathRecordFlowLabel              = PathRecord.bits("FlowLabel", 44*8+4, 20, hex, comp(8))
	PathRecordHopLimit               = PathRecord.bits("HopLimit", 47*8, 8, comp(9))
	PathRecordTClass                 = PathRecord.bits("TClass", 48*8, 8, comp(10))
	PathRecordReversible             = PathRecord.bits("Reversible", 49*8, 1, comp(11))
	PathRecordNumbPath               = PathRecord.bits("NumbPath", 49*8+1, 7, comp(12))
	PathRecordPKey                   = PathRecord.bits("P_Key", 50*8, 16, hex, comp(13))
	PathRecordQoSClass               = PathRecord.bits("QoSClass", 52*8, 12, comp(14))
	PathRecordSL                     = PathRecord.bits("SL", 53*8+4, 4, comp(15))
	PathRecordMtuSelector            = PathRecord.bits("MtuSelector", 54*8, 2, enum(selectors...), comp(16))
	PathRecordMtu                    = PathRecord.bits("Mtu", 54*8+2, 6, enum(mtus...), comp(17))
	PathRecordRateSelector           = PathRecord.bits("RateSelector", 55*8, 2, enum(selectors...), comp(18))
	PathRecordRate                   = PathRecord.bits("Rate", 55*8+2, 6, enum(rateNames...), comp(19))
	PathRecordPacketLifeTimeSelector = PathRecord.bits("PacketLifeTimeSelector", 56*8, 2, enum(selectors...), comp(20))
	PathRecordPacketLifeTime         = PathRecord.bits("PacketLifeTime", 56*8+2, 6, comp(21), note("4.096 us * 2^v"))
	PathRecordPreference             = PathRecord.bits("Preference", 57*8, 8)
)

// The selectors of mtu, rate and life time in a query.
const (
	SelectGreater = 0
	SelectLess    = 1
	SelectExactly = 2
	SelectLargest = 3
)

// Queries for several paths.
var (
	selectors = inOrder("greater than", "less than", "exactly", "largest available")

	// MultiPathRecord asks for paths between several ports: SGIDCount and then DGIDCount GIDs
	// follow it. The answers are PathRecords.
	MultiPathRecord                       = newAttribute(ClassSA, AttrMultiPathRecord, "MultiPathRecord", 24, "15.2.5.20")
	MultiPathRecordRawTraffic             = MultiPathRecord.bits("RawTraffic", 0, 1, comp(0))
	MultiPathRecordFlowLabel              = MultiPathRecord.bits("FlowLabel", 4, 20, hex, comp(2))
	MultiPathRecordHopLimit               = MultiPathRecord.bits("HopLimit", 3*8, 8, comp(3))
	MultiPathRecordTClass                 = MultiPathRecord.bits("TClass", 4*8, 8, comp(4))
	MultiPathRecordReversible             = MultiPathRecord.bits("Reversible", 5*8, 1, comp(5))
	MultiPathRecordNumbPath               = MultiPathRecord.bits("NumbPath", 5*8+1, 7, comp(6))
	MultiPathRecordPKey                   = MultiPathRecord.bits("P_Key", 6*8, 16, hex, comp(7))
	MultiPathRecordQoSClass               = MultiPathRecord.bits("QoSClass", 8*8, 12, comp(8))
	MultiPathRecordSL                     = MultiPathRecord.bits("SL", 9*8+4, 4, comp(9))
	MultiPathRecordMtuSelector            = MultiPathRecord.bits("MtuSelector", 10*8, 2, enum(selectors...), comp(10))
	MultiPathRecordMtu                    = MultiPathRecord.bits("Mtu", 10*8+2, 6, enum(mtus...), comp(11))
	MultiPathRecordRateSelector           = MultiPathRecord.bits("RateSelector", 11*8, 2, enum(selectors...), comp(12))
	MultiPathRecordRate                   = MultiPathRecord.bits("Rate", 11*8+2, 6, enum(rateNames...), comp(13))
	MultiPathRecordPacketLifeTimeSelector = MultiPathRecord.bits("PacketLifeTimeSelector", 12*8, 2, enum(selectors...), comp(14))
	MultiPathRecordPacketLifeTime         = MultiPathRecord.bits("PacketLifeTime", 12*8+2, 6, comp(15))
	MultiPathRecordServiceIDHigh          = MultiPathRecord.bits("ServiceIDHigh", 13*8, 8, hex, comp(16), note("bits 63..56"))
	MultiPathRecordIndependence           = MultiPathRecord.bits("IndependenceSelector", 14*8, 2, comp(17))
	MultiPathRecordSGIDCount              = MultiPathRecord.bits("SGIDCount", 15*8, 8, comp(19))
	MultiPathRecordDGIDCount              = MultiPathRecord.bits("DGIDCount", 16*8, 8, comp(20))
	MultiPathRecordServiceIDLow           = MultiPathRecord.bits("ServiceIDLow", 17*8, 56, hex, comp(21), note("bits 55..0"))

	// MultiPathGID is one of the GIDs that follow a MultiPathRecord.
	MultiPathGID    = newLayout("MultiPathGID", 16, "15.2.5.20")
	MultiPathGIDGID = MultiPathGID.bytes("GID", 0, 16, gid)
)
