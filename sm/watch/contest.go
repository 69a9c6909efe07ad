package watch

import (
	"cmp"
	"fmt"
	"time"

	"weft/fabric"
	"weft/sm/terms"
)

// contest tracks another manager that writes to our ports and has no right to it: MasterSMLID of
// ports that named us is its LID. A round repairs that once. If it is written again soon the subnet
// is contested: from then on rounds repair failures only, ask only devices that have changed, and
// leave MasterSMLID as it is. Otherwise both would rewrite each other for ever. The contest ends
// when a person asks for a round or reloads the settings, when the other manager hands the subnet
// over, or when its port is gone.
type contest struct {
	lid      fabric.LID    // that was written as MasterSMLID; 0: nothing was
	first    fabric.LID    // the same, until a round has asked all devices; 0: nothing was
	repaired time.Duration // when a round had repaired it
	text     string        // the incident, as long as the subnet is contested; "" if it is not
	by       fabric.GUID   // port GUID of the other manager; 0: unknown
}

// contestWithin is the time within which the same manager must write again.
const contestWithin = 10 * time.Minute

// isOn reports whether the subnet is contested.
func (c *contest) isOn() bool { return c.text != "" }

// delay returns when work is due that repairs no failure: never while the subnet is contested.
func (c *contest) delay(due time.Duration) time.Duration {
	if c.isOn() {
		return terms.Never
	}
	return due
}

// keeps returns the MasterSMLID that a round leaves in ports; 0: none.
func (c *contest) keeps(now time.Duration) fabric.LID {
	if c.isOn() || c.lid != 0 && now < c.repaired+contestWithin {
		return c.lid
	}
	return 0
}

// onOverwritten handles a MasterSMLID of another manager in our own port, seen between rounds.
func (c *contest) onOverwritten(m *Manager, now time.Duration, lid fabric.LID) {
	switch {
	case c.isOn() && lid == c.lid:
	case lid != 0 && lid == c.keeps(now):
		c.begin(m, lid)
	default:
		m.wanted.tables = true // and what else, the next round sees
		m.sweepFound(now, "another manager has written MasterSMLID of our own port")
	}
}

// begin begins a contest.
func (c *contest) begin(m *Manager, lid fabric.LID) {
	who, guid := m.inForce.ManagerAt(lid)
	c.by, c.lid = guid, lid
	c.text = fmt.Sprintf("%s writes to our ports again after a repair, and no M_Key stops it: from now on only failures are repaired. Stop it, or give ports M_Keys (--mkey-secret, --mkey-protect 2), then type weft sm resweep", who)
	m.tell(terms.Contested, "%s", c.text)
}

// judge handles a round that has brought the subnet up. A repair counts once a round has asked all
// devices and read their tables: whoever wrote to one port has written to others too.
func (c *contest) judge(m *Manager, now time.Duration) {
	lid := m.result.Overwritten
	switch {
	case c.isOn() && c.by != 0 && !m.inForce.RunsManager(c.by):
		c.end(m, "the other manager is gone")
	case c.isOn():
	case lid != 0 && lid == c.keeps(now):
		c.begin(m, lid)
	case lid != 0 && !m.given.ReadTables:
		c.first, m.wanted.tables, m.wanted.why = lid, true, "another manager has written to our ports"
	case m.given.ReadTables && cmp.Or(lid, c.first) != 0:
		c.lid, c.repaired, c.first = cmp.Or(lid, c.first), now, 0
	}
}

// end ends a contest; a round takes the subnet back.
func (c *contest) end(m *Manager, why string) {
	if !c.isOn() {
		return
	}
	*c = contest{}
	m.tell(terms.Uncontested, "the subnet is not contested any more: %s", why)
	m.wanted.why = why
}

// decide handles the decision of a person: it forgets the behaviour of other managers.
func (o *others) decide(m *Manager, why string) {
	o.by = map[fabric.GUID]*behaviour{}
	if m.inForce != nil {
		m.contest.end(m, why)
	}
}
