package round

import (
	"weft/fabric"
	"weft/planner"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// noteOthersLIDs reports, and notes, whether ports in service have other LIDs than those stored:
// another manager has assigned them since, or this one has, and the state is an older copy. The
// ports keep their LIDs, and the last Plan is not repaired.
func (w *writer) noteOthersLIDs() bool {
	if !w.given.Store && w.inherit.Stored == nil {
		return false
	}
	n, first, ports := 0, ledger.NoSlot, map[fabric.GUID]int{}
	holders := map[uint64]bool{} // LIDs that the ports have that are to have them: nobody has given them away
	for slot := range w.Addressable {
		ports[w.GUID[slot]]++
		if lid := mad.PortInfoLID.Get(w.Info[slot][:]); lid != 0 && uint64(w.inherit.Stored[w.GUID[slot]].Base) == lid {
			holders[lid] = true
		}
	}
	for slot := range w.Addressable {
		guid, lid := w.GUID[slot], mad.PortInfoLID.Get(w.Info[slot][:])
		if !w.isInService(slot) || lid == 0 || uint64(w.inherit.Stored[guid].Base) == lid || guid == 0 || ports[guid] > 1 || holders[lid] {
			continue
		}
		if n++; first == ledger.NoSlot {
			first = slot
		}
	}
	if n > 0 && len(w.inherit.Stored) > 0 {
		w.note(terms.OthersLIDs, w.PortPlace(first), "%d ports are Active under LIDs that are not stored, the first is %s with LID %d: they keep them",
			n, w.PortName(first), mad.PortInfoLID.Get(w.Info[first][:]))
	}
	return n > 0
}

// isInService reports whether packets may be under way to an end port: it is Active, or a port of
// its switch is.
func (w *writer) isInService(slot int32) bool {
	if !w.IsSwitch(slot) {
		return w.State(slot) == mad.PortActive
	}
	for s := range w.PortsOf(w.Owner[slot]) {
		if w.PortNumber(s) > 0 && w.HasLink(s) && w.State(s) == mad.PortActive {
			return true
		}
	}
	return false
}

// startStoring asks for the LIDs and the Plan to be stored, if Given.Store. If all LIDs are stored
// already, only the end of the round waits for it.
func (w *writer) startStoring() {
	lids := w.inherit.Stored.After(w.Graph, &w.Plan.Ends)
	if !w.given.Store {
		if w.inherit.Stored != nil {
			w.inherit.Stored = lids
		}
		w.startProgram()
		return
	}
	w.record = &terms.Record{LIDs: lids, Graph: w.Graph, Plan: w.Plan, Engine: w.report.Routing.Engine, Verdict: terms.Proof(w.report.Routing.Check)}
	w.out = append(w.out, terms.Action{Kind: terms.Store})
	for guid, p := range lids {
		if w.inherit.Stored[guid] != p {
			w.enterPhase(storing)
			return
		}
	}
	w.startProgram()
}

// isStoring reports whether a Store is under way.
func (w *writer) isStoring() bool { return w.record != nil && !w.stored }

// takeStored continues after a Store. If it failed, ports whose LIDs are not in an earlier Record
// get none. A Plan that would take a stored LID from a port is not distributed at all.
func (w *writer) takeStored(ev *terms.Event) {
	if !w.isStoring() || w.phase == finished {
		return
	}
	if w.stored = true; ev.Err == nil {
		w.inherit.Stored, w.inherit.Last, w.inherit.Afresh, w.inherit.Held = w.record.LIDs, planner.Keep(w.Plan, w.Graph), false, false
		return
	}
	if w.phase != storing {
		w.note(terms.NotStored, terms.Place{}, "the Plan is distributed, and a restart will not know it: %v", ev.Err)
		return
	}
	w.unstored = true
	switch moved := w.firstMoved(); {
	case moved != ledger.NoSlot:
		w.note(terms.NotStored, w.PortPlace(moved), "nothing is distributed: %s would get other LIDs, and those cannot be stored: %v", w.PortName(moved), ev.Err)
		w.Plan = nil
		w.finish(terms.NotRouted)
	case !w.isNamed(w.OwnPort()):
		w.note(terms.NotStored, terms.Place{}, "nothing is distributed: the LID of our own port cannot be stored: %v", ev.Err)
		w.Plan = nil
		w.finish(terms.NotRouted)
	default:
		w.note(terms.NotStored, terms.Place{}, "the Plan is distributed, and a restart will not know it; ports without a stored LID get none: %v", ev.Err)
	}
}

// firstMoved returns the first port whose stored LIDs would change, ledger.NoSlot if none.
func (w *writer) firstMoved() int32 {
	for slot := range w.Addressable {
		if old, ok := w.inherit.Stored[w.GUID[slot]]; ok && old != w.record.LIDs[w.GUID[slot]] && !w.isNamed(slot) {
			return slot
		}
	}
	return ledger.NoSlot
}

// isNamed reports whether a port may get its planned LIDs: they are stored, or the port already has
// them.
func (w *writer) isNamed(slot int32) bool {
	guid, info := w.GUID[slot], w.Info[slot][:]
	p, ok := w.record.LIDs[guid]
	return ok && (w.inherit.Stored[guid] == p || uint64(p.Base) == mad.PortInfoLID.Get(info) && uint64(p.LMC) == mad.PortInfoLMC.Get(info))
}

// leaveUnnamed removes ports whose LIDs could not be stored from the Plan's end ports. They get no
// LID, and links of CAs without a LID stay down.
func (w *writer) leaveUnnamed() {
	for slot, end := range w.Prog.End {
		id := w.Owner[slot]
		if end < 0 || w.isNamed(int32(slot)) {
			continue
		}
		w.Prog.End[slot] = -1
		w.Prog.Closed[id] = w.Prog.Closed[id] || w.Prog.Sw[id] < 0
		w.noteLoss(terms.NotStored, w.PortPlace(int32(slot)), "%s gets no LID as long as it cannot be stored", w.PortName(int32(slot)))
	}
}
