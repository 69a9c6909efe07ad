package mad

// PortInfo is the state and the settings of a port. Set writes all writable fields: read first,
// change, write back, with PortState, PortPhysicalState and LinkDownDefaultState 0 for no change.
var (
	PortInfo                  = newAttribute(ClassSMP, AttrPortInfo, "PortInfo", 64, "14.2.5.6")
	PortInfoMKey              = PortInfo.bits("M_Key", 0*8, 64, hex)
	PortInfoGidPrefix         = PortInfo.bits("GidPrefix", 8*8, 64, hex)
	PortInfoLID               = PortInfo.bits("LID", 16*8, 16, note("of a switch: port 0 only"))
	PortInfoMasterSMLID       = PortInfo.bits("MasterSMLID", 18*8, 16)
	PortInfoCapabilityMask    = PortInfo.bits("CapabilityMask", 20*8, 32, flags(portCaps...))
	PortInfoDiagCode          = PortInfo.bits("DiagCode", 24*8, 16, hex)
	PortInfoMKeyLeasePeriod   = PortInfo.bits("M_KeyLeasePeriod", 26*8, 16, note("seconds; 0 never expires"))
	PortInfoLocalPortNum      = PortInfo.bits("LocalPortNum", 28*8, 8)
	PortInfoWidthEnabled      = PortInfo.bits("LinkWidthEnabled", 29*8, 8, flags(widths...), note("0 no change, 0xff all supported"))
	PortInfoWidthSupported    = PortInfo.bits("LinkWidthSupported", 30*8, 8, flags(widths...))
	PortInfoWidthActive       = PortInfo.bits("LinkWidthActive", 31*8, 8, flags(widths...))
	PortInfoSpeedSupported    = PortInfo.bits("LinkSpeedSupported", 32*8, 4, flags(speeds...))
	PortInfoPortState         = PortInfo.bits("PortState", 32*8+4, 4, enum(portStates...))
	PortInfoPhysicalState     = PortInfo.bits("PortPhysicalState", 33*8, 4, enum(physicalStates...))
	PortInfoLinkDownDefault   = PortInfo.bits("LinkDownDefaultState", 33*8+4, 4, enum(physicalStates...))
	PortInfoMKeyProtectBits   = PortInfo.bits("M_KeyProtectBits", 34*8, 2)
	PortInfoLMC               = PortInfo.bits("LMC", 34*8+5, 3)
	PortInfoSpeedActive       = PortInfo.bits("LinkSpeedActive", 35*8, 4, flags(speeds...))
	PortInfoSpeedEnabled      = PortInfo.bits("LinkSpeedEnabled", 35*8+4, 4, flags(speeds...), note("0 no change, 15 all supported"))
	PortInfoNeighborMTU       = PortInfo.bits("NeighborMTU", 36*8, 4, enum(mtus...))
	PortInfoMasterSMSL        = PortInfo.bits("MasterSMSL", 36*8+4, 4)
	PortInfoVLCap             = PortInfo.bits("VLCap", 37*8, 4, enum(vls...))
	PortInfoInitType          = PortInfo.bits("InitType", 37*8+4, 4)
	PortInfoVLHighLimit       = PortInfo.bits("VLHighLimit", 38*8, 8)
	PortInfoVLArbHighCap      = PortInfo.bits("VLArbitrationHighCap", 39*8, 8)
	PortInfoVLArbLowCap       = PortInfo.bits("VLArbitrationLowCap", 40*8, 8)
	PortInfoInitTypeReply     = PortInfo.bits("InitTypeReply", 41*8, 4)
	PortInfoMTUCap            = PortInfo.bits("MTUCap", 41*8+4, 4, enum(mtus...))
	PortInfoVLStallCount      = PortInfo.bits("VLStallCount", 42*8, 3)
	PortInfoHOQLife           = PortInfo.bits("HOQLife", 42*8+3, 5)
	PortInfoOperationalVLs    = PortInfo.bits("OperationalVLs", 43*8, 4, enum(vls...), note("0 no change"))
	PortInfoEnforceInbound    = PortInfo.bits("PartitionEnforcementInbound", 43*8+4, 1)
	PortInfoEnforceOutbound   = PortInfo.bits("PartitionEnforcementOutbound", 43*8+5, 1)
	PortInfoFilterRawInbound  = PortInfo.bits("FilterRawInbound", 43*8+6, 1)
	PortInfoFilterRawOutbound = PortInfo.bits("FilterRawOutbound", 43*8+7, 1)
	PortInfoMKeyViolations    = PortInfo.bits("M_KeyViolations", 44*8, 16)
	PortInfoPKeyViolations    = PortInfo.bits("P_KeyViolations", 46*8, 16)
	PortInfoQKeyViolations    = PortInfo.bits("Q_KeyViolations", 48*8, 16)
	PortInfoGUIDCap           = PortInfo.bits("GUIDCap", 50*8, 8)
	PortInfoClientReregister  = PortInfo.bits("ClientReregister", 51*8, 1, note("reads 0 once it was done"))
	PortInfoMcastPKeyTrapSup  = PortInfo.bits("MulticastPKeyTrapSuppressionEnabled", 51*8+1, 2)
	PortInfoSubnetTimeOut     = PortInfo.bits("SubnetTimeOut", 51*8+3, 5, note("4.096 us * 2^v"))
	PortInfoRespTimeValue     = PortInfo.bits("RespTimeValue", 52*8+3, 5, note("4.096 us * 2^v"))
	PortInfoLocalPhyErrors    = PortInfo.bits("LocalPhyErrors", 53*8, 4)
	PortInfoOverrunErrors     = PortInfo.bits("OverrunErrors", 53*8+4, 4)
	PortInfoMaxCreditHint     = PortInfo.bits("MaxCreditHint", 54*8, 16)
	PortInfoSpeedExt2Active   = PortInfo.bits("LinkSpeedExtActive2", 56*8+1, 2, note("XDR"))
	PortInfoSpeedExt2Support  = PortInfo.bits("LinkSpeedExtSupported2", 56*8+3, 2, note("XDR"))
	PortInfoSpeedExt2Enabled  = PortInfo.bits("LinkSpeedExtEnabled2", 56*8+5, 3, note("XDR"))
	PortInfoRoundTripLatency  = PortInfo.bits("LinkRoundTripLatency", 57*8, 24)
	PortInfoCapabilityMask2   = PortInfo.bits("CapabilityMask2", 60*8, 16, flags(portCaps2...))
	PortInfoSpeedExtActive    = PortInfo.bits("LinkSpeedExtActive", 62*8, 4, flags(extSpeeds...), note("wins over LinkSpeedActive unless 0"))
	PortInfoSpeedExtSupported = PortInfo.bits("LinkSpeedExtSupported", 62*8+4, 4, flags(extSpeeds...))
	PortInfoSpeedExtEnabled   = PortInfo.bits("LinkSpeedExtEnabled", 63*8+3, 5, flags(extSpeeds...), note("0 no change, 30 disable, 31 all supported"))
)

