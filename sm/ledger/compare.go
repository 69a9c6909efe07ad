package ledger

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// comparison is the difference between two fabrics A and B in nodes and cables, without
// consequences: a cable of a missing node is not listed. Nodes are matched by GUID, cables by the
// ports they join.
type comparison struct {
	A, B      *fabric.Fabric
	Gone      []fabric.NodeID    // in A only
	Came      []fabric.NodeID    // in B only
	Replaced  []movedEnd         // ports whose neighbour disappeared and was replaced by a new node
	Renamed   [][2]fabric.NodeID // nodes with another description: index in A, in B
	Moved     []movedEnd         // ports that lead to another port
	LinksGone []fabric.LinkID    // of A: both nodes are in B, and both ports are free
	LinksCame []fabric.LinkID    // of B: new cables between nodes and ports free in A
	Rated     [][2]fabric.LinkID // cables with another width or speed: in A, in B
	undrained bool               // a node or a cable is drained in A, and not in B
}

// movedEnd is a port that leads to another port than before.
type movedEnd struct {
	At, To fabric.End // in B
	Was    fabric.End // in A
}

// CompareFabrics compares the nodes and cables that are up in two fabrics. Lists follow the order
// of b, then of a.
func CompareFabrics(a, b *fabric.Fabric) *comparison {
	c := &comparison{A: a, B: b}
	for i := range b.Nodes {
		old, ok := a.NodeByGUID(b.Nodes[i].GUID)
		c.undrained = c.undrained || ok && a.Nodes[old].Drained && !b.Nodes[i].Drained
		switch {
		case b.Nodes[i].Down:
		case !ok || a.Nodes[old].Down:
			c.Came = append(c.Came, fabric.NodeID(i))
		case a.Nodes[old].Desc != b.Nodes[i].Desc:
			c.Renamed = append(c.Renamed, [2]fabric.NodeID{old, fabric.NodeID(i)})
		}
	}
	for i := range a.Nodes {
		if now, ok := b.NodeByGUID(a.Nodes[i].GUID); !a.Nodes[i].Down && (!ok || b.Nodes[now].Down) {
			c.Gone = append(c.Gone, fabric.NodeID(i))
		}
	}
	for i := range b.Links {
		if b.LinkUp(fabric.LinkID(i)) {
			c.compareCable(fabric.LinkID(i))
		}
	}
	for i := range a.Links {
		c.findGone(fabric.LinkID(i))
	}
	isReplaced := func(f *fabric.Fabric, of func(m movedEnd) fabric.End) func(id fabric.NodeID) bool {
		return func(id fabric.NodeID) bool {
			return slices.ContainsFunc(c.Replaced, func(m movedEnd) bool { return f.Nodes[of(m).Node].GUID == f.Nodes[id].GUID })
		}
	}
	c.Gone = slices.DeleteFunc(c.Gone, isReplaced(a, func(m movedEnd) fabric.End { return m.Was }))
	c.Came = slices.DeleteFunc(c.Came, isReplaced(b, func(m movedEnd) fabric.End { return m.To }))
	return c
}

// Translate returns the same port in another fabric, or false if that fabric has no such node or
// port.
func Translate(from, to *fabric.Fabric, e fabric.End) (fabric.End, bool) {
	id, ok := to.NodeByGUID(from.Nodes[e.Node].GUID)
	return fabric.End{Node: id, Port: e.Port}, ok && !to.Nodes[id].Down && int(e.Port) <= to.Nodes[id].NumPorts()
}

// PeerIn returns the cable at the same port in another fabric, and its other end. ok is false if
// the port is missing there or has no link up.
func PeerIn(from, to *fabric.Fabric, e fabric.End) (link fabric.LinkID, peer fabric.End, ok bool) {
	there, ok := Translate(from, to, e)
	if !ok {
		return fabric.NoLink, fabric.End{}, false
	}
	link = to.Nodes[there.Node].Ports[there.Port].Link
	if link == fabric.NoLink || !to.LinkUp(link) {
		return fabric.NoLink, fabric.End{}, false
	}
	return link, to.Peer(there), true
}

