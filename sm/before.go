package sm

import "weft/wire/mad"

// What a device was told in the round before, and holds by its answer, need not be read or written again, as long as
// nothing shows that it has lost it: a switch that was rebooted has another LinearFDBTop, and no LID, a port that was down is not Active.

// wasTold reports whether an output port was told the same lane table in the round before, and is as it was then.
func (w *writer) wasTold(k kind, slot int32, arg uint32) bool {
	b := w.given.Before
	if b == nil || b.plan.VLs <= 1 || !w.isAsBefore(b, slot) {
		return false
	}
	before := b.byGUID[w.nodes[w.owner[slot]].guid]
	if b.prog.wrong[before] || w.isSwitch(slot) && k == setSL2VL && b.plan.SL2VL != nil && b.byInput(before, b.prog.step) != w.byInput(w.owner[slot], w.prog.step) {
		return false
	}
	old, _ := b.slotOf(w.nodes[w.owner[slot]].guid, w.portNumber(slot))
	if in, _ := b.slotOf(w.nodes[w.owner[slot]].guid, uint8(arg>>8)); k == setSL2VL && w.isSwitch(slot) && arg != mad.SLtoVLAllInputs &&
		arg>>8 > 0 && !b.carries(in) {
		return false // an input without a cable was told nothing
	}
	if !b.carries(old) || !w.isSwitch(slot) && b.prog.end[old] < 0 || b.plan.SL2VL == nil && k == setSL2VL || b.arbTable(old) == nil && k == setVLArb {
		return false
	}
	var now, then [64]byte
	if k == setSL2VL {
		w.sl2vl(slot, arg, now[:])
		b.sl2vl(old, arg, then[:])
	} else {
		w.arbitration(slot, arg, now[:])
		b.arbitration(old, arg, then[:])
	}
	return now == then
}

// wasToldPort reports whether a port was told the same in the round before, and says the same as it did then: some take not all that
// they are told, and there is no use in telling it again.
func (w *writer) wasToldPort(slot int32, planned *[64]byte) bool {
	b := w.given.Before
	if !w.isAsBefore(b, slot) {
		return false
	}
	old, ok := b.slotOf(w.nodes[w.owner[slot]].guid, w.portNumber(slot))
	if !ok || b.flags[old]&portTold == 0 {
		return false
	}
	var then [64]byte
	b.plannedPortInfo(old, then[:])
	now, says, said := *planned, w.info[slot], b.info[old]
	for _, data := range [...][]byte{now[:], then[:], says[:], said[:]} {
		for _, counter := range [...]mad.Field{mad.PortInfoMKeyViolations, mad.PortInfoPKeyViolations, mad.PortInfoQKeyViolations, mad.PortInfoDiagCode} {
			counter.Put(data, 0)
		}
	}
	return says == said && now == then
}

// enqueueLanes queues a lane table, unless the port has it since a step or the round before.
func (w *writer) enqueueLanes(k kind, slot int32, arg uint32) {
	for step := w.prog.step - 1; step >= 0 && k == setSL2VL; step-- {
		if was := w.laneTable(slot, uint8(arg>>8), step); was != nil {
			id := w.owner[slot]
			if *was != *w.laneTable(slot, uint8(arg>>8), w.prog.step) || w.isSwitch(slot) && w.byInput(id, step) != w.byInput(id, w.prog.step) {
				w.enqueue(makeTag(k, slot, arg))
			}
			return
		}
	}
	switch {
	case w.wasTold(k, slot, arg):
	case w.given.Before == nil && w.repaired && w.state(slot) == mad.PortActive: // it was told the same before we were the master, or before we were started
		w.enqueue(makeTag(readOfLanes[k], slot, arg))
	default:
		w.enqueue(makeTag(k, slot, arg))
	}
}

// readOfLanes has the kinds that read what others write.
var readOfLanes = map[kind]kind{setSL2VL: getSL2VL, setVLArb: getVLArb}

// onLanes takes a lane table that was read, and writes it where it differs from the Plan.
func (w *writer) onLanes(k kind, slot int32, arg uint32, ev *Event) {
	var want [64]byte
	write := setSL2VL
	if k == getSL2VL {
		w.sl2vl(slot, arg, want[:])
	} else {
		write = setVLArb
		w.arbitration(slot, arg, want[:])
	}
	if ev.Outcome != Answered || ev.Data != want {
		w.enqueue(makeTag(write, slot, arg))
	}
}
