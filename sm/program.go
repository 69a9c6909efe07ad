package sm

import (
	"weft/fabric"
	"weft/mad"
	"weft/route"
)

// startProgram relates nodes and ports to those of the Plan and begins to write.
func (c *Core) startProgram() {
	s := &c.prog
	s.sw, s.end = make([]int32, len(c.nodes)), make([]int32, len(c.owner))
	s.blocks = make([]blockCount, len(c.nodes))
	s.closed, s.wrong, s.holds = make([]bool, len(c.nodes)), make([]bool, len(c.nodes)), make([]bool, len(c.nodes))
	s.pkeys = map[int32]*pkeyTable{}
	c.findMembers()
	for i := range s.sw {
		s.sw[i] = -1
	}
	for i := range s.end {
		s.end[i] = -1
	}
	for i, guid := range c.graph.SwitchGUID {
		s.sw[c.byGUID[guid]] = int32(i)
	}
	for e, guid := range c.graph.EndNodeGUID {
		s.end[c.nodes[c.byGUID[guid]].first+int32(c.graph.EndNum[e])] = int32(e)
	}
	s.asBefore, s.verified = make([]bool, len(c.nodes)), make([]bool, len(c.nodes))
	for id := range c.nodes {
		s.asBefore[id] = c.isNodeAsBefore(c.given.Before, int32(id))
	}
	s.top = c.plan.Ends.Top()
	if own := s.end[c.ownPort()]; own >= 0 {
		s.smLID = c.plan.Ends.Base[own]
	}
	c.report.LIDs.SM = s.smLID
	for slot := range c.owner {
		c.noteAddress(int32(slot))
		c.noteClients(int32(slot))
	}
	if c.unstored {
		c.leaveUnnamed()
	}
	c.enterPhase(tables)
}

// noteAddress counts LIDs kept, and notes cabled CA ports that get none.
func (c *Core) noteAddress(slot int32) {
	e := c.prog.end[slot]
	switch {
	case e >= 0:
		if had := mad.PortInfoLID.Get(c.info[slot][:]); had != 0 && had == uint64(c.plan.Ends.Base[e]) {
			c.report.LIDs.Kept++
		}
	case !c.isSwitch(slot) && c.carries(slot):
		c.noteLoss(NotAddressed, c.portPlace(slot), "%s is cabled to no switch: it gets no LID", c.portName(slot))
	}
}

// queueTables queues what a node must hold before its links carry data.
func (c *Core) queueTables(id int32) {
	if c.prog.fabricNode[id] < 0 {
		return
	}
	if c.prog.step > 0 {
		c.queueStep(id)
	} else if c.prog.sw[id] >= 0 {
		c.queueBlocks(id)
	}
	for slot := range c.portsOf(id) {
		if c.prog.step == 0 {
			c.queuePKeys(slot)
		}
		if c.plan.VLs > 1 && c.carries(slot) {
			c.queueLanes(slot)
		}
	}
}

// queueBlocks queues the forwarding table. Blocks that the switch holds since the round before are written only where they
// differ. Others below the top that the switch reports are read first; what lies above it is not defined (14.2.5.4), and
// is written.
func (c *Core) queueBlocks(id int32) {
	top := fabric.LID(mad.SwitchInfoLinearFDBTop.Get(c.nodes[id].sw[:]))
	before, known := c.switchBefore(c.given.Before, id)
	for b := range c.tableBlocks() {
		switch {
		case known && b < c.given.Before.tableBlocks():
			if *c.plannedBlock(id, b) == *c.given.Before.plannedBlock(before, b) {
				c.countHeld(id, b)
			} else {
				c.enqueue(makeTag(setLFT, id, b))
			}
		case c.read[makeTag(getLFT, id, b)] != nil:
			if c.firstWrongLID(id, b, (*[64]byte)(c.read[makeTag(getLFT, id, b)])) == 0 {
				c.countHeld(id, b)
			} else {
				c.enqueue(makeTag(setLFT, id, b))
			}
		case top > 0 && b <= uint32(top)/mad.LFTBlock:
			c.enqueue(makeTag(getLFT, id, b))
		default:
			c.enqueue(makeTag(setLFT, id, b))
		}
	}
}

// onLFT takes a block that was read, and writes it where it differs from the Plan.
func (c *Core) onLFT(id int32, b uint32, ev *Event) {
	if c.phase == reading {
		if ev.Outcome == Answered {
			block := route.Block(ev.Data) // the event is the caller's
			c.read[ev.Tag] = &block
		}
		return
	}
	if ev.Outcome == Answered && c.firstWrongLID(id, b, &ev.Data) == 0 {
		c.countHeld(id, b)
		return
	}
	c.enqueue(makeTag(setLFT, id, b))
}

// onSetLFT takes a block as the switch says that it holds it after a Set.
func (c *Core) onSetLFT(id int32, b uint32, ev *Event) {
	n := &c.prog.blocks[id]
	if ev.Outcome != Answered {
		if ev.Attempts > 0 {
			n.lost++
		}
		return
	}
	lid := c.firstWrongLID(id, b, &ev.Data)
	if lid == 0 {
		if c.isLast(id, b) {
			n.acked++
		} else {
			n.between++
		}
		if c.prog.step > 0 || ev.Attempts > 1 {
			c.rewritten = append(c.rewritten, makeTag(setLFT, id, b))
		}
		return
	}
	n.lost++
	at := lid % mad.LFTBlock
	c.noteWrongTable(id, "block %d of the forwarding table of %s differs from what it was told: LID %d goes to port %d, not %d",
		b, c.nodeName(id), lid, ev.Data[at], c.plannedBlock(id, b)[at])
	c.keepClosed(id)
}

