package watch

import (
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/forcing"
	"weft/sm/watch/moving"
	"weft/sm/watch/succession"
)

// worldOf returns the view of a Manager that package forcing works by.
func worldOf(m *Manager) *forcing.World {
	return &forcing.World{
		Now: m.now, Ledger: m.inForce, Allowed: trialsAllowed(m), Out: &m.out, Paths: &m.paths,
		Skip: func(at ledger.PortKey) bool {
			l := m.unsteady.at(at)
			return l != nil && l.state != succession.LinkUsed
		},
		Round: func(why string, doubted ...fabric.GUID) {
			for _, guid := range doubted {
				m.doubted[guid] = true
			}
			m.noteChange(m.now, why)
		},
	}
}

// trialsAllowed returns when trials may begin: after the planning of a turn of jobs, which would
// begin again after each. Turns wait for trials in the same way, so both take turns.
func trialsAllowed(m *Manager) time.Duration {
	if m.jobs.IsPlanning() {
		return terms.Never
	}
	return m.contest.delay(moving.Allowed(&m.watch, m.now, m.now))
}

// forceSpeeds begins trials of links that are due, and goes on with others. Trials are stored and
// told to standbys before a link trains.
func forceSpeeds(m *Manager) {
	if !mayForce(m) || m.forcing.IsIdle(m.inForce) {
		return
	}
	m.forcing.Step(worldOf(m))
	if list, changed := m.forcing.Kept(); changed {
		m.drains.Trials, m.untold = list, true
		m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "speeds that are forced", Drains: m.drains.clone()})
		m.tellRules()
	}
}

// forceDue returns when forceSpeeds is to be called, or never.
func forceDue(m *Manager) time.Duration {
	if !mayForce(m) {
		return terms.Never
	}
	return m.forcing.Due()
}

// mayForce reports whether speeds may be forced now: a noticed change comes first.
func mayForce(m *Manager) bool {
	return m.inForce != nil && m.Role() == terms.Master && m.change.Due() == terms.Never
}
