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
func (w *writer) noteClients(slot int32) {
	info := w.info[slot][:]
	if w.isSwitch(slot) || w.flags[slot]&portKnown == 0 || mad.PortInfoPortState.Get(info) != mad.PortActive {
		return
	}
	w.clients.WasActive = true
	lid := fabric.LID(mad.PortInfoMasterSMLID.Get(info))
	if slot == w.ownPort() {
		w.clients.Told = lid
	}
	if lid != 0 && lid != w.prog.smLID {
		w.clients.Others = true
	}
}

// mustReregister reports whether the clients at a port are to register again: all are, or the port was away.
func (w *writer) mustReregister(slot int32) bool {
	if w.prog.end[slot] < 0 || w.isSwitch(slot) || mad.PortInfoCapabilityMask.Get(w.info[slot][:])&mad.CapIsClientReregistration == 0 {
		return false
	}
	if w.given.Reregister || w.given.Before == nil {
		return w.given.Reregister
	}
	_, known := w.given.Before.slotOf(w.nodes[w.owner[slot]].guid, w.portNumber(slot))
	return !known
}
