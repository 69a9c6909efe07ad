package mad

// The attributes of performance management (16.1.3, 16.1.4).
const (
	AttrPortSamplesControl            AttrID = 0x0010
	AttrPortSamplesResult             AttrID = 0x0011
	AttrPortCounters                  AttrID = 0x0012
	AttrPortRcvErrorDetails           AttrID = 0x0015
	AttrPortXmitDiscardDetails        AttrID = 0x0016
	AttrPortOpRcvCounters             AttrID = 0x0017
	AttrPortFlowCtlCounters           AttrID = 0x0018
	AttrPortVLOpPackets               AttrID = 0x0019
	AttrPortVLOpData                  AttrID = 0x001A
	AttrPortVLXmitFlowCtlUpdateErrors AttrID = 0x001B
	AttrPortVLXmitWaitCounters        AttrID = 0x001C
	AttrPortCountersExtended          AttrID = 0x001D
	AttrPortXmitDataSL                AttrID = 0x0036
	AttrPortRcvDataSL                 AttrID = 0x0037
)

// The attributes besides the counters of PortCounters and PortCountersExtended.
var (
	// PortSamplesControl sets up the sampling of counters.
	PortSamplesControl                   = newAttribute(ClassPerf, AttrPortSamplesControl, "PortSamplesControl", 68, "16.1.3.2")
	PortSamplesControlOpCode             = PortSamplesControl.bits("OpCode", 0*8, 8, hex)
	PortSamplesControlPortSelect         = PortSamplesControl.bits("PortSelect", 1*8, 8)
	PortSamplesControlTick               = PortSamplesControl.bits("Tick", 2*8, 8, hex)
	PortSamplesControlCounterWidth       = PortSamplesControl.bits("CounterWidth", 3*8+5, 3)
	PortSamplesControlCounterMask0       = PortSamplesControl.bits("CounterMask0", 4*8+2, 3, hex)
	PortSamplesControlCounterMasks1to9   = PortSamplesControl.bits("CounterMasks1to9", 4*8+5, 27, hex)
	PortSamplesControlCounterMasks10to14 = PortSamplesControl.bits("CounterMasks10to14", 8*8+1, 15, hex)
	PortSamplesControlSampleMechanisms   = PortSamplesControl.bits("SampleMechanisms", 10*8, 8)
	PortSamplesControlSampleStatus       = PortSamplesControl.bits("SampleStatus", 11*8+6, 2, enum(sampleStates...))
	PortSamplesControlOptionMask         = PortSamplesControl.bits("OptionMask", 12*8, 64, hex)
	PortSamplesControlVendorMask         = PortSamplesControl.bits("VendorMask", 20*8, 64, hex)
	PortSamplesControlSampleStart        = PortSamplesControl.bits("SampleStart", 28*8, 32)
	PortSamplesControlSampleInterval     = PortSamplesControl.bits("SampleInterval", 32*8, 32)
	PortSamplesControlTag                = PortSamplesControl.bits("Tag", 36*8, 16, hex)
	PortSamplesControlSelect             = PortSamplesControl.array("CounterSelect", 38*8, 16, 15, 16, hex)
	sampleStates                         = inOrder("done", "started", "running")

	// PortSamplesResult holds the sampled counters.
	PortSamplesResult        = newAttribute(ClassPerf, AttrPortSamplesResult, "PortSamplesResult", 64, "16.1.3.4")
	PortSamplesResultTag     = PortSamplesResult.bits("Tag", 0*8, 16, hex)
	PortSamplesResultStatus  = PortSamplesResult.bits("SampleStatus", 3*8+6, 2, enum(sampleStates...))
	PortSamplesResultCounter = PortSamplesResult.array("Counter", 4*8, 32, 15, 32)

	// PortRcvErrorDetails and the optional attributes after it count by cause, by VL or by SL.
	PortRcvErrorDetails = newCounters(AttrPortRcvErrorDetails, "PortRcvErrorDetails", 16,
		"PortLocalPhysicalErrors", "PortMalformedPacketErrors", "PortBufferOverrunErrors",
		"PortDLIDMappingErrors", "PortVLMappingErrors", "PortLoopingErrors")
	PortXmitDiscardDetails = newCounters(AttrPortXmitDiscardDetails, "PortXmitDiscardDetails", 16,
		"PortInactiveDiscards", "PortNeighborMTUDiscards", "PortSwLifetimeLimitDiscards", "PortSwHOQLifetimeLimitDiscards")
	PortOpRcvCounters             = newCounters(AttrPortOpRcvCounters, "PortOpRcvCounters", 32, "PortOpRcvPkts", "PortOpRcvData")
	PortFlowCtlCounters           = newCounters(AttrPortFlowCtlCounters, "PortFlowCtlCounters", 32, "PortXmitFlowPkts", "PortRcvFlowPkts")
	PortVLOpPackets               = newLaneCounters(AttrPortVLOpPackets, "PortVLOpPackets", 16, "PortVLOpPackets")
	PortVLOpData                  = newLaneCounters(AttrPortVLOpData, "PortVLOpData", 32, "PortVLOpData")
	PortVLXmitFlowCtlUpdateErrors = newLaneCounters(AttrPortVLXmitFlowCtlUpdateErrors, "PortVLXmitFlowCtlUpdateErrors", 2, "PortVLXmitFlowCtlUpdateErrors")
	PortVLXmitWaitCounters        = newLaneCounters(AttrPortVLXmitWaitCounters, "PortVLXmitWaitCounters", 16, "PortVLXmitWait")
	PortXmitDataSL                = newLaneCounters(AttrPortXmitDataSL, "PortXmitDataSL", 32, "PortXmitDataSL")
	PortRcvDataSL                 = newLaneCounters(AttrPortRcvDataSL, "PortRcvDataSL", 32, "PortRcvDataSL")
)

// newCounters declares an optional attribute with counters of width bits. All of them begin like
// PortCounters: use PortCountersPortSelect and PortCountersCounterSelect as handles.
func newCounters(id AttrID, name string, width int, counters ...string) *Layout {
	l := newSelection(id, name, len(counters)*width)
	l.run(4, width, counters...)
	return l
}

// newLaneCounters declares an optional attribute with a counter for each of 16 VLs or SLs.
func newLaneCounters(id AttrID, name string, width int, counter string) *Layout {
	l := newSelection(id, name, 16*width)
	l.array(counter, 4*8, width, 16, width)
	return l
}

// newSelection declares an optional attribute up to its counters, which take the given number of
// bits.
func newSelection(id AttrID, name string, bits int) *Layout {
	l := newAttribute(ClassPerf, id, name, 4+bits/8, "16.1.4")
	l.bits("PortSelect", 1*8, 8)
	l.bits("CounterSelect", 2*8, 16, hex)
	return l
}
