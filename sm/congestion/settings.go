package congestion

import (
	"time"

	simcongestion "weft/sim/congestion"
	"weft/wire/mad"
)

// Settings is the congestion control of all devices of a subnet.
type Settings struct {
	Control *simcongestion.Control // nil turns it off: no packet is marked, no flow waits
	Key     uint64                 // CC_Key of requests
}

// After returns the settings that replace was, which devices may have. If there are none any more,
// congestion control is turned off.
func (s *Settings) After(was *Settings) *Settings {
	if s == nil && was != nil {
		return &Settings{Key: was.Key}
	}
	return s
}

// tick is the unit of CCTI_Timer.
const tick = 1024 * simcongestion.Nanosecond

// allSLs enables congestion control on all SLs of an adapter.
const allSLs = 0xFFFF

// ofSwitch returns the SwitchCongestionSetting of a switch, given the current one and its host
// ports.
func (s *Settings) ofSwitch(has []byte, toHosts []uint8, ports uint8) (wanted [dataSize]byte) {
	copy(wanted[:mad.SwitchCongestionSetting.Size], has)
	b := wanted[:]
	c := s.Control
	if c == nil {
		mad.SwitchCongestionSettingControlMap.Put(b, mad.CCThreshold)
		mad.SwitchCongestionSettingThreshold.Put(b, 0)
		return wanted
	}
	mad.SwitchCongestionSettingControlMap.Put(b, mad.CCVictimMask|mad.CCThreshold|mad.CCMarkingRate)
	mask := mad.SwitchCongestionSettingVictimMask.Get(b)
	clear(mask)
	mark := func(port uint8) { mask[len(mask)-1-int(port)/8] |= 1 << (port % 8) }
	for _, port := range toHosts {
		mark(port)
	}
	if c.MarkVictims {
		for port := range ports {
			mark(port + 1)
		}
	}
	mad.SwitchCongestionSettingThreshold.Put(b, uint64(c.Threshold))
	mad.SwitchCongestionSettingPacketSize.Put(b, uint64(c.PacketSize))
	mad.SwitchCongestionSettingMarkingRate.Put(b, uint64(c.MarkingRate))
	return wanted
}

// ofAdapter writes the CACongestionSetting of an adapter's port.
func (s *Settings) ofAdapter() (wanted [dataSize]byte) {
	b := wanted[:]
	mad.CACongestionSettingControlMap.Put(b, allSLs)
	c := s.Control
	if c == nil {
		return wanted
	}
	for sl := range 16 {
		mad.CACongestionSettingTimer.Set(b, sl, uint64(min(max(1, (c.Timer+tick/2)/tick), 1<<16-1)))
		mad.CACongestionSettingIncrease.Set(b, sl, uint64(min(c.Increase, 255)))
		mad.CACongestionSettingMin.Set(b, sl, uint64(min(c.Min, 255)))
	}
	return wanted
}

// blocks returns the number of table blocks to write to an adapter that has room for so many.
func (s *Settings) blocks(room int) int {
	if s.Control == nil {
		return min(room, 1)
	}
	return min(room, (int(s.Control.Limit)+mad.CCTBlock)/mad.CCTBlock)
}

// ofTable returns a block of the CongestionControlTable of an adapter with room for so many blocks.
func (s *Settings) ofTable(block, room int) (wanted [dataSize]byte) {
	b := wanted[:]
	c := s.Control
	if c == nil {
		return wanted
	}
	limit := min(int(c.Limit), room*mad.CCTBlock-1)
	mad.CongestionControlTableLimit.Put(b, uint64(limit))
	for i := range mad.CCTBlock {
		if at := block*mad.CCTBlock + i; at <= limit {
			mad.CongestionControlTableShift.Set(b, i, uint64(c.Table[at].Shift))
			mad.CongestionControlTableMultiplier.Set(b, i, uint64(c.Table[at].Multiplier))
		}
	}
	return wanted
}

// Control converts the settings of a switch and an adapter, with its table blocks, back to a
// Control: the reverse of the methods of Settings. Tests and inspection tools use it.
func Control(sw, adapter []byte, table [][]byte) *simcongestion.Control {
	c := &simcongestion.Control{
		Threshold: uint8(mad.SwitchCongestionSettingThreshold.Get(sw)), MarkingRate: uint16(mad.SwitchCongestionSettingMarkingRate.Get(sw)),
		PacketSize: uint8(mad.SwitchCongestionSettingPacketSize.Get(sw)),
		Increase:   uint16(mad.CACongestionSettingIncrease.At(adapter, 0)), Min: uint16(mad.CACongestionSettingMin.At(adapter, 0)),
		Timer: simcongestion.Picoseconds(mad.CACongestionSettingTimer.At(adapter, 0)) * tick, Limit: uint16(mad.CongestionControlTableLimit.Get(table[0])),
	}
	for at := range int(c.Limit) + 1 {
		b, i := table[at/mad.CCTBlock], at%mad.CCTBlock
		c.Table = append(c.Table, simcongestion.Delay{Shift: uint8(mad.CongestionControlTableShift.At(b, i)), Multiplier: uint16(mad.CongestionControlTableMultiplier.At(b, i))})
	}
	return c
}

// dataSize is the size of an attribute in a MAD, in bytes.
const dataSize = 192

// A silent device is retried after firstRetry; the interval doubles up to mostRetry.
const (
	firstRetry = time.Minute
	mostRetry  = time.Hour
)
