package sm

import (
	"weft/fabric"
	"weft/mad"
	"weft/route"
	"weft/route/job"
)

// Record holds what is stored before a manager distributes a Plan: a restart gives every port the LIDs of the last Record
// that was stored.
type Record struct {
	LIDs    LIDMap // also of ports that are not there
	Graph   *fabric.Graph
	Plan    *route.Plan
	Engine  string
	Verdict string // of the judge, in words
}

// noteOthersLIDs reports, and notes, whether ports are in service with other LIDs than are stored: another manager has given them
// since. They keep them, and the last Plan is none to be repaired.
func (c *Core) noteOthersLIDs() bool {
	if !c.given.Store {
		return false
	}
	n, first, ports := 0, noSlot, map[fabric.GUID]int{}
	for slot := range c.addressable {
		ports[c.guid[slot]]++
	}
	for slot := range c.addressable {
		guid, lid := c.guid[slot], mad.PortInfoLID.Get(c.info[slot][:])
		if c.isSwitch(slot) || c.state(slot) != mad.PortActive || lid == 0 || uint64(c.inherit.Stored[guid].Base) == lid || guid == 0 || ports[guid] > 1 {
			continue
		}
		if n++; first == noSlot {
			first = slot
		}
	}
	if n > 0 && len(c.inherit.Stored) > 0 {
		c.note(OthersLIDs, c.portPlace(first), "%d ports are Active under LIDs that are not stored, the first is %s with LID %d: they keep them",
			n, c.portName(first), mad.PortInfoLID.Get(c.info[first][:]))
	}
	return n > 0
}

// startStoring asks for the LIDs and the Plan to be stored, where that is wanted. Where all LIDs are stored already nothing waits for it but the end of
// the round.
func (c *Core) startStoring() {
	lids := c.inherit.Stored.After(c.graph, &c.plan.Ends)
	if !c.given.Store {
		if c.inherit.Stored != nil {
			c.inherit.Stored = lids
		}
		c.startProgram()
		return
	}
	c.record = &Record{LIDs: lids, Graph: c.graph, Plan: c.plan, Engine: c.report.Routing.Engine, Verdict: proof(c.report.Routing.Check)}
	c.out = append(c.out, Action{Kind: Store})
	for guid, p := range lids {
		if c.inherit.Stored[guid] != p {
			c.enterPhase(storing)
			return
		}
	}
	c.startProgram()
}

// isStoring reports whether a Store has not ended.
func (c *Core) isStoring() bool { return c.record != nil && !c.stored }

// takeStored goes on with LIDs that are stored. Where they could not be, ports whose LIDs are not those of an earlier Record get
// none; a Plan by which a port would lose a LID that is stored is not distributed at all.
func (c *Core) takeStored(ev *Event) {
	if !c.isStoring() || c.phase == finished {
		return
	}
	if c.stored = true; ev.Err == nil {
		c.inherit.Stored, c.inherit.Last, c.inherit.Afresh, c.inherit.Held = c.record.LIDs, job.Keep(c.plan, c.graph), false, false
		return
	}
	if c.phase != storing {
		c.note(NotStored, Place{}, "the Plan is distributed, and a restart will not know it: %v", ev.Err)
		return
	}
	c.unstored = true
	switch moved := c.firstMoved(); {
	case moved != noSlot:
		c.note(NotStored, c.portPlace(moved), "nothing is distributed: %s would get other LIDs, and those cannot be stored: %v", c.portName(moved), ev.Err)
		c.plan = nil
		c.finish(NotRouted)
	case !c.isNamed(c.ownPort()):
		c.note(NotStored, Place{}, "nothing is distributed: the LID of our own port cannot be stored: %v", ev.Err)
		c.plan = nil
		c.finish(NotRouted)
	default:
		c.note(NotStored, Place{}, "the Plan is distributed, and a restart will not know it; ports without a stored LID get none: %v", ev.Err)
	}
}

// firstMoved returns the first port that has stored LIDs and would get others, noSlot where there is none.
func (c *Core) firstMoved() int32 {
	for slot := range c.addressable {
		if old, ok := c.inherit.Stored[c.guid[slot]]; ok && old != c.record.LIDs[c.guid[slot]] && !c.isNamed(slot) {
			return slot
		}
	}
	return noSlot
}

// isNamed reports whether the LIDs that the Plan has for a port are stored, or the port was found with them.
func (c *Core) isNamed(slot int32) bool {
	guid, info := c.guid[slot], c.info[slot][:]
	p, ok := c.record.LIDs[guid]
	return ok && (c.inherit.Stored[guid] == p || uint64(p.Base) == mad.PortInfoLID.Get(info) && uint64(p.LMC) == mad.PortInfoLMC.Get(info))
}

// leaveUnnamed takes the LIDs of the Plan from ports for which they could not be stored: they get none, and no link of a CA
// without one is brought up.
func (c *Core) leaveUnnamed() {
	for slot, end := range c.prog.end {
		id := c.owner[slot]
		if end < 0 || c.isNamed(int32(slot)) {
			continue
		}
		c.prog.end[slot] = -1
		c.prog.closed[id] = c.prog.closed[id] || c.prog.sw[id] < 0
		c.noteLoss(NotStored, c.portPlace(int32(slot)), "%s gets no LID as long as it cannot be stored", c.portName(int32(slot)))
	}
}
