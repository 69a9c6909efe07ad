package watch

import (
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// unsteady tracks flapping links, switches whose PortStateChange cannot be cleared, and false
// alarms: signs of change that no round could explain, such as from a link that is never up for
// long enough.
type unsteady struct {
	links []*unsteadyLink // in the order of their first return
	deaf  []deafSwitch
	stuck []stuckSwitch
	vain  []stuckSwitch
	signs []fabric.GUID // switches with a sign of change that no round has seen
	begun []fabric.GUID // switches whose sign began the round under way, or was seen by it
}

// unsteadyLink is a link that went down and came back.
type unsteadyLink struct {
	ends     [2]ledger.PortKey // a switch port; the other end
	name     string
	toSwitch bool            // the other end is a switch port too
	came     []time.Duration // when it came back, within FlapRule.Within
	changed  time.Duration   // when it last changed
	state    succession.LinkState
	hold     time.Duration         // of the last quarantine; 0: there was none
	toggles  int                   // changes in this quarantine
	trial    time.Duration         // if it comes back before this, quarantine follows at once
	since    time.Duration         // when its quarantine began
	reason   succession.HoldReason // of its quarantine
}

// stuckSwitch is a switch whose PortStateChange was set at the end of a number of rounds in a row,
// or whose signs of change began that many rounds in vain.
type stuckSwitch struct {
	node   fabric.GUID
	rounds int
	last   time.Duration // last sign of change, for false alarms
}

// stuckAfter is the number of rounds after which PortStateChange counts as stuck, and signs as
// false alarms.
const stuckAfter = 2

// apart lists the ports and switches that the next round ignores.
func (u *unsteady) apart() round.Apart {
	a := round.Apart{Held: map[ledger.PortKey]ledger.PortKey{}, Nodes: map[fabric.GUID]bool{}}
	for _, l := range u.links {
		for i, e := range l.ends {
			if l.state == succession.LinkHeld {
				a.Held[e] = ledger.PortKey{}
				if l.toSwitch {
					a.Held[e] = l.ends[1-i]
				}
			}
			if l.state != succession.LinkUsed {
				a.Nodes[e.Node] = true
			}
		}
	}
	for _, s := range slices.Concat(u.stuck, u.vain) {
		if s.rounds >= stuckAfter {
			a.Nodes[s.node] = true
		}
	}
	return a
}

// watches reports whether a sign of change from a switch may come from a port whose changes begin
// no round.
func (u *unsteady) watches(node fabric.GUID) bool {
	return u.isStuck(node) || u.isVain(node) ||
		slices.ContainsFunc(u.links, func(l *unsteadyLink) bool {
			return l.state != succession.LinkUsed && (l.ends[0].Node == node || l.ends[1].Node == node)
		})
}

// isStuck reports whether PortStateChange of a switch counts as stuck.
func (u *unsteady) isStuck(node fabric.GUID) bool { return counts(u.stuck, node) }

// isVain reports whether signs of a switch count as false alarms.
func (u *unsteady) isVain(node fabric.GUID) bool { return counts(u.vain, node) }

// counts reports whether a switch is listed with enough rounds.
func counts(list []stuckSwitch, node fabric.GUID) bool {
	return slices.ContainsFunc(list, func(s stuckSwitch) bool { return s.node == node && s.rounds >= stuckAfter })
}

// at returns the unsteady link at a port, or nil.
func (u *unsteady) at(e ledger.PortKey) *unsteadyLink {
	for _, l := range u.links {
		if l.ends[0] == e || l.ends[1] == e {
			return l
		}
	}
	return nil
}

// forget drops links that were steady for so long that they count as new.
func (u *unsteady) forget(now time.Duration, rule terms.FlapRule) {
	u.links = slices.DeleteFunc(u.links, func(l *unsteadyLink) bool {
		return l.state == succession.LinkUsed && now-l.changed > max(rule.Within, rule.MostHold, l.trial-l.changed)
	})
}

// watchLinks compares the ports of a round with the round in force. It counts links that came back
// and puts flapping ones in quarantine.
func (m *Manager) watchLinks(now time.Duration) {
	c, u := m.result.Ledger, &m.unsteady
	if c.Fabric == nil {
		return
	}
	if m.inForce != nil && m.watch.Flaps.Times > 0 {
		u.forget(now, m.watch.Flaps)
		m.countReturns(now)
	}
	for _, l := range u.links { // also those from the previous master
		if l.state == succession.LinkHeld && !c.IsJoinedWithout(l.ends, l.toSwitch) {
			l.state, l.came = succession.LinkSpared, nil
			m.untold = true
			m.tell(terms.OnlyWay, "%s is used again although it is unsteady: it is now the only way to a switch", l.name)
			m.noteChange(now, l.name+" is the only way")
		}
	}
}

// countReturns counts links that came back since the round in force, and notes changes of links in
// quarantine.
func (m *Manager) countReturns(now time.Duration) {
	c, b, u := m.result.Ledger, m.inForce, &m.unsteady
	for id := range c.Nodes {
		old, known := b.ByGUID[c.Nodes[id].GUID]
		if !known || c.Nodes[id].Typ != fabric.Switch || c.Nodes[id].Ports != b.Nodes[old].Ports {
			continue
		}
		for slot := range c.PortsOf(int32(id)) {
			was := b.Nodes[old].First + int32(c.PortNumber(slot))
			if c.PortNumber(slot) == 0 || c.Flags[slot]&b.Flags[was]&ledger.PortKnown == 0 {
				continue
			}
			switch {
			case c.Flags[slot]&ledger.PortCame != 0 && b.State(was) != mad.PortInit:
				m.cameBack(now, slot)
			case m.result.IsHeld(c.PortKey(slot)) && c.State(slot) != b.State(was):
				held := u.at(c.PortKey(slot))
				held.changed = now
				m.babble.toggles(m, now, held)
			}
		}
	}
}

// cameBack counts that the link at a switch port was down and is up again. Our own link is never
// put in quarantine.
func (m *Manager) cameBack(now time.Duration, slot int32) {
	c, u, rule := m.result.Ledger, &m.unsteady, m.watch.Flaps
	t := c.Peer[slot]
	if slot == c.OwnPort() || t == c.OwnPort() {
		return
	}
	l := u.at(c.PortKey(slot))
	if l != nil && t != ledger.NoSlot && l.ends != c.EndsOf(slot) && l.state != succession.LinkHeld { // another cable
		u.links = slices.DeleteFunc(u.links, func(x *unsteadyLink) bool { return x == l })
		l = nil
	}
	if l == nil {
		l = &unsteadyLink{ends: c.EndsOf(slot), name: c.LinkName(slot), toSwitch: t != ledger.NoSlot && c.IsSwitch(t)}
		u.links = append(u.links, l)
	} else if l.changed == now { // already seen from its other end
		return
	}
	l.changed = now
	if l.state == succession.LinkHeld {
		return
	}
	if l.isTooOften(now, rule) {
		m.quarantine(now, l)
	}
}

// isTooOften notes that a link came back, and reports whether that is too often.
func (l *unsteadyLink) isTooOften(now time.Duration, rule terms.FlapRule) bool {
	l.came = slices.DeleteFunc(append(l.came, now), func(at time.Duration) bool { return now-at > rule.Within })
	return len(l.came) > rule.Times || now < l.trial
}

// nextHold returns the length of a quarantine after one of a length; 0: there was none.
func nextHold(rule terms.FlapRule, last time.Duration) time.Duration {
	return repeat.Longer(last, rule.Hold, max(rule.Hold, rule.MostHold))
}

// quarantine takes a link out of use, unless it is the only way to a switch.
func (m *Manager) quarantine(now time.Duration, l *unsteadyLink) {
	rule := m.watch.Flaps
	if !m.result.Ledger.IsJoinedWithout(l.ends, l.toSwitch) {
		if l.state != succession.LinkSpared {
			l.state = succession.LinkSpared
			m.tell(terms.OnlyWay, "%s came back %d times within %v, but is the only way to a switch: it stays in use, and rounds for it come at growing intervals",
				l.name, len(l.came), rule.Within)
		}
		return
	}
	why := fmt.Sprintf("came back %d times within %v", len(l.came), rule.Within)
	if len(l.came) <= rule.Times {
		why = fmt.Sprintf("came back within %v after its last quarantine", l.hold)
	}
	m.untold = true
	l.reason, l.since = succession.HoldReason{Why: why, Returns: len(l.came)}, now
	m.tally.Quarantines++
	l.state, l.hold, l.came, l.toggles = succession.LinkHeld, nextHold(rule, l.hold), nil, 0
	m.tell(terms.Quarantined, "%s %s: it is not used until it has been up for %v without a change", l.name, why, l.hold)
	m.noteChange(now, l.name+" is put in quarantine")
}

// releaseDue returns when the next link is released from quarantine, or never.
func (u *unsteady) releaseDue(inForce *ledger.Ledger, rule terms.FlapRule) time.Duration {
	due := terms.Never
	for _, l := range u.links {
		due = min(due, l.releaseDue(inForce, rule))
	}
	for _, d := range u.deaf {
		if d.avoided {
			due = min(due, d.until)
		}
	}
	return due
}

// releaseDue returns when the link will have been up for long enough without a change, or never.
func (l *unsteadyLink) releaseDue(inForce *ledger.Ledger, rule terms.FlapRule) time.Duration {
	if l.state == succession.LinkUsed || inForce == nil {
		return terms.Never
	}
	slot, ok := inForce.SlotOf(l.ends[0].Node, l.ends[0].Port)
	if !ok || !inForce.HasLink(slot) {
		return terms.Never
	}
	return l.changed + max(l.hold, rule.Hold)
}

// release takes links that were steady for long enough back into use.
func (m *Manager) release(now time.Duration) {
	m.unsteady.tryDeaf(m, now)
	for _, l := range m.unsteady.links {
		if now < l.releaseDue(m.inForce, m.watch.Flaps) {
			continue
		}
		m.tell(terms.Released, "%s has been up for %v without a change: it is used again", l.name, now-l.changed)
		if l.state == succession.LinkHeld {
			m.noteChange(now, l.name+" is used again")
		}
		l.state, l.came, l.trial, m.untold = succession.LinkUsed, nil, now+l.hold, true
		m.tellRules()
	}
}

// told lists the links that a manager must know when it takes over.
func (u *unsteady) told(now, within time.Duration) (list []succession.Link) {
	for _, l := range u.links {
		t := succession.Link{Ends: l.ends, Name: l.name, ToSwitch: l.toSwitch, State: l.state, Hold: l.hold, Trial: now < l.trial, HoldReason: l.reason}
		for _, at := range l.came {
			if now-at <= within {
				t.Came++
			}
		}
		if t.State != succession.LinkUsed || t.Came > 0 || t.Trial {
			list = append(list, t)
		}
	}
	return list
}

// linksOf returns the links in another manager's rules, with times from now on.
func linksOf(list []succession.Link, now time.Duration) (links []*unsteadyLink) {
	for i := range list {
		t := &list[i]
		l := &unsteadyLink{ends: t.Ends, name: t.Name, toSwitch: t.ToSwitch, state: min(t.State, succession.LinkSpared), hold: max(0, t.Hold), changed: now, since: now, reason: t.HoldReason}
		l.came = slices.Repeat([]time.Duration{now}, min(max(0, t.Came), mostCame))
		if t.Trial {
			l.trial = now + l.hold
		}
		links = append(links, l)
	}
	return links
}

// mostCame bounds the returns of a link that another manager can report.
const mostCame = 1000
