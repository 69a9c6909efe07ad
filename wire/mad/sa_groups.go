package mad

// MCMemberRecord is a multicast group, or a member of it. Join is Set with MGID, PortGID and
// JoinState; leave is Delete with the same.
var (
	MCMemberRecord                       = newAttribute(ClassSA, AttrMCMemberRecord, "MCMemberRecord", 52, "15.2.5.17")
	MCMemberRecordMGID                   = MCMemberRecord.bytes("MGID", 0, 16, gid, comp(0))
	MCMemberRecordPortGID                = MCMemberRecord.bytes("PortGID", 16, 16, gid, comp(1))
	MCMemberRecordQKey                   = MCMemberRecord.bits("Q_Key", 32*8, 32, hex, comp(2))
	MCMemberRecordMLID                   = MCMemberRecord.bits("MLID", 36*8, 16, hex, comp(3))
	MCMemberRecordMtuSelector            = MCMemberRecord.bits("MtuSelector", 38*8, 2, enum(selectors...), comp(4))
	MCMemberRecordMtu                    = MCMemberRecord.bits("Mtu", 38*8+2, 6, enum(mtus...), comp(5))
	MCMemberRecordTClass                 = MCMemberRecord.bits("TClass", 39*8, 8, comp(6))
	MCMemberRecordPKey                   = MCMemberRecord.bits("P_Key", 40*8, 16, hex, comp(7))
	MCMemberRecordRateSelector           = MCMemberRecord.bits("RateSelector", 42*8, 2, enum(selectors...), comp(8))
	MCMemberRecordRate                   = MCMemberRecord.bits("Rate", 42*8+2, 6, enum(rateNames...), comp(9))
	MCMemberRecordPacketLifeTimeSelector = MCMemberRecord.bits("PacketLifeTimeSelector", 43*8, 2, enum(selectors...), comp(10))
	MCMemberRecordPacketLifeTime         = MCMemberRecord.bits("PacketLifeTime", 43*8+2, 6, comp(11))
	MCMemberRecordSL                     = MCMemberRecord.bits("SL", 44*8, 4, comp(12))
	MCMemberRecordFlowLabel              = MCMemberRecord.bits("FlowLabel", 44*8+4, 20, hex, comp(13))
	MCMemberRecordHopLimit               = MCMemberRecord.bits("HopLimit", 47*8, 8, comp(14))
	MCMemberRecordScope                  = MCMemberRecord.bits("Scope", 48*8, 4, comp(15))
	MCMemberRecordJoinState              = MCMemberRecord.bits("JoinState", 48*8+4, 4, flags(joinStates...), comp(16))
	MCMemberRecordProxyJoin              = MCMemberRecord.bits("ProxyJoin", 49*8, 1, comp(17))
)

// The bits of JoinState.
const (
	JoinFull         = 1 << 0
	JoinNon          = 1 << 1
	JoinSendOnlyNon  = 1 << 2
	JoinSendOnlyFull = 1 << 3
)

// Services, and subscriptions to traps.
var (
	joinStates = inOrder("full", "non", "send-only non", "send-only full")

	// ServiceRecord is a service that a port offers, for others to find.
	ServiceRecord       = newAttribute(ClassSA, AttrServiceRecord, "ServiceRecord", 176, "15.2.5.14")
	ServiceRecordID     = ServiceRecord.bits("ServiceID", 0*8, 64, hex, comp(0))
	ServiceRecordGID    = ServiceRecord.bytes("ServiceGID", 8, 16, gid, comp(1))
	ServiceRecordPKey   = ServiceRecord.bits("ServiceP_Key", 24*8, 16, hex, comp(2))
	ServiceRecordLease  = ServiceRecord.bits("ServiceLease", 28*8, 32, comp(4), note("seconds; 0xffffffff for ever"))
	ServiceRecordKey    = ServiceRecord.bytes("ServiceKey", 32, 16, hexBytes, comp(5))
	ServiceRecordName   = ServiceRecord.bytes("ServiceName", 48, 64, text, comp(6))
	ServiceRecordData8  = ServiceRecord.array("ServiceData8", 112*8, 8, 16, 8, hex, comps(7, 16))
	ServiceRecordData16 = ServiceRecord.array("ServiceData16", 128*8, 16, 8, 16, hex, comps(23, 8))
	ServiceRecordData32 = ServiceRecord.array("ServiceData32", 144*8, 32, 4, 32, hex, comps(31, 4))
	ServiceRecordData64 = ServiceRecord.array("ServiceData64", 160*8, 64, 2, 64, hex, comps(35, 2))

	// ServiceAssociationRecord holds the names of the services under a key.
	ServiceAssociationRecord     = newAttribute(ClassSA, AttrServiceAssociationRecord, "ServiceAssociationRecord", 80, "15.2.5.15")
	ServiceAssociationRecordKey  = ServiceAssociationRecord.bytes("ServiceKey", 0, 16, hexBytes, comp(0))
	ServiceAssociationRecordName = ServiceAssociationRecord.bytes("ServiceName", 16, 64, text, comp(1))

	// InformInfo subscribes to traps and ends subscriptions: Set, answered by GetResp. Ending one
	// requires the QPN that began it.
	InformInfo              = newAttribute(ClassSA, AttrInformInfo, "InformInfo", 36, "13.4.8.3")
	InformInfoGID           = InformInfo.bytes("GID", 0, 16, gid, note("0: the LID range counts"))
	InformInfoLIDRangeBegin = InformInfo.bits("LIDRangeBegin", 16*8, 16, hex, note("0xffff: all"))
	InformInfoLIDRangeEnd   = InformInfo.bits("LIDRangeEnd", 18*8, 16, hex)
	InformInfoIsGeneric     = InformInfo.bits("IsGeneric", 22*8, 8)
	InformInfoSubscribe     = InformInfo.bits("Subscribe", 23*8, 8)
	InformInfoType          = InformInfo.bits("Type", 24*8, 16, hex, note("0xffff: all"))
	InformInfoTrapNumber    = InformInfo.bits("TrapNumber", 26*8, 16, hex, note("or DeviceID; 0xffff: all"))
	InformInfoQPN           = InformInfo.bits("QPN", 28*8, 24, hex)
	InformInfoRespTimeValue = InformInfo.bits("RespTimeValue", 31*8+3, 5, note("4.096 us * 2^v"))
	InformInfoProducerType  = InformInfo.bits("ProducerType", 33*8, 24, hex, note("or VendorID; 0xffffff: all"))

	// InformInfoRecord is a subscription.
	InformInfoRecord              = newAttribute(ClassSA, AttrInformInfoRecord, "InformInfoRecord", 60, "15.2.5.12")
	InformInfoRecordSubscriberGID = InformInfoRecord.bytes("SubscriberGID", 0, 16, gid, comp(0))
	InformInfoRecordEnum          = InformInfoRecord.bits("Enum", 16*8, 16, comp(1))
	InformInfoRecordInformInfo    = InformInfoRecord.part("InformInfo", 24, InformInfo,
		inner(3, InformInfoGID, InformInfoLIDRangeBegin, InformInfoLIDRangeEnd),
		inner(7, InformInfoIsGeneric, InformInfoSubscribe, InformInfoType, InformInfoTrapNumber, InformInfoQPN),
		inner(13, InformInfoRespTimeValue),
		inner(15, InformInfoProducerType))
)
