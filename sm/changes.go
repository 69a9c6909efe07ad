package sm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/mad"
	"weft/route"
)

// changesOf lists what has changed between two rounds, as it is told; adds reports whether something was added by which packets
// could go: a cable, or what is drained no longer.
func changesOf(before, now *ledger) (list []Incident, adds bool) {
	add := func(k IncidentKind, format string, args ...any) {
		list = append(list, Incident{Kind: k, Text: fmt.Sprintf(format, args...)})
	}
	c := compareFabrics(before.fabric, now.fabric)
	a, b := c.a, c.b
	for _, m := range c.replaced {
		add(NodeReplaced, "%s led to %s, which is gone, and leads to %s now", b.EndName(m.at), a.EndName(m.was), b.EndName(m.to))
	}
	for _, id := range c.came {
		add(FabricChanged, "node added: %s", b.PortName(fabric.End{Node: id}))
	}
	for _, id := range c.gone {
		add(NodeMissing, "%s is not there any more", a.PortName(fabric.End{Node: id}))
	}
	for _, r := range c.renamed {
		add(NodeRenamed, "%s is called %q now", a.PortName(fabric.End{Node: r[0]}), b.Nodes[r[1]].Desc)
	}
	for _, m := range c.moved {
		add(CableMoved, "%s led to %s, and leads to %s now", b.EndName(m.at), a.EndName(m.was), b.EndName(m.to))
	}
	for _, id := range c.linksGone {
		add(FabricChanged, "link removed: %s", a.LinkName(id))
	}
	for _, id := range c.linksCame {
		add(FabricChanged, "link added: %s", b.LinkName(id))
	}
	adds = c.undrained || len(c.came)+len(c.replaced)+len(c.moved)+len(c.linksCame) > 0
	for _, d := range fabric.Diff(a, b) {
		if (d.Kind == "node changed" || d.Kind == "link changed") && !strings.HasPrefix(d.From, "description ") {
			add(FabricChanged, "%s", d)
		}
	}
	return append(list, capabilitiesChanged(before, now)...), adds
}

// capabilitiesChanged lists the ports whose CapabilityMask is another one than before. That of our own port changes as managers start at it.
func capabilitiesChanged(before, now *ledger) (list []Incident) {
	for slot := range now.addressable {
		old, ok := before.slotOf(now.nodes[now.owner[slot]].guid, now.portNumber(slot))
		if !ok || slot == now.ownPort() || before.flags[old]&now.flags[slot]&portKnown == 0 {
			continue
		}
		was, is := mad.PortInfoCapabilityMask.Get(before.info[old][:]), mad.PortInfoCapabilityMask.Get(now.info[slot][:])
		if was != is {
			list = append(list, Incident{CapabilityChanged, fmt.Sprintf("CapabilityMask of %s was 0x%08x, and is 0x%08x", now.portName(slot), was, is), now.portPlace(slot)})
		}
	}
	return list
}

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
