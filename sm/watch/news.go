package watch

import (
	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/terms"
)

// onNews handles news from subnet administration, about registrations of clients and about other
// managers.
func (m *Manager) onNews(n *terms.News) {
	if m.inForce == nil && !m.stopped {
		m.learn(n)
	}
	if n.MayTakeOver != nil {
		m.settled = n.MayTakeOver
		if m.cfg.Elect && !m.inRound && !m.stopped && m.inForce != nil && m.election.handing == nil {
			m.handOver()
		}
	}
	if n.Aliases != nil {
		takeAliases(m, n.Aliases)
	}
	if n.Reregister && m.inForce != nil {
		m.reregister = true
		m.tell(terms.Reregistration, "some registrations of clients are unknown: all ports are asked to register again")
		m.noteChange(m.now, "clients are asked to register again")
		m.tellRules()
	}
}

// takeAliases takes the aliases of ports. Only a change of one that partitions name begins a round:
// hosts may change theirs all the time.
func takeAliases(m *Manager, now map[fabric.GUID]fabric.GUID) {
	changed := sa.ChangedAliases(m.aliases, now)
	m.aliases = now
	if p := m.cfg.Partitions; m.inForce != nil && p != nil && p.Partitions.NameAny(changed) {
		m.noteChange(m.now, "alias GUIDs of ports have changed")
	}
}

// learn takes news of the master as its standby. It arrives before the round that a missing master
// begins. A round under way has its LIDs already, and finds the master by itself.
func (m *Manager) learn(n *terms.News) {
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
		m.lookAgain(m.election.master.Name + " was the master and no longer sends its state")
	}
}
