package sm

import "weft/mad"

// What a device was told in the round before, and holds by its answer, need not be read or written again, as long as
// nothing shows that it has lost it: a switch that was rebooted has another LinearFDBTop, and no LID, a port that was down is not Active.

// wasTold reports whether an output port was told the same lane table in the round before, and is as it was then.
func (c *Core) wasTold(k kind, slot int32, arg uint32) bool {
	b := c.given.Before
	if b == nil || b.plan.VLs <= 1 || !c.isAsBefore(b, slot) {
		return false
	}
	before := b.byGUID[c.nodes[c.owner[slot]].guid]
	if b.prog.wrong[before] || c.isSwitch(slot) && k == setSL2VL && b.plan.SL2VL != nil && b.byInput(before, b.prog.step) != c.byInput(c.owner[slot], c.prog.step) {
		return false
	}
	old, _ := b.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
	if in, _ := b.slotOf(c.nodes[c.owner[slot]].guid, uint8(arg>>8)); k == setSL2VL && c.isSwitch(slot) && arg != mad.SLtoVLAllInputs &&
		arg>>8 > 0 && !b.carries(in) {
		return false // an input without a cable was told nothing
	}
	if !b.carries(old) || !c.isSwitch(slot) && b.prog.end[old] < 0 || b.plan.SL2VL == nil && k == setSL2VL || b.arbTable(old) == nil && k == setVLArb {
		return false
	}
	var now, then [64]byte
	if k == setSL2VL {
		c.sl2vl(slot, arg, now[:])
		b.sl2vl(old, arg, then[:])
	} else {
		c.arbitration(slot, arg, now[:])
		b.arbitration(old, arg, then[:])
	}
	return now == then
}

// wasToldPort reports whether a port was told the same in the round before, and says the same as it did then: some take not all that
// they are told, and there is no use in telling it again.
func (c *Core) wasToldPort(slot int32, planned *[64]byte) bool {
	b := c.given.Before
	if !c.isAsBefore(b, slot) {
		return false
	}
	old, ok := b.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
	if !ok || b.flags[old]&portTold == 0 {
		return false
	}
	var then [64]byte
	b.plannedPortInfo(old, then[:])
	now, says, said := *planned, c.info[slot], b.info[old]
	for _, data := range [...][]byte{now[:], then[:], says[:], said[:]} {
		for _, counter := range [...]mad.Field{mad.PortInfoMKeyViolations, mad.PortInfoPKeyViolations, mad.PortInfoQKeyViolations, mad.PortInfoDiagCode} {
			counter.Put(data, 0)
		}
	}
	return says == said && now == then
}

// enqueueLanes queues a lane table, unless the port has it since a step or the round before.
func (c *Core) enqueueLanes(k kind, slot int32, arg uint32) {
	for step := c.prog.step - 1; step >= 0 && k == setSL2VL; step-- {
		if was := c.laneTable(slot, uint8(arg>>8), step); was != nil {
			id := c.owner[slot]
			if *was != *c.laneTable(slot, uint8(arg>>8), c.prog.step) || c.isSwitch(slot) && c.byInput(id, step) != c.byInput(id, c.prog.step) {
				c.enqueue(makeTag(k, slot, arg))
			}
			return
		}
	}
	switch {
	case c.wasTold(k, slot, arg):
	case c.given.Before == nil && c.repaired && c.state(slot) == mad.PortActive: // it was told the same before we were the master, or before we were started
		c.enqueue(makeTag(readOfLanes[k], slot, arg))
	default:
		c.enqueue(makeTag(k, slot, arg))
	}
}

// readOfLanes has the kinds that read what others write.
var readOfLanes = map[kind]kind{setSL2VL: getSL2VL, setVLArb: getVLArb}

// onLanes takes a lane table that was read, and writes it where it differs from the Plan.
func (c *Core) onLanes(k kind, slot int32, arg uint32, ev *Event) {
	var want [64]byte
	write := setSL2VL
	if k == getSL2VL {
		c.sl2vl(slot, arg, want[:])
	} else {
		write = setVLArb
		c.arbitration(slot, arg, want[:])
	}
	if ev.Outcome != Answered || ev.Data != want {
		c.enqueue(makeTag(write, slot, arg))
	}
}
