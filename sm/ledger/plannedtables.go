package ledger

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/wire/mad"
)

// Stepped returns the tables that switches hold after a step.
func (l *Ledger) Stepped(step int) planner.Between {
	if l.Way == nil || step >= len(l.Way.Between) {
		return planner.Between{Tables: l.Plan.Tables, SL2VL: l.Plan.SL2VL}
	}
	return l.Way.Between[step]
}

// LastStep returns the number of the step that writes the Plan itself.
func (l *Ledger) LastStep() int {
	if l.Way == nil {
		return 0
	}
	return len(l.Way.Between)
}

// IsLast reports whether the block of this step is already the block of the Plan.
func (l *Ledger) IsLast(id int32, b uint32) bool {
	return *l.PlannedBlock(id, b) == *l.Plan.Tables.Block(l.Prog.Sw[id], int(b))
}

// TableBlocks returns the number of blocks of a forwarding table, the same for all switches.
func (l *Ledger) TableBlocks() uint32 { return uint32(l.Prog.Top)/mad.LFTBlock + 1 }

// PlannedBlock returns a block of a switch's forwarding table in this step.
func (l *Ledger) PlannedBlock(id int32, b uint32) *route.Block {
	return l.Stepped(l.Prog.Step).Tables.Block(l.Prog.Sw[id], int(b))
}

// FirstWrongLID returns the first LID whose port in a block of a switch differs from this step's
// table, 0 if none. LID 0 and LIDs above the top are not compared: the switch does not forward
// them.
func (l *Ledger) FirstWrongLID(id int32, b uint32, has *[64]byte) fabric.LID {
	for i, port := range l.PlannedBlock(id, b) {
		lid := fabric.LID(b*mad.LFTBlock) + fabric.LID(i)
		if has[i] != port && lid > 0 && lid <= l.Prog.Top {
			return lid
		}
	}
	return 0
}

// oneLane maps every SL to VL 0, and oneTurn gives VL 0 its turn.
var (
	oneLane route.VLTable
	oneTurn = route.ArbTable{Low: []route.ArbEntry{{VL: 0, Weight: route.UsualWeight}}}
)

// LaneTable returns the table that maps SL to VL at an output port after a step, for packets from
// input port in. It returns nil if the step has none.
func (l *Ledger) LaneTable(slot int32, in uint8, step int) *route.VLTable {
	lanes := l.Stepped(step).SL2VL
	switch {
	case l.Plan.VLs <= 1:
		return &oneLane
	case lanes == nil:
		return nil
	case l.IsSwitch(slot):
		return lanes.Table(l.Graph, l.Prog.Sw[l.Owner[slot]], in, l.PortNumber(slot))
	}
	return lanes.HostTable(l.Prog.End[slot])
}

// ByInput reports whether the SL2VL tables of a switch after a step depend on the input port.
func (l *Ledger) ByInput(id int32, step int) bool {
	return l.Stepped(step).SL2VL.Switch[l.Prog.Sw[id]].By == route.ByInOut
}

// FirstWrongSL returns the first SL whose VL at a port differs from this step's table, -1 if none.
// arg is the argument of the tag.
func (l *Ledger) FirstWrongSL(slot int32, arg uint32, has *[64]byte) int {
	for sl, vl := range l.LaneTable(slot, uint8(arg>>8), l.Prog.Step) {
		if mad.SLtoVLMappingTableVL.At(has[:], sl) != uint64(vl) {
			return sl
		}
	}
	return -1
}

// SL2VL writes this step's SLtoVLMappingTable into data. arg is the argument of the tag.
func (l *Ledger) SL2VL(slot int32, arg uint32, data []byte) {
	for sl, vl := range l.LaneTable(slot, uint8(arg>>8), l.Prog.Step) {
		mad.SLtoVLMappingTableVL.Set(data, sl, uint64(vl))
	}
}

// ArbBlock is the number of entries in a block of a VLArbitrationTable.
const ArbBlock = 32

// ArbTable returns the VL arbitration table of an output port, nil if the Plan has none.
func (l *Ledger) ArbTable(slot int32) *route.ArbTable {
	e, s := l.Prog.End[slot], l.Prog.Sw[l.Owner[slot]]
	switch {
	case l.Plan.VLs <= 1:
		return &oneTurn
	case l.Plan.Arbitration == nil:
		return nil
	case s >= 0:
		return l.Plan.Arbitration.OfSwitch(l.Graph, s, l.PortNumber(slot))
	case e >= 0:
		return l.Plan.Arbitration.OfHost(e)
	}
	return nil
}

// Arbitration writes a block of a port's VLArbitrationTable into data. The Plan must have one.
func (l *Ledger) Arbitration(slot int32, block uint32, data []byte) {
	table := l.ArbTable(slot)
	list := table.Low
	if block == mad.VLArbHighLower || block == mad.VLArbHighUpper {
		list = table.High
	}
	if block == mad.VLArbLowUpper || block == mad.VLArbHighUpper {
		list = list[min(len(list), ArbBlock):]
	}
	for i, e := range list[:min(len(list), ArbBlock)] {
		mad.VLArbitrationTableVL.Set(data, i, uint64(e.VL))
		mad.VLArbitrationTableWeight.Set(data, i, uint64(e.Weight))
	}
}
