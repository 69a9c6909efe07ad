package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// attributeToSet returns the attribute that a Set carries. It is valid until the next Step.
func (w *writer) attributeToSet(k ledger.Kind, index int32, arg uint32) []byte {
	at := len(w.paths) // one Step may need many
	w.paths = append(w.paths, make([]byte, 64)...)
	data := w.paths[at : at+64 : at+64]
	switch k {
	case ledger.SetLFT:
		copy(data, w.PlannedBlock(index, arg)[:])
	case ledger.ClearChange:
		copy(data, w.Nodes[index].Sw[:])
	case ledger.SetSwitch:
		w.PlannedSwitchInfo(index, data)
	case ledger.SetPKey:
		w.Prog.PKeys[index].PutBlock(arg, data)
	case ledger.SetSL2VL:
		w.SL2VL(index, arg, data)
	case ledger.SetVLArb:
		w.Arbitration(index, arg, data)
	case ledger.SetPort:
		w.PlannedPortInfo(index, data)
		if w.MustArm(index) {
			mad.PortInfoPortState.Put(data, mad.PortArmed)
		}
		if w.mustReregister(index) {
			mad.PortInfoClientReregister.Put(data, 1)
		}
	case ledger.SetKey:
		w.SetKeyInfo(index, data)
	case ledger.SetActive:
		w.PlannedPortInfo(index, data)
		mad.PortInfoPortState.Put(data, mad.PortActive)
	default: // a Get carries nothing
	}
	return data
}

// queueArm queues the Sets that make the ports of a node ready to receive. One Set holds LID,
// parameters and Armed. Another raises the top of a switch's forwarding table.
func (w *writer) queueArm(id int32) {
	if w.Prog.FabricNode[id] < 0 {
		return
	}
	var data [64]byte
	if w.Prog.Sw[id] >= 0 && !w.Prog.Closed[id] && w.PlannedSwitchInfo(id, data[:]) {
		w.enqueue(ledger.MakeTag(ledger.SetSwitch, id, 0))
	}
	for slot := range w.PortsOf(id) {
		if w.Peer[slot] == ledger.NoSlot && (w.Prog.End[slot] < 0 || w.PortNumber(slot) != 0) {
			continue
		}
		switch differs := w.PlannedPortInfo(slot, data[:]); {
		case w.MustArm(slot), w.mustReregister(slot):
			w.enqueue(ledger.MakeTag(ledger.SetPort, slot, 0))
		case differs && w.wasToldPort(slot, &data):
			w.Flags[slot] |= ledger.PortTold
		case differs:
			w.enqueue(ledger.MakeTag(ledger.SetPort, slot, 0))
		}
	}
}

// queueActivate queues the step to Active in three turns: ports of switches, ports of CAs, our own
// port. So data never meets a closed port.
func (w *writer) queueActivate(id int32) {
	if turn := w.cursor / len(w.Nodes); w.Prog.FabricNode[id] < 0 || turn != w.activationTurn(id) {
		return
	}
	for slot := range w.PortsOf(id) {
		if !w.MayCarryData(slot) || w.State(slot) != mad.PortArmed {
			continue
		}
		if t := w.Peer[slot]; w.State(t) < mad.PortArmed {
			w.noteLoss(terms.NotTaken, w.PortPlace(slot), "%s stays Armed: the other end of its cable, %s, is not", w.PortName(slot), w.PortName(t))
			continue
		}
		w.enqueue(ledger.MakeTag(ledger.SetActive, slot, 0))
	}
}

// activationTurns is the number of turns in the activate phase.
const activationTurns = 3

// activationTurn returns the turn when the ports of a node become Active.
func (w *writer) activationTurn(id int32) int {
	switch {
	case w.IsSwitch(w.Nodes[id].First):
		return 0
	case id != 0:
		return 1
	}
	return 2
}

// onSetPort handles the PortInfo that answers a Set. A port that reports other values or refuses is
// read: a repeated Set may be refused because the first one was taken.
func (w *writer) onSetPort(k ledger.Kind, slot int32, ev *terms.Event) {
	switch {
	case ev.Outcome == terms.Answered:
		w.Info[slot] = ev.Data
		w.Flags[slot] |= ledger.PortTold
		if w.HoldsSettings(slot, k == ledger.SetActive) {
			return
		}
	case ev.Outcome != terms.Refused:
		return
	}
	w.enqueue(ledger.MakeTag(ledger.GetPortAfterSet, slot, 0))
}

// onPortAfterSet handles the PortInfo of a port whose answer to a Set differed.
func (w *writer) onPortAfterSet(slot int32, ev *terms.Event) {
	if ev.Outcome == terms.Answered {
		w.Info[slot] = ev.Data
		if w.HoldsSettings(slot, w.phase == activating) {
			return
		}
	}
	if ev.Outcome != terms.Cancelled {
		w.Flags[slot] |= ledger.PortDeaf
		info := w.Info[slot][:]
		w.noteLoss(terms.NotTaken, w.PortPlace(slot), "%s does not take what it is told: it has LID %d, LMC %d and is in state %s", w.PortName(slot),
			mad.PortInfoLID.Get(info), mad.PortInfoLMC.Get(info),
			mad.PortInfoPortState.Decl().ValueName(mad.PortInfoPortState.Get(info)))
	}
}
