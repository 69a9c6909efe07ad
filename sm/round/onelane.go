package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// With a Plan of one lane any mapping of SLs is free of deadlock. But an earlier manager, or we
// with another configuration, may have left tables that drop packets: an SL on VL 15 or on a VL
// that the link lacks, a VL without a turn. So the round reads the lane tables, and writes where
// packets of some SL would not pass. It does not ask a device without traces of a manager, whose
// tables are from its last restart and let packets pass. Nor does it ask again a port that passed
// in the previous round.
//
// A switch that takes one mapping for all its ports gets that, SL 0 to 15 on VL 0, in one SMP. It
// is read with another input for each output, and written again if one differs.

// lanesFound describes the lane tables that a port was found with.
type lanesFound struct {
	used  uint16 // VLs that have an SL, by bit
	turns uint16 // VLs that have a turn, in the blocks read so far
	left  int    // SL2VL tables being read
	lost  bool   // a write failed
}

// findPassing fills in Prog.Passes before anything is written, for a Plan of one lane.
func (w *writer) findPassing() {
	w.Prog.Passes = make([]bool, len(w.Owner))
	w.lanes, w.mapped = map[int32]*lanesFound{}, map[int32]bool{}
	if w.Plan.VLs > 1 {
		return
	}
	b := w.tablesBefore()
	for slot := range w.Prog.Passes {
		slot := int32(slot)
		if b != nil && w.holdsLanes(b, slot) {
			old, ok := b.SlotOf(w.Nodes[w.Owner[slot]].GUID, w.PortNumber(slot))
			w.Prog.Passes[slot] = ok && b.Prog.Passes[old]
		} else {
			w.Prog.Passes[slot] = !w.wasManaged(slot)
		}
	}
}

// holdsLanes reports whether a port still has the lane tables of the previous round: its switch has
// not restarted, or its link to the switch has stayed Active.
func (w *writer) holdsLanes(b *ledger.Ledger, slot int32) bool {
	if w.IsSwitch(slot) {
		before, ok := w.SwitchBefore(b, w.Owner[slot])
		return ok && !b.Prog.Wrong[before]
	}
	return w.IsAsBefore(b, slot)
}

// wasManaged reports whether a port shows traces of a manager: a LID, or a forwarding table in use.
func (w *writer) wasManaged(slot int32) bool {
	n := &w.Nodes[w.Owner[slot]]
	if w.IsSwitch(slot) {
		if mad.SwitchInfoLinearFDBTop.Get(n.Sw[:]) > 0 {
			return true
		}
		slot = n.First
	}
	info := w.Info[slot][:]
	return mad.PortInfoLID.Get(info) > 0 || mad.PortInfoMasterSMLID.Get(info) > 0 || !w.IsSwitch(slot) && w.State(slot) > mad.PortInit
}

// queueOneLane queues the writes that let packets of every SL pass a node.
func (w *writer) queueOneLane(id int32) {
	first := w.Nodes[id].First
	if w.mapsAtOnce(first) && !w.wasManaged(first) {
		w.writeAtOnce(first)
	}
	for slot := range w.PortsOf(id) {
		switch {
		case w.Prog.Passes[slot] || !w.Carries(slot) || w.Prog.Sw[id] < 0 && w.Prog.End[slot] < 0:
			continue
		case mad.PortInfoVLCap.Get(w.Info[slot][:]) <= 1: // with one VL there are no tables
			w.Prog.Passes[slot] = true
			continue
		}
		found := &lanesFound{}
		w.lanes[slot] = found
		args := w.laneInputs(slot)
		if w.mapsAtOnce(slot) {
			args = args[:1]
		}
		for _, arg := range args {
			found.left++
			w.enqueue(ledger.MakeTag(ledger.GetSL2VL, slot, arg))
		}
	}
}

// mapsAtOnce reports whether a port's node takes one mapping for all its ports.
func (w *writer) mapsAtOnce(slot int32) bool {
	id := w.Owner[slot]
	return w.Prog.Sw[id] >= 0 && mad.SwitchInfoOptimizedSLtoVL.Get(w.Nodes[id].Sw[:])&1 != 0
}

