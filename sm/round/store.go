package round

import (
	"weft/fabric"
	"weft/planner"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// noteOthersLIDs reports, and notes, whether ports are in service with other LIDs than are stored: another manager has given them
// since. They keep them, and the last Plan is none to be repaired.
func (w *writer) noteOthersLIDs() bool {
	if !w.given.Store {
		return false
	}
	n, first, ports := 0, ledger.NoSlot, map[fabric.GUID]int{}
	for slot := range w.Addressable {
		ports[w.GUID[slot]]++
	}
	for slot := range w.Addressable {
		guid, lid := w.GUID[slot], mad.PortInfoLID.Get(w.Info[slot][:])
		if w.IsSwitch(slot) || w.State(slot) != mad.PortActive || lid == 0 || uint64(w.inherit.Stored[guid].Base) == lid || guid == 0 || ports[guid] > 1 {
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

// startStoring asks for the LIDs and the Plan to be stored, where that is wanted. Where all LIDs are stored already nothing waits for it but the end of
// the round.
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

// isStoring reports whether a Store has not ended.
func (w *writer) isStoring() bool { return w.record != nil && !w.stored }

// takeStored goes on with LIDs that are stored. Where they could not be, ports whose LIDs are not those of an earlier Record get
// none; a Plan by which a port would lose a LID that is stored is not distributed at all.
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

// firstMoved returns the first port that has stored LIDs and would get others, noSlot where there is none.
func (w *writer) firstMoved() int32 {
	for slot := range w.Addressable {
		if old, ok := w.inherit.Stored[w.GUID[slot]]; ok && old != w.record.LIDs[w.GUID[slot]] && !w.isNamed(slot) {
			return slot
		}
	}
	return ledger.NoSlot
}

// isNamed reports whether the LIDs that the Plan has for a port are stored, or the port was found with them.
func (w *writer) isNamed(slot int32) bool {
	guid, info := w.GUID[slot], w.Info[slot][:]
	p, ok := w.record.LIDs[guid]
	return ok && (w.inherit.Stored[guid] == p || uint64(p.Base) == mad.PortInfoLID.Get(info) && uint64(p.LMC) == mad.PortInfoLMC.Get(info))
}

// leaveUnnamed takes the LIDs of the Plan from ports for which they could not be stored: they get none, and no link of a CA
// without one is brought up.
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
