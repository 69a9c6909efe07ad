package sm

import (
	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// startProgram relates nodes and ports to those of the Plan and begins to write.
func (w *writer) startProgram() {
	s := &w.prog
	s.sw, s.end = make([]int32, len(w.nodes)), make([]int32, len(w.owner))
	s.blocks = make([]blockCount, len(w.nodes))
	s.closed, s.wrong, s.holds = make([]bool, len(w.nodes)), make([]bool, len(w.nodes)), make([]bool, len(w.nodes))
	s.pkeys = map[int32]*pkeyTable{}
	w.findMembers()
	for i := range s.sw {
		s.sw[i] = -1
	}
	for i := range s.end {
		s.end[i] = -1
	}
	for i, guid := range w.graph.SwitchGUID {
		s.sw[w.byGUID[guid]] = int32(i)
	}
	for e, guid := range w.graph.EndNodeGUID {
		s.end[w.nodes[w.byGUID[guid]].first+int32(w.graph.EndNum[e])] = int32(e)
	}
	s.asBefore, s.verified = make([]bool, len(w.nodes)), make([]bool, len(w.nodes))
	for id := range w.nodes {
		s.asBefore[id] = w.isNodeAsBefore(w.given.Before, int32(id))
	}
	s.top = w.plan.Ends.Top()
	if own := s.end[w.ownPort()]; own >= 0 {
		s.smLID = w.plan.Ends.Base[own]
	}
	w.report.LIDs.SM = s.smLID
	for slot := range w.owner {
		w.noteAddress(int32(slot))
		w.noteClients(int32(slot))
	}
	if w.unstored {
		w.leaveUnnamed()
	}
	w.enterPhase(tables)
}

// noteAddress counts LIDs kept, and notes cabled CA ports that get none.
func (w *writer) noteAddress(slot int32) {
	e := w.prog.end[slot]
	switch {
	case e >= 0:
		if had := mad.PortInfoLID.Get(w.info[slot][:]); had != 0 && had == uint64(w.plan.Ends.Base[e]) {
			w.report.LIDs.Kept++
		}
	case !w.isSwitch(slot) && w.carries(slot):
		w.noteLoss(NotAddressed, w.portPlace(slot), "%s is cabled to no switch: it gets no LID", w.portName(slot))
	}
}

// queueTables queues what a node must hold before its links carry data.
func (w *writer) queueTables(id int32) {
	if w.prog.fabricNode[id] < 0 {
		return
	}
	if w.prog.step > 0 {
		w.queueStep(id)
	} else if w.prog.sw[id] >= 0 {
		w.queueBlocks(id)
	}
	for slot := range w.portsOf(id) {
		if w.prog.step == 0 {
			w.queuePKeys(slot)
		}
		if w.plan.VLs > 1 && w.carries(slot) {
			w.queueLanes(slot)
		}
	}
}

// queueBlocks queues the forwarding table. Blocks that the switch holds since the round before are written only where they
// differ. Others below the top that the switch reports are read first; what lies above it is not defined (14.2.5.4), and
// is written.
func (w *writer) queueBlocks(id int32) {
	top := fabric.LID(mad.SwitchInfoLinearFDBTop.Get(w.nodes[id].sw[:]))
	before, known := w.switchBefore(w.given.Before, id)
	for b := range w.tableBlocks() {
		switch {
		case known && b < w.given.Before.tableBlocks():
			if *w.plannedBlock(id, b) == *w.given.Before.plannedBlock(before, b) {
				w.countHeld(id, b)
			} else {
				w.enqueue(makeTag(setLFT, id, b))
			}
		case w.read[makeTag(getLFT, id, b)] != nil:
			if w.firstWrongLID(id, b, (*[64]byte)(w.read[makeTag(getLFT, id, b)])) == 0 {
				w.countHeld(id, b)
			} else {
				w.enqueue(makeTag(setLFT, id, b))
			}
		case top > 0 && b <= uint32(top)/mad.LFTBlock:
			w.enqueue(makeTag(getLFT, id, b))
		default:
			w.enqueue(makeTag(setLFT, id, b))
		}
	}
}

// onLFT takes a block that was read, and writes it where it differs from the Plan.
func (w *writer) onLFT(id int32, b uint32, ev *Event) {
	if w.phase == reading {
		if ev.Outcome == Answered {
			block := route.Block(ev.Data) // the event is the caller's
			w.read[ev.Tag] = &block
		}
		return
	}
	if ev.Outcome == Answered && w.firstWrongLID(id, b, &ev.Data) == 0 {
		w.countHeld(id, b)
		return
	}
	w.enqueue(makeTag(setLFT, id, b))
}

// onSetLFT takes a block as the switch says that it holds it after a Set.
func (w *writer) onSetLFT(id int32, b uint32, ev *Event) {
	n := &w.prog.blocks[id]
	if ev.Outcome != Answered {
		if ev.Attempts > 0 {
			n.lost++
		}
		return
	}
	lid := w.firstWrongLID(id, b, &ev.Data)
	if lid == 0 {
		if w.isLast(id, b) {
			n.acked++
		} else {
			n.between++
		}
		if w.prog.step > 0 || ev.Attempts > 1 {
			w.rewritten = append(w.rewritten, makeTag(setLFT, id, b))
		}
		return
	}
	n.lost++
	at := lid % mad.LFTBlock
	w.noteWrongTable(id, "block %d of the forwarding table of %s differs from what it was told: LID %d goes to port %d, not %d",
		b, w.nodeName(id), lid, ev.Data[at], w.plannedBlock(id, b)[at])
	w.keepClosed(id)
}

// noteWrongTable notes the first table of a node that differs from what it was told; the
// others of a device that ignores what it is told mostly differ too.
func (w *writer) noteWrongTable(id int32, format string, args ...any) {
	if !w.prog.wrong[id] {
		w.prog.wrong[id] = true
		w.noteLoss(NotTaken, w.nodePlace(id), format+"; more of it may differ", args...)
	}
}

// onSetSL2VL takes a SLtoVLMappingTable as the port says that it holds it after a Set.
func (w *writer) onSetSL2VL(slot int32, arg uint32, ev *Event) {
	if ev.Outcome != Answered {
		return
	}
	if w.prog.step > 0 || ev.Attempts > 1 {
		w.rewritten = append(w.rewritten, makeTag(setSL2VL, slot, arg))
	}
	sl := w.firstWrongSL(slot, arg, &ev.Data)
	if sl < 0 {
		return
	}
	w.noteWrongTable(w.owner[slot], "SLtoVLMappingTable 0x%x of %s differs from what it was told: SL %d goes to VL %d, not %d",
		w.modifier(setSL2VL, slot, arg), w.portName(slot), sl, mad.SLtoVLMappingTableVL.At(ev.Data[:], sl), w.laneTable(slot, uint8(arg>>8), w.prog.step)[sl])
	w.closeForLanes(slot)
}

// closeForLanes keeps a switch closed that does not have the proven lanes on a link to
// another switch: links to hosts, and from them, are on no cycle.
func (w *writer) closeForLanes(slot int32) {
	if w.isSwitch(w.peer[slot]) {
		w.keepClosed(w.owner[slot])
	}
}

// keepClosed keeps the links of a switch that are not Active yet from becoming so, since
// its tables are not those that were proven: they may lead into circles, or onto lanes that
// close a cycle.
func (w *writer) keepClosed(id int32) {
	if w.stopped || w.prog.sw[id] < 0 || w.prog.closed[id] {
		return
	}
	w.prog.closed[id] = true
	w.noteLoss(KeptClosed, w.nodePlace(id), "%s does not hold what was proven: links of it that are not Active yet are not brought up", w.nodeName(id))
}

// noteHalfWritten counts the switches that hold their new table, and notes those
// that hold a part of it.
func (s *shared) noteHalfWritten() {
	all := s.tableBlocks()
	for id, n := range s.prog.blocks {
		s.report.Written.Blocks += int(n.acked + n.between)
		switch {
		case s.prog.sw[id] < 0:
		case n.same+n.acked == all:
			s.report.Written.Tables++
			s.prog.holds[id] = !s.prog.wrong[id]
		case n.lost > 0 || n.acked+n.between > 0:
			s.note(HalfWritten, s.nodePlace(int32(id)), "%s: of %d blocks of its forwarding table %d were written, and %d sent and not acknowledged",
				s.nodeName(int32(id)), all, n.acked, n.lost)
		}
	}
}

// noteNotTaken notes a Set that was sent, and refused or not acknowledged. A port whose Set
// was refused is read again instead: see onSetPort.
func (w *writer) noteNotTaken(k kind, index int32, arg uint32, ev *Event) {
	if ev.Outcome == Refused && (k == setPort || k == setActive) {
		return
	}
	var where string
	var at Place
	if kinds[k].slot {
		where, at = w.portName(index), w.portPlace(index)
	} else {
		where, at = w.nodeName(index), w.nodePlace(index)
	}
	what := attrName(kinds[k].attr)
	if ev.Outcome == Refused {
		w.noteLoss(NotTaken, at, "%s refuses Set(%s) modifier 0x%x (%v)", where, what, w.modifier(k, index, arg), ev.Status)
	} else {
		w.noteLoss(Unanswered, at, "Set(%s) modifier 0x%x of %s was sent %d times and not acknowledged",
			what, w.modifier(k, index, arg), where, ev.Attempts)
	}
	switch k {
	case setLFT:
		w.keepClosed(index)
	case setSL2VL, setVLArb:
		w.closeForLanes(index)
		if ev.Outcome != Refused { // it may hold another: the next round tells it again
			w.prog.wrong[w.owner[index]] = true
		}
	default: // the proof does not depend on it
	}
}

// finalState finds how a bring-up ended.
func (w *writer) finalState() State {
	for slot, t := range w.peer {
		if t == noSlot || w.prog.fabricNode[w.owner[slot]] < 0 {
			continue
		}
		if mad.PortInfoPortState.Get(w.info[slot][:]) == mad.PortActive {
			w.report.Written.Active++
			continue
		}
		if !w.isDrainedHost(int32(slot)) {
			w.incomplete = true
		}
	}
	w.recordLIDs()
	if w.incomplete {
		return UpInPart
	}
	return Up
}

// recordLIDs puts the LIDs that ports have now into the Fabric.
func (w *writer) recordLIDs() {
	f := w.fabric
	for slot, e := range w.prog.end {
		if e < 0 {
			continue
		}
		p := &f.Nodes[w.prog.fabricNode[w.owner[slot]]].Ports[w.portNumber(int32(slot))]
		p.LID, p.LMC = fabric.LID(mad.PortInfoLID.Get(w.info[slot][:])), uint8(mad.PortInfoLMC.Get(w.info[slot][:]))
	}
}
