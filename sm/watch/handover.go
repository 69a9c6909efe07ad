package watch

import (
	"slices"
	"time"

	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// handOver offers the subnet to a standby that precedes us and knows our rules. After a
// handover in vain a manager waits for another chance.
func (m *Manager) handOver() {
	if m.untold || m.wanted.why != "" {
		return
	}
	others := m.found().Others
	for i := range others {
		o := &others[i]
		if !o.Silent && o.State == mad.SMStateStandby && o.Precedes(m.cfg.Priority, m.guid) && (!m.cfg.Replicates || slices.Contains(m.settled, o.GUID)) &&
			m.others.mayBeOffered(m.now, o.GUID) {
			m.election.handing = o
			m.tell(terms.Handover, "%s precedes this manager, by priority and GUID: the subnet is handed over to it", o.Name)
			m.sendToManager(o, mad.Set, mad.SMSetHandover)
			return
		}
	}
}

// A manager that accepts the subnet acknowledges that. The acknowledgement may be lost, so it is
// also asked for its state. Until it takes the subnet this manager answers hosts and managers as
// the master, tells the new master that it stands by, and writes nothing.
const (
	askTaker     = 200 * time.Millisecond // between two questions
	mostAskTaker = 5
)

// onOffered handles the answer to a HANDOVER.
func (e *election) onOffered(m *Manager, now time.Duration, ev *terms.Event) {
	if ev.Outcome != terms.Answered {
		e.endHandover(m, now, "does not accept the handover")
		return
	}
	e.agreed, e.due = true, now+askTaker
}

// follow asks the manager that has accepted the subnet whether it takes it.
func (e *election) follow(m *Manager, now time.Duration) {
	switch {
	case !e.agreed || e.polling:
	case now < e.due:
		m.out = append(m.out, terms.Action{Kind: terms.Wake, At: e.due})
	default:
		e.polling = true
		e.asked++
		m.sendToManager(e.handing, mad.Get, askedTaker)
	}
}

// onTaker handles the answer to that question.
func (e *election) onTaker(m *Manager, now time.Duration, ev *terms.Event) {
	e.polling, e.due = false, now+askTaker
	state := mad.SMInfoSMState.Get(ev.Data[:])
	key := mad.SMInfoSMKey.Get(ev.Data[:])
	switch {
	case ev.Outcome == terms.Answered && (key == 0 || key == m.cfg.SMKey) && (state == mad.SMStateMaster || state == mad.SMStateDiscovering):
		e.leave(m, now)
	case ev.Outcome != terms.Answered || e.asked == mostAskTaker:
		e.endHandover(m, now, "has accepted the subnet and does not take it")
	}
}

// leave gives the subnet to the manager that takes it, and polls that one soon.
func (e *election) leave(m *Manager, now time.Duration) {
	m.standBy(now, e.handing)
	m.others.isIdleSince = now
	e.due = now + min(lookSoon, m.watch.Interval)
}

// endHandover ends a handover that came to nothing.
func (e *election) endHandover(m *Manager, now time.Duration, why string) {
	o := e.handing
	pause := m.others.postpone(now, o.GUID)
	m.tell(terms.Handover, "%s %s: this manager stays the master, and offers it the subnet no sooner than in %v", o.Name, why, pause)
	*e = election{}
}

// takeOver acknowledges a handover and begins a round.
func (q *smRequest) takeOver() {
	m, others := q.Manager, q.found().Others
	o := &others[slices.IndexFunc(others, func(o ledger.OtherManager) bool { return o.GUID == q.from })]
	m.tell(terms.Handover, "%s hands the subnet over to this manager", o.Name)
	m.sendToManager(o, mad.Set, mad.SMSetAcknowledge)
	m.election = election{handed: q.from, isLeft: m.election.master != nil && m.election.master.GUID == q.from}
	m.contest = contest{}
	m.beginRound("the subnet was handed over", askAll)
}
