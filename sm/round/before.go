package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// What a device acknowledged in the previous round is neither read nor written again unless
// something shows that it is lost. A rebooted switch has another LinearFDBTop and no LID; a port
// that was down is not Active.

// wasTold reports whether an output port was sent the same lane table in the previous round and has
// not restarted since.
func (w *writer) wasTold(k ledger.Kind, slot int32, arg uint32) bool {
	b := w.tablesBefore()
	if b == nil || b.Plan.VLs <= 1 || !w.IsAsBefore(b, slot) {
		return false
	}
	before := b.ByGUID[w.Nodes[w.Owner[slot]].GUID]
	if b.Prog.Wrong[before] || w.IsSwitch(slot) && k == ledger.SetSL2VL && b.Plan.SL2VL != nil && b.ByInput(before, b.Prog.Step) != w.ByInput(w.Owner[slot], w.Prog.Step) {
		return false
	}
	old, _ := b.SlotOf(w.Nodes[w.Owner[slot]].GUID, w.PortNumber(slot))
	if in, _ := b.SlotOf(w.Nodes[w.Owner[slot]].GUID, uint8(arg>>8)); k == ledger.SetSL2VL && w.IsSwitch(slot) && arg != mad.SLtoVLAllInputs &&
		arg>>8 > 0 && !b.Carries(in) {
		return false // an input without a cable was sent nothing
	}
	if !b.Carries(old) || !w.IsSwitch(slot) && b.Prog.End[old] < 0 || b.Plan.SL2VL == nil && k == ledger.SetSL2VL || b.ArbTable(old) == nil && k == ledger.SetVLArb {
		return false
	}
	var now, then [64]byte
	if k == ledger.SetSL2VL {
		w.SL2VL(slot, arg, now[:])
		b.SL2VL(old, arg, then[:])
	} else {
		w.Arbitration(slot, arg, now[:])
		b.Arbitration(old, arg, then[:])
	}
	return now == then
}

// wasToldPort reports whether a port was sent the same PortInfo in the previous round and reports
// the same as then. Some ports ignore part of a Set; repeating it does not help.
func (w *writer) wasToldPort(slot int32, planned *[64]byte) bool {
	b := w.given.Before
	if !w.IsAsBefore(b, slot) || w.Keys.Told { // all rounds share the keys: b's are the new ones too
		return false
	}
	old, ok := b.SlotOf(w.Nodes[w.Owner[slot]].GUID, w.PortNumber(slot))
	if !ok || b.Flags[old]&ledger.PortTold == 0 {
		return false
	}
	var then [64]byte
	b.PlannedPortInfo(old, then[:])
	now, says, said := *planned, w.Info[slot], b.Info[old]
	for _, data := range [...][]byte{now[:], then[:], says[:], said[:]} {
		for _, counter := range [...]mad.Field{mad.PortInfoMKeyViolations, mad.PortInfoPKeyViolations, mad.PortInfoQKeyViolations, mad.PortInfoDiagCode} {
			counter.Put(data, 0)
		}
	}
	return says == said && now == then
}

// enqueueLanes queues the write of a lane table, unless the port holds it since an earlier step or
// the previous round.
func (w *writer) enqueueLanes(k ledger.Kind, slot int32, arg uint32) {
	for step := w.Prog.Step - 1; step >= 0 && k == ledger.SetSL2VL; step-- {
		if was := w.LaneTable(slot, uint8(arg>>8), step); was != nil {
			id := w.Owner[slot]
			if *was != *w.LaneTable(slot, uint8(arg>>8), w.Prog.Step) || w.IsSwitch(slot) && w.ByInput(id, step) != w.ByInput(id, w.Prog.Step) {
				w.enqueue(ledger.MakeTag(k, slot, arg))
			}
			return
		}
	}
	switch {
	case w.wasTold(k, slot, arg):
	// An earlier master, or we before a restart, may have written the same table: read it first.
	case (w.given.ReadTables || w.given.Before == nil && w.repaired) && w.State(slot) == mad.PortActive:
		w.enqueue(ledger.MakeTag(readOfLanes[k], slot, arg))
	default:
		w.enqueue(ledger.MakeTag(k, slot, arg))
	}
}

// readOfLanes maps the kind that writes a lane table to the kind that reads it.
var readOfLanes = map[ledger.Kind]ledger.Kind{ledger.SetSL2VL: ledger.GetSL2VL, ledger.SetVLArb: ledger.GetVLArb}

// onLanes handles a lane table that was read, and writes it if it differs from the Plan.
func (w *writer) onLanes(k ledger.Kind, slot int32, arg uint32, ev *terms.Event) {
	if w.Plan.VLs <= 1 {
		w.onOneLane(k, slot, arg, ev)
		return
	}
	var want [64]byte
	write := ledger.SetSL2VL
	if k == ledger.GetSL2VL {
		w.SL2VL(slot, arg, want[:])
	} else {
		write = ledger.SetVLArb
		w.Arbitration(slot, arg, want[:])
	}
	if ev.Outcome != terms.Answered || ev.Data != want {
		w.enqueue(ledger.MakeTag(write, slot, arg))
	}
}
