package watch

import (
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire/mad"
)

// unsteady holds the links that have come back lately, the switches whose PortStateChange cannot be cleared, and those that have given signs
// of change of which rounds found nothing: of a link that is never up for long enough.
type unsteady struct {
	links []*unsteadyLink // in the order in which they first came back
	stuck []stuckSwitch
	vain  []stuckSwitch
	signs []fabric.GUID // switches that gave a sign that no round has seen
	begun []fabric.GUID // those whose sign began the round under way, or was seen by it
}

// unsteadyLink is a link that went down and came back.
type unsteadyLink struct {
	ends     [2]ledger.PortKey // of a switch; the other end
	name     string
	toSwitch bool            // the other end is a switch's too
	came     []time.Duration // when it came back, as far as it counts still
	changed  time.Duration   // when it last changed
	state    linkState
	hold     time.Duration // of the last quarantine; 0: there was none
	trial    time.Duration // coming back before this ends in quarantine at once
}

// linkState says what becomes of an unsteady link.
type linkState uint8

const (
	linkUsed   linkState = iota
	linkHeld             // in quarantine
	linkSpared           // it would be in quarantine, but nothing else joins a switch to us
)

// stuckSwitch is a switch whose PortStateChange was set at the end of so many rounds, one after the other, or whose signs began so many in
// vain.
type stuckSwitch struct {
	node   fabric.GUID
	rounds int
	last   time.Duration // when it last gave a sign, of one of those in vain
}

// stuckAfter is the number of rounds after which a PortStateChange counts as one that cannot be cleared.
const stuckAfter = 2

// apart lists what the next round leaves out.
func (u *unsteady) apart() round.Apart {
	a := round.Apart{Held: map[ledger.PortKey]ledger.PortKey{}, Nodes: map[fabric.GUID]bool{}}
	for _, l := range u.links {
		for i, e := range l.ends {
			if l.state == linkHeld {
				a.Held[e] = ledger.PortKey{}
				if l.toSwitch {
					a.Held[e] = l.ends[1-i]
				}
			}
			if l.state != linkUsed {
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

// watches reports whether a sign of change from a switch may come from a port that begins no round.
func (u *unsteady) watches(node fabric.GUID) bool {
	return u.isStuck(node) || u.isVain(node) ||
		slices.ContainsFunc(u.links, func(l *unsteadyLink) bool {
			return l.state != linkUsed && (l.ends[0].Node == node || l.ends[1].Node == node)
		})
}

// isStuck reports whether PortStateChange of a switch counts as one that cannot be cleared.
func (u *unsteady) isStuck(node fabric.GUID) bool { return counts(u.stuck, node) }

// isVain reports whether rounds found nothing of the signs of a switch.
func (u *unsteady) isVain(node fabric.GUID) bool { return counts(u.vain, node) }

// counts reports whether a switch is listed often enough.
func counts(list []stuckSwitch, node fabric.GUID) bool {
	return slices.ContainsFunc(list, func(s stuckSwitch) bool { return s.node == node && s.rounds >= stuckAfter })
}

// at returns the link at a port, nil where none is unsteady.
func (u *unsteady) at(e ledger.PortKey) *unsteadyLink {
	for _, l := range u.links {
		if l.ends[0] == e || l.ends[1] == e {
			return l
		}
	}
	return nil
}

// forget drops links that have been steady for so long that they count as new.
func (u *unsteady) forget(now time.Duration, rule terms.FlapRule) {
	u.links = slices.DeleteFunc(u.links, func(l *unsteadyLink) bool {
		return l.state == linkUsed && now-l.changed > max(rule.Within, rule.MostHold, l.trial-l.changed)
	})
}

// watchLinks compares the ports that a round found with those of the round in force: it counts links that came back, and puts
// those in quarantine that do so too often.
func (m *Manager) watchLinks(now time.Duration) {
	c, u := m.result.Ledger, &m.unsteady
	if c.Fabric == nil {
		return
	}
	if m.inForce != nil && m.watch.Flaps.Times > 0 {
		u.forget(now, m.watch.Flaps)
		m.countReturns(now)
	}
	for _, l := range u.links { // also those that a master before us has put in quarantine
		if l.state == linkHeld && !c.IsJoinedWithout(l.ends, l.toSwitch) {
			l.state, l.came = linkSpared, nil
			m.untold = true
			m.tell(terms.OnlyWay, "%s is used again though it is not steady: nothing else leads there now", l.name)
			m.noteChange(now, l.name+" is the only way")
		}
	}
}

// countReturns counts links that have come back since the round in force, and changes of those in quarantine.
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
				u.at(c.PortKey(slot)).changed = now
			}
		}
	}
}

