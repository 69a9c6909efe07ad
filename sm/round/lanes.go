package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// queueLanes queues the lane tables of an output port if the Plan has several lanes. With one lane
// every mapping is proven: channels without a cycle have none on any VL. Tables are read first
// only if the round takes up a Plan of before (enqueueLanes): reading costs as much as writing.
func (w *writer) queueLanes(slot int32) {
	if !w.hasTurns(slot) {
		w.closeForLanes(slot)
		return
	}
	if w.Prog.Step == w.turnStep() {
		w.queueArbitration(slot)
	}
	id := w.Owner[slot]
	switch {
	case w.Stepped(w.Prog.Step).SL2VL == nil:
	case w.Prog.End[slot] >= 0: // a CA's: port 0 has no cable
		if mad.PortInfoVLCap.Get(w.Info[slot][:]) != 1 { // with one VL there is nothing to map
			w.enqueueLanes(ledger.SetSL2VL, slot, 0)
		}
	case w.Prog.Sw[id] >= 0:
		w.queueSwitchLanes(id, slot)
	}
}

// turnStep returns the step that writes VL arbitration: the last one if VLs lose their turn,
// otherwise the first.
func (w *writer) turnStep() int {
	if w.given.Before != nil && w.given.Before.Plan.VLs > w.Plan.VLs {
		return w.LastStep()
	}
	return 0
}

// hasTurns reports whether an output port has room for its VL arbitration table.
func (w *writer) hasTurns(slot int32) bool {
	table, info := w.ArbTable(slot), w.Info[slot][:]
	if table == nil || len(table.Low) <= 1 && len(table.High) == 0 {
		return true
	}
	low, high := int(mad.PortInfoVLArbLowCap.Get(info)), int(mad.PortInfoVLArbHighCap.Get(info))
	if low >= len(table.Low) && high >= len(table.High) {
		return true
	}
	w.noteLoss(terms.NotEnough, w.PortPlace(slot), "%s arbitrates %d entries at low priority and %d at high: too few for %d and %d",
		w.PortName(slot), low, high, len(table.Low), len(table.High))
	return false
}

// queueArbitration queues all blocks of an output port's VL arbitration table, unless the Plan has
// no table or the port has one VL.
func (w *writer) queueArbitration(slot int32) {
	if w.ArbTable(slot) == nil || mad.PortInfoVLCap.Get(w.Info[slot][:]) <= 1 {
		return
	}
	for _, block := range arbBlocks {
		if w.hasArbBlock(slot, block) {
			w.enqueueLanes(ledger.SetVLArb, slot, block)
		}
	}
}

// arbBlocks lists the blocks of a VL arbitration table, in the order of reading.
var arbBlocks = [...]uint32{mad.VLArbLowLower, mad.VLArbLowUpper, mad.VLArbHighLower, mad.VLArbHighUpper}

// hasArbBlock reports whether an output port has a block of the VL arbitration table.
func (w *writer) hasArbBlock(slot int32, block uint32) bool {
	info := w.Info[slot][:]
	low, high := mad.PortInfoVLArbLowCap.Get(info), mad.PortInfoVLArbHighCap.Get(info)
	switch block {
	case mad.VLArbLowLower:
		return low > 0
	case mad.VLArbLowUpper:
		return low > ledger.ArbBlock
	case mad.VLArbHighLower:
		return high > 0
	}
	return high > ledger.ArbBlock
}

// queueSwitchLanes queues the SL2VL tables of one output port of a switch: a single one for all
// inputs if the Plan needs no others and the switch supports it (14.2.5.8).
func (w *writer) queueSwitchLanes(id, slot int32) {
	n := &w.Nodes[id]
	if !w.ByInput(id, w.Prog.Step) && mad.SwitchInfoOptimizedSLtoVL.Get(n.Sw[:])&1 != 0 {
		w.enqueueLanes(ledger.SetSL2VL, slot, mad.SLtoVLAllInputs)
		return
	}
	for _, arg := range w.laneInputs(slot) {
		w.enqueueLanes(ledger.SetSL2VL, slot, arg)
	}
}

// laneInputs returns the arguments of the SL2VL tables of an output port: one for a CA, one for
// each input of a switch, from the input after the port on.
func (w *writer) laneInputs(slot int32) []uint32 {
	if !w.IsSwitch(slot) {
		return []uint32{0}
	}
	var before, after []uint32
	for from := range w.PortsOf(w.Owner[slot]) {
		switch in := w.PortNumber(from); {
		case in > 0 && !w.Carries(from):
		case from < slot:
			before = append(before, uint32(in)<<8)
		case from > slot:
			after = append(after, uint32(in)<<8)
		}
	}
	return append(after, before...)
}
