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

// PortSamplesControl sets up the sampling of counters.
var (
	PortSamplesControl                   = newLayout("PortSamplesControl", 68, "16.1.3.2")
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
)

// PortSamplesResult holds the sampled counters.
var (
	PortSamplesResult        = newLayout("PortSamplesResult", 64, "16.1.3.4")
	PortSamplesResultTag     = PortSamplesResult.bits("Tag", 0*8, 16, hex)
	PortSamplesResultStatus  = PortSamplesResult.bits("SampleStatus", 3*8+6, 2, enum(sampleStates...))
	PortSamplesResultCounter = PortSamplesResult.array("Counter", 4*8, 32, 15, 32)
)

// newCounters declares an optional attribute of counters. All of them begin as PortCounters
// does: PortCountersPortSelect and PortCountersCounterSelect are the handles for all.
func newCounters(name string, size int) *Layout {
	l := newLayout(name, size, "16.1.4")
	l.bits("PortSelect", 1*8, 8)
	l.bits("CounterSelect", 2*8, 16, hex)
	return l
}

// PortRcvErrorDetails divides PortRcvErrors by cause.
var (
	PortRcvErrorDetails                      = newCounters("PortRcvErrorDetails", 16)
	PortRcvErrorDetailsLocalPhysicalErrors   = PortRcvErrorDetails.bits("PortLocalPhysicalErrors", 4*8, 16)
	PortRcvErrorDetailsMalformedPacketErrors = PortRcvErrorDetails.bits("PortMalformedPacketErrors", 6*8, 16)
	PortRcvErrorDetailsBufferOverrunErrors   = PortRcvErrorDetails.bits("PortBufferOverrunErrors", 8*8, 16)
	PortRcvErrorDetailsDLIDMappingErrors     = PortRcvErrorDetails.bits("PortDLIDMappingErrors", 10*8, 16)
	PortRcvErrorDetailsVLMappingErrors       = PortRcvErrorDetails.bits("PortVLMappingErrors", 12*8, 16)
	PortRcvErrorDetailsLoopingErrors         = PortRcvErrorDetails.bits("PortLoopingErrors", 14*8, 16)
)

// PortXmitDiscardDetails divides PortXmitDiscards by cause.
var (
	PortXmitDiscardDetails                           = newCounters("PortXmitDiscardDetails", 12)
	PortXmitDiscardDetailsInactiveDiscards           = PortXmitDiscardDetails.bits("PortInactiveDiscards", 4*8, 16)
	PortXmitDiscardDetailsNeighborMTUDiscards        = PortXmitDiscardDetails.bits("PortNeighborMTUDiscards", 6*8, 16)
	PortXmitDiscardDetailsSwLifetimeLimitDiscards    = PortXmitDiscardDetails.bits("PortSwLifetimeLimitDiscards", 8*8, 16)
	PortXmitDiscardDetailsSwHOQLifetimeLimitDiscards = PortXmitDiscardDetails.bits("PortSwHOQLifetimeLimitDiscards", 10*8, 16)
)

// PortOpRcvCounters counts what is received with chosen op codes.
var (
	PortOpRcvCounters     = newCounters("PortOpRcvCounters", 12)
	PortOpRcvCountersPkts = PortOpRcvCounters.bits("PortOpRcvPkts", 4*8, 32)
	PortOpRcvCountersData = PortOpRcvCounters.bits("PortOpRcvData", 8*8, 32)
)

// PortFlowCtlCounters counts flow control packets.
var (
	PortFlowCtlCounters     = newCounters("PortFlowCtlCounters", 12)
	PortFlowCtlCountersXmit = PortFlowCtlCounters.bits("PortXmitFlowPkts", 4*8, 32)
	PortFlowCtlCountersRcv  = PortFlowCtlCounters.bits("PortRcvFlowPkts", 8*8, 32)
)

// PortVLOpPackets counts packets with a chosen op code by VL.
var (
	PortVLOpPackets        = newCounters("PortVLOpPackets", 36)
	PortVLOpPacketsPackets = PortVLOpPackets.array("PortVLOpPackets", 4*8, 16, 16, 16)
)

// PortVLOpData counts data with a chosen op code by VL.
var (
	PortVLOpData     = newCounters("PortVLOpData", 68)
	PortVLOpDataData = PortVLOpData.array("PortVLOpData", 4*8, 32, 16, 32)
)

// PortVLXmitFlowCtlUpdateErrors counts late flow control updates by VL.
var (
	PortVLXmitFlowCtlUpdateErrors       = newCounters("PortVLXmitFlowCtlUpdateErrors", 8)
	PortVLXmitFlowCtlUpdateErrorsErrors = PortVLXmitFlowCtlUpdateErrors.array("PortVLXmitFlowCtlUpdateErrors", 4*8, 2, 16, 2)
)

// PortVLXmitWaitCounters counts ticks without credit by VL.
var (
	PortVLXmitWaitCounters     = newCounters("PortVLXmitWaitCounters", 36)
	PortVLXmitWaitCountersWait = PortVLXmitWaitCounters.array("PortVLXmitWait", 4*8, 16, 16, 16)
)

// PortXmitDataSL counts what is sent by SL.
var (
	PortXmitDataSL     = newCounters("PortXmitDataSL", 68)
	PortXmitDataSLData = PortXmitDataSL.array("PortXmitDataSL", 4*8, 32, 16, 32)
)

// PortRcvDataSL counts what is received by SL.
var (
	PortRcvDataSL     = newCounters("PortRcvDataSL", 68)
	PortRcvDataSLData = PortRcvDataSL.array("PortRcvDataSL", 4*8, 32, 16, 32)
)
