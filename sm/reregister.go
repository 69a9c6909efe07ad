package sm

import (
	"weft/fabric"
	"weft/wire/mad"
)

// Clients holds what a round has found out of clients of subnet administration.
type Clients struct {
	WasActive bool       // a port of a CA was Active when the round began to write
	Others    bool       // such a port had another LID as that of its master than ours
	Told      fabric.LID // that of its master, of our own port
}

// onRegistrar takes what concerns what clients have registered, and other managers with a copy of it.
func (m *Manager) onRegistrar(ev *Event) {
	switch {
	case ev.Kind == Reregister && m.inForce != nil:
		m.reregister = true
		m.tell(Reregistration, "not all that clients have registered is known: all ports are asked to register again")
		m.noteChange(m.now, "clients are asked to register again")
		m.tellRules()
	case ev.Kind == MayTakeOver:
		m.settled = ev.GUIDs
		if m.cfg.Elect && !m.inRound && !m.stopped && m.inForce != nil && m.election.handing == nil {
			m.handOver()
		}
	case m.inForce != nil || m.stopped:
	case ev.Kind == PlanLearned:
		m.learnPlan(ev.Value)
	case ev.Kind == RulesLearned:
		m.learnRules(ev.Value)
	case m.inRound: // it has its LIDs, and finds the master
	case ev.Kind == Learned:
		m.next.Stored = ev.LIDs
	case ev.Kind == TreesLearned:
		m.next.Trees = ev.Trees
	case ev.Kind == MasterMissed && m.election.master != nil && !m.election.off:
		m.lookAgain(m.election.master.name + " was the master, and says no more what it does")
	}
}

// noteClients notes, before a port is written, who was its master.
func (c *Core) noteClients(slot int32) {
	info := c.info[slot][:]
	if c.isSwitch(slot) || c.flags[slot]&portKnown == 0 || mad.PortInfoPortState.Get(info) != mad.PortActive {
		return
	}
	c.clients.WasActive = true
	lid := fabric.LID(mad.PortInfoMasterSMLID.Get(info))
	if slot == c.ownPort() {
		c.clients.Told = lid
	}
	if lid != 0 && lid != c.prog.smLID {
		c.clients.Others = true
	}
}

// mustReregister reports whether the clients at a port are to register again: all are, or the port was away.
func (c *Core) mustReregister(slot int32) bool {
	if c.prog.end[slot] < 0 || c.isSwitch(slot) || mad.PortInfoCapabilityMask.Get(c.info[slot][:])&mad.CapIsClientReregistration == 0 {
		return false
	}
	if c.given.Reregister || c.given.Before == nil {
		return c.given.Reregister
	}
	_, known := c.given.Before.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
	return !known
}