// noteWrongTable notes the first table of a node that differs from what it was told; the
// others of a device that ignores what it is told mostly differ too.
func (c *Core) noteWrongTable(id int32, format string, args ...any) {
	if !c.prog.wrong[id] {
		c.prog.wrong[id] = true
		c.noteLoss(NotTaken, c.nodePlace(id), format+"; more of it may differ", args...)
	}
}

// onSetSL2VL takes a SLtoVLMappingTable as the port says that it holds it after a Set.
func (c *Core) onSetSL2VL(slot int32, arg uint32, ev *Event) {
	if ev.Outcome != Answered {
		return
	}
	if c.prog.step > 0 || ev.Attempts > 1 {
		c.rewritten = append(c.rewritten, makeTag(setSL2VL, slot, arg))
	}
	sl := c.firstWrongSL(slot, arg, &ev.Data)
	if sl < 0 {
		return
	}
	c.noteWrongTable(c.owner[slot], "SLtoVLMappingTable 0x%x of %s differs from what it was told: SL %d goes to VL %d, not %d",
		c.modifier(setSL2VL, slot, arg), c.portName(slot), sl, mad.SLtoVLMappingTableVL.At(ev.Data[:], sl), c.laneTable(slot, uint8(arg>>8), c.prog.step)[sl])
	c.closeForLanes(slot)
}

// closeForLanes keeps a switch closed that does not have the proven lanes on a link to
// another switch: links to hosts, and from them, are on no cycle.
func (c *Core) closeForLanes(slot int32) {
	if c.isSwitch(c.peer[slot]) {
		c.keepClosed(c.owner[slot])
	}
}

// keepClosed keeps the links of a switch that are not Active yet from becoming so, since
// its tables are not those that were proven: they may lead into circles, or onto lanes that
// close a cycle.
func (c *Core) keepClosed(id int32) {
	if c.stopped || c.prog.sw[id] < 0 || c.prog.closed[id] {
		return
	}
	c.prog.closed[id] = true
	c.noteLoss(KeptClosed, c.nodePlace(id), "%s does not hold what was proven: links of it that are not Active yet are not brought up", c.nodeName(id))
}

// noteHalfWritten counts the switches that hold their new table, and notes those
// that hold a part of it.
func (c *Core) noteHalfWritten() {
	all := c.tableBlocks()
	for id, n := range c.prog.blocks {
		c.report.Written.Blocks += int(n.acked + n.between)
		switch {
		case c.prog.sw[id] < 0:
		case n.same+n.acked == all:
			c.report.Written.Tables++
			c.prog.holds[id] = !c.prog.wrong[id]
		case n.lost > 0 || n.acked+n.between > 0:
			c.note(HalfWritten, c.nodePlace(int32(id)), "%s: of %d blocks of its forwarding table %d were written, and %d sent and not acknowledged",
				c.nodeName(int32(id)), all, n.acked, n.lost)
		}
	}
}

// noteNotTaken notes a Set that was sent, and refused or not acknowledged. A port whose Set
// was refused is read again instead: see onSetPort.
func (c *Core) noteNotTaken(k kind, index int32, arg uint32, ev *Event) {
	if ev.Outcome == Refused && (k == setPort || k == setActive) {
		return
	}
	var where string
	var at Place
	if kinds[k].slot {
		where, at = c.portName(index), c.portPlace(index)
	} else {
		where, at = c.nodeName(index), c.nodePlace(index)
	}
	what := attrName(kinds[k].attr)
	if ev.Outcome == Refused {
		c.noteLoss(NotTaken, at, "%s refuses Set(%s) modifier 0x%x (%v)", where, what, c.modifier(k, index, arg), ev.Status)
	} else {
		c.noteLoss(Unanswered, at, "Set(%s) modifier 0x%x of %s was sent %d times and not acknowledged",
			what, c.modifier(k, index, arg), where, ev.Attempts)
	}
	switch k {
	case setLFT:
		c.keepClosed(index)
	case setSL2VL, setVLArb:
		c.closeForLanes(index)
		if ev.Outcome != Refused { // it may hold another: the next round tells it again
			c.prog.wrong[c.owner[index]] = true
		}
	default: // the proof does not depend on it
	}
}

// finalState finds how a bring-up ended.
func (c *Core) finalState() State {
	for slot, t := range c.peer {
		if t == noSlot || c.prog.fabricNode[c.owner[slot]] < 0 {
			continue
		}
		if mad.PortInfoPortState.Get(c.info[slot][:]) == mad.PortActive {
			c.report.Written.Active++
			continue
		}
		if !c.isDrainedHost(int32(slot)) {
			c.incomplete = true
		}
	}
	c.recordLIDs()
	if c.incomplete {
		return UpInPart
	}
	return Up
}

// recordLIDs puts the LIDs that ports have now into the Fabric.
func (c *Core) recordLIDs() {
	f := c.fabric
	for slot, e := range c.prog.end {
		if e < 0 {
			continue
		}
		p := &f.Nodes[c.prog.fabricNode[c.owner[slot]]].Ports[c.portNumber(int32(slot))]
		p.LID, p.LMC = fabric.LID(mad.PortInfoLID.Get(c.info[slot][:])), uint8(mad.PortInfoLMC.Get(c.info[slot][:]))
	}
}
