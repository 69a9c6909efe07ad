package mad

// PortInfoRecordMatchCaps is the attribute modifier of a PortInfoRecord query whose CapabilityMask
// means "all these bits are set".
const PortInfoRecordMatchCaps = 1 << 31

// Records of subnet administration that contain an attribute of subnet management and its LID, port
// or block.
var (
	// NodeRecord is a node by the LID of one of its ports.
	NodeRecord         = newAttribute(ClassSA, AttrNodeRecord, "NodeRecord", 108, "15.2.5.2")
	NodeRecordLID      = NodeRecord.bits("LID", 0*8, 16, comp(0))
	NodeRecordNodeInfo = NodeRecord.part("NodeInfo", 4, NodeInfo, inner(2,
		NodeInfoBaseVersion, NodeInfoClassVersion, NodeInfoNodeType, NodeInfoNumPorts, NodeInfoSystemImageGUID,
		NodeInfoNodeGUID, NodeInfoPortGUID, NodeInfoPartitionCap, NodeInfoDeviceID, NodeInfoRevision,
		NodeInfoLocalPortNum, NodeInfoVendorID))
	NodeRecordNodeDescription = NodeRecord.part("NodeDescription", 44, NodeDescription, inner(14, NodeDescriptionText))

	// PortInfoRecord is a port's PortInfo.
	PortInfoRecord         = newAttribute(ClassSA, AttrPortInfoRecord, "PortInfoRecord", 68, "15.2.5.3")
	PortInfoRecordLID      = PortInfoRecord.bits("EndportLID", 0*8, 16, comp(0))
	PortInfoRecordPortNum  = PortInfoRecord.bits("PortNum", 2*8, 8, comp(1))
	PortInfoRecordOptions  = PortInfoRecord.bits("Options", 3*8, 8, hex, comp(2))
	PortInfoRecordPortInfo = PortInfoRecord.part("PortInfo", 4, PortInfo,
		inner(3, PortInfoMKey, PortInfoGidPrefix, PortInfoLID, PortInfoMasterSMLID, PortInfoCapabilityMask,
			PortInfoDiagCode, PortInfoMKeyLeasePeriod, PortInfoLocalPortNum, PortInfoWidthEnabled,
			PortInfoWidthSupported, PortInfoWidthActive, PortInfoSpeedSupported, PortInfoPortState,
			PortInfoPhysicalState, PortInfoLinkDownDefault, PortInfoMKeyProtectBits),
		inner(20, PortInfoLMC, PortInfoSpeedActive, PortInfoSpeedEnabled, PortInfoNeighborMTU, PortInfoMasterSMSL,
			PortInfoVLCap, PortInfoInitType, PortInfoVLHighLimit, PortInfoVLArbHighCap, PortInfoVLArbLowCap,
			PortInfoInitTypeReply, PortInfoMTUCap, PortInfoVLStallCount, PortInfoHOQLife, PortInfoOperationalVLs,
			PortInfoEnforceInbound, PortInfoEnforceOutbound, PortInfoFilterRawInbound, PortInfoFilterRawOutbound,
			PortInfoMKeyViolations, PortInfoPKeyViolations, PortInfoQKeyViolations, PortInfoGUIDCap,
			PortInfoClientReregister),
		inner(45, PortInfoSubnetTimeOut),
		inner(47, PortInfoRespTimeValue, PortInfoLocalPhyErrors, PortInfoOverrunErrors, PortInfoMaxCreditHint),
		inner(52, PortInfoRoundTripLatency, PortInfoCapabilityMask2, PortInfoSpeedExtActive, PortInfoSpeedExtSupported),
		inner(57, PortInfoSpeedExtEnabled))

	// SLtoVLMappingTableRecord is the SL to VL mapping of a pair of ports.
	SLtoVLMappingTableRecord        = newAttribute(ClassSA, AttrSLtoVLMappingTableRecord, "SLtoVLMappingTableRecord", 16, "15.2.5.4")
	SLtoVLMappingTableRecordLID     = SLtoVLMappingTableRecord.bits("LID", 0*8, 16, comp(0))
	SLtoVLMappingTableRecordInPort  = SLtoVLMappingTableRecord.bits("InputPortNum", 2*8, 8, comp(1))
	SLtoVLMappingTableRecordOutPort = SLtoVLMappingTableRecord.bits("OutputPortNum", 3*8, 8, comp(2))
	SLtoVLMappingTableRecordTable   = SLtoVLMappingTableRecord.part("SLtoVLMappingTable", 8, SLtoVLMappingTable)

	// SwitchInfoRecord is a switch's SwitchInfo.
	SwitchInfoRecord           = newAttribute(ClassSA, AttrSwitchInfoRecord, "SwitchInfoRecord", 24, "15.2.5.5")
	SwitchInfoRecordLID        = SwitchInfoRecord.bits("LID", 0*8, 16, comp(0))
	SwitchInfoRecordSwitchInfo = SwitchInfoRecord.part("SwitchInfo", 4, SwitchInfo)

	// LinearForwardingTableRecord is a block of a switch's forwarding table.
	LinearForwardingTableRecord      = newAttribute(ClassSA, AttrLinearForwardingTableRecord, "LinearForwardingTableRecord", 72, "15.2.5.6")
	LinearForwardingTableRecordLID   = LinearForwardingTableRecord.bits("LID", 0*8, 16, comp(0))
	LinearForwardingTableRecordBlock = LinearForwardingTableRecord.bits("BlockNum", 2*8, 16, comp(1))
	LinearForwardingTableRecordTable = LinearForwardingTableRecord.part("LinearForwardingTable", 8, LinearForwardingTable)

	// RandomForwardingTableRecord is a block of a switch's random forwarding table.
	RandomForwardingTableRecord      = newAttribute(ClassSA, AttrRandomForwardingTableRecord, "RandomForwardingTableRecord", 72, "15.2.5.7")
	RandomForwardingTableRecordLID   = RandomForwardingTableRecord.bits("LID", 0*8, 16, comp(0))
	RandomForwardingTableRecordBlock = RandomForwardingTableRecord.bits("BlockNum", 2*8, 16, comp(1))
	RandomForwardingTableRecordTable = RandomForwardingTableRecord.part("RandomForwardingTable", 8, RandomForwardingTable)

	// MulticastForwardingTableRecord is a block of a switch's multicast table.
	MulticastForwardingTableRecord         = newAttribute(ClassSA, AttrMulticastForwardingTableRecord, "MulticastForwardingTableRecord", 72, "15.2.5.8")
	MulticastForwardingTableRecordLID      = MulticastForwardingTableRecord.bits("LID", 0*8, 16, comp(0))
	MulticastForwardingTableRecordPosition = MulticastForwardingTableRecord.bits("Position", 2*8, 4, comp(1))
	MulticastForwardingTableRecordBlock    = MulticastForwardingTableRecord.bits("BlockNum", 2*8+7, 9, comp(3))
	MulticastForwardingTableRecordTable    = MulticastForwardingTableRecord.part("MulticastForwardingTable", 8, MulticastForwardingTable)

	// VLArbitrationTableRecord is a block of a port's arbitration table.
	VLArbitrationTableRecord      = newAttribute(ClassSA, AttrVLArbitrationTableRecord, "VLArbitrationTableRecord", 72, "15.2.5.9")
	VLArbitrationTableRecordLID   = VLArbitrationTableRecord.bits("LID", 0*8, 16, comp(0))
	VLArbitrationTableRecordPort  = VLArbitrationTableRecord.bits("OutputPortNum", 2*8, 8, comp(1))
	VLArbitrationTableRecordBlock = VLArbitrationTableRecord.bits("BlockNum", 3*8, 8, comp(2))
	VLArbitrationTableRecordTable = VLArbitrationTableRecord.part("VLArbitrationTable", 8, VLArbitrationTable)

	// SMInfoRecord is a subnet manager by the LID of its port.
	SMInfoRecord       = newAttribute(ClassSA, AttrSMInfoRecord, "SMInfoRecord", 25, "15.2.5.10")
	SMInfoRecordLID    = SMInfoRecord.bits("LID", 0*8, 16, comp(0))
	SMInfoRecordSMInfo = SMInfoRecord.part("SMInfo", 4, SMInfo,
		inner(2, SMInfoGUID, SMInfoSMKey, SMInfoActCount, SMInfoPriority, SMInfoSMState))

	// PKeyTableRecord is a block of a port's partition keys.
	PKeyTableRecord      = newAttribute(ClassSA, AttrPKeyTableRecord, "P_KeyTableRecord", 72, "15.2.5.11")
	PKeyTableRecordLID   = PKeyTableRecord.bits("LID", 0*8, 16, comp(0))
	PKeyTableRecordBlock = PKeyTableRecord.bits("BlockNum", 2*8, 16, comp(1))
	PKeyTableRecordPort  = PKeyTableRecord.bits("PortNum", 4*8, 8, comp(2))
	PKeyTableRecordTable = PKeyTableRecord.part("P_KeyTable", 8, PKeyTable)

	// LinkRecord is a link, from one of its ends.
	LinkRecord         = newAttribute(ClassSA, AttrLinkRecord, "LinkRecord", 6, "15.2.5.13")
	LinkRecordFromLID  = LinkRecord.bits("FromLID", 0*8, 16, comp(0))
	LinkRecordFromPort = LinkRecord.bits("FromPort", 2*8, 8, comp(1))
	LinkRecordToPort   = LinkRecord.bits("ToPort", 3*8, 8, comp(2))
	LinkRecordToLID    = LinkRecord.bits("ToLID", 4*8, 16, comp(3))

	// GUIDInfoRecord is a block of a port's GUIDs.
	GUIDInfoRecord         = newAttribute(ClassSA, AttrGUIDInfoRecord, "GuidInfoRecord", 72, "15.2.5.18")
	GUIDInfoRecordLID      = GUIDInfoRecord.bits("LID", 0*8, 16, comp(0))
	GUIDInfoRecordBlock    = GUIDInfoRecord.bits("BlockNum", 2*8, 8, comp(1))
	GUIDInfoRecordGUIDInfo = GUIDInfoRecord.part("GUIDInfo", 8, GUIDInfo, inner(4, GUIDInfoGUID))

	// TraceRecord is a step of a traced path.
	TraceRecord             = newAttribute(ClassSA, AttrTraceRecord, "TraceRecord", 46, "15.2.5.19")
	TraceRecordGIDPrefix    = TraceRecord.bits("GIDPrefix", 0*8, 64, hex, comp(0))
	TraceRecordIDGeneration = TraceRecord.bits("IDGeneration", 8*8, 16, comp(1))
	TraceRecordNodeType     = TraceRecord.bits("NodeType", 11*8, 8, enum(nodeTypes...), comp(3))
	TraceRecordNodeID       = TraceRecord.bits("NodeID", 12*8, 64, hex, comp(4))
	TraceRecordChassisID    = TraceRecord.bits("ChassisID", 20*8, 64, hex, comp(5))
	TraceRecordEntryPortID  = TraceRecord.bits("EntryPortID", 28*8, 64, hex, comp(6))
	TraceRecordExitPortID   = TraceRecord.bits("ExitPortID", 36*8, 64, hex, comp(7))
	TraceRecordEntryPort    = TraceRecord.bits("EntryPort", 44*8, 8, comp(8))
	TraceRecordExitPort     = TraceRecord.bits("ExitPort", 45*8, 8, comp(9))
)
