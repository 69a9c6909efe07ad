package sm

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/wire/mad"
)

// stepped returns what switches hold after a step.
func (l *ledger) stepped(step int) planner.Between {
	if l.way == nil || step >= len(l.way.Between) {
		return planner.Between{Tables: l.plan.Tables, SL2VL: l.plan.SL2VL}
	}
	return l.way.Between[step]
}

// lastStep returns the number of the step that writes what the Plan has.
func (l *ledger) lastStep() int {
	if l.way == nil {
		return 0
	}
	return len(l.way.Between)
}

// isLast reports whether the block that a switch is to get in this step is the one of the Plan.
func (l *ledger) isLast(id int32, b uint32) bool {
	return *l.plannedBlock(id, b) == *l.plan.Tables.Block(l.prog.sw[id], int(b))
}

// tableBlocks returns the number of blocks of every forwarding table.
func (l *ledger) tableBlocks() uint32 { return uint32(l.prog.top)/mad.LFTBlock + 1 }

// plannedBlock returns a block of the forwarding table that a switch is to get in this step.
func (l *ledger) plannedBlock(id int32, b uint32) *route.Block {
	return l.stepped(l.prog.step).Tables.Block(l.prog.sw[id], int(b))
}

// firstWrongLID returns the first LID of a block for which a switch has another port than
// the Plan, 0 for none. LID 0 and those above the top are not forwarded, and may differ.
func (l *ledger) firstWrongLID(id int32, b uint32, has *[64]byte) fabric.LID {
	for i, port := range l.plannedBlock(id, b) {
		lid := fabric.LID(b*mad.LFTBlock) + fabric.LID(i)
		if has[i] != port && lid > 0 && lid <= l.prog.top {
			return lid
		}
	}
	return 0
}

// laneTable returns the table by which an output port is to map SLs, after a step, for packets that come in by a port; nil where the
// step has none.
func (l *ledger) laneTable(slot int32, in uint8, step int) *route.VLTable {
	lanes := l.stepped(step).SL2VL
	switch {
	case lanes == nil:
		return nil
	case l.isSwitch(slot):
		return lanes.Table(l.graph, l.prog.sw[l.owner[slot]], in, l.portNumber(slot))
	}
	return lanes.HostTable(l.prog.end[slot])
}

// byInput reports whether the SL2VL tables of a switch after a step depend on the input port.
func (l *ledger) byInput(id int32, step int) bool {
	return l.stepped(step).SL2VL.Switch[l.prog.sw[id]].By == route.ByInOut
}

// firstWrongSL returns the first SL that a port maps to another VL than it is to after this step, -1 for none.
func (l *ledger) firstWrongSL(slot int32, arg uint32, has *[64]byte) int {
	for sl, vl := range l.laneTable(slot, uint8(arg>>8), l.prog.step) {
		if mad.SLtoVLMappingTableVL.At(has[:], sl) != uint64(vl) {
			return sl
		}
	}
	return -1
}

// sl2vl makes a SLtoVLMappingTable, as it is after this step.
func (l *ledger) sl2vl(slot int32, arg uint32, data []byte) {
	for sl, vl := range l.laneTable(slot, uint8(arg>>8), l.prog.step) {
		mad.SLtoVLMappingTableVL.Set(data, sl, uint64(vl))
	}
}

// arbBlock is the number of entries of a block of a VLArbitrationTable.
const arbBlock = 32

// arbTable returns the VL arbitration table of an output port, nil where the Plan has none.
func (l *ledger) arbTable(slot int32) *route.ArbTable {
	e, s := l.prog.end[slot], l.prog.sw[l.owner[slot]]
	switch {
	case l.plan.Arbitration == nil:
		return nil
	case s >= 0:
		return l.plan.Arbitration.OfSwitch(l.graph, s, l.portNumber(slot))
	case e >= 0:
		return l.plan.Arbitration.OfHost(e)
	}
	return nil
}

// arbitration makes a block of a VLArbitrationTable.
func (l *ledger) arbitration(slot int32, block uint32, data []byte) {
	table := l.arbTable(slot)
	list := table.Low
	if block == mad.VLArbHighLower || block == mad.VLArbHighUpper {
		list = table.High
	}
	if block == mad.VLArbLowUpper || block == mad.VLArbHighUpper {
		list = list[min(len(list), arbBlock):]
	}
	for i, e := range list[:min(len(list), arbBlock)] {
		mad.VLArbitrationTableVL.Set(data, i, uint64(e.VL))
		mad.VLArbitrationTableWeight.Set(data, i, uint64(e.Weight))
	}
}