// The states of a port's link layer (PortState).
const (
	PortNoChange    = 0
	PortDown        = 1
	PortInit        = 2
	PortArmed       = 3
	PortActive      = 4
	PortActiveDefer = 5
)

var portStates = inOrder("no change", "Down", "Init", "Armed", "Active", "ActiveDefer")

// The states of a port's physical layer (PortPhysicalState).
const (
	PhysNoChange = 0
	PhysSleep    = 1
	PhysPolling  = 2
	PhysDisabled = 3
	PhysTraining = 4
	PhysLinkUp   = 5
	PhysRecovery = 6
	PhysTest     = 7
)

var physicalStates = inOrder("no change", "Sleep", "Polling", "Disabled", "Training", "LinkUp", "LinkErrorRecovery", "PhyTest")

// Bits of CapabilityMask that a subnet manager asks for.
const (
	CapIsSM                   = 1 << 1
	CapIsNotice               = 1 << 2
	CapIsTrap                 = 1 << 3
	CapIsSLMapping            = 1 << 6
	CapIsSMDisabled           = 1 << 10
	CapIsExtendedSpeeds       = 1 << 14
	CapIsCapabilityMask2      = 1 << 15
	CapIsClientReregistration = 1 << 25
	CapIsMulticastFDBTop      = 1 << 30
)

