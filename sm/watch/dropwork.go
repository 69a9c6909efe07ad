package watch

import "weft/sm/terms"

// dropWork ends all work between rounds that is under way.
func (m *Manager) dropWork() {
	m.dropSweep()
	m.dropLooks()
	m.dropGroups()
}

// dropSweep ends the light sweep that is under way.
func (m *Manager) dropSweep() {
	m.sweep.drop()
	m.endUnderWay(terms.SweepTag, m.sweep.outstanding)
}

// dropLooks ends the look under way and forgets the requested ones.
func (m *Manager) dropLooks() {
	m.looks.drop()
	m.endUnderWay(terms.LookTag, m.looks.outstanding)
}

// dropGroups ends the work on multicast tables that is under way.
func (m *Manager) dropGroups() {
	m.groups.drop()
	m.endUnderWay(terms.GroupTag, m.groups.outstanding)
}

// endUnderWay ends the outstanding SMPs with a tag, if there are any.
func (o *outbox) endUnderWay(tag uint64, outstanding int) {
	if outstanding > 0 {
		o.out = append(o.out, terms.Action{Kind: terms.End, Tag: tag << 56})
	}
}