// cameBack counts that the link at a switch port was down and is up again. Our own link is never put in quarantine.
func (m *Manager) cameBack(now time.Duration, slot int32) {
	c, u, rule := m.result.Ledger, &m.unsteady, m.watch.Flaps
	t := c.Peer[slot]
	if slot == c.OwnPort() || t == c.OwnPort() {
		return
	}
	l := u.at(c.PortKey(slot))
	if l != nil && t != ledger.NoSlot && l.ends != c.EndsOf(slot) && l.state != linkHeld { // another cable
		u.links = slices.DeleteFunc(u.links, func(x *unsteadyLink) bool { return x == l })
		l = nil
	}
	if l == nil {
		l = &unsteadyLink{ends: c.EndsOf(slot), name: c.LinkName(slot), toSwitch: t != ledger.NoSlot && c.IsSwitch(t)}
		u.links = append(u.links, l)
	} else if l.changed == now { // seen from its other end
		return
	}
	l.changed = now
	if l.state == linkHeld {
		return
	}
	if l.isTooOften(now, rule) {
		m.quarantine(now, l)
	}
}

// isTooOften counts that a link has come back, and reports whether that is too often.
func (l *unsteadyLink) isTooOften(now time.Duration, rule terms.FlapRule) bool {
	l.came = slices.DeleteFunc(append(l.came, now), func(at time.Duration) bool { return now-at > rule.Within })
	return len(l.came) > rule.Times || now < l.trial
}

// quarantine takes a link out of use, unless it alone joins a switch to us.
func (m *Manager) quarantine(now time.Duration, l *unsteadyLink) {
	rule := m.watch.Flaps
	if !m.result.Ledger.IsJoinedWithout(l.ends, l.toSwitch) {
		if l.state != linkSpared {
			l.state = linkSpared
			m.tell(terms.OnlyWay, "%s has come back %d times within %v, and nothing else leads there: it stays in use, and is waited for longer and longer",
				l.name, len(l.came), rule.Within)
		}
		return
	}
	why := fmt.Sprintf("has come back %d times within %v", len(l.came), rule.Within)
	if len(l.came) <= rule.Times {
		why = fmt.Sprintf("has come back within %v after its last quarantine", l.hold)
	}
	m.untold = true
	l.state, l.hold, l.came = linkHeld, min(max(rule.Hold, 2*l.hold), rule.MostHold), nil
	m.tell(terms.Quarantined, "%s %s: it is not used until it has been up for %v without a change", l.name, why, l.hold)
	m.noteChange(now, l.name+" is put in quarantine")
}

// releaseDue returns when the next link is to be released: it has been up without a change for long enough; or never.
func (u *unsteady) releaseDue(inForce *ledger.Ledger, rule terms.FlapRule) time.Duration {
	due := terms.Never
	for _, l := range u.links {
		due = min(due, l.releaseDue(inForce, rule))
	}
	return due
}

// releaseDue returns when the link is to be released, or never.
func (l *unsteadyLink) releaseDue(inForce *ledger.Ledger, rule terms.FlapRule) time.Duration {
	if l.state == linkUsed || inForce == nil {
		return terms.Never
	}
	slot, ok := inForce.SlotOf(l.ends[0].Node, l.ends[0].Port)
	if !ok || !inForce.HasLink(slot) {
		return terms.Never
	}
	return l.changed + max(l.hold, rule.Hold)
}

// release takes links into use again that have been steady.
func (m *Manager) release(now time.Duration) {
	for _, l := range m.unsteady.links {
		if now < l.releaseDue(m.inForce, m.watch.Flaps) {
			continue
		}
		m.tell(terms.Released, "%s has been up for %v without a change: it is used again", l.name, now-l.changed)
		if l.state == linkHeld {
			m.noteChange(now, l.name+" is used again")
		}
		l.state, l.came, l.trial, m.untold = linkUsed, nil, now+l.hold, true
		m.tellRules()
	}
}

// toldLink is an unsteady link as managers that stand by are told of it. Its times begin anew at the one that takes over, since clocks of two machines are not compared.
type toldLink struct {
	Ends     [2]ledger.PortKey
	Name     string
	ToSwitch bool
	State    linkState
	Came     int           // how often it has come back, as far as that counts still
	Hold     time.Duration // of the last quarantine
	Trial    bool          // if it comes back soon it is put in quarantine at once
}

// told lists the links of which a manager that takes over must know.
func (u *unsteady) told(now, within time.Duration) (list []toldLink) {
	for _, l := range u.links {
		t := toldLink{Ends: l.ends, Name: l.name, ToSwitch: l.toSwitch, State: l.state, Hold: l.hold, Trial: now < l.trial}
		for _, at := range l.came {
			if now-at <= within {
				t.Came++
			}
		}
		if t.State != linkUsed || t.Came > 0 || t.Trial {
			list = append(list, t)
		}
	}
	return list
}

// linksOf returns the links that another manager has told of, with times from now on.
func linksOf(list []toldLink, now time.Duration) (links []*unsteadyLink) {
	for i := range list {
		t := &list[i]
		l := &unsteadyLink{ends: t.Ends, name: t.Name, toSwitch: t.ToSwitch, state: min(t.State, linkSpared), hold: max(0, t.Hold), changed: now}
		l.came = slices.Repeat([]time.Duration{now}, min(max(0, t.Came), mostCame))
		if t.Trial {
			l.trial = now + l.hold
		}
		links = append(links, l)
	}
	return links
}

// mostCame bounds how often another manager can tell that a link has come back.
const mostCame = 1000
