package mad

// Notice reports an event, in a trap or a report. Its details depend on the trap: the layouts Trap*
// overlay the whole Notice and name their part of it.
var (
	Notice             = newAttribute(ClassSMP, AttrNotice, "Notice", 64, "13.4.8.2")
	NoticeIsGeneric    = Notice.bits("IsGeneric", 0, 1, note("0: a vendor's, with VendorID and DeviceID"))
	NoticeType         = Notice.bits("Type", 1, 7, enum(noticeTypes...))
	NoticeProducerType = Notice.bits("ProducerType", 1*8, 24, enum(producers...), note("or VendorID"))
	NoticeTrapNumber   = Notice.bits("TrapNumber", 4*8, 16, enum(traps...), note("or DeviceID"))
	NoticeIssuerLID    = Notice.bits("IssuerLID", 6*8, 16)
	NoticeToggle       = Notice.bits("NoticeToggle", 8*8, 1)
	NoticeCount        = Notice.bits("NoticeCount", 8*8+1, 15)
	NoticeDataDetails  = Notice.bytes("DataDetails", 10, 54, hexBytes, union)
	noticeTypes        = []named{{0, "fatal"}, {1, "urgent"}, {2, "security"}, {3, "subnet management"}, {4, "informational"}, {0x7F, "empty"}}
	producers          = []named{{1, "CA"}, {2, "switch"}, {3, "router"}, {4, "class manager"}}
	traps              = inOrder([]string{
		64: "GID in service", 65: "GID out of service", 66: "multicast group created",
		67: "multicast group deleted", 68: "UnPath", 69: "RePath", 128: "link state of a switch port changed",
		129: "local link integrity threshold", 130: "excessive buffer overrun threshold",
		131: "flow control watchdog expired", 144: "local changes", 145: "SystemImageGUID changed",
		256: "bad M_Key", 257: "bad P_Key", 258: "bad Q_Key", 259: "bad P_Key at a switch external port",
	}...)
)

// The traps.
const (
	TrapGIDInService       = 64
	TrapGIDOutOfService    = 65
	TrapGroupCreated       = 66
	TrapGroupDeleted       = 67
	TrapLinkState          = 128
	TrapLinkIntegrity      = 129
	TrapBufferOverrun      = 130
	TrapFlowControl        = 131
	TrapLocalChanges       = 144
	TrapSystemImageGUID    = 145
	TrapBadMKey            = 256
	TrapBadPKey            = 257
	TrapBadQKey            = 258
	TrapBadPKeySwitchPort  = 259
	NoticeTypeUrgent       = 1
	NoticeTypeSecurity     = 2
	NoticeTypeManagement   = 3
	NoticeTypeInfo         = 4
	NoticeTypeEmpty        = 0x7F
	NoticeProducerClassMgr = 4
)

