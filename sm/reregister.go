package sm

import (
	"weft/fabric"
	"weft/mad"
)

// clients holds what a round knows, and tells, of clients of subnet administration.
type clients struct {
	reregister bool       // all are to register again
	wasActive  bool       // a port of a CA was Active when the round began to write
	others     bool       // such a port had another LID as that of its master than ours
	told       fabric.LID // that of its master, of our own port
}

// onNews takes what concerns what clients have registered, and other managers with a copy of it.
func (m *Manager) onNews(n *News) {
	if m.inForce == nil && !m.stopped {
		m.learn(n)
	}
	if n.MayTakeOver != nil {
		m.settled = n.MayTakeOver
		if m.cfg.Elect && !m.inRound && !m.stopped && m.inForce != nil && m.election.handing == nil {
			m.handOver()
		}
	}
	if n.Reregister && m.inForce != nil {
		m.reregister = true
		m.tell(Reregistration, "not all that clients have registered is known: all ports are asked to register again")
		m.noteChange(m.now, "clients are asked to register again")
		m.tellRules()
	}
}

// learn takes news of the master that we stand by for. What is learned comes before the round that a
// missing master begins. A round under way has its LIDs, and finds the master by itself.
func (m *Manager) learn(n *News) {
	if n.LIDs != nil && !m.inRound {
		m.cfg.Stored = n.LIDs
	}
	if n.Trees != nil && !m.inRound {
		m.cfg.Trees = n.Trees
	}
	if n.Plan != nil {
		m.learnPlan(n.Plan)
	}
	if n.Rules != nil {
		m.learnRules(n.Rules)
	}
	if n.MasterMissed && !m.inRound && m.election.master != nil && !m.election.off {
		m.lookAgain(m.election.master.name + " was the master, and says no more what it does")
	}
}

// noteClients notes, before a port is written, who was its master.
func (c *Core) noteClients(slot int32) {
	info := c.info[slot][:]
	if c.isSwitch(slot) || c.flags[slot]&portKnown == 0 || mad.PortInfoPortState.Get(info) != mad.PortActive {
		return
	}
	c.clients.wasActive = true
	lid := fabric.LID(mad.PortInfoMasterSMLID.Get(info))
	if slot == c.ownPort() {
		c.clients.told = lid
	}
	if lid != 0 && lid != c.prog.smLID {
		c.clients.others = true
	}
}

// mustReregister reports whether the clients at a port are to register again: all are, or the port was away.
func (c *Core) mustReregister(slot int32) bool {
	if c.prog.end[slot] < 0 || c.isSwitch(slot) || mad.PortInfoCapabilityMask.Get(c.info[slot][:])&mad.CapIsClientReregistration == 0 {
		return false
	}
	if c.clients.reregister || c.before == nil {
		return c.clients.reregister
	}
	_, known := c.before.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
	return !known
}
