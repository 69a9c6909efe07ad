package watch

import (
	"time"

	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// holdDead puts links between switches in quarantine that are up and that a round could not bring
// to Active, since a port of theirs does not take what it is told, or its switch does not take its
// tables. The next round routes around them. After the quarantine they are tried again.
func (m *Manager) holdDead(now time.Duration) {
	c, u := m.result.Ledger, &m.unsteady
	if c.Fabric == nil || m.watch.Flaps.Hold <= 0 {
		return
	}
	for slot, t := range c.Peer {
		slot := int32(slot)
		if t < slot || !c.IsSwitch(slot) || !c.IsSwitch(t) || slot == c.OwnPort() || t == c.OwnPort() || !m.isDead(slot) && !m.isDead(t) {
			continue
		}
		ends := c.EndsOf(slot)
		l := u.at(ends[0])
		if l == nil || l.ends != ends {
			l = &unsteadyLink{ends: ends, name: c.LinkName(slot), toSwitch: true}
			u.links = append(u.links, l)
		}
		if l.state != linkUsed || !c.IsJoinedWithout(ends, true) {
			continue
		}
		rule := m.watch.Flaps
		m.untold = true
		l.state, l.changed, l.hold, l.came = linkHeld, now, min(max(rule.Hold, 2*l.hold), max(rule.Hold, rule.MostHold)), nil
		m.tell(terms.Quarantined, "%s does not become Active: it is not used until it has been up for %v without a change", l.name, l.hold)
		m.noteChange(now, l.name+" is put in quarantine")
	}
}

// isDead reports whether the last round could not bring a port of a switch to Active. If it broke
// off, the way to the switch may have failed while it got its tables.
func (m *Manager) isDead(slot int32) bool {
	c := m.result.Ledger
	return c.State(slot) != mad.PortActive && (c.Flags[slot]&ledger.PortDeaf != 0 || c.Prog.Closed[c.Owner[slot]] && !m.result.BrokenOff)
}
