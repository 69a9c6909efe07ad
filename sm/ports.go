package sm

import (
	"weft/mad"
	"weft/route"
)

// subnetTimeout tells clients how long an answer may take: 4.096 us * 2^18 = 1 s.
const subnetTimeout = 18

// attributeToSet makes the attribute that a Set carries. It is valid until the next Step.
func (c *Core) attributeToSet(k kind, index int32, arg uint32) []byte {
	at := len(c.paths) // in one Step there may be many
	c.paths = append(c.paths, make([]byte, 64)...)
	data := c.paths[at : at+64 : at+64]
	switch k {
	case setLFT:
		copy(data, c.plannedBlock(index, arg)[:])
	case clearChange:
		copy(data, c.nodes[index].sw[:])
	case setSwitch:
		c.plannedSwitchInfo(index, data)
	case setPKey:
		c.prog.pkeys[index].putBlock(arg, data)
	case setSL2VL:
		c.sl2vl(index, arg, data)
	case setVLArb:
		c.arbitration(index, arg, data)
	case setPort:
		c.plannedPortInfo(index, data)
		if c.mustArm(index) {
			mad.PortInfoPortState.Put(data, mad.PortArmed)
		}
		if c.mustReregister(index) {
			mad.PortInfoClientReregister.Put(data, 1)
		}
	case setKey:
		c.setKeyInfo(index, data)
	case setActive:
		c.plannedPortInfo(index, data)
		mad.PortInfoPortState.Put(data, mad.PortActive)
	default: // a Get carries nothing
	}
	return data
}

// mustArm reports whether a port is to go from Init to Armed.
func (l *ledger) mustArm(slot int32) bool {
	return l.state(slot) == mad.PortInit && l.mayCarryData(slot)
}

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

// queueArm queues what makes the ports of a node ready to receive: LID, parameters and
// Armed in one Set, and the top of the forwarding table that was written before.
func (c *Core) queueArm(id int32) {
	if c.prog.fabricNode[id] < 0 {
		return
	}
	var data [64]byte
	if c.prog.sw[id] >= 0 && !c.prog.closed[id] && c.plannedSwitchInfo(id, data[:]) {
		c.enqueue(makeTag(setSwitch, id, 0))
	}
	for slot := range c.portsOf(id) {
		if c.peer[slot] == noSlot && (c.prog.end[slot] < 0 || c.portNumber(slot) != 0) {
			continue
		}
		switch differs := c.plannedPortInfo(slot, data[:]); {
		case c.mustArm(slot), c.mustReregister(slot):
			c.enqueue(makeTag(setPort, slot, 0))
		case differs && c.wasToldPort(slot, &data):
			c.flags[slot] |= portTold
		case differs:
			c.enqueue(makeTag(setPort, slot, 0))
		}
	}
}

// queueActivate queues the step to Active in three turns: the ports of switches, those of
// CAs, and our own, so that data finds its way open.
func (c *Core) queueActivate(id int32) {
	if turn := c.cursor / len(c.nodes); c.prog.fabricNode[id] < 0 || turn != c.activationTurn(id) {
		return
	}
	for slot := range c.portsOf(id) {
		if !c.mayCarryData(slot) || c.state(slot) != mad.PortArmed {
			continue
		}
		if t := c.peer[slot]; c.state(t) < mad.PortArmed {
			c.noteLoss(NotTaken, c.portPlace(slot), "%s stays Armed: the other end of its cable, %s, is not", c.portName(slot), c.portName(t))
			continue
		}
		c.enqueue(makeTag(setActive, slot, 0))
	}
}

// activationTurns is the number of turns in which ports become Active.
const activationTurns = 3

// activationTurn returns the turn in which the ports of a node become Active.
func (c *Core) activationTurn(id int32) int {
	switch {
	case c.isSwitch(c.nodes[id].first):
		return 0
	case id != 0:
		return 1
	}
	return 2
}

// onSetPort takes the PortInfo that answers a Set. A port that does not say what it was
// told, or refuses, is read: a repeated Set may be refused because the first was taken.
func (c *Core) onSetPort(k kind, slot int32, ev *Event) {
	switch {
	case ev.Outcome == Answered:
		c.info[slot] = ev.Data
		c.flags[slot] |= portTold
		if c.holdsSettings(slot, k == setActive) {
			return
		}
	case ev.Outcome != Refused:
		return
	}
	c.enqueue(makeTag(getPortAfterSet, slot, 0))
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

// onPortAfterSet takes the PortInfo of a port that did not say what it was told.
func (c *Core) onPortAfterSet(slot int32, ev *Event) {
	if ev.Outcome == Answered {
		c.info[slot] = ev.Data
		if c.holdsSettings(slot, c.phase == activating) {
			return
		}
	}
	if ev.Outcome != Cancelled {
		info := c.info[slot][:]
		c.noteLoss(NotTaken, c.portPlace(slot), "%s does not take what it is told: it has LID %d, LMC %d and is in state %s", c.portName(slot),
			mad.PortInfoLID.Get(info), mad.PortInfoLMC.Get(info),
			mad.PortInfoPortState.Decl().ValueName(mad.PortInfoPortState.Get(info)))
	}
}