// The names of values, and attributes of ports besides PortInfo.
var (
	portCaps = inOrder("",
		"IsSM", "IsNotice", "IsTrap", "IsOptionalIPD", "IsAutomaticMigration", "IsSLMapping", "IsMKeyNVRAM",
		"IsPKeyNVRAM", "IsLEDInfo", "IsSMdisabled", "IsSystemImageGUID", "IsPKeySwitchExternalPortTrap",
		"IsCableInfo", "IsExtendedSpeeds", "IsCapabilityMask2", "IsCommunicationManagement", "IsSNMPTunneling",
		"IsReinit", "IsDeviceManagement", "IsVendorClass", "IsDRNotice", "IsCapabilityMaskNotice",
		"IsBootManagement", "IsLinkRoundTripLatency", "IsClientReregistration", "IsOtherLocalChangesNotice",
		"IsLinkSpeedWidthPairsTable", "IsVendorSpecificMads", "IsMulticastPKeyTrapSuppression",
		"IsMulticastFDBTop", "IsHierarchyInfo")

	portCaps2 = inOrder([]string{
		0: "IsSetNodeDescription", 1: "IsPortInfoExtended", 2: "IsVirtualization", 3: "IsSwitchPortStateTable",
		4: "IsLinkWidth2x", 5: "IsLinkSpeedHDR", 10: "IsLinkSpeedNDR",
	}...)

	widths    = inOrder("1x", "4x", "8x", "12x", "2x")
	speeds    = inOrder("SDR", "DDR", "QDR")
	extSpeeds = inOrder("FDR", "EDR", "HDR", "NDR")
	mtus      = []named{{1, "256"}, {2, "512"}, {3, "1024"}, {4, "2048"}, {5, "4096"}}
	vls       = []named{{1, "VL0"}, {2, "VL0-1"}, {3, "VL0-3"}, {4, "VL0-7"}, {5, "VL0-14"}}

	// PortInfoExtended is the forward error correction of a port.
	PortInfoExtended        = newAttribute(ClassSMP, AttrPortInfoExtended, "PortInfoExtended", 22, "14.2.5")
	PortInfoExtendedCapMask = PortInfoExtended.bits("CapMask", 0*8, 32, hex)
	PortInfoExtendedActive  = PortInfoExtended.bits("FECModeActive", 4*8, 16, hex)
	PortInfoExtendedFDRSup  = PortInfoExtended.bits("FDRFECModeSupported", 6*8, 16, hex)
	PortInfoExtendedFDREnab = PortInfoExtended.bits("FDRFECModeEnabled", 8*8, 16, hex)
	PortInfoExtendedEDRSup  = PortInfoExtended.bits("EDRFECModeSupported", 10*8, 16, hex)
	PortInfoExtendedEDREnab = PortInfoExtended.bits("EDRFECModeEnabled", 12*8, 16, hex)
	PortInfoExtendedHDRSup  = PortInfoExtended.bits("HDRFECModeSupported", 14*8, 16, hex)
	PortInfoExtendedHDREnab = PortInfoExtended.bits("HDRFECModeEnabled", 16*8, 16, hex)
	PortInfoExtendedNDRSup  = PortInfoExtended.bits("NDRFECModeSupported", 18*8, 16, hex)
	PortInfoExtendedNDREnab = PortInfoExtended.bits("NDRFECModeEnabled", 20*8, 16, hex)

	// ExtendedPortInfo is a vendor's attribute for FDR10.
	ExtendedPortInfo               = newAttribute(ClassSMP, AttrExtendedPortInfo, "ExtendedPortInfo", 16, "vendor")
	ExtendedPortInfoStateChange    = ExtendedPortInfo.bits("StateChangeEnable", 3*8, 8)
	ExtendedPortInfoSpeedSupported = ExtendedPortInfo.bits("LinkSpeedSupported", 7*8, 8)
	ExtendedPortInfoSpeedEnabled   = ExtendedPortInfo.bits("LinkSpeedEnabled", 11*8, 8)
	ExtendedPortInfoSpeedActive    = ExtendedPortInfo.bits("LinkSpeedActive", 15*8, 8)
)
