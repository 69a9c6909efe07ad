package mad

// NodeInfo describes a node and the port that the request arrived at.
var (
	NodeInfo                = newAttribute(ClassSMP, AttrNodeInfo, "NodeInfo", 40, "14.2.5.3")
	NodeInfoBaseVersion     = NodeInfo.bits("BaseVersion", 0*8, 8)
	NodeInfoClassVersion    = NodeInfo.bits("ClassVersion", 1*8, 8)
	NodeInfoNodeType        = NodeInfo.bits("NodeType", 2*8, 8, enum(nodeTypes...))
	NodeInfoNumPorts        = NodeInfo.bits("NumPorts", 3*8, 8, note("without port 0"))
	NodeInfoSystemImageGUID = NodeInfo.bits("SystemImageGUID", 4*8, 64, hex)
	NodeInfoNodeGUID        = NodeInfo.bits("NodeGUID", 12*8, 64, hex)
	NodeInfoPortGUID        = NodeInfo.bits("PortGUID", 20*8, 64, hex, note("of a switch: port 0's"))
	NodeInfoPartitionCap    = NodeInfo.bits("PartitionCap", 28*8, 16)
	NodeInfoDeviceID        = NodeInfo.bits("DeviceID", 30*8, 16, hex)
	NodeInfoRevision        = NodeInfo.bits("Revision", 32*8, 32, hex)
	NodeInfoLocalPortNum    = NodeInfo.bits("LocalPortNum", 36*8, 8, note("port the SMP came in by"))
	NodeInfoVendorID        = NodeInfo.bits("VendorID", 37*8, 24, hex)
)

// The node types.
const (
	NodeCA     = 1
	NodeSwitch = 2
	NodeRouter = 3
)

// Attributes of nodes.
var (
	nodeTypes = []named{{NodeCA, "CA"}, {NodeSwitch, "switch"}, {NodeRouter, "router"}}

	// NodeDescription is the node's name: 64 bytes of UTF-8, not always terminated.
	NodeDescription     = newAttribute(ClassSMP, AttrNodeDescription, "NodeDescription", 64, "14.2.5.2")
	NodeDescriptionText = NodeDescription.bytes("NodeString", 0, 64, text)

	// SwitchInfo holds the capacities and settings of a switch.
	SwitchInfo                    = newAttribute(ClassSMP, AttrSwitchInfo, "SwitchInfo", 20, "14.2.5.4")
	SwitchInfoLinearFDBCap        = SwitchInfo.bits("LinearFDBCap", 0*8, 16)
	SwitchInfoRandomFDBCap        = SwitchInfo.bits("RandomFDBCap", 2*8, 16)
	SwitchInfoMulticastFDBCap     = SwitchInfo.bits("MulticastFDBCap", 4*8, 16)
	SwitchInfoLinearFDBTop        = SwitchInfo.bits("LinearFDBTop", 6*8, 16, note("highest LID that is forwarded"))
	SwitchInfoDefaultPort         = SwitchInfo.bits("DefaultPort", 8*8, 8)
	SwitchInfoDefaultMcastPrimary = SwitchInfo.bits("DefaultMulticastPrimaryPort", 9*8, 8)
	SwitchInfoDefaultMcastOther   = SwitchInfo.bits("DefaultMulticastNotPrimaryPort", 10*8, 8)
	SwitchInfoLifeTimeValue       = SwitchInfo.bits("LifeTimeValue", 11*8, 5, note("4.096 us * 2^v; above 19 for ever"))
	SwitchInfoPortStateChange     = SwitchInfo.bits("PortStateChange", 11*8+5, 1, note("writing 1 clears it"))
	SwitchInfoOptimizedSLtoVL     = SwitchInfo.bits("OptimizedSLtoVLMappingProgramming", 11*8+6, 2)
	SwitchInfoLIDsPerPort         = SwitchInfo.bits("LIDsPerPort", 12*8, 16)
	SwitchInfoPartitionEnfCap     = SwitchInfo.bits("PartitionEnforcementCap", 14*8, 16)
	SwitchInfoInboundEnfCap       = SwitchInfo.bits("InboundEnforcementCap", 16*8, 1)
	SwitchInfoOutboundEnfCap      = SwitchInfo.bits("OutboundEnforcementCap", 16*8+1, 1)
	SwitchInfoFilterRawInCap      = SwitchInfo.bits("FilterRawInboundCap", 16*8+2, 1)
	SwitchInfoFilterRawOutCap     = SwitchInfo.bits("FilterRawOutboundCap", 16*8+3, 1)
	SwitchInfoEnhancedPort0       = SwitchInfo.bits("EnhancedPort0", 16*8+4, 1)
	SwitchInfoMulticastFDBTop     = SwitchInfo.bits("MulticastFDBTop", 18*8, 16)

	// GUIDInfo is a block of eight GUIDs of a port. Entry 0 of block 0 is the
	// port's GUID and cannot be written.
	GUIDInfo     = newAttribute(ClassSMP, AttrGUIDInfo, "GUIDInfo", 64, "14.2.5.5")
	GUIDInfoGUID = GUIDInfo.array("GUID", 0, 64, 8, 64, hex)

	// SMInfo describes a subnet manager.
	SMInfo         = newAttribute(ClassSMP, AttrSMInfo, "SMInfo", 21, "14.2.5.13")
	SMInfoGUID     = SMInfo.bits("GUID", 0*8, 64, hex, note("port GUID"))
	SMInfoSMKey    = SMInfo.bits("SM_Key", 8*8, 64, hex, note("0 towards strangers"))
	SMInfoActCount = SMInfo.bits("ActCount", 16*8, 32, note("grows while the SM lives"))
	SMInfoPriority = SMInfo.bits("Priority", 20*8, 4)
	SMInfoSMState  = SMInfo.bits("SMState", 20*8+4, 4, enum(smStates...))
)

