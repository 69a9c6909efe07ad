package sm

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/wire/mad"
)

// comparison says how two fabrics differ in their nodes and cables: what one has and the other has not, less what follows from that. Nodes are
// known by GUID, cables by the ports they join. Indices of a and b are into the fabrics of these names.
type comparison struct {
	a, b      *fabric.Fabric
	gone      []fabric.NodeID    // of a
	came      []fabric.NodeID    // of b
	replaced  []movedEnd         // at these ports there was a node that is gone, and is one that came
	renamed   [][2]fabric.NodeID // of a, of b
	moved     []movedEnd         // these ports lead to another port
	linksGone []fabric.LinkID    // of a, between nodes that are in both, and neither end leads anywhere else now
	linksCame []fabric.LinkID    // of b, likewise
	rated     [][2]fabric.LinkID // of another width or speed: of a, of b
	undrained bool               // a node or a cable is drained in a, and is not in b
}

// movedEnd is a port that led to another one than it leads to.
type movedEnd struct {
	at, to fabric.End // of b
	was    fabric.End // of a
}

// compareFabrics compares what is up in two fabrics, in the order of b and then of a.
func compareFabrics(a, b *fabric.Fabric) *comparison {
	c := &comparison{a: a, b: b}
	for i := range b.Nodes {
		old, ok := a.NodeByGUID(b.Nodes[i].GUID)
		c.undrained = c.undrained || ok && a.Nodes[old].Drained && !b.Nodes[i].Drained
		switch {
		case b.Nodes[i].Down:
		case !ok || a.Nodes[old].Down:
			c.came = append(c.came, fabric.NodeID(i))
		case a.Nodes[old].Desc != b.Nodes[i].Desc:
			c.renamed = append(c.renamed, [2]fabric.NodeID{old, fabric.NodeID(i)})
		}
	}
	for i := range a.Nodes {
		if now, ok := b.NodeByGUID(a.Nodes[i].GUID); !a.Nodes[i].Down && (!ok || b.Nodes[now].Down) {
			c.gone = append(c.gone, fabric.NodeID(i))
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
			return slices.ContainsFunc(c.replaced, func(m movedEnd) bool { return f.Nodes[of(m).Node].GUID == f.Nodes[id].GUID })
		}
	}
	c.gone = slices.DeleteFunc(c.gone, isReplaced(a, func(m movedEnd) fabric.End { return m.was }))
	c.came = slices.DeleteFunc(c.came, isReplaced(b, func(m movedEnd) fabric.End { return m.to }))
	return c
}

// translate finds an end of one fabric in another one; false where that has no such node or port.
func translate(from, to *fabric.Fabric, e fabric.End) (fabric.End, bool) {
	id, ok := to.NodeByGUID(from.Nodes[e.Node].GUID)
	return fabric.End{Node: id, Port: e.Port}, ok && !to.Nodes[id].Down && int(e.Port) <= to.Nodes[id].NumPorts()
}

// peerIn returns where the port of one fabric leads in another one, if it is there and its link is up.
func peerIn(from, to *fabric.Fabric, e fabric.End) (link fabric.LinkID, peer fabric.End, ok bool) {
	there, ok := translate(from, to, e)
	if !ok {
		return fabric.NoLink, fabric.End{}, false
	}
	link = to.Nodes[there.Node].Ports[there.Port].Link
	if link == fabric.NoLink || !to.LinkUp(link) {
		return fabric.NoLink, fabric.End{}, false
	}
	return link, to.Peer(there), true
}

// compareCable says what is new about a cable of b.
func (c *comparison) compareCable(id fabric.LinkID) {
	l := &c.b.Links[id]
	oldLink, wasA, hadA := peerIn(c.b, c.a, l.A)
	_, wasB, hadB := peerIn(c.b, c.a, l.B)
	if same, ok := translate(c.b, c.a, l.B); hadA && ok && wasA == same {
		old := &c.a.Links[oldLink]
		c.undrained = c.undrained || old.Drained && !l.Drained
		if old.Width != 0 && l.Width != 0 && old.Width != l.Width || old.Speed != 0 && l.Speed != 0 && old.Speed != l.Speed {
			c.rated = append(c.rated, [2]fabric.LinkID{oldLink, id})
		}
		return
	}
	newA, newB := c.isNew(l.A.Node), c.isNew(l.B.Node)
	switch {
	case hadA && newB && c.isGone(wasA.Node):
		c.replaced = append(c.replaced, movedEnd{l.A, l.B, wasA})
	case hadB && newA && c.isGone(wasB.Node):
		c.replaced = append(c.replaced, movedEnd{l.B, l.A, wasB})
	case newA || newB:
	case hadA && (!hadB || c.b.Nodes[l.B.Node].Type == fabric.Switch):
		c.moved = append(c.moved, movedEnd{l.A, l.B, wasA})
	case hadB:
		c.moved = append(c.moved, movedEnd{l.B, l.A, wasB})
	default:
		c.linksCame = append(c.linksCame, id)
	}
}

// isNew reports whether a node of b is not in a.
func (c *comparison) isNew(id fabric.NodeID) bool {
	_, ok := translate(c.b, c.a, fabric.End{Node: id})
	return !ok
}

// isGone reports whether a node of a is not in b.
func (c *comparison) isGone(id fabric.NodeID) bool {
	_, ok := translate(c.a, c.b, fabric.End{Node: id})
	return !ok
}

// findGone notes a cable of a that is not in b, unless that follows from something else.
func (c *comparison) findGone(id fabric.LinkID) {
	l := &c.a.Links[id]
	if !c.a.LinkUp(id) || c.isGone(l.A.Node) || c.isGone(l.B.Node) {
		return
	}
	_, _, a := peerIn(c.a, c.b, l.A)
	_, _, b := peerIn(c.a, c.b, l.B)
	if !a && !b {
		c.linksGone = append(c.linksGone, id)
	}
}

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
