package round

import (
	"weft/fabric"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// startProgram maps nodes and ports to switches and end ports of the Graph, and begins to write.
func (w *writer) startProgram() {
	s := &w.Prog
	s.Sw, s.End = make([]int32, len(w.Nodes)), make([]int32, len(w.Owner))
	s.Blocks = make([]ledger.BlockCount, len(w.Nodes))
	s.Closed, s.Wrong, s.Holds = make([]bool, len(w.Nodes)), make([]bool, len(w.Nodes)), make([]bool, len(w.Nodes))
	s.PKeys = map[int32]*ledger.PKeyTable{}
	w.findMembers()
	for i := range s.Sw {
		s.Sw[i] = -1
	}
	for i := range s.End {
		s.End[i] = -1
	}
	for i, guid := range w.Graph.SwitchGUID {
		s.Sw[w.ByGUID[guid]] = int32(i)
	}
	for e, guid := range w.Graph.EndNodeGUID {
		s.End[w.Nodes[w.ByGUID[guid]].First+int32(w.Graph.EndNum[e])] = int32(e)
	}
	s.AsBefore, s.Verified = make([]bool, len(w.Nodes)), make([]bool, len(w.Nodes))
	for id := range w.Nodes {
		s.AsBefore[id] = w.IsNodeAsBefore(w.given.Before, int32(id))
	}
	s.Top = w.Plan.Ends.Top()
	if own := s.End[w.OwnPort()]; own >= 0 {
		s.SMLID = w.Plan.Ends.Base[own]
	}
	w.report.LIDs.SM = s.SMLID
	w.findPassing()
	for slot := range w.Owner {
		w.noteAddress(int32(slot))
		w.noteClients(int32(slot))
	}
	if w.unstored {
		w.leaveUnnamed()
	}
	w.noteGroupMTU()
	w.enterPhase(tables)
}

// noteAddress counts kept LIDs, and notes cabled CA ports that get none.
func (w *writer) noteAddress(slot int32) {
	e := w.Prog.End[slot]
	switch {
	case e >= 0:
		if had := mad.PortInfoLID.Get(w.Info[slot][:]); had != 0 && had == uint64(w.Plan.Ends.Base[e]) {
			w.report.LIDs.Kept++
		}
	case !w.IsSwitch(slot) && w.Carries(slot):
		w.noteLoss(terms.NotAddressed, w.PortPlace(slot), "%s is cabled to no switch: it gets no LID", w.PortName(slot))
	}
}

// queueTables queues the tables that a node must hold before its links carry data.
func (w *writer) queueTables(id int32) {
	if w.Prog.FabricNode[id] < 0 {
		return
	}
	if w.Prog.Step > 0 {
		w.queueStep(id)
	} else if w.Prog.Sw[id] >= 0 {
		w.queueBlocks(id)
	}
	for slot := range w.PortsOf(id) {
		if w.Prog.Step == 0 {
			w.queuePKeys(slot)
		}
		if w.Plan.VLs > 1 && w.Carries(slot) {
			w.queueLanes(slot)
		}
	}
	if w.Plan.VLs <= 1 && w.Prog.Step == w.LastStep() {
		w.queueOneLane(id)
	}
}

// queueBlocks queues the blocks of a forwarding table. Blocks known from the previous round or from
// the reading phase are written only if they differ. Others are read first up to the reported top;
// above it they are undefined (14.2.5.4), and are written.
func (w *writer) queueBlocks(id int32) {
	top := fabric.LID(mad.SwitchInfoLinearFDBTop.Get(w.Nodes[id].Sw[:]))
	held := w.tablesBefore()
	before, known := w.SwitchBefore(held, id)
	for b := range w.TableBlocks() {
		switch {
		case known && b < held.TableBlocks():
			if *w.PlannedBlock(id, b) == *held.PlannedBlock(before, b) {
				w.countHeld(id, b)
			} else {
				w.enqueue(ledger.MakeTag(ledger.SetLFT, id, b))
			}
		case w.read[ledger.MakeTag(ledger.GetLFT, id, b)] != nil:
			if w.FirstWrongLID(id, b, (*[64]byte)(w.read[ledger.MakeTag(ledger.GetLFT, id, b)])) == 0 {
				w.countHeld(id, b)
			} else {
				w.enqueue(ledger.MakeTag(ledger.SetLFT, id, b))
			}
		case top > 0 && b <= uint32(top)/mad.LFTBlock:
			w.enqueue(ledger.MakeTag(ledger.GetLFT, id, b))
		default:
			w.enqueue(ledger.MakeTag(ledger.SetLFT, id, b))
		}
	}
}

// onLFT handles a block that was read, and writes it if it differs from the Plan.
func (w *writer) onLFT(id int32, b uint32, ev *terms.Event) {
	if w.phase == reading {
		if ev.Outcome == terms.Answered {
			block := route.Block(ev.Data) // the caller reuses the event
			w.read[ev.Tag] = &block
		}
		return
	}
	if ev.Outcome == terms.Answered && w.FirstWrongLID(id, b, &ev.Data) == 0 {
		w.countHeld(id, b)
		return
	}
	w.enqueue(ledger.MakeTag(ledger.SetLFT, id, b))
}

// onSetLFT compares the block that a switch reports after a Set with the request.
func (w *writer) onSetLFT(id int32, b uint32, ev *terms.Event) {
	n := &w.Prog.Blocks[id]
	if ev.Outcome != terms.Answered {
		if ev.Attempts > 0 {
			n.Lost++
		}
		return
	}
	lid := w.FirstWrongLID(id, b, &ev.Data)
	if lid == 0 {
		if w.IsLast(id, b) {
			n.Acked++
		} else {
			n.Between++
		}
		if w.Prog.Step > 0 || ev.Attempts > 1 || w.repaired {
			w.Rewritten = append(w.Rewritten, ledger.MakeTag(ledger.SetLFT, id, b))
		}
		return
	}
	n.Lost++
	at := lid % mad.LFTBlock
	w.noteWrongTable(id, "block %d of the forwarding table of %s differs from what it was told: LID %d goes to port %d, not %d",
		b, w.NodeName(id), lid, ev.Data[at], w.PlannedBlock(id, b)[at])
	w.keepClosed(id)
}

// noteWrongTable notes the first table of a node that differs from its write. Further ones
// of the same node are not noted: a device that ignores one write mostly ignores others.
func (w *writer) noteWrongTable(id int32, format string, args ...any) {
	if !w.Prog.Wrong[id] {
		w.Prog.Wrong[id] = true
		w.noteLoss(terms.NotTaken, w.NodePlace(id), format+"; more of it may differ", args...)
	}
}

// onSetSL2VL compares the SLtoVLMappingTable that a port reports after a Set with the request.
func (w *writer) onSetSL2VL(slot int32, arg uint32, ev *terms.Event) {
	if ev.Outcome != terms.Answered {
		return
	}
	// With one lane all Sets of before hold the same table, so a late copy does no harm.
	if w.Plan.VLs > 1 && (w.Prog.Step > 0 || ev.Attempts > 1) {
		w.Rewritten = append(w.Rewritten, ledger.MakeTag(ledger.SetSL2VL, slot, arg))
	}
	sl := w.FirstWrongSL(slot, arg, &ev.Data)
	if sl < 0 {
		return
	}
	w.noteWrongTable(w.Owner[slot], "SLtoVLMappingTable 0x%x of %s differs from what it was told: SL %d goes to VL %d, not %d",
		w.Modifier(ledger.SetSL2VL, slot, arg), w.PortName(slot), sl, mad.SLtoVLMappingTableVL.At(ev.Data[:], sl), w.LaneTable(slot, uint8(arg>>8), w.Prog.Step)[sl])
	w.passesNot(slot, arg)
	w.closeForLanes(slot)
}

// closeForLanes keeps a switch closed if the lanes of a link to another switch are not the proven
// ones. Lanes of links to and from hosts do not matter: these links are on no cycle. With one lane
// no link is.
func (w *writer) closeForLanes(slot int32) {
	if w.Plan.VLs > 1 && w.IsSwitch(w.Peer[slot]) {
		w.keepClosed(w.Owner[slot])
	}
}

// keepClosed keeps those links of a switch that are not Active from becoming Active. Its tables are
// not the proven ones: they may form loops, or use lanes that close a cycle.
func (w *writer) keepClosed(id int32) {
	if w.stopped || w.Prog.Sw[id] < 0 || w.Prog.Closed[id] {
		return
	}
	w.Prog.Closed[id] = true
	w.noteLoss(terms.KeptClosed, w.NodePlace(id), "%s does not hold what was proven: links of it that are not Active yet are not brought up", w.NodeName(id))
}

// noteHalfWritten counts the switches with a complete new table, and notes half-written ones.
func (s *shared) noteHalfWritten() {
	all := s.TableBlocks()
	for id, n := range s.Prog.Blocks {
		s.report.Written.Blocks += int(n.Acked + n.Between)
		switch {
		case s.Prog.Sw[id] < 0:
		case n.Same+n.Acked == all:
			s.report.Written.Tables++
			s.Prog.Holds[id] = !s.Prog.Wrong[id]
		case n.Lost > 0 || n.Acked+n.Between > 0:
			s.note(terms.HalfWritten, s.NodePlace(int32(id)), "%s: of %d blocks of its forwarding table %d were written, and %d sent and not acknowledged",
				s.NodeName(int32(id)), all, n.Acked, n.Lost)
		}
	}
}

// noteNotTaken notes a Set that was refused or not acknowledged. A port that refused is read again
// instead: see onSetPort.
func (w *writer) noteNotTaken(k ledger.Kind, index int32, arg uint32, ev *terms.Event) {
	if ev.Outcome == terms.Refused && (k == ledger.SetPort || k == ledger.SetActive) {
		return
	}
	var where string
	var at terms.Place
	if ledger.Kinds[k].Slot {
		where, at = w.PortName(index), w.PortPlace(index)
	} else {
		where, at = w.NodeName(index), w.NodePlace(index)
	}
	what := ledger.AttrName(ledger.Kinds[k].Attr)
	if ev.Outcome == terms.Refused {
		w.noteLoss(terms.NotTaken, at, "%s refuses Set(%s) modifier 0x%x (%v)", where, what, w.Modifier(k, index, arg), ev.Status)
	} else {
		w.noteLoss(terms.Unanswered, at, "Set(%s) modifier 0x%x of %s was sent %d times and not acknowledged",
			what, w.Modifier(k, index, arg), where, ev.Attempts)
	}
	switch k {
	case ledger.SetPort, ledger.SetActive:
		if !w.brokenOff { // otherwise the way to it may have failed
			w.Flags[index] |= ledger.PortDeaf
		}
	case ledger.SetLFT, ledger.SetSwitch: // it forwards nothing above its old top
		w.keepClosed(index)
	case ledger.SetSL2VL, ledger.SetVLArb:
		w.passesNot(index, arg)
		w.closeForLanes(index)
		if ev.Outcome != terms.Refused { // it may hold another table: the next round writes it again
			w.Prog.Wrong[w.Owner[index]] = true
		}
	default: // the proof does not depend on it
	}
}

// finalState counts Active link ends, and returns whether the subnet is up or up in part.
func (w *writer) finalState() terms.State {
	for slot, t := range w.Peer {
		if t == ledger.NoSlot || w.Prog.FabricNode[w.Owner[slot]] < 0 {
			continue
		}
		if mad.PortInfoPortState.Get(w.Info[slot][:]) == mad.PortActive {
			w.report.Written.Active++
			continue
		}
		if !w.IsDrainedHost(int32(slot)) {
			w.incomplete = true
		}
	}
	w.recordLIDs()
	if w.incomplete {
		return terms.UpInPart
	}
	return terms.Up
}

// recordLIDs copies the LIDs that ports now have into the Fabric.
func (w *writer) recordLIDs() {
	f := w.Fabric
	for slot, e := range w.Prog.End {
		if e < 0 {
			continue
		}
		p := &f.Nodes[w.Prog.FabricNode[w.Owner[slot]]].Ports[w.PortNumber(int32(slot))]
		p.LID, p.LMC = fabric.LID(mad.PortInfoLID.Get(w.Info[slot][:])), uint8(mad.PortInfoLMC.Get(w.Info[slot][:]))
	}
}