// writeAtOnce queues one mapping for all ports of a switch, once.
func (w *writer) writeAtOnce(slot int32) {
	if id := w.Owner[slot]; !w.mapped[id] {
		w.mapped[id] = true
		w.enqueue(ledger.MakeTag(ledger.SetSL2VL, slot, mad.SLtoVLAllInputs|mad.SLtoVLAllOutputs))
	}
}

// onOneLane handles a lane table that was read. A table that is refused does not exist; one that is
// not told may be any.
func (w *writer) onOneLane(k ledger.Kind, slot int32, arg uint32, ev *terms.Event) {
	found := w.lanes[slot]
	if k == ledger.GetVLArb {
		switch ev.Outcome {
		case terms.Answered:
			for i := range ledger.ArbBlock {
				if mad.VLArbitrationTableWeight.At(ev.Data[:], i) > 0 {
					found.turns |= 1 << mad.VLArbitrationTableVL.At(ev.Data[:], i)
				}
			}
		case terms.Refused:
			w.Prog.Passes[slot] = !found.lost
			return
		default:
		}
		w.readTurns(slot, int(arg-mad.VLArbLowLower)+1)
		return
	}
	switch ev.Outcome {
	case terms.Answered:
		for sl := range 16 {
			found.used |= 1 << mad.SLtoVLMappingTableVL.At(ev.Data[:], sl)
		}
	case terms.Refused:
		found.used |= 1
	default:
		found.used |= 1 << 15
	}
	if found.left--; found.left > 0 {
		return
	}
	if found.used&^w.dataVLs(slot) != 0 || found.used != 1 && w.mapsAtOnce(slot) {
		w.writeOneLane(slot)
	}
	w.readTurns(slot, 0)
}

// dataVLs returns the VLs that a port is to operate, by bit.
func (w *writer) dataVLs(slot int32) uint16 {
	var data [64]byte
	w.PlannedPortInfo(slot, data[:])
	return 1<<mad.DataVLs(mad.PortInfoOperationalVLs.Get(data[:])) - 1
}

// writeOneLane queues SL2VL tables that put all SLs of an output port on VL 0.
func (w *writer) writeOneLane(slot int32) {
	w.lanes[slot].used = 1
	if w.mapsAtOnce(slot) {
		w.writeAtOnce(slot)
		return
	}
	for _, arg := range w.laneInputs(slot) {
		w.enqueue(ledger.MakeTag(ledger.SetSL2VL, slot, arg))
	}
}

// readTurns queues the read of the next block of a VL arbitration table, from an index of arbBlocks
// on, until all VLs in use have a turn. If some get none, VL 0 alone gets one.
func (w *writer) readTurns(slot int32, next int) {
	found := w.lanes[slot]
	if found.used&^found.turns == 0 {
		w.Prog.Passes[slot] = !found.lost
		return
	}
	for ; next < len(arbBlocks); next++ {
		if w.hasArbBlock(slot, arbBlocks[next]) {
			w.enqueue(ledger.MakeTag(ledger.GetVLArb, slot, arbBlocks[next]))
			return
		}
	}
	w.Prog.Passes[slot] = !found.lost
	if found.used != 1 {
		w.writeOneLane(slot)
	}
	for _, block := range arbBlocks {
		if found.turns&1 == 0 && w.hasArbBlock(slot, block) {
			w.enqueue(ledger.MakeTag(ledger.SetVLArb, slot, block))
		}
	}
}

// passesNot records that a write of lane tables failed, so that the next round looks again.
func (w *writer) passesNot(slot int32, arg uint32) {
	for other := range w.PortsOf(w.Owner[slot]) {
		if other == slot || arg&mad.SLtoVLAllOutputs != 0 {
			w.Prog.Passes[other] = false
			if found := w.lanes[other]; found != nil {
				found.lost = true
			}
		}
	}
}
