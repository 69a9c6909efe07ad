package fabric

import "fmt"

// Clone returns an independent copy.
func (f *Fabric) Clone() *Fabric {
	c := New(f.Name)
	c.Nodes = append([]Node(nil), f.Nodes...)
	for i := range c.Nodes {
		c.Nodes[i].Ports = append([]Port(nil), c.Nodes[i].Ports...)
		c.byGUID[c.Nodes[i].GUID] = NodeID(i)
	}
	c.Links = append([]Link(nil), f.Links...)
	return c
}

// SetLinkDown fails (true) or restores (false) a link.
func (f *Fabric) SetLinkDown(id LinkID, down bool) { f.Links[id].Down = down }

// SetNodeDown fails (true) or restores (false) a node with all its cables.
func (f *Fabric) SetNodeDown(id NodeID, down bool) { f.Nodes[id].Down = down }

// LinkUp reports whether a link and the nodes at both its ends are up.
func (f *Fabric) LinkUp(id LinkID) bool {
	l := &f.Links[id]
	return !l.Down && !f.Nodes[l.A.Node].Down && !f.Nodes[l.B.Node].Down
}

// IsSwitchLink reports whether a link joins two switches.
func (f *Fabric) IsSwitchLink(id LinkID) bool {
	l := &f.Links[id]
	return f.Nodes[l.A.Node].Type == Switch && f.Nodes[l.B.Node].Type == Switch
}

// Without returns a copy without the nodes and links for which the functions return true (nil drops
// nothing) and without the cables of dropped nodes. Nodes and links keep their order and get new
// indices.
func (f *Fabric) Without(dropNode func(NodeID) bool, dropLink func(LinkID) bool) *Fabric {
	c := New(f.Name)
	renumbered := make([]NodeID, len(f.Nodes))
	for i := range f.Nodes {
		renumbered[i] = -1
		if dropNode != nil && dropNode(NodeID(i)) {
			continue
		}
		n := f.Nodes[i]
		n.Ports = append([]Port(nil), n.Ports...)
		for p := range n.Ports {
			n.Ports[p].Link = NoLink
		}
		renumbered[i] = NodeID(len(c.Nodes))
		c.byGUID[n.GUID] = renumbered[i]
		c.Nodes = append(c.Nodes, n)
	}
	for i, l := range f.Links {
		l.A.Node, l.B.Node = renumbered[l.A.Node], renumbered[l.B.Node]
		if l.A.Node < 0 || l.B.Node < 0 || (dropLink != nil && dropLink(LinkID(i))) {
			continue
		}
		id := LinkID(len(c.Links))
		c.Links = append(c.Links, l)
		c.Nodes[l.A.Node].Ports[l.A.Port].Link = id
		c.Nodes[l.B.Node].Ports[l.B.Port].Link = id
	}
	return c
}

// SetLinkDrained takes a link out of use while it stays up (true), or back into use (false).
func (f *Fabric) SetLinkDrained(id LinkID, drained bool) { f.Links[id].Drained = drained }

// SetSwitchDrained keeps through traffic off a switch (true) or allows it again (false).
func (f *Fabric) SetSwitchDrained(id NodeID, drained bool) { f.Nodes[id].Drained = drained }

// MoveCable moves one end of a cable from one port to another, which must be free.
func (f *Fabric) MoveCable(from, to End) error {
	id := f.Nodes[from.Node].Ports[from.Port].Link
	if to.Port == 0 || int(to.Port) > f.Nodes[to.Node].NumPorts() {
		return fmt.Errorf("fabric: %s has no port %d to cable (ports 1 to %d)", f.NodeName(to.Node), to.Port, f.Nodes[to.Node].NumPorts())
	}
	if f.Nodes[to.Node].Ports[to.Port].Link != NoLink {
		return fmt.Errorf("fabric: port %s is cabled already (to %s)", f.EndName(to), f.EndName(f.Peer(to)))
	}
	l := &f.Links[id]
	if l.A == from {
		l.A = to
	} else {
		l.B = to
	}
	f.Nodes[from.Node].Ports[from.Port].Link = NoLink
	f.Nodes[to.Node].Ports[to.Port].Link = id
	return nil
}

// AddPorts adds n ports without cables to a switch, like its last one.
func (f *Fabric) AddPorts(id NodeID, n int) {
	s := &f.Nodes[id]
	for range n {
		s.Ports = append(s.Ports, Port{GUID: s.GUID, Link: NoLink, VLCap: s.Ports[len(s.Ports)-1].VLCap})
	}
}