// compareCable finds the change of a cable of B.
func (c *comparison) compareCable(id fabric.LinkID) {
	l := &c.B.Links[id]
	oldLink, wasA, hadA := PeerIn(c.B, c.A, l.A)
	_, wasB, hadB := PeerIn(c.B, c.A, l.B)
	if same, ok := Translate(c.B, c.A, l.B); hadA && ok && wasA == same {
		old := &c.A.Links[oldLink]
		c.undrained = c.undrained || old.Drained && !l.Drained
		if old.Width != 0 && l.Width != 0 && old.Width != l.Width || old.Speed != 0 && l.Speed != 0 && old.Speed != l.Speed {
			c.Rated = append(c.Rated, [2]fabric.LinkID{oldLink, id})
		}
		return
	}
	newA, newB := c.isNew(l.A.Node), c.isNew(l.B.Node)
	switch {
	case hadA && newB && c.isGone(wasA.Node):
		c.Replaced = append(c.Replaced, movedEnd{l.A, l.B, wasA})
	case hadB && newA && c.isGone(wasB.Node):
		c.Replaced = append(c.Replaced, movedEnd{l.B, l.A, wasB})
	case newA || newB:
	case hadA && (!hadB || c.B.Nodes[l.B.Node].Type == fabric.Switch):
		c.Moved = append(c.Moved, movedEnd{l.A, l.B, wasA})
	case hadB:
		c.Moved = append(c.Moved, movedEnd{l.B, l.A, wasB})
	default:
		c.LinksCame = append(c.LinksCame, id)
	}
}

// isNew reports whether a node of B is not in A.
func (c *comparison) isNew(id fabric.NodeID) bool {
	_, ok := Translate(c.B, c.A, fabric.End{Node: id})
	return !ok
}

// isGone reports whether a node of A is not in B.
func (c *comparison) isGone(id fabric.NodeID) bool {
	_, ok := Translate(c.A, c.B, fabric.End{Node: id})
	return !ok
}

// findGone records a cable of A that is not in B, unless another change explains it.
func (c *comparison) findGone(id fabric.LinkID) {
	l := &c.A.Links[id]
	if !c.A.LinkUp(id) || c.isGone(l.A.Node) || c.isGone(l.B.Node) {
		return
	}
	_, _, a := PeerIn(c.A, c.B, l.A)
	_, _, b := PeerIn(c.A, c.B, l.B)
	if !a && !b {
		c.LinksGone = append(c.LinksGone, id)
	}
}

