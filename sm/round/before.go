package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// What a device was told in the round before, and holds by its answer, need not be read or written again, as long as
// nothing shows that it has lost it: a switch that was rebooted has another LinearFDBTop, and no LID, a port that was down is not Active.

// wasTold reports whether an output port was told the same lane table in the round before, and is as it was then.
func (w *writer) wasTold(k ledger.Kind, slot int32, arg uint32) bool {
	b := w.given.Before
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
		return false // an input without a cable was told nothing
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

// wasToldPort reports whether a port was told the same in the round before, and says the same as it did then: some take not all that
// they are told, and there is no use in telling it again.
func (w *writer) wasToldPort(slot int32, planned *[64]byte) bool {
	b := w.given.Before
	if !w.IsAsBefore(b, slot) {
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

// enqueueLanes queues a lane table, unless the port has it since a step or the round before.
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
	case w.given.Before == nil && w.repaired && w.State(slot) == mad.PortActive: // it was told the same before we were the master, or before we were started
		w.enqueue(ledger.MakeTag(readOfLanes[k], slot, arg))
	default:
		w.enqueue(ledger.MakeTag(k, slot, arg))
	}
}

// readOfLanes has the kinds that read what others write.
var readOfLanes = map[ledger.Kind]ledger.Kind{ledger.SetSL2VL: ledger.GetSL2VL, ledger.SetVLArb: ledger.GetVLArb}

// onLanes takes a lane table that was read, and writes it where it differs from the Plan.
func (w *writer) onLanes(k ledger.Kind, slot int32, arg uint32, ev *terms.Event) {
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
