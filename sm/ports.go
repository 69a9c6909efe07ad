package sm

import "weft/wire/mad"

// attributeToSet makes the attribute that a Set carries. It is valid until the next Step.
func (w *writer) attributeToSet(k kind, index int32, arg uint32) []byte {
	at := len(w.paths) // in one Step there may be many
	w.paths = append(w.paths, make([]byte, 64)...)
	data := w.paths[at : at+64 : at+64]
	switch k {
	case setLFT:
		copy(data, w.plannedBlock(index, arg)[:])
	case clearChange:
		copy(data, w.nodes[index].sw[:])
	case setSwitch:
		w.plannedSwitchInfo(index, data)
	case setPKey:
		w.prog.pkeys[index].putBlock(arg, data)
	case setSL2VL:
		w.sl2vl(index, arg, data)
	case setVLArb:
		w.arbitration(index, arg, data)
	case setPort:
		w.plannedPortInfo(index, data)
		if w.mustArm(index) {
			mad.PortInfoPortState.Put(data, mad.PortArmed)
		}
		if w.mustReregister(index) {
			mad.PortInfoClientReregister.Put(data, 1)
		}
	case setKey:
		w.setKeyInfo(index, data)
	case setActive:
		w.plannedPortInfo(index, data)
		mad.PortInfoPortState.Put(data, mad.PortActive)
	default: // a Get carries nothing
	}
	return data
}

// queueArm queues what makes the ports of a node ready to receive: LID, parameters and
// Armed in one Set, and the top of the forwarding table that was written before.
func (w *writer) queueArm(id int32) {
	if w.prog.fabricNode[id] < 0 {
		return
	}
	var data [64]byte
	if w.prog.sw[id] >= 0 && !w.prog.closed[id] && w.plannedSwitchInfo(id, data[:]) {
		w.enqueue(makeTag(setSwitch, id, 0))
	}
	for slot := range w.portsOf(id) {
		if w.peer[slot] == noSlot && (w.prog.end[slot] < 0 || w.portNumber(slot) != 0) {
			continue
		}
		switch differs := w.plannedPortInfo(slot, data[:]); {
		case w.mustArm(slot), w.mustReregister(slot):
			w.enqueue(makeTag(setPort, slot, 0))
		case differs && w.wasToldPort(slot, &data):
			w.flags[slot] |= portTold
		case differs:
			w.enqueue(makeTag(setPort, slot, 0))
		}
	}
}

// queueActivate queues the step to Active in three turns: the ports of switches, those of
// CAs, and our own, so that data finds its way open.
func (w *writer) queueActivate(id int32) {
	if turn := w.cursor / len(w.nodes); w.prog.fabricNode[id] < 0 || turn != w.activationTurn(id) {
		return
	}
	for slot := range w.portsOf(id) {
		if !w.mayCarryData(slot) || w.state(slot) != mad.PortArmed {
			continue
		}
		if t := w.peer[slot]; w.state(t) < mad.PortArmed {
			w.noteLoss(NotTaken, w.portPlace(slot), "%s stays Armed: the other end of its cable, %s, is not", w.portName(slot), w.portName(t))
			continue
		}
		w.enqueue(makeTag(setActive, slot, 0))
	}
}

// activationTurns is the number of turns in which ports become Active.
const activationTurns = 3

// activationTurn returns the turn in which the ports of a node become Active.
func (w *writer) activationTurn(id int32) int {
	switch {
	case w.isSwitch(w.nodes[id].first):
		return 0
	case id != 0:
		return 1
	}
	return 2
}

// onSetPort takes the PortInfo that answers a Set. A port that does not say what it was
// told, or refuses, is read: a repeated Set may be refused because the first was taken.
func (w *writer) onSetPort(k kind, slot int32, ev *Event) {
	switch {
	case ev.Outcome == Answered:
		w.info[slot] = ev.Data
		w.flags[slot] |= portTold
		if w.holdsSettings(slot, k == setActive) {
			return
		}
	case ev.Outcome != Refused:
		return
	}
	w.enqueue(makeTag(getPortAfterSet, slot, 0))
}

// onPortAfterSet takes the PortInfo of a port that did not say what it was told.
func (w *writer) onPortAfterSet(slot int32, ev *Event) {
	if ev.Outcome == Answered {
		w.info[slot] = ev.Data
		if w.holdsSettings(slot, w.phase == activating) {
			return
		}
	}
	if ev.Outcome != Cancelled {
		info := w.info[slot][:]
		w.noteLoss(NotTaken, w.portPlace(slot), "%s does not take what it is told: it has LID %d, LMC %d and is in state %s", w.portName(slot),
			mad.PortInfoLID.Get(info), mad.PortInfoLMC.Get(info),
			mad.PortInfoPortState.Decl().ValueName(mad.PortInfoPortState.Get(info)))
	}
}