// The states of a subnet manager (14.4.1).
const (
	SMStateNotActive   = 0
	SMStateDiscovering = 1
	SMStateStandby     = 2
	SMStateMaster      = 3
)

// Attributes that few managers read.
var (
	smStates = inOrder("not active", "discovering", "standby", "master")

	// VendorDiag is a page of a vendor's diagnostics.
	VendorDiag          = newAttribute(ClassSMP, AttrVendorDiag, "VendorDiag", 64, "14.2.5.14")
	VendorDiagNextIndex = VendorDiag.bits("NextIndex", 0*8, 16)
	VendorDiagData      = VendorDiag.bytes("DiagData", 2, 62, hexBytes)

	// LedInfo is the LED that helps people find a node.
	LedInfo    = newAttribute(ClassSMP, AttrLedInfo, "LedInfo", 4, "14.2.5.15")
	LedInfoLed = LedInfo.bits("LedMask", 0, 1, note("1: on"))

	// SwitchRole is weft's vendor attribute: the configured role of a switch, so that routing need
	// not guess it. The attribute's number is in the vendors' range, and devices of another vendor
	// may use it differently: only an answer with the signature counts.
	SwitchRole          = newAttribute(ClassSMP, AttrSwitchRole, "SwitchRole", 8, "vendor")
	SwitchRoleSignature = SwitchRole.bits("Signature", 0*8, 32, hex, enum(named{SwitchRoleMagic, "weft"}))
	SwitchRoleRole      = SwitchRole.bits("Role", 4*8, 8, enum(roles...))
	SwitchRoleRank      = SwitchRole.bits("Rank", 5*8, 8, note("0 at the roots; 255 when it was not given"))
)

// SwitchRoleMagic is the signature of SwitchRole.
const SwitchRoleMagic = 0x77656674

// The roles of a switch in a tree.
const (
	RoleNone   = 0
	RoleRoot   = 1
	RoleMiddle = 2
	RoleLeaf   = 3
)

var roles = []named{{RoleNone, "none"}, {RoleRoot, "root"}, {RoleMiddle, "middle"}, {RoleLeaf, "leaf"}}
