package mad

// The attributes of congestion control (annex A10.4.3).
const (
	AttrCongestionInfo              AttrID = 0x0011
	AttrCongestionKeyInfo           AttrID = 0x0012
	AttrSwitchCongestionSetting     AttrID = 0x0014
	AttrSwitchPortCongestionSetting AttrID = 0x0015
	AttrCACongestionSetting         AttrID = 0x0016
	AttrCongestionControlTable      AttrID = 0x0017
)

// CongestionHeader follows the common header in datagrams of congestion control.
var (
	CongestionHeader    = newLayout("CongestionHeader", 64, "A10.4.2")
	CongestionHeaderKey = CongestionHeader.bits("CC_Key", 24*8, 64, hex)
)

// The attributes of congestion control.
var (
	// CongestionInfo holds the capabilities of a port.
	CongestionInfo         = newAttribute(ClassCC, AttrCongestionInfo, "CongestionInfo", 4, "A10.4.3.3")
	CongestionInfoFlags    = CongestionInfo.bits("CongestionInfo", 0*8, 16, hex, note("bit 0: credit starvation is heeded"))
	CongestionInfoTableCap = CongestionInfo.bits("ControlTableCap", 2*8, 8, note("blocks of 64 entries of CongestionControlTable"))

	// CongestionKeyInfo holds the key required for Sets.
	CongestionKeyInfo           = newAttribute(ClassCC, AttrCongestionKeyInfo, "CongestionKeyInfo", 14, "A10.4.3.4")
	CongestionKeyInfoKey        = CongestionKeyInfo.bits("CC_Key", 0*8, 64, hex)
	CongestionKeyInfoProtect    = CongestionKeyInfo.bits("CC_KeyProtectBit", 8*8, 1)
	CongestionKeyInfoLease      = CongestionKeyInfo.bits("CC_KeyLeasePeriod", 10*8, 16, note("seconds"))
	CongestionKeyInfoViolations = CongestionKeyInfo.bits("CC_KeyViolations", 12*8, 16)

	// SwitchCongestionSetting sets when the ports of a switch mark packets. Bit n of a mask is port
	// n, counted from the last bit.
	SwitchCongestionSetting            = newAttribute(ClassCC, AttrSwitchCongestionSetting, "SwitchCongestionSetting", 76, "A10.4.3.6")
	SwitchCongestionSettingControlMap  = SwitchCongestionSetting.bits("Control_Map", 0*8, 32, hex, note("which of the others are valid"))
	SwitchCongestionSettingVictimMask  = SwitchCongestionSetting.bytes("Victim_Mask", 4, 32, hexBytes)
	SwitchCongestionSettingCreditMask  = SwitchCongestionSetting.bytes("Credit_Mask", 36, 32, hexBytes)
	SwitchCongestionSettingThreshold   = SwitchCongestionSetting.bits("Threshold", 68*8, 4, note("0: marks nothing; 15: marks earliest"))
	SwitchCongestionSettingPacketSize  = SwitchCongestionSetting.bits("Packet_Size", 69*8, 8, note("smaller ones are not marked, in 64 bytes"))
	SwitchCongestionSettingCSThreshold = SwitchCongestionSetting.bits("CS_Threshold", 70*8, 4)
	SwitchCongestionSettingCSDelay     = SwitchCongestionSetting.bits("CS_ReturnDelay", 72*8, 16, hex)
	SwitchCongestionSettingMarkingRate = SwitchCongestionSetting.bits("Marking_Rate", 74*8, 16, note("packets between two that are marked"))

	// SwitchPortCongestionSetting is a block of 32 ports of a switch; each may have a threshold of
	// its own.
	SwitchPortCongestionSetting           = newAttribute(ClassCC, AttrSwitchPortCongestionSetting, "SwitchPortCongestionSetting", 128, "A10.4.3.7")
	SwitchPortCongestionSettingValid      = SwitchPortCongestionSetting.array("Valid", 0, 1, 32, 32)
	SwitchPortCongestionSettingType       = SwitchPortCongestionSetting.array("Control_Type", 1, 1, 32, 32, note("0: congestion, 1: credit starvation"))
	SwitchPortCongestionSettingThreshold  = SwitchPortCongestionSetting.array("Threshold", 4, 4, 32, 32)
	SwitchPortCongestionSettingPacketSize = SwitchPortCongestionSetting.array("Packet_Size", 8, 8, 32, 32)
	SwitchPortCongestionSettingParameter  = SwitchPortCongestionSetting.array("Cong_Parm", 16, 16, 32, 32, note("the marking rate, or CS_ReturnDelay"))

	// CACongestionSetting sets the reaction of an adapter to congestion, by SL.
	CACongestionSetting            = newAttribute(ClassCC, AttrCACongestionSetting, "CACongestionSetting", 132, "A10.4.3.8")
	CACongestionSettingPortControl = CACongestionSetting.bits("Port_Control", 0*8, 16, hex, note("bit 0: by port and SL, else by queue pair"))
	CACongestionSettingControlMap  = CACongestionSetting.bits("Control_Map", 2*8, 16, hex, note("SLs whose entries are valid"))
	CACongestionSettingTimer       = CACongestionSetting.array("CCTI_Timer", 4*8, 16, 16, 64, note("1.024 us"))
	CACongestionSettingIncrease    = CACongestionSetting.array("CCTI_Increase", 6*8, 8, 16, 64)
	CACongestionSettingTrigger     = CACongestionSetting.array("Trigger_Threshold", 7*8, 8, 16, 64)
	CACongestionSettingMin         = CACongestionSetting.array("CCTI_Min", 8*8, 8, 16, 64)

	// CongestionControlTable is a block of 64 delays of an adapter.
	CongestionControlTable           = newAttribute(ClassCC, AttrCongestionControlTable, "CongestionControlTable", 132, "A10.4.3.9")
	CongestionControlTableLimit      = CongestionControlTable.bits("CCTI_Limit", 0*8, 16)
	CongestionControlTableShift      = CongestionControlTable.array("CCT_Shift", 4*8, 2, CCTBlock, 16)
	CongestionControlTableMultiplier = CongestionControlTable.array("CCT_Multiplier", 4*8+2, 14, CCTBlock, 16)
)

// CCTBlock is the number of entries of a block of CongestionControlTable.
const CCTBlock = 64

// Bits of Control_Map of SwitchCongestionSetting.
const (
	CCVictimMask = 1 << iota
	CCCreditMask
	CCThreshold // and Packet_Size
	CCStarvation
	CCMarkingRate
)