// ChangesOf returns the differences between two rounds as incidents for the log. adds reports
// whether new paths became possible: a new node or cable, or the end of a drain.
func ChangesOf(before, now *Ledger) (list []terms.Incident, adds bool) {
	add := func(k terms.IncidentKind, format string, args ...any) *terms.Incident {
		list = append(list, terms.Incident{Kind: k, Text: fmt.Sprintf(format, args...)})
		return &list[len(list)-1]
	}
	c := CompareFabrics(before.Fabric, now.Fabric)
	a, b := c.A, c.B
	for _, m := range c.Replaced {
		add(terms.NodeReplaced, "%s led to %s, which is gone, and leads to %s now", b.EndName(m.At), a.EndName(m.Was), b.EndName(m.To))
	}
	for _, id := range c.Came {
		add(terms.FabricChanged, "node added: %s", b.PortName(fabric.End{Node: id})).Shared = &terms.Shared{What: terms.NodesAdded, Sides: nodeSides(b, id)}
	}
	for _, id := range c.Gone {
		i := add(terms.NodeMissing, "%s is not there any more", a.PortName(fabric.End{Node: id}))
		i.Shared = &terms.Shared{What: "{n} nodes at {at} are not there any more", Sides: nodeSides(a, id)}
	}
	for _, r := range c.Renamed {
		add(terms.NodeRenamed, "%s is called %q now", a.PortName(fabric.End{Node: r[0]}), b.Nodes[r[1]].Desc)
	}
	for _, m := range c.Moved {
		i := add(terms.CableMoved, "%s led to %s, and leads to %s now", b.EndName(m.At), a.EndName(m.Was), b.EndName(m.To))
		i.Shared = &terms.Shared{What: "{n} cables of {at} lead to other ports now", Sides: []terms.Side{sideOf(b, m.At.Node, b.EndName(m.To))}}
	}
	for _, id := range c.LinksGone {
		i := add(terms.FabricChanged, "link removed: %s", a.LinkName(id))
		i.Shared = &terms.Shared{What: "{n} links removed at {at}, to", Sides: linkSides(a, id)}
		i.Lost = &terms.Cable{a.PortName(a.Links[id].A), a.PortName(a.Links[id].B)}
	}
	for _, id := range c.LinksCame {
		add(terms.FabricChanged, "link added: %s", b.LinkName(id)).Shared = &terms.Shared{What: "{n} links added at {at}, to", Sides: linkSides(b, id)}
	}
	adds = c.undrained || len(c.Came)+len(c.Replaced)+len(c.Moved)+len(c.LinksCame) > 0
	for _, d := range fabric.Diff(a, b) {
		if (d.Kind == "node changed" || d.Kind == "link changed") && !strings.HasPrefix(d.From, "description ") {
			add(terms.FabricChanged, "%s", d)
		}
	}
	return append(list, capabilitiesChanged(before, now)...), adds
}

// sideOf returns the view from a node of an incident that happened to a part.
func sideOf(f *fabric.Fabric, id fabric.NodeID, part string) terms.Side {
	n := &f.Nodes[id]
	return terms.Side{Device: f.PortName(fabric.End{Node: id}).String(), At: terms.Place{Node: n.GUID, Name: n.Desc, Port: -1}, Part: part}
}

// nodeSides returns the places that see a change of a node: the node itself, and the switches that
// a host or router is cabled to.
func nodeSides(f *fabric.Fabric, id fabric.NodeID) []terms.Side {
	name := f.PortName(fabric.End{Node: id}).String()
	sides := []terms.Side{sideOf(f, id, name)}
	n := &f.Nodes[id]
	if n.Type == fabric.Switch {
		return sides
	}
	for port := range n.Ports {
		if n.Ports[port].Link == fabric.NoLink {
			continue
		}
		side := sideOf(f, f.Peer(fabric.End{Node: id, Port: uint8(port)}).Node, name)
		if !slices.Contains(sides, side) {
			sides = append(sides, side)
		}
	}
	return sides
}

// linkSides returns the places that see a change of a cable: both ends.
func linkSides(f *fabric.Fabric, id fabric.LinkID) []terms.Side {
	l := &f.Links[id]
	return []terms.Side{sideOf(f, l.A.Node, f.EndName(l.B)), sideOf(f, l.B.Node, f.EndName(l.A))}
}

// capabilitiesChanged lists the ports whose CapabilityMask has changed. Our own port is left out:
// its mask changes when managers start on it.
func capabilitiesChanged(before, now *Ledger) (list []terms.Incident) {
	for slot := range now.Addressable {
		old, ok := before.SlotOf(now.Nodes[now.Owner[slot]].GUID, now.PortNumber(slot))
		if !ok || slot == now.OwnPort() || before.Flags[old]&now.Flags[slot]&PortKnown == 0 {
			continue
		}
		was, is := mad.PortInfoCapabilityMask.Get(before.Info[old][:]), mad.PortInfoCapabilityMask.Get(now.Info[slot][:])
		if was != is {
			list = append(list, terms.Incident{Kind: terms.CapabilityChanged, Text: fmt.Sprintf("CapabilityMask of %s was 0x%08x, and is 0x%08x", now.PortName(slot), was, is), At: now.PortPlace(slot)})
		}
	}
	return list
}
