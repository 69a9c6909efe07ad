package watch

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// holdDead puts links between switches in quarantine that are up, but not Active after a round: a
// port refuses its PortInfo, or its switch refuses its tables. The next round routes around them.
// After the quarantine they are tried again.
func (u *unsteady) holdDead(m *Manager, now time.Duration) {
	c := m.result.Ledger
	if c.Fabric == nil || m.watch.Flaps.Hold <= 0 {
		return
	}
	for slot, t := range c.Peer {
		slot := int32(slot)
		if t < slot || !c.IsSwitch(slot) || !c.IsSwitch(t) || slot == c.OwnPort() || t == c.OwnPort() || !isDead(m.result, slot) && !isDead(m.result, t) {
			continue
		}
		ends := c.EndsOf(slot)
		l := u.at(ends[0])
		if l == nil || l.ends != ends {
			l = &unsteadyLink{ends: ends, name: c.LinkName(slot), toSwitch: true}
			u.links = append(u.links, l)
		}
		if l.state != succession.LinkUsed || !c.IsJoinedWithout(ends, true) {
			continue
		}
		rule := m.watch.Flaps
		m.untold = true
		l.state, l.changed, l.hold, l.came = succession.LinkHeld, now, nextHold(rule, l.hold), nil
		m.tell(terms.Quarantined, "%s does not become Active: it is not used until it has been up for %v without a change", l.name, l.hold)
		m.noteChange(now, l.name+" is put in quarantine")
	}
}

// isDead reports whether the last round could not bring a port of a switch to Active. If it broke
// off, the way to the switch may have failed while it got its tables.
func isDead(r *round.Result, slot int32) bool {
	c := r.Ledger
	return c.State(slot) != mad.PortActive && (c.Flags[slot]&ledger.PortDeaf != 0 || c.Prog.Closed[c.Owner[slot]] && !r.BrokenOff)
}

// deafSwitch is a switch that did not take its tables. No path crosses it until a time.
type deafSwitch struct {
	node    fabric.GUID
	avoided bool
	until   time.Duration
	hold    time.Duration // for how long it was avoided last
}

// avoidDeaf has the next round route around switches that did not take their tables, as if they
// were drained (Policy.Avoid).
func (u *unsteady) avoidDeaf(m *Manager, now time.Duration) {
	c := m.result.Ledger
	if m.result.BrokenOff {
		return
	}
	for id, closed := range c.Prog.Closed {
		if !closed {
			continue
		}
		u.avoid(m, now, c, int32(id), "does not take its tables")
	}
}

// avoid has the next round route around a switch.
func (u *unsteady) avoid(m *Manager, now time.Duration, c *ledger.Ledger, id int32, why string) {
	rule, guid := m.watch.Flaps, c.Nodes[id].GUID
	at := slices.IndexFunc(u.deaf, func(d deafSwitch) bool { return d.node == guid })
	if at < 0 {
		at = len(u.deaf)
		u.deaf = append(u.deaf, deafSwitch{node: guid})
	}
	d := &u.deaf[at]
	if d.avoided || rule.Hold <= 0 {
		return
	}
	d.hold = nextHold(rule, d.hold)
	d.avoided, d.until = true, now+d.hold
	m.tell(terms.Quarantined, "%s %s: where there is another way no path crosses it for %v", c.NodeName(id), why, d.hold)
	m.noteChange(now, c.NodeName(id)+" is avoided")
}

// tryDeaf lets paths cross deaf switches again.
func (u *unsteady) tryDeaf(m *Manager, now time.Duration) {
	for i := range u.deaf {
		if d := &u.deaf[i]; d.avoided && now >= d.until {
			d.avoided = false
			m.tell(terms.Released, "the switch %s was avoided for %v: it is tried again", d.node, d.hold)
			m.noteChange(now, "a switch is tried again")
		}
	}
}

// avoided lists the switches that no path is to cross.
func (u *unsteady) avoided() (names []string) {
	for _, d := range u.deaf {
		if d.avoided {
			names = append(names, d.node.String())
		}
	}
	return names
}
