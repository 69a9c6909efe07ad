package mad

// PortCounters are the counters of a port. They stick at their maximum; data
// counts are in words of 4 bytes. Set writes the selected counters.
var (
	PortCounters                   = newLayout("PortCounters", 44, "16.1.3.5")
	PortCountersPortSelect         = PortCounters.bits("PortSelect", 1*8, 8, note("0xff: all ports"))
	PortCountersCounterSelect      = PortCounters.bits("CounterSelect", 2*8, 16, flags(counterBits...))
	PortCountersSymbolError        = PortCounters.bits("SymbolErrorCounter", 4*8, 16)
	PortCountersLinkErrorRecovery  = PortCounters.bits("LinkErrorRecoveryCounter", 6*8, 8)
	PortCountersLinkDowned         = PortCounters.bits("LinkDownedCounter", 7*8, 8)
	PortCountersRcvErrors          = PortCounters.bits("PortRcvErrors", 8*8, 16)
	PortCountersRcvRemotePhysical  = PortCounters.bits("PortRcvRemotePhysicalErrors", 10*8, 16)
	PortCountersRcvSwitchRelay     = PortCounters.bits("PortRcvSwitchRelayErrors", 12*8, 16)
	PortCountersXmitDiscards       = PortCounters.bits("PortXmitDiscards", 14*8, 16)
	PortCountersXmitConstraint     = PortCounters.bits("PortXmitConstraintErrors", 16*8, 8)
	PortCountersRcvConstraint      = PortCounters.bits("PortRcvConstraintErrors", 17*8, 8)
	PortCountersCounterSelect2     = PortCounters.bits("CounterSelect2", 18*8, 8, flags(named{0, "PortXmitWait"}))
	PortCountersLocalLinkIntegrity = PortCounters.bits("LocalLinkIntegrityErrors", 19*8, 4)
	PortCountersBufferOverrun      = PortCounters.bits("ExcessiveBufferOverrunErrors", 19*8+4, 4)
	PortCountersQP1Dropped         = PortCounters.bits("QP1Dropped", 20*8, 16)
	PortCountersVL15Dropped        = PortCounters.bits("VL15Dropped", 22*8, 16)
	PortCountersXmitData           = PortCounters.bits("PortXmitData", 24*8, 32)
	PortCountersRcvData            = PortCounters.bits("PortRcvData", 28*8, 32)
	PortCountersXmitPkts           = PortCounters.bits("PortXmitPkts", 32*8, 32)
	PortCountersRcvPkts            = PortCounters.bits("PortRcvPkts", 36*8, 32)
	PortCountersXmitWait           = PortCounters.bits("PortXmitWait", 40*8, 32)
)

// The bits of CounterSelect, one a counter.
const (
	SelectSymbolError = 1 << iota
	SelectLinkErrorRecovery
	SelectLinkDowned
	SelectRcvErrors
	SelectRcvRemotePhysical
	SelectRcvSwitchRelay
	SelectXmitDiscards
	SelectXmitConstraint
	SelectRcvConstraint
	SelectLocalLinkIntegrity
	SelectBufferOverrun
	SelectVL15Dropped
	SelectXmitData
	SelectRcvData
	SelectXmitPkts
	SelectRcvPkts
)

var counterBits = inOrder(
	"SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors",
	"PortRcvRemotePhysicalErrors", "PortRcvSwitchRelayErrors", "PortXmitDiscards",
	"PortXmitConstraintErrors", "PortRcvConstraintErrors", "LocalLinkIntegrityErrors",
	"ExcessiveBufferOverrunErrors", "VL15Dropped", "PortXmitData", "PortRcvData", "PortXmitPkts",
	"PortRcvPkts",
)

// PortCountersExtended are 64-bit counters. Devices without the additional
// error counters leave those from SymbolError on at 0.
var (
	PortCountersExtended                   = newLayout("PortCountersExtended", 184, "16.1.4")
	PortCountersExtendedPortSelect         = PortCountersExtended.bits("PortSelect", 1*8, 8, note("0xff: all ports"))
	PortCountersExtendedCounterSelect      = PortCountersExtended.bits("CounterSelect", 2*8, 16, flags(extendedBits...))
	PortCountersExtendedCounterSelect2     = PortCountersExtended.bits("CounterSelect2", 4*8, 32, hex)
	PortCountersExtendedXmitData           = PortCountersExtended.bits("PortXmitData", 8*8, 64)
	PortCountersExtendedRcvData            = PortCountersExtended.bits("PortRcvData", 16*8, 64)
	PortCountersExtendedXmitPkts           = PortCountersExtended.bits("PortXmitPkts", 24*8, 64)
	PortCountersExtendedRcvPkts            = PortCountersExtended.bits("PortRcvPkts", 32*8, 64)
	PortCountersExtendedUnicastXmit        = PortCountersExtended.bits("PortUnicastXmitPkts", 40*8, 64)
	PortCountersExtendedUnicastRcv         = PortCountersExtended.bits("PortUnicastRcvPkts", 48*8, 64)
	PortCountersExtendedMulticastXmit      = PortCountersExtended.bits("PortMulticastXmitPkts", 56*8, 64)
	PortCountersExtendedMulticastRcv       = PortCountersExtended.bits("PortMulticastRcvPkts", 64*8, 64)
	PortCountersExtendedSymbolError        = PortCountersExtended.bits("SymbolErrorCounter", 72*8, 64)
	PortCountersExtendedLinkErrorRecovery  = PortCountersExtended.bits("LinkErrorRecoveryCounter", 80*8, 64)
	PortCountersExtendedLinkDowned         = PortCountersExtended.bits("LinkDownedCounter", 88*8, 64)
	PortCountersExtendedRcvErrors          = PortCountersExtended.bits("PortRcvErrors", 96*8, 64)
	PortCountersExtendedRcvRemotePhysical  = PortCountersExtended.bits("PortRcvRemotePhysicalErrors", 104*8, 64)
	PortCountersExtendedRcvSwitchRelay     = PortCountersExtended.bits("PortRcvSwitchRelayErrors", 112*8, 64)
	PortCountersExtendedXmitDiscards       = PortCountersExtended.bits("PortXmitDiscards", 120*8, 64)
	PortCountersExtendedXmitConstraint     = PortCountersExtended.bits("PortXmitConstraintErrors", 128*8, 64)
	PortCountersExtendedRcvConstraint      = PortCountersExtended.bits("PortRcvConstraintErrors", 136*8, 64)
	PortCountersExtendedLocalLinkIntegrity = PortCountersExtended.bits("LocalLinkIntegrityErrors", 144*8, 64)
	PortCountersExtendedBufferOverrun      = PortCountersExtended.bits("ExcessiveBufferOverrunErrors", 152*8, 64)
	PortCountersExtendedVL15Dropped        = PortCountersExtended.bits("VL15Dropped", 160*8, 64)
	PortCountersExtendedXmitWait           = PortCountersExtended.bits("PortXmitWait", 168*8, 64)
	PortCountersExtendedQP1Dropped         = PortCountersExtended.bits("QP1Dropped", 176*8, 64)
)

var extendedBits = inOrder(
	"PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortUnicastXmitPkts",
	"PortUnicastRcvPkts", "PortMulticastXmitPkts", "PortMulticastRcvPkts",
)
