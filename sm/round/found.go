package round

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sm/ledger"
	"weft/wire/mad"
)

// Before the round asks for a Plan, it reads the forwarding tables that it does not know, so that
// the planner can order the writes from the present tables to the new ones. All are unknown after a
// start, a handover, or a round whose writing was broken off. Otherwise the previous ledger holds
// the tables; see isUnknown for exceptions.

// startReading begins to read the unknown tables, up to the highest LID in use. It returns false if
// there are none.
func (w *writer) startReading() bool {
	top := fabric.LID(0)
	for end, base := range w.Graph.EndLID {
		if base > 0 && base <= fabric.MaxUnicastLID {
			top = max(top, base+1<<min(w.Graph.EndLMC[end], fabric.MaxLMC)-1)
		}
	}
	if b := w.ledgerHeld(); b != nil {
		top = max(top, b.Prog.Top)
	}
	if top == 0 || !w.anyUnknown() {
		return false
	}
	w.readTop, w.read = min(top, fabric.MaxUnicastLID), map[uint64]*route.Block{}
	w.enterPhase(reading)
	return true
}

// ledgerHeld returns the previous ledger; nil if the switches may hold other tables.
func (w *writer) ledgerHeld() *ledger.Ledger {
	if b := w.tablesBefore(); b != nil && !b.HalfWritten {
		return b
	}
	return nil
}

// tablesBefore returns the previous ledger, nil if its tables are not believed.
func (w *writer) tablesBefore() *ledger.Ledger {
	if w.given.ReadTables {
		return nil
	}
	return w.given.Before
}

// anyUnknown reports whether some table is unknown.
func (w *writer) anyUnknown() bool {
	for _, guid := range w.Graph.SwitchGUID {
		if w.isUnknown(w.ByGUID[guid]) {
			return true
		}
	}
	return false
}

// isUnknown reports whether a switch may forward packets to other switches by an unknown table. A
// switch that was cut off or silent for a round does so over links that have stayed up. If all its
// links to switches are in state Init, the order of writing does not matter.
func (w *writer) isUnknown(id int32) bool {
	b := w.ledgerHeld()
	if b == nil {
		return true
	}
	if _, known := w.SwitchBefore(b, id); known {
		return false
	}
	for slot := range w.PortsOf(id) {
		if t := w.Peer[slot]; t != ledger.NoSlot && w.IsSwitch(t) && w.State(slot) >= mad.PortArmed {
			return true
		}
	}
	return false
}

// queueRead queues the reads of a switch's blocks, if its table is unknown.
func (w *writer) queueRead(id int32) {
	if n := &w.Nodes[id]; n.HasSwitch && w.Prog.FabricNode[id] >= 0 && w.isUnknown(id) {
		top := min(fabric.LID(mad.SwitchInfoLinearFDBTop.Get(n.Sw[:])), w.readTop)
		for b := uint32(0); top > 0 && b <= uint32(top)/mad.LFTBlock; b++ {
			w.enqueue(ledger.MakeTag(ledger.GetLFT, id, b))
		}
	}
}

// foundPlan returns the tables that switches hold as a Plan, nil if none was read. It has no
// service levels for packets that follow tables of switches missing in the previous ledger.
func (w *writer) foundPlan() *planner.Kept {
	if len(w.read) == 0 {
		return nil
	}
	b := w.ledgerHeld()
	blocks, strangers := int(w.readTop)/route.BlockSize+1, false
	rows := make([][]*route.Block, w.Graph.NumSwitches)
	for s, guid := range w.Graph.SwitchGUID {
		id, old := w.ByGUID[guid], fabric.Nothing
		if b != nil {
			old = switchOf(b, guid)
		}
		unknown := w.isUnknown(id)
		strangers = strangers || unknown && old < 0
		for i := range blocks {
			if unknown {
				rows[s] = append(rows[s], w.readBlock(id, uint32(i)))
			} else {
				rows[s] = append(rows[s], b.Plan.Tables.BlockOrEmpty(old, i))
			}
		}
	}
	tables := route.TablesOf(blocks, rows)
	switch {
	case b == nil, strangers && b.Plan.VLs <= 1:
		return planner.Keep(&route.Plan{Ends: route.Seen(w.Graph).Ends, Tables: tables}, w.Graph)
	case strangers:
		return planner.Keep(b.Plan, b.Graph).WithTables(w.Graph, tables).WithStrangers(tables)
	}
	return planner.Keep(b.Plan, b.Graph).WithTables(w.Graph, tables)
}

// switchOf returns the index of a switch in the Graph of a ledger, -1 if it is missing.
func switchOf(l *ledger.Ledger, guid fabric.GUID) int32 {
	if id, ok := l.ByGUID[guid]; ok {
		return l.Prog.Sw[id]
	}
	return fabric.Nothing
}

// readBlock returns a block that was read from a switch. A block that was not read has no entries.
func (w *writer) readBlock(id int32, b uint32) *route.Block {
	none := (&route.Tables{}).BlockOrEmpty(fabric.Nothing, 0)
	has := w.read[ledger.MakeTag(ledger.GetLFT, id, b)]
	if has == nil {
		return none
	}
	block, top := *none, fabric.LID(mad.SwitchInfoLinearFDBTop.Get(w.Nodes[id].Sw[:]))
	for i := range has {
		if lid := fabric.LID(b*route.BlockSize) + fabric.LID(i); lid > 0 && lid <= top {
			block[i] = has[i]
		}
	}
	return &block
}
