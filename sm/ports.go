package sm

import "weft/wire/mad"

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
