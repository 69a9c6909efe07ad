package sm

import (
	"cmp"
	"maps"
	"slices"

	"weft/fabric"
	"weft/route"
)

// missingNodes holds the nodes that have LIDs and are not there, and counts the rounds that have not found them. They are listed by
// node GUID, and ports of which nothing else is known by port GUID.
type missingNodes map[fabric.GUID]*missingNode

// listedBy returns the GUID by which the node of a port that is gone is listed.
func listedBy(a route.Absent) fabric.GUID { return cmp.Or(a.Node, a.GUID) }

// missingNode is a missing node, or a port of which nothing else is known.
type missingNode struct {
	name   string
	rounds int
	ports  []fabric.GUID
	gone   bool // its LIDs may be given to others
}

// watchMissing tells of nodes that return, counts the rounds that others are missed, and forgets those that are missed for as long as
// Watch.KeepAbsent.
func (m *Manager) watchMissing(before *ledger) {
	c := m.core
	ports := map[fabric.GUID]bool{}
	for _, guid := range c.graph.EndGUID {
		ports[guid] = true
	}
	isHere := func(guid fabric.GUID) bool {
		_, here := c.byGUID[guid]
		return here || ports[guid]
	}
	for _, guid := range slices.Sorted(maps.Keys(m.missing)) {
		if isHere(guid) {
			m.tell(NodeReturned, "%s is there again; %d rounds have not found it", m.missing[guid].name, m.missing[guid].rounds)
			delete(m.missing, guid)
		}
	}
	for _, a := range c.plan.Absent {
		guid := listedBy(a)
		if isHere(guid) || m.isApart(guid) { // its cable is drained, or in quarantine
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
			m.tell(NodeForgotten, "%s was not found by %d rounds: its LIDs may be given to others", x.name, x.rounds)
			m.forgetStored(guid, x)
		}
	}
}

// newMissing makes the record of an end port that is gone.
func newMissing(before *ledger, a route.Absent) *missingNode {
	x := &missingNode{name: "the port " + a.Name(), ports: []fabric.GUID{a.GUID}}
	if before == nil {
		return x
	}
	if id, ok := before.byGUID[a.Node]; ok {
		x.name = before.nodeName(id)
		for slot := range before.portsOf(id) {
			x.ports = append(x.ports, before.guid[slot])
		}
	}
	return x
}

// forgetStored takes the LIDs of a node out of those that are remembered.
func (m *Manager) forgetStored(guid fabric.GUID, x *missingNode) {
	m.cfg.Stored = maps.Clone(m.cfg.Stored)
	delete(m.cfg.Stored, guid)
	for _, port := range x.ports {
		delete(m.cfg.Stored, port)
	}
}

// isApart reports whether a node is not looked for, since the link that led to it is in quarantine.
func (m *Manager) isApart(node fabric.GUID) bool {
	return slices.ContainsFunc(m.unsteady.links, func(l *unsteadyLink) bool { return l.state == linkHeld && l.ends[1].node == node })
}

// withoutForgotten returns a Plan that does not keep the LIDs of the nodes that are forgotten.
func (m missingNodes) withoutForgotten(p *route.Plan) *route.Plan {
	forgotten := func(a route.Absent) bool { return m[listedBy(a)] != nil && m[listedBy(a)].gone }
	if !slices.ContainsFunc(p.Absent, forgotten) {
		return p
	}
	less := *p
	less.Absent = slices.DeleteFunc(slices.Clone(p.Absent), forgotten)
	return &less
}
