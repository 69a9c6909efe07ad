package watch

import (
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// missingNodes holds the nodes that have LIDs and are not there, and counts the rounds that have not found them. They are listed by
// node GUID, and ports of which nothing else is known by port GUID.
type missingNodes map[fabric.GUID]*missingNode

// missingNode is a missing node, or a port of which nothing else is known.
type missingNode struct {
	name   string
	rounds int
	ports  []fabric.GUID
	gone   bool // its LIDs may be given to others
}

// watchMissing tells of nodes that return, counts the rounds that others are missed, and forgets those that are missed for as long as
// Watch.KeepAbsent.
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
			m.tell(terms.NodeReturned, "%s is there again; %d rounds have not found it", m.missing[guid].name, m.missing[guid].rounds)
			delete(m.missing, guid)
		}
	}
	for _, a := range c.Plan.Absent {
		guid := ledger.ListedBy(a)
		if isHere(guid) || m.unsteady.holds(guid) { // its cable is drained, or in quarantine
			continue
		}
		if m.missing[guid] == nil {
			m.missing[guid] = newMissing(before, a)
		}
	}
	for _, guid := range slices.Sorted(maps.Keys(m.missing)) {
		x := m.missing[guid]
		if x.rounds++; m.watch.KeepAbsent > 0 && x.rounds >= m.watch.KeepAbsent && !x.gone {
			x.gone = true
			m.tell(terms.NodeForgotten, "%s was not found by %d rounds: its LIDs may be given to others", x.name, x.rounds)
			m.forgetStored(guid, x)
		}
	}
}

// newMissing makes the record of an end port that is gone.
func newMissing(before *ledger.Ledger, a route.Absent) *missingNode {
	x := &missingNode{name: "the port " + a.Name(), ports: []fabric.GUID{a.GUID}}
	if before == nil {
		return x
	}
	if id, ok := before.ByGUID[a.Node]; ok {
		x.name = before.NodeName(id)
		for slot := range before.PortsOf(id) {
			x.ports = append(x.ports, before.GUID[slot])
		}
	}
	return x
}

// forgetStored takes the LIDs of a node out of those that are remembered.
func (m *Manager) forgetStored(guid fabric.GUID, x *missingNode) {
	m.next.Stored = maps.Clone(m.next.Stored)
	delete(m.next.Stored, guid)
	for _, port := range x.ports {
		delete(m.next.Stored, port)
	}
}

// holds reports whether a node is not looked for, since the link that led to it is in quarantine.
func (u *unsteady) holds(node fabric.GUID) bool {
	return slices.ContainsFunc(u.links, func(l *unsteadyLink) bool { return l.state == linkHeld && l.ends[1].Node == node })
}

// forgotten lists the nodes whose LIDs may be given to others.
func (m missingNodes) forgotten() map[fabric.GUID]bool {
	list := map[fabric.GUID]bool{}
	for guid, x := range m {
		if x.gone {
			list[guid] = true
		}
	}
	return list
}
