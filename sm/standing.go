package sm

import (
	"weft/planner"
	"weft/route/multicast"
	"weft/wire/mad"
)

// standingOf says of a Manager what subnet administration goes by.
func standingOf(m *Manager) Standing {
	s := Standing{
		Role: m.role(), Ledger: m.inForce, Spread: m.groups.spread, SpreadVersion: m.groups.version, Priority: m.cfg.Priority, SMKey: m.cfg.SMKey, Acts: m.acts,
		WasActive: m.clients.WasActive, Others: m.clients.Others, Told: m.clients.Told,
	}
	s.Claims = s.Role == Looking && m.inRound && m.core.Claims()
	if o := m.election.master; o != nil {
		s.StandsBy, s.MasterAlive = o.guid, o.state == mad.SMStateMaster
	}
	return s
}

// newsEvent returns the event by which a Manager is told news.
func newsEvent(n *News) *Event { return &Event{Kind: Told, News: n} }

// copiedOf makes what managers that stand by are told of a Record.
func copiedOf(r *Record, rules RulesToTell) (copied, error) {
	plan, err := planner.Keep(r.Plan, r.Graph).Bare()
	return copied{LIDs: r.LIDs, Trees: multicast.ByLID(r.Graph, &r.Plan.Ends, r.Plan.Multicast), Plan: plan, Rules: rules}, err
}
