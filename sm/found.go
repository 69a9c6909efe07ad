package sm

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/wire/mad"
)

// The manager reads forwarding tables that it does not know before it makes a Plan, so that the
// order of writing starts from what the switches hold. It knows none after a start, a handover, or
// a round whose writing was broken off. Otherwise it knows those of the round before; see isUnknown.

// startReading begins to read unknown tables, up to the highest LID in use. It reports whether
// there are any.
func (w *writer) startReading() bool {
	top := fabric.LID(0)
	for end, base := range w.graph.EndLID {
		if base > 0 && base <= fabric.MaxUnicastLID {
			top = max(top, base+1<<min(w.graph.EndLMC[end], fabric.MaxLMC)-1)
		}
	}
	if b := w.ledgerHeld(); b != nil {
		top = max(top, b.prog.top)
	}
	if top == 0 || !w.anyUnknown() {
		return false
	}
	w.readTop, w.read = min(top, fabric.MaxUnicastLID), map[uint64]*route.Block{}
	w.enterPhase(reading)
	return true
}

// ledgerHeld returns the ledger of the round before, nil where nobody knows what switches hold.
func (w *writer) ledgerHeld() *ledger {
	if b := w.given.Before; b != nil && !b.halfWritten {
		return b
	}
	return nil
}

// anyUnknown reports whether some table is unknown.
func (w *writer) anyUnknown() bool {
	for _, guid := range w.graph.SwitchGUID {
		if w.isUnknown(w.byGUID[guid]) {
			return true
		}
	}
	return false
}

// isUnknown reports whether a switch forwards packets between switches by a table that nobody
// knows. A switch that was cut off, or was silent for a round, still does so over its links that
// have stayed up. If all its links to switches are in state Init, its table can be written in any
// order.
func (w *writer) isUnknown(id int32) bool {
	b := w.ledgerHeld()
	if b == nil {
		return true
	}
	if _, known := w.switchBefore(b, id); known {
		return false
	}
	for slot := range w.portsOf(id) {
		if t := w.peer[slot]; t != noSlot && w.isSwitch(t) && w.state(slot) >= mad.PortArmed {
			return true
		}
	}
	return false
}

// queueRead queues the blocks of a switch.
func (w *writer) queueRead(id int32) {
	if n := &w.nodes[id]; n.hasSwitch && w.prog.fabricNode[id] >= 0 && w.isUnknown(id) {
		top := min(fabric.LID(mad.SwitchInfoLinearFDBTop.Get(n.sw[:])), w.readTop)
		for b := uint32(0); top > 0 && b <= uint32(top)/mad.LFTBlock; b++ {
			w.enqueue(makeTag(getLFT, id, b))
		}
	}
}

// foundPlan makes a Plan of the tables that the switches hold, nil where none was read. Nobody knows
// the service levels of packets that follow tables of switches which the round before did not know.
func (w *writer) foundPlan() *planner.Kept {
	if len(w.read) == 0 {
		return nil
	}
	b := w.ledgerHeld()
	blocks, strangers := int(w.readTop)/route.BlockSize+1, false
	rows := make([][]*route.Block, w.graph.NumSwitches)
	for s, guid := range w.graph.SwitchGUID {
		id, old := w.byGUID[guid], fabric.Nothing
		if b != nil {
			old = b.switchOf(guid)
		}
		unknown := w.isUnknown(id)
		strangers = strangers || unknown && old < 0
		for i := range blocks {
			if unknown {
				rows[s] = append(rows[s], w.readBlock(id, uint32(i)))
			} else {
				rows[s] = append(rows[s], b.plan.Tables.BlockOrEmpty(old, i))
			}
		}
	}
	tables := route.TablesOf(blocks, rows)
	switch {
	case b == nil, strangers && b.plan.VLs <= 1:
		return planner.Keep(&route.Plan{Ends: route.Seen(w.graph).Ends, Tables: tables}, w.graph)
	case strangers:
		return planner.Keep(b.plan, b.graph).WithTables(w.graph, tables).WithStrangers(tables)
	}
	return planner.Keep(b.plan, b.graph).WithTables(w.graph, tables)
}

// switchOf returns the number of a switch in the Graph, -1 for none.
func (l *ledger) switchOf(guid fabric.GUID) int32 {
	if id, ok := l.byGUID[guid]; ok {
		return l.prog.sw[id]
	}
	return fabric.Nothing
}

// readBlock returns a block as a switch was found with it. What was not read has no entries.
func (w *writer) readBlock(id int32, b uint32) *route.Block {
	none := route.NewTables(1, 0).Block(0, 0)
	has := w.read[makeTag(getLFT, id, b)]
	if has == nil {
		return none
	}
	block, top := *none, fabric.LID(mad.SwitchInfoLinearFDBTop.Get(w.nodes[id].sw[:]))
	for i := range has {
		if lid := fabric.LID(b*route.BlockSize) + fabric.LID(i); lid > 0 && lid <= top {
			block[i] = has[i]
		}
	}
	return &block
}
