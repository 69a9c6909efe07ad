package sm

import (
	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// subnetTimeout tells clients how long an answer may take: 4.096 us * 2^18 = 1 s.
const subnetTimeout = 18

// plannedSwitchInfo makes the SwitchInfo that a switch is to have; differs reports whether
// it must be written.
func (l *ledger) plannedSwitchInfo(id int32, data []byte) (differs bool) {
	sw := l.nodes[id].sw[:]
	copy(data, sw)
	mad.SwitchInfoPortStateChange.Put(data, 0)
	set := func(f mad.Field, v uint64) {
		differs = differs || f.Get(sw) != v
		f.Put(data, v)
	}
	set(mad.SwitchInfoLinearFDBTop, uint64(l.prog.top))
	if own := l.info[l.nodes[id].first][:]; l.by.stays && mad.PortInfoCapabilityMask.Get(own)&mad.CapIsMulticastFDBTop != 0 {
		set(mad.SwitchInfoMulticastFDBTop, topMLID(sw))
	}
	if l.plan.Ports != nil {
		set(mad.SwitchInfoLifeTimeValue, uint64(l.plan.Ports.PacketLife))
	}
	return differs
}

// topMLID returns the highest MLID that a switch has room for: it forwards none above its top.
func topMLID(sw []byte) uint64 {
	most := uint64(fabric.LastMLID)
	if n := mad.SwitchInfoMulticastFDBCap.Get(sw); n > 0 {
		most = min(most, uint64(fabric.FirstMLID)+n-1)
	}
	return most
}

// plannedPortInfo makes the PortInfo that a port is to have, without a change of state;
// differs reports whether it must be written.
func (l *ledger) plannedPortInfo(slot int32, data []byte) (differs bool) {
	info := l.info[slot][:]
	copy(data, info)
	leaveStates(data)
	set := func(f mad.Field, v uint64) {
		differs = differs || f.Get(info) != v
		f.Put(data, v)
	}
	if e := l.prog.end[slot]; e >= 0 {
		set(mad.PortInfoLID, uint64(l.plan.Ends.Base[e]))
		set(mad.PortInfoLMC, uint64(l.plan.Ends.LMC[e]))
		set(mad.PortInfoMasterSMLID, uint64(l.prog.smLID))
		set(mad.PortInfoMasterSMSL, l.serviceSL(e))
		set(mad.PortInfoGidPrefix, l.by.between.OwnPrefix())
		set(mad.PortInfoSubnetTimeOut, subnetTimeout)
		if _, other := l.keys.has[l.guid[slot]]; l.keys.Given() && !other {
			l.putKey(l.guid[slot], set)
		}
	}
	if l.peer[slot] != noSlot {
		l.setLinkParams(slot, set)
		l.setEnforcement(slot, set)
	}
	return differs
}

// putKey writes the M_Key that a port is to have, with its protection and its lease.
func (l *ledger) putKey(port fabric.GUID, set func(f mad.Field, v uint64)) {
	set(mad.PortInfoMKey, l.keys.toHave(port))
	set(mad.PortInfoMKeyProtectBits, uint64(l.keys.Protect))
	set(mad.PortInfoMKeyLeasePeriod, uint64(l.keys.Lease))
}

// setLinkParams sets what a port with a cable is told of its link: MTU and operational VLs
// are what both ends are capable of, and no more than the Plan has for either.
func (l *ledger) setLinkParams(slot int32, set func(f mad.Field, v uint64)) {
	t := l.peer[slot]
	info, other := l.info[slot][:], l.info[t][:]
	mtu, vls := lesserOf(mad.PortInfoMTUCap, info, other), lesserOf(mad.PortInfoVLCap, info, other)
	for _, p := range [2]*route.PortParams{l.portParams(slot), l.portParams(t)} {
		if p != nil && p.MTU > 0 {
			mtu = min(mtu, uint64(p.MTU))
		}
		if p != nil && p.VLs > 0 {
			vls = min(vls, vlCode(p.VLs))
		}
	}
	set(mad.PortInfoNeighborMTU, max(1, mtu)) // every port has the least one
	if vls > 0 {
		set(mad.PortInfoOperationalVLs, vls)
	}
	if p := l.portParams(slot); p != nil && l.isSwitch(slot) {
		set(mad.PortInfoHOQLife, uint64(p.HOQLife))
		set(mad.PortInfoVLStallCount, uint64(p.StallCount))
	}
	if table := l.arbTable(slot); table != nil && l.plan.VLs > 1 {
		set(mad.PortInfoVLHighLimit, uint64(table.Limit))
	}
}

// portParams returns what the Plan has for a port, nil where it has nothing.
func (l *ledger) portParams(slot int32) *route.PortParams {
	e, s := l.prog.end[slot], l.prog.sw[l.owner[slot]]
	switch {
	case l.plan.Ports == nil:
		return nil
	case s >= 0:
		return l.plan.Ports.OfSwitch(l.graph, s, l.portNumber(slot))
	case e >= 0:
		return l.plan.Ports.OfHost(e)
	}
	return nil
}

// lesserOf returns the code of MTUs or VLs that both ends of a cable are capable of; codes
// end at 5.
func lesserOf(f mad.Field, a, b []byte) uint64 { return min(f.Get(a), f.Get(b), 5) }

// vlCode returns the code of the least operational VLs that are at least as many.
func vlCode(vls uint8) uint64 {
	code := uint64(1)
	for code < 5 && mad.DataVLs(code) < vls {
		code++
	}
	return code
}

// serviceSL returns the SL from an end port to the subnet manager.
func (l *ledger) serviceSL(e int32) uint64 {
	if l.prog.smLID == 0 {
		return 0
	}
	return uint64(l.plan.PathSL(e, l.prog.smLID))
}

// setKeyInfo makes the PortInfo by which a port is given its key, and nothing else.
func (l *ledger) setKeyInfo(agent int32, data []byte) {
	copy(data, l.info[agent][:])
	leaveStates(data)
	l.putKey(l.guid[agent], func(f mad.Field, v uint64) { f.Put(data, v) })
}

// leaveStates makes a Set of PortInfo change no state.
func leaveStates(data []byte) {
	mad.PortInfoPortState.Put(data, mad.PortNoChange)
	mad.PortInfoPhysicalState.Put(data, mad.PhysNoChange)
	mad.PortInfoLinkDownDefault.Put(data, 0)
	mad.PortInfoClientReregister.Put(data, 0)
}

// mustArm reports whether a port is to go from Init to Armed.
func (l *ledger) mustArm(slot int32) bool {
	return l.state(slot) == mad.PortInit && l.mayCarryData(slot)
}

// mayCarryData reports whether both nodes at the cable of a port hold what was proven.
func (l *ledger) mayCarryData(slot int32) bool {
	t := l.peer[slot]
	return t != noSlot && !l.prog.closed[l.owner[slot]] && !l.prog.closed[l.owner[t]] && !l.isDrainedHost(slot)
}

// holdsSettings reports whether a port has its LID, its LMC and its state.
func (l *ledger) holdsSettings(slot int32, active bool) bool {
	info := l.info[slot][:]
	if e := l.prog.end[slot]; e >= 0 && (mad.PortInfoLID.Get(info) != uint64(l.plan.Ends.Base[e]) ||
		mad.PortInfoLMC.Get(info) != uint64(l.plan.Ends.LMC[e])) {
		return false
	}
	switch {
	case !l.mayCarryData(slot):
		return true
	case active:
		return l.state(slot) == mad.PortActive
	}
	return l.state(slot) >= mad.PortArmed
}
