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
	sampleStates                         = []named{{0, "done"}, {1, "started"}, {2, "running"}}
)

// PortSamplesResult is what was sampled.
var (
	PortSamplesResult        = newLayout("PortSamplesResult", 64, "16.1.3.4")
	PortSamplesResultTag     = PortSamplesResult.bits("Tag", 0*8, 16, hex)
	PortSamplesResultStatus  = PortSamplesResult.bits("SampleStatus", 3*8+6, 2, enum(sampleStates...))
	PortSamplesResultCounter = PortSamplesResult.array("Counter", 4*8, 32, 15, 32)
)

// PortRcvErrorDetails divides PortRcvErrors by cause.
var (
	PortRcvErrorDetails                      = newLayout("PortRcvErrorDetails", 16, "16.1.4")
	PortRcvErrorDetailsPortSelect            = PortRcvErrorDetails.bits("PortSelect", 1*8, 8)
	PortRcvErrorDetailsCounterSelect         = PortRcvErrorDetails.bits("CounterSelect", 2*8, 16, hex)
	PortRcvErrorDetailsLocalPhysicalErrors   = PortRcvErrorDetails.bits("PortLocalPhysicalErrors", 4*8, 16)
	PortRcvErrorDetailsMalformedPacketErrors = PortRcvErrorDetails.bits("PortMalformedPacketErrors", 6*8, 16)
	PortRcvErrorDetailsBufferOverrunErrors   = PortRcvErrorDetails.bits("PortBufferOverrunErrors", 8*8, 16)
	PortRcvErrorDetailsDLIDMappingErrors     = PortRcvErrorDetails.bits("PortDLIDMappingErrors", 10*8, 16)
	PortRcvErrorDetailsVLMappingErrors       = PortRcvErrorDetails.bits("PortVLMappingErrors", 12*8, 16)
	PortRcvErrorDetailsLoopingErrors         = PortRcvErrorDetails.bits("PortLoopingErrors", 14*8, 16)
)

// PortXmitDiscardDetails divides PortXmitDiscards by cause.
var (
	PortXmitDiscardDetails                           = newLayout("PortXmitDiscardDetails", 12, "16.1.4")
	PortXmitDiscardDetailsPortSelect                 = PortXmitDiscardDetails.bits("PortSelect", 1*8, 8)
	PortXmitDiscardDetailsCounterSelect              = PortXmitDiscardDetails.bits("CounterSelect", 2*8, 16, hex)
	PortXmitDiscardDetailsInactiveDiscards           = PortXmitDiscardDetails.bits("PortInactiveDiscards", 4*8, 16)
	PortXmitDiscardDetailsNeighborMTUDiscards        = PortXmitDiscardDetails.bits("PortNeighborMTUDiscards", 6*8, 16)
	PortXmitDiscardDetailsSwLifetimeLimitDiscards    = PortXmitDiscardDetails.bits("PortSwLifetimeLimitDiscards", 8*8, 16)
	PortXmitDiscardDetailsSwHOQLifetimeLimitDiscards = PortXmitDiscardDetails.bits("PortSwHOQLifetimeLimitDiscards", 10*8, 16)
)

// PortOpRcvCounters counts what is received with chosen op codes.
var (
	PortOpRcvCounters              = newLayout("PortOpRcvCounters", 12, "16.1.4")
	PortOpRcvCountersPortSelect    = PortOpRcvCounters.bits("PortSelect", 1*8, 8)
	PortOpRcvCountersCounterSelect = PortOpRcvCounters.bits("CounterSelect", 2*8, 16, hex)
	PortOpRcvCountersPkts          = PortOpRcvCounters.bits("PortOpRcvPkts", 4*8, 32)
	PortOpRcvCountersData          = PortOpRcvCounters.bits("PortOpRcvData", 8*8, 32)
)

