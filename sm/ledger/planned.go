package ledger

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/sm/sa"
	"weft/wire/mad"
)

// noDefaultPort stands for no port in SwitchInfo, as in forwarding tables.
const noDefaultPort = 255

// PlannedSwitchInfo writes the planned SwitchInfo of a switch into data. differs reports whether it
// must be sent.
func (l *Ledger) PlannedSwitchInfo(id int32, data []byte) (differs bool) {
	sw := l.Nodes[id].Sw[:]
	copy(data, sw)
	mad.SwitchInfoPortStateChange.Put(data, 0)
	set := func(f mad.Field, v uint64) {
		differs = differs || f.Get(sw) != v
		f.Put(data, v)
	}
	set(mad.SwitchInfoLinearFDBTop, uint64(l.Prog.Top))
	if own := l.Info[l.Nodes[id].First][:]; l.By.Stays && mad.SwitchInfoMulticastFDBCap.Get(sw) > 0 && mad.PortInfoCapabilityMask.Get(own)&mad.CapIsMulticastFDBTop != 0 {
		set(mad.SwitchInfoMulticastFDBTop, topMLID(sw))
	}
	for _, port := range [...]mad.Field{mad.SwitchInfoDefaultMcastPrimary, mad.SwitchInfoDefaultMcastOther} {
		if v := port.Get(sw); v > 0 && v <= uint64(l.Nodes[id].Ports) { // packets of groups without a tree would go in circles
			set(port, noDefaultPort)
		}
	}
	if l.Plan.Ports != nil {
		set(mad.SwitchInfoLifeTimeValue, uint64(l.Plan.Ports.PacketLife))
	}
	return differs
}

// topMLID returns the highest MLID that fits into a switch's table: a switch forwards none above
// its top.
func topMLID(sw []byte) uint64 {
	most := uint64(fabric.LastMLID)
	if n := mad.SwitchInfoMulticastFDBCap.Get(sw); n > 0 {
		most = min(most, uint64(fabric.FirstMLID)+n-1)
	}
	return most
}

// WithoutGroups marks the switches of the Graph whose multicast table is too small for the groups
// of the others, 0 entries included; nil if there are none. See sa.MLIDs.
func (l *Ledger) WithoutGroups() []bool {
	sizes := make([]int, l.Graph.NumSwitches)
	for s, guid := range l.Graph.SwitchGUID {
		sizes[s] = int(mad.SwitchInfoMulticastFDBCap.Get(l.Nodes[l.ByGUID[guid]].Sw[:]))
	}
	need := sa.MLIDs(sizes)
	if largest := slices.Max(sizes); largest == 0 || slices.Min(sizes) >= need {
		return nil
	}
	without := make([]bool, len(sizes))
	for s, size := range sizes {
		without[s] = size < need
	}
	return without
}

// PlannedPortInfo writes the planned PortInfo of a port into data, without a change of state.
// differs reports whether it must be sent.
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
		if lid := mad.PortInfoMasterSMLID.Get(info); lid == 0 || lid != uint64(l.By.Contested) {
			set(mad.PortInfoMasterSMLID, uint64(l.Prog.SMLID))
			set(mad.PortInfoMasterSMSL, l.serviceSL(e))
		}
		set(mad.PortInfoGidPrefix, l.By.Between.OwnPrefix())
		set(mad.PortInfoSubnetTimeOut, uint64(l.By.Tuning.Timeout()))
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

// putKey sets the planned M_Key of a port, its protection and its lease: 0 without a key.
func (l *Ledger) putKey(port fabric.GUID, set func(f mad.Field, v uint64)) {
	key, protect, lease := l.Keys.ToHave(port), uint64(l.Keys.Protect), uint64(l.Keys.Lease)
	if key == 0 {
		protect, lease = 0, 0
	}
	set(mad.PortInfoMKey, key)
	set(mad.PortInfoMKeyProtectBits, protect)
	set(mad.PortInfoMKeyLeasePeriod, lease)
}

