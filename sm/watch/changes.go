package watch

import (
	"maps"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

// missingNodes holds the missing nodes that have LIDs, by node GUID; a port of an unknown node is
// listed by its port GUID.
type missingNodes map[fabric.GUID]*missingNode

// missingNode is a missing node, or a missing port of an unknown node.
type missingNode struct {
	name   string
	rounds int // that did not find it
	ports  []fabric.GUID
	gone   bool // its LIDs may be given to others
	sides  []terms.Side
}

// watchMissing reports nodes that are back, counts the rounds that missed the others, and forgets
// these after Watch.KeepAbsent rounds.
func (m *Manager) watchMissing(before *ledger.Ledger) {
	c := m.result.Ledger
	ports := map[fabric.GUID]bool{}
	for _, guid := range c.Graph.EndGUID {
		ports[guid] = true
	}
	isHere := func(guid fabric.GUID) bool {
		_, here := c.ByGUID[guid]
		return here || ports[guid]
	}
	for _, guid := range slices.Sorted(maps.Keys(m.missing)) {
		if isHere(guid) {
			m.tell(terms.NodeReturned, "%s is back; rounds that did not find it: %d", m.missing[guid].name, m.missing[guid].rounds)
			m.share(terms.Shared{What: "{n} nodes at {at} are back", Sides: m.missing[guid].sides})
			delete(m.missing, guid)
		}
	}
	for _, a := range c.Plan.Absent {
		guid := ledger.ListedBy(a)
		if isHere(guid) || m.unsteady.holds(guid) { // its cable is drained, or in quarantine
			continue
		}
		if m.missing[guid] == nil {
			x := &missingNode{}
			x.name, x.ports, x.sides = ledger.DescribeAbsent(before, m.cfg.Last, a)
			m.missing[guid] = x
		}
	}
	for _, guid := range slices.Sorted(maps.Keys(m.missing)) {
		x := m.missing[guid]
		if x.rounds++; m.watch.KeepAbsent > 0 && x.rounds >= m.watch.KeepAbsent && !x.gone {
			x.gone = true
			m.tell(terms.NodeForgotten, "%s was missing in %d rounds: its LIDs may be given to others", x.name, x.rounds)
			m.share(terms.Shared{What: "the LIDs of {n} missing nodes at {at} may be given to others", Sides: x.sides})
			m.forgetStored(guid, x)
		}
	}
}

// forgetStored removes the LIDs of a node from the stored ones.
func (m *Manager) forgetStored(guid fabric.GUID, x *missingNode) {
	m.next.Stored = maps.Clone(m.next.Stored)
	delete(m.next.Stored, guid)
	for _, port := range x.ports {
		delete(m.next.Stored, port)
	}
}

// holds reports whether rounds do not look for a node because its link is in quarantine.
func (u *unsteady) holds(node fabric.GUID) bool {
	return slices.ContainsFunc(u.links, func(l *unsteadyLink) bool { return l.state == succession.LinkHeld && l.ends[1].Node == node })
}

// forgotten returns the nodes whose LIDs may be given to others.
func (m missingNodes) forgotten() map[fabric.GUID]bool {
	list := map[fabric.GUID]bool{}
	for guid, x := range m {
		if x.gone {
			list[guid] = true
		}
	}
	return list
}
