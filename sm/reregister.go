package sm

import (
	"weft/fabric"
	"weft/mad"
)

// Clients holds what a round has found out of clients of subnet administration.
type Clients struct {
	WasActive bool       // a port of a CA was Active when the round began to write
	Others    bool       // such a port had another LID as that of its master than ours
	Told      fabric.LID // that of its master, of our own port
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
		m.next.Stored = n.LIDs
	}
	if n.Trees != nil && !m.inRound {
		m.next.Trees = n.Trees
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