// setLinkParams sets the link parameters of a cabled port. MTU and operational VLs are the minimum
// of both ends' capabilities and the Plan's values for both ends.
func (l *Ledger) setLinkParams(slot int32, set func(f mad.Field, v uint64)) {
	t := l.Peer[slot]
	mtu, vls := l.LinkMTU(slot), lesserOf(mad.PortInfoVLCap, l.Info[slot][:], l.Info[t][:])
	for _, p := range [2]*route.PortParams{l.portParams(slot), l.portParams(t)} {
		if p != nil && p.MTU > 0 {
			mtu = min(mtu, uint64(p.MTU))
		}
		if p != nil && p.VLs > 0 {
			vls = min(vls, vlCode(p.VLs))
		}
	}
	set(mad.PortInfoNeighborMTU, mtu)
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

// portParams returns the Plan's parameters for a port, nil if it has none.
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

// LinkMTU returns the code of the largest MTU that both ends of the cable at a port support. Every
// port supports code 1.
func (l *Ledger) LinkMTU(slot int32) uint64 {
	return max(1, lesserOf(mad.PortInfoMTUCap, l.Info[slot][:], l.Info[l.Peer[slot]][:]))
}

// lesserOf returns the lower code of MTU or VLs at the two ends of a cable. The highest valid code
// is 5.
func lesserOf(f mad.Field, a, b []byte) uint64 { return min(f.Get(a), f.Get(b), 5) }

// vlCode returns the lowest code with at least this many operational VLs.
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

// SetKeyInfo writes into data a PortInfo that sets the M_Key of a port, and nothing else. agent is
// the slot that Agent returns.
func (l *Ledger) SetKeyInfo(agent int32, data []byte) {
	copy(data, l.Info[agent][:])
	leaveStates(data)
	l.putKey(l.GUID[agent], func(f mad.Field, v uint64) { f.Put(data, v) })
}

// IsDisabled reports whether a cabled or uncabled port of a managed switch is disabled.
func (l *Ledger) IsDisabled(slot int32) bool {
	return l.Flags[slot]&PortKnown != 0 && l.IsSwitch(slot) && l.PortNumber(slot) > 0 && l.Prog.FabricNode[l.Owner[slot]] >= 0 &&
		mad.PortInfoPhysicalState.Get(l.Info[slot][:]) == mad.PhysDisabled
}

// SwitchOff writes into data the PortInfo that disables a switch port, or enables it.
func (l *Ledger) SwitchOff(slot int32, off bool, data []byte) {
	l.Enable(slot, data)
	mad.PortInfoPhysicalState.Put(data, map[bool]uint64{true: mad.PhysDisabled, false: mad.PhysPolling}[off])
}

// Enable writes a PortInfo of a switch port into data. It changes nothing until the caller fills in
// fields.
func (l *Ledger) Enable(slot int32, data []byte) {
	copy(data, l.Info[slot][:])
	leaveStates(data)
}

// leaveStates makes a Set of PortInfo change no state.
func leaveStates(data []byte) {
	mad.PortInfoPortState.Put(data, mad.PortNoChange)
	mad.PortInfoPhysicalState.Put(data, mad.PhysNoChange)
	mad.PortInfoLinkDownDefault.Put(data, 0)
	mad.PortInfoClientReregister.Put(data, 0)
}

// MustArm reports whether a port must be taken from Init to Armed.
func (l *Ledger) MustArm(slot int32) bool {
	return l.State(slot) == mad.PortInit && l.MayCarryData(slot)
}

// MayCarryData reports whether the cable at a port may become Active: both nodes hold their proven
// tables, and it is no drained host cable.
func (l *Ledger) MayCarryData(slot int32) bool {
	t := l.Peer[slot]
	return t != NoSlot && !l.Prog.Closed[l.Owner[slot]] && !l.Prog.Closed[l.Owner[t]] && !l.IsDrainedHost(slot)
}

// HoldsSettings reports whether a port has its planned LID and LMC, and is Active (with active) or
// at least Armed, if it may carry data.
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
