package mad

// ClassPortInfo describes the services of a management class at a port; SA and PerfMgt use the same
// attribute. Some bits of CapabilityMask have other names in PerfMgt; the names here are the SA's.
var (
	ClassPortInfo                = newAttribute(ClassSA, AttrClassPortInfo, "ClassPortInfo", 72, "13.4.8.1").as(ClassPerf, AttrClassPortInfo).as(ClassCC, AttrClassPortInfo)
	ClassPortInfoBaseVersion     = ClassPortInfo.bits("BaseVersion", 0*8, 8)
	ClassPortInfoClassVersion    = ClassPortInfo.bits("ClassVersion", 1*8, 8)
	ClassPortInfoCapabilityMask  = ClassPortInfo.bits("CapabilityMask", 2*8, 16, hex, note("the bits are the class's: SACap*, PerfCap*"))
	ClassPortInfoCapabilityMask2 = ClassPortInfo.bits("CapabilityMask2", 4*8, 27, hex, note("the bits are the class's: SACap2*, PerfCap2*"))
	ClassPortInfoRespTimeValue   = ClassPortInfo.bits("RespTimeValue", 7*8+3, 5, note("4.096 us * 2^v"))
	ClassPortInfoRedirectGID     = ClassPortInfo.bytes("RedirectGID", 8, 16, gid)
	ClassPortInfoRedirectTC      = ClassPortInfo.bits("RedirectTC", 24*8, 8)
	ClassPortInfoRedirectSL      = ClassPortInfo.bits("RedirectSL", 25*8, 4)
	ClassPortInfoRedirectFL      = ClassPortInfo.bits("RedirectFL", 25*8+4, 20, hex)
	ClassPortInfoRedirectLID     = ClassPortInfo.bits("RedirectLID", 28*8, 16)
	ClassPortInfoRedirectPKey    = ClassPortInfo.bits("RedirectP_Key", 30*8, 16, hex)
	ClassPortInfoRedirectQP      = ClassPortInfo.bits("RedirectQP", 33*8, 24)
	ClassPortInfoRedirectQKey    = ClassPortInfo.bits("RedirectQ_Key", 36*8, 32, hex)
	ClassPortInfoTrapGID         = ClassPortInfo.bytes("TrapGID", 40, 16, gid)
	ClassPortInfoTrapTC          = ClassPortInfo.bits("TrapTC", 56*8, 8)
	ClassPortInfoTrapSL          = ClassPortInfo.bits("TrapSL", 57*8, 4)
	ClassPortInfoTrapFL          = ClassPortInfo.bits("TrapFL", 57*8+4, 20, hex)
	ClassPortInfoTrapLID         = ClassPortInfo.bits("TrapLID", 60*8, 16)
	ClassPortInfoTrapPKey        = ClassPortInfo.bits("TrapP_Key", 62*8, 16, hex)
	ClassPortInfoTrapHL          = ClassPortInfo.bits("TrapHL", 64*8, 8)
	ClassPortInfoTrapQP          = ClassPortInfo.bits("TrapQP", 65*8, 24)
	ClassPortInfoTrapQKey        = ClassPortInfo.bits("TrapQ_Key", 68*8, 32, hex)
)

// Bits of ClassPortInfo's CapabilityMask and CapabilityMask2 for the SA.
const (
	SACapTraps                = 1 << 0
	SACapGetSetNotice         = 1 << 1
	SACapOptionalRecords      = 1 << 8
	SACapUDMulticast          = 1 << 9
	SACapMultiPath            = 1 << 10
	SACapReinit               = 1 << 11
	SACapPortInfoMatch        = 1 << 13 // a query may ask for all bits of a CapabilityMask
	SACap2QoS                 = 1 << 1
	SACap2ReversePathPKey     = 1 << 2
	SACap2MulticastFDBTop     = 1 << 3
	SACap2Hierarchy           = 1 << 4
	SACap2AliasGUIDs          = 1 << 5
	SACap2FullPortInfoRecord  = 1 << 6
	SACap2ExtendedSpeeds      = 1 << 7
	SACap2MulticastServiceRec = 1 << 8
	SACap2CapMask2Match       = 1 << 10
	SACap2SendOnlyFullMember  = 1 << 12
	SACap2LinkWidth2x         = 1 << 13
	SACap2LinkSpeedHDR        = 1 << 15
	SACap2LinkSpeedNDR        = 1 << 17
)

// Bits of ClassPortInfo's CapabilityMask and CapabilityMask2 for PerfMgt.
const (
	PerfCapAllPortSelect    = 1 << 8
	PerfCapExtendedCounters = 1 << 9
	PerfCapExtendedNoIETF   = 1 << 10 // no unicast and multicast counters
	PerfCapXmitWait         = 1 << 12
	PerfCapQP1Drop          = 1 << 15
	PerfCap2ExtendedErrors  = 1 << 1
)