// The details of notices, and the SA's additions.
var (
	// TrapGID names the details of traps 64..67, which the SA generates for its subscribers.
	TrapGID    = newLayout("TrapGID", 64, "14.2.5.1")
	TrapGIDGID = TrapGID.bytes("GID", 16, 16, gid)

	// Trap128 names the details of trap 128.
	Trap128    = newLayout("Trap128", 64, "14.2.5.1")
	Trap128LID = Trap128.bits("LID", 10*8, 16, note("the switch"))

	// TrapPort names the details of traps 129, 130 and 131.
	TrapPort     = newLayout("TrapPort", 64, "14.2.5.1")
	TrapPortLID  = TrapPort.bits("LID", 12*8, 16)
	TrapPortPort = TrapPort.bits("Port", 14*8, 8)

	// Trap144 names the details of trap 144.
	Trap144                  = newLayout("Trap144", 64, "14.2.5.1")
	Trap144LID               = Trap144.bits("LID", 12*8, 16)
	Trap144OtherLocalChanges = Trap144.bits("OtherLocalChanges", 15*8+7, 1, note("the change flags count"))
	Trap144CapabilityMask    = Trap144.bits("CapabilityMask", 16*8, 32, flags(portCaps...))
	Trap144ChangeFlags       = Trap144.bits("ChangeFlags", 20*8, 16, flags(localChanges...))
	Trap144CapabilityMask2   = Trap144.bits("CapabilityMask2", 22*8, 16, flags(portCaps2...))
	localChanges             = inOrder("NodeDescription", "LinkWidthEnabled", "LinkSpeedEnabled", "SMPriority", "Hierarchy", "CapabilityMask2")

	// Trap145 names the details of trap 145.
	Trap145     = newLayout("Trap145", 64, "14.2.5.1")
	Trap145LID  = Trap145.bits("LID", 12*8, 16)
	Trap145GUID = Trap145.bits("SystemImageGUID", 16*8, 64, hex)

	// Trap256 names the details of trap 256.
	Trap256              = newLayout("Trap256", 64, "14.2.5.1")
	Trap256LID           = Trap256.bits("LID", 12*8, 16)
	Trap256DrSLID        = Trap256.bits("DrSLID", 14*8, 16)
	Trap256Method        = Trap256.bits("Method", 16*8, 8, hex, enum(methods...))
	Trap256AttributeID   = Trap256.bits("AttributeID", 18*8, 16, hex)
	Trap256Modifier      = Trap256.bits("AttributeModifier", 20*8, 32, hex)
	Trap256MKey          = Trap256.bits("M_Key", 24*8, 64, hex)
	Trap256DRNotice      = Trap256.bits("DRNotice", 33*8, 1)
	Trap256PathTruncated = Trap256.bits("DRPathTruncated", 33*8+1, 1)
	Trap256HopCount      = Trap256.bits("DRHopCount", 33*8+2, 6)
	Trap256ReturnPath    = Trap256.bytes("DRNoticeReturnPath", 34, 30, path)

	// TrapKey names the details of traps 257 and 258.
	TrapKey     = newLayout("TrapKey", 64, "14.2.5.1")
	TrapKeyLID1 = TrapKey.bits("LID1", 12*8, 16)
	TrapKeyLID2 = TrapKey.bits("LID2", 14*8, 16)
	TrapKeyKey  = TrapKey.bits("Key", 16*8, 32, hex, note("P_Key or Q_Key"))
	TrapKeySL   = TrapKey.bits("SL", 20*8, 4)
	TrapKeyQP1  = TrapKey.bits("QP1", 21*8, 24, hex)
	TrapKeyQP2  = TrapKey.bits("QP2", 25*8, 24, hex)
	TrapKeyGID1 = TrapKey.bytes("GID1", 28, 16, gid)
	TrapKeyGID2 = TrapKey.bytes("GID2", 44, 16, gid)

	// Trap259 names the details of trap 259.
	Trap259          = newLayout("Trap259", 64, "14.2.5.1")
	Trap259DataValid = Trap259.bits("DataValid", 10*8, 16, hex)
	Trap259LID1      = Trap259.bits("LID1", 12*8, 16)
	Trap259LID2      = Trap259.bits("LID2", 14*8, 16)
	Trap259PKey      = Trap259.bits("P_Key", 16*8, 16, hex)
	Trap259SL        = Trap259.bits("SL", 18*8, 4)
	Trap259QP1       = Trap259.bits("QP1", 19*8, 24, hex)
	Trap259QP2       = Trap259.bits("QP2", 23*8, 24, hex)
	Trap259GID1      = Trap259.bytes("GID1", 26, 16, gid)
	Trap259GID2      = Trap259.bytes("GID2", 42, 16, gid)
	Trap259SwitchLID = Trap259.bits("SwitchLID", 58*8, 16)
	Trap259Port      = Trap259.bits("Port", 60*8, 8)

	// SANotice is the Notice of a report, with the GID of the issuing port.
	SANotice          = newAttribute(ClassSA, AttrNotice, "SANotice", 80, "13.4.8.2")
	SANoticeNotice    = SANotice.part("Notice", 0, Notice)
	SANoticeIssuerGID = SANotice.bytes("IssuerGID", 64, 16, gid)
)

// TrapDetails returns the layout that names the details of a notice, nil if unknown.
func TrapDetails(notice []byte) *Layout {
	if !NoticeIsGeneric.Is(notice) || NoticeType.Get(notice) == NoticeTypeEmpty {
		return nil
	}
	switch NoticeTrapNumber.Get(notice) {
	case TrapGIDInService, TrapGIDOutOfService, TrapGroupCreated, TrapGroupDeleted:
		return TrapGID
	case TrapLinkState:
		return Trap128
	case TrapLinkIntegrity, TrapBufferOverrun, TrapFlowControl:
		return TrapPort
	case TrapLocalChanges:
		return Trap144
	case TrapSystemImageGUID:
		return Trap145
	case TrapBadMKey:
		return Trap256
	case TrapBadPKey, TrapBadQKey:
		return TrapKey
	case TrapBadPKeySwitchPort:
		return Trap259
	default:
		return nil
	}
}
