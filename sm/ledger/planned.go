package ledger

import (
	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// SubnetTimeout tells clients how long an answer may take: 4.096 us * 2^18 = 1 s.
const SubnetTimeout = 18

// PlannedSwitchInfo makes the SwitchInfo that a switch is to have; differs reports whether
// it must be written.
func (l *Ledger) PlannedSwitchInfo(id int32, data []byte) (differs bool) {
	sw := l.Nodes[id].Sw[:]
	copy(data, sw)
	mad.SwitchInfoPortStateChange.Put(data, 0)
	set := func(f mad.Field, v uint64) {
		differs = differs || f.Get(sw) != v
		f.Put(data, v)
	}
	set(mad.SwitchInfoLinearFDBTop, uint64(l.Prog.Top))
	if own := l.Info[l.Nodes[id].First][:]; l.By.Stays && mad.PortInfoCapabilityMask.Get(own)&mad.CapIsMulticastFDBTop != 0 {
		set(mad.SwitchInfoMulticastFDBTop, topMLID(sw))
	}
	if l.Plan.Ports != nil {
		set(mad.SwitchInfoLifeTimeValue, uint64(l.Plan.Ports.PacketLife))
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

// PlannedPortInfo makes the PortInfo that a port is to have, without a change of state;
// differs reports whether it must be written.
func (l *Ledger) PlannedPortInfo(slot int32, data []byte) (differs bool) {
	info := l.Info[slot][:]
	copy(data, info)
	leaveStates(data)
	set := func(f mad.Field, v uint64) {
		differs = differs || f.Get(info) != v
		f.Put(data, v)
	}
	if e := l.Prog.End[slot]; e >= 0 {
		set(mad.PortInfoLID, uint64(l.Plan.Ends.Base[e]))
		set(mad.PortInfoLMC, uint64(l.Plan.Ends.LMC[e]))
		set(mad.PortInfoMasterSMLID, uint64(l.Prog.SMLID))
		set(mad.PortInfoMasterSMSL, l.serviceSL(e))
		set(mad.PortInfoGidPrefix, l.By.Between.OwnPrefix())
		set(mad.PortInfoSubnetTimeOut, SubnetTimeout)
		if _, other := l.Keys.Has[l.GUID[slot]]; l.Keys.Given() && !other {
			l.putKey(l.GUID[slot], set)
		}
	}
	if l.Peer[slot] != NoSlot {
		l.setLinkParams(slot, set)
		l.setEnforcement(slot, set)
	}
	return differs
}

// putKey writes the M_Key that a port is to have, with its protection and its lease.
func (l *Ledger) putKey(port fabric.GUID, set func(f mad.Field, v uint64)) {
	set(mad.PortInfoMKey, l.Keys.ToHave(port))
	set(mad.PortInfoMKeyProtectBits, uint64(l.Keys.Protect))
	set(mad.PortInfoMKeyLeasePeriod, uint64(l.Keys.Lease))
}

// setLinkParams sets what a port with a cable is told of its link: MTU and operational VLs
// are what both ends are capable of, and no more than the Plan has for either.
func (l *Ledger) setLinkParams(slot int32, set func(f mad.Field, v uint64)) {
	t := l.Peer[slot]
	info, other := l.Info[slot][:], l.Info[t][:]
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
	if p := l.portParams(slot); p != nil && l.IsSwitch(slot) {
		set(mad.PortInfoHOQLife, uint64(p.HOQLife))
		set(mad.PortInfoVLStallCount, uint64(p.StallCount))
	}
	if table := l.ArbTable(slot); table != nil && l.Plan.VLs > 1 {
		set(mad.PortInfoVLHighLimit, uint64(table.Limit))
	}
}

// portParams returns what the Plan has for a port, nil where it has nothing.
func (l *Ledger) portParams(slot int32) *route.PortParams {
	e, s := l.Prog.End[slot], l.Prog.Sw[l.Owner[slot]]
	switch {
	case l.Plan.Ports == nil:
		return nil
	case s >= 0:
		return l.Plan.Ports.OfSwitch(l.Graph, s, l.PortNumber(slot))
	case e >= 0:
		return l.Plan.Ports.OfHost(e)
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
func (l *Ledger) serviceSL(e int32) uint64 {
	if l.Prog.SMLID == 0 {
		return 0
	}
	return uint64(l.Plan.PathSL(e, l.Prog.SMLID))
}

// SetKeyInfo makes the PortInfo by which a port is given its key, and nothing else.
func (l *Ledger) SetKeyInfo(agent int32, data []byte) {
	copy(data, l.Info[agent][:])
	leaveStates(data)
	l.putKey(l.GUID[agent], func(f mad.Field, v uint64) { f.Put(data, v) })
}

// leaveStates makes a Set of PortInfo change no state.
func leaveStates(data []byte) {
	mad.PortInfoPortState.Put(data, mad.PortNoChange)
	mad.PortInfoPhysicalState.Put(data, mad.PhysNoChange)
	mad.PortInfoLinkDownDefault.Put(data, 0)
	mad.PortInfoClientReregister.Put(data, 0)
}

// MustArm reports whether a port is to go from Init to Armed.
func (l *Ledger) MustArm(slot int32) bool {
	return l.State(slot) == mad.PortInit && l.MayCarryData(slot)
}

// MayCarryData reports whether both nodes at the cable of a port hold what was proven.
func (l *Ledger) MayCarryData(slot int32) bool {
	t := l.Peer[slot]
	return t != NoSlot && !l.Prog.Closed[l.Owner[slot]] && !l.Prog.Closed[l.Owner[t]] && !l.IsDrainedHost(slot)
}

// HoldsSettings reports whether a port has its LID, its LMC and its state.
func (l *Ledger) HoldsSettings(slot int32, active bool) bool {
	info := l.Info[slot][:]
	if e := l.Prog.End[slot]; e >= 0 && (mad.PortInfoLID.Get(info) != uint64(l.Plan.Ends.Base[e]) ||
		mad.PortInfoLMC.Get(info) != uint64(l.Plan.Ends.LMC[e])) {
		return false
	}
	switch {
	case !l.MayCarryData(slot):
		return true
	case active:
		return l.State(slot) == mad.PortActive
	}
	return l.State(slot) >= mad.PortArmed
}
