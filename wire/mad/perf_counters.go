package mad

// The counters of a port. The number of the first sixteen is their bit in CounterSelect of
// PortCounters.
const (
	CounterSymbolError = iota
	CounterLinkErrorRecovery
	CounterLinkDowned
	CounterRcvErrors
	CounterRcvRemotePhysical
	CounterRcvSwitchRelay
	CounterXmitDiscards
	CounterXmitConstraint
	CounterRcvConstraint
	CounterLocalLinkIntegrity
	CounterBufferOverrun
	CounterVL15Dropped
	CounterXmitData
	CounterRcvData
	CounterXmitPkts
	CounterRcvPkts
	CounterXmitWait   // bit 0 of CounterSelect2
	CounterQP1Dropped // no bit selects it
	NumCounters
)

// PerfPortSelectAll is the PortSelect that selects all ports.
const PerfPortSelectAll = 0xFF

// The attributes of the mandatory counters.
var (
	// PortCounters holds the counters of a port. They stick at their maximum; data counts are in
	// words of 4 bytes. Set writes the selected counters.
	PortCounters               = newAttribute(ClassPerf, AttrPortCounters, "PortCounters", 44, "16.1.3.5")
	PortCountersPortSelect     = PortCounters.bits("PortSelect", 1*8, 8, note("0xff: all ports"))
	PortCountersCounterSelect  = PortCounters.bits("CounterSelect", 2*8, 16, flags(inOrder(fieldNames(PortCountersField[:16])...)...))
	PortCountersCounterSelect2 = PortCounters.bits("CounterSelect2", 18*8, 8, flags(named{0, "PortXmitWait"}))
	PortCountersField          = [NumCounters]Field{ // by counter
		CounterSymbolError:        PortCounters.bits("SymbolErrorCounter", 4*8, 16),
		CounterLinkErrorRecovery:  PortCounters.bits("LinkErrorRecoveryCounter", 6*8, 8),
		CounterLinkDowned:         PortCounters.bits("LinkDownedCounter", 7*8, 8),
		CounterRcvErrors:          PortCounters.bits("PortRcvErrors", 8*8, 16),
		CounterRcvRemotePhysical:  PortCounters.bits("PortRcvRemotePhysicalErrors", 10*8, 16),
		CounterRcvSwitchRelay:     PortCounters.bits("PortRcvSwitchRelayErrors", 12*8, 16),
		CounterXmitDiscards:       PortCounters.bits("PortXmitDiscards", 14*8, 16),
		CounterXmitConstraint:     PortCounters.bits("PortXmitConstraintErrors", 16*8, 8),
		CounterRcvConstraint:      PortCounters.bits("PortRcvConstraintErrors", 17*8, 8),
		CounterLocalLinkIntegrity: PortCounters.bits("LocalLinkIntegrityErrors", 19*8, 4),
		CounterBufferOverrun:      PortCounters.bits("ExcessiveBufferOverrunErrors", 19*8+4, 4),
		CounterVL15Dropped:        PortCounters.bits("VL15Dropped", 22*8, 16),
		CounterXmitData:           PortCounters.bits("PortXmitData", 24*8, 32),
		CounterRcvData:            PortCounters.bits("PortRcvData", 28*8, 32),
		CounterXmitPkts:           PortCounters.bits("PortXmitPkts", 32*8, 32),
		CounterRcvPkts:            PortCounters.bits("PortRcvPkts", 36*8, 32),
		CounterXmitWait:           PortCounters.bits("PortXmitWait", 40*8, 32),
		CounterQP1Dropped:         PortCounters.bits("QP1Dropped", 20*8, 16),
	}

	// PortCountersExtended holds 64-bit counters. Devices without the additional error counters
	// leave SymbolErrorCounter and later fields at 0. CounterSelect selects the first eight fields,
	// CounterSelect2 the others.
	PortCountersExtended               = newAttribute(ClassPerf, AttrPortCountersExtended, "PortCountersExtended", 184, "16.1.4")
	PortCountersExtendedPortSelect     = PortCountersExtended.bits("PortSelect", 1*8, 8, note("0xff: all ports"))
	PortCountersExtendedCounterSelect  = PortCountersExtended.bits("CounterSelect", 2*8, 16, flags(inOrder(fieldNames(PortCountersExtendedFields[:8])...)...))
	PortCountersExtendedCounterSelect2 = PortCountersExtended.bits("CounterSelect2", 4*8, 32, hex)
	PortCountersExtendedFields         = PortCountersExtended.run(8, 64,
		"PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortUnicastXmitPkts", "PortUnicastRcvPkts",
		"PortMulticastXmitPkts", "PortMulticastRcvPkts", "SymbolErrorCounter", "LinkErrorRecoveryCounter",
		"LinkDownedCounter", "PortRcvErrors", "PortRcvRemotePhysicalErrors", "PortRcvSwitchRelayErrors",
		"PortXmitDiscards", "PortXmitConstraintErrors", "PortRcvConstraintErrors", "LocalLinkIntegrityErrors",
		"ExcessiveBufferOverrunErrors", "VL15Dropped", "PortXmitWait", "QP1Dropped")
)
