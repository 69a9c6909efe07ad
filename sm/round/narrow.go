package round

import (
	"maps"
	"slices"

	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// A cable between switches may have fewer lanes than the others. Engines use as many lanes as all
// of them have. If that is too few for a Plan, the cables with the fewest are left out, so that one
// of them does not keep the subnet from being routed. Links to hosts are on no cycle: their lanes
// are folded (route.SL2VL.FitHosts).

// lanesAt returns the number of lanes of the cable at a switch port whose other end is a switch; 0
// for other ports.
func (f *finder) lanesAt(slot int32) uint8 {
	t := f.Peer[slot]
	if t == ledger.NoSlot || !f.IsSwitch(slot) || !f.IsSwitch(t) || slot == f.OwnPort() || t == f.OwnPort() {
		return 0
	}
	return mad.DataVLs(min(mad.PortInfoVLCap.Get(f.Info[slot][:]), mad.PortInfoVLCap.Get(f.Info[t][:])))
}

// leaveOutNarrow leaves out the cables that have fewer lanes than the Plan in force, unless a
// switch has no other way to us. They would have the subnet routed afresh in every round.
func (f *finder) leaveOutNarrow() {
	b := f.given.Before
	if b == nil || f.given.Afresh || b.Plan.VLs <= 1 {
		return
	}
	narrow := map[int32]int32{}
	for slot := range int32(len(f.Owner)) {
		lanes := f.lanesAt(slot)
		if t := f.Peer[slot]; lanes > 0 && slot < t && int(lanes) < b.Plan.VLs {
			narrow[slot] = t
		}
	}
	if len(narrow) == 0 {
		return
	}
	with := f.ReachableNodes()
	for slot := range narrow {
		f.unpair(slot)
	}
	all := slices.Equal(with, f.ReachableNodes())
	for slot, t := range narrow {
		f.Peer[slot], f.Peer[t] = t, slot
	}
	for _, slot := range slices.Sorted(maps.Keys(narrow)) {
		if all {
			f.leaveOutCable(slot)
		}
	}
}

// leaveOutNarrowest leaves out the cables between switches that have the fewest lanes. It returns
// false if all have the same number.
func (f *finder) leaveOutNarrowest() bool {
	least, most := uint8(0), uint8(0)
	for slot := range int32(len(f.Owner)) {
		if lanes := f.lanesAt(slot); lanes > 0 {
			most = max(most, lanes)
			if least == 0 || lanes < least {
				least = lanes
			}
		}
	}
	if least == most {
		return false
	}
	for slot := range int32(len(f.Owner)) {
		if f.lanesAt(slot) == least {
			f.leaveOutCable(slot)
		}
	}
	return true
}

// leaveOutCable leaves out the cable at a port, for its lanes.
func (f *finder) leaveOutCable(slot int32) {
	f.noteLoss(terms.NoRoom, f.PortPlace(slot), "the cable %s - %s is left out: it has %d lanes, too few for the routes of the others",
		f.PortName(slot), f.PortName(f.Peer[slot]), f.lanesAt(slot))
	f.unpair(slot)
}
