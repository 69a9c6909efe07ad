package sm

import "weft/wire/mad"

// queueLanes queues the lane tables of an output port, where the Plan has more lanes than
// one. (With one, any mapping keeps the proof: where channels form no cycle, they form
// none on any VL.) What the port holds is not read: that would cost as much as writing it.
func (w *writer) queueLanes(slot int32) {
	if !w.hasTurns(slot) {
		w.closeForLanes(slot)
		return
	}
	if w.prog.step == w.turnStep() {
		w.queueArbitration(slot)
	}
	id := w.owner[slot]
	switch {
	case w.stepped(w.prog.step).SL2VL == nil:
	case w.prog.end[slot] >= 0: // a CA's: port 0 has no cable
		if mad.PortInfoVLCap.Get(w.info[slot][:]) != 1 { // with one VL there is nothing to map
			w.enqueueLanes(setSL2VL, slot, 0)
		}
	case w.prog.sw[id] >= 0:
		w.queueSwitchLanes(id, slot)
	}
}

// turnStep returns the step that writes VL arbitration: the first one, or the last where VLs lose their turn.
func (w *writer) turnStep() int {
	if w.given.Before != nil && w.given.Before.plan.VLs > w.plan.VLs {
		return w.lastStep()
	}
	return 0
}

// hasTurns reports whether an output port has room for its VL arbitration table.
func (w *writer) hasTurns(slot int32) bool {
	table, info := w.arbTable(slot), w.info[slot][:]
	if table == nil || len(table.Low) <= 1 && len(table.High) == 0 {
		return true
	}
	low, high := int(mad.PortInfoVLArbLowCap.Get(info)), int(mad.PortInfoVLArbHighCap.Get(info))
	if low >= len(table.Low) && high >= len(table.High) {
		return true
	}
	w.noteLoss(NotEnough, w.portPlace(slot), "%s arbitrates %d entries at low priority and %d at high: too few for %d and %d",
		w.portName(slot), low, high, len(table.Low), len(table.High))
	return false
}

// queueArbitration queues the VL arbitration table of an output port, all blocks that it
// has, unless the Plan leaves it as it is or only one VL has a turn.
func (w *writer) queueArbitration(slot int32) {
	table, info := w.arbTable(slot), w.info[slot][:]
	if table == nil || len(table.Low) <= 1 && len(table.High) == 0 {
		return
	}
	low, high := mad.PortInfoVLArbLowCap.Get(info), mad.PortInfoVLArbHighCap.Get(info)
	for _, b := range [...]struct {
		block  uint32
		exists bool
	}{
		{mad.VLArbLowLower, low > 0},
		{mad.VLArbLowUpper, low > arbBlock},
		{mad.VLArbHighLower, high > 0},
		{mad.VLArbHighUpper, high > arbBlock},
	} {
		if b.exists {
			w.enqueueLanes(setVLArb, slot, b.block)
		}
	}
}

// queueSwitchLanes queues the SL2VL mappings to one output port: one for all inputs where
// the Plan has no others and the switch takes it so (14.2.5.8).
func (w *writer) queueSwitchLanes(id, slot int32) {
	n := &w.nodes[id]
	if !w.byInput(id, w.prog.step) && mad.SwitchInfoOptimizedSLtoVL.Get(n.sw[:])&1 != 0 {
		w.enqueueLanes(setSL2VL, slot, mad.SLtoVLAllInputs)
		return
	}
	for from := range w.portsOf(id) {
		if in := w.portNumber(from); from != slot && (in == 0 || w.carries(from)) {
			w.enqueueLanes(setSL2VL, slot, uint32(in)<<8)
		}
	}
}