// PortFlowCtlCounters counts flow control packets.
var (
	PortFlowCtlCounters              = newLayout("PortFlowCtlCounters", 12, "16.1.4")
	PortFlowCtlCountersPortSelect    = PortFlowCtlCounters.bits("PortSelect", 1*8, 8)
	PortFlowCtlCountersCounterSelect = PortFlowCtlCounters.bits("CounterSelect", 2*8, 16, hex)
	PortFlowCtlCountersXmit          = PortFlowCtlCounters.bits("PortXmitFlowPkts", 4*8, 32)
	PortFlowCtlCountersRcv           = PortFlowCtlCounters.bits("PortRcvFlowPkts", 8*8, 32)
)

// PortVLOpPackets counts packets with a chosen op code by VL.
var (
	PortVLOpPackets              = newLayout("PortVLOpPackets", 36, "16.1.4")
	PortVLOpPacketsPortSelect    = PortVLOpPackets.bits("PortSelect", 1*8, 8)
	PortVLOpPacketsCounterSelect = PortVLOpPackets.bits("CounterSelect", 2*8, 16, hex)
	PortVLOpPacketsPackets       = PortVLOpPackets.array("PortVLOpPackets", 4*8, 16, 16, 16)
)

// PortVLOpData counts data with a chosen op code by VL.
var (
	PortVLOpData              = newLayout("PortVLOpData", 68, "16.1.4")
	PortVLOpDataPortSelect    = PortVLOpData.bits("PortSelect", 1*8, 8)
	PortVLOpDataCounterSelect = PortVLOpData.bits("CounterSelect", 2*8, 16, hex)
	PortVLOpDataData          = PortVLOpData.array("PortVLOpData", 4*8, 32, 16, 32)
)

// PortVLXmitFlowCtlUpdateErrors counts late flow control updates by VL.
var (
	PortVLXmitFlowCtlUpdateErrors              = newLayout("PortVLXmitFlowCtlUpdateErrors", 8, "16.1.4")
	PortVLXmitFlowCtlUpdateErrorsPortSelect    = PortVLXmitFlowCtlUpdateErrors.bits("PortSelect", 1*8, 8)
	PortVLXmitFlowCtlUpdateErrorsCounterSelect = PortVLXmitFlowCtlUpdateErrors.bits("CounterSelect", 2*8, 16, hex)
	PortVLXmitFlowCtlUpdateErrorsErrors        = PortVLXmitFlowCtlUpdateErrors.array("PortVLXmitFlowCtlUpdateErrors", 4*8, 2, 16, 2)
)

// PortVLXmitWaitCounters counts ticks without credit by VL.
var (
	PortVLXmitWaitCounters              = newLayout("PortVLXmitWaitCounters", 36, "16.1.4")
	PortVLXmitWaitCountersPortSelect    = PortVLXmitWaitCounters.bits("PortSelect", 1*8, 8)
	PortVLXmitWaitCountersCounterSelect = PortVLXmitWaitCounters.bits("CounterSelect", 2*8, 16, hex)
	PortVLXmitWaitCountersWait          = PortVLXmitWaitCounters.array("PortVLXmitWait", 4*8, 16, 16, 16)
)

// PortXmitDataSL counts what is sent by SL.
var (
	PortXmitDataSL              = newLayout("PortXmitDataSL", 68, "16.1.4")
	PortXmitDataSLPortSelect    = PortXmitDataSL.bits("PortSelect", 1*8, 8)
	PortXmitDataSLCounterSelect = PortXmitDataSL.bits("CounterSelect", 2*8, 16, hex)
	PortXmitDataSLData          = PortXmitDataSL.array("PortXmitDataSL", 4*8, 32, 16, 32)
)

// PortRcvDataSL counts what is received by SL.
var (
	PortRcvDataSL              = newLayout("PortRcvDataSL", 68, "16.1.4")
	PortRcvDataSLPortSelect    = PortRcvDataSL.bits("PortSelect", 1*8, 8)
	PortRcvDataSLCounterSelect = PortRcvDataSL.bits("CounterSelect", 2*8, 16, hex)
	PortRcvDataSLData          = PortRcvDataSL.array("PortRcvDataSL", 4*8, 32, 16, 32)
)
