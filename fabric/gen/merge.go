package gen

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// merge adds a second tree to a copy of a fabric and joins the roots of both, or their leaves.
func merge(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	other, links := a.built("tree"), a.int("links")
	if other == nil {
		return nil, problemf(a.pos, "merge names no tree")
	}
	if len(f.Nodes)+len(other.Nodes) > fabric.MaxNodes || len(f.Links)+len(other.Links)+links > fabric.MaxLinks {
		return nil, problemf(a.pos, "both trees together have too many nodes or cables (at most %d and %d)", fabric.MaxNodes, fabric.MaxLinks)
	}
	leaves := false
	switch at := a.text("at"); at {
	case "", "roots":
	case "leaves":
		leaves = true
	default:
		return nil, problemf(a.value("at").pos, "at=%s: want roots or leaves", at)
	}
	f = f.Clone()
	mine, theirs := outermost(f, leaves), outermost(other, leaves)
	if len(mine) == 0 || len(theirs) == 0 {
		return nil, problemf(a.pos, "a tree without switches has nothing to merge")
	}
	same := min(len(mine), len(theirs))
	if links > 0 {
		same = 0
	}
	m := merger{f: f, other: other, node: make([]fabric.NodeID, len(other.Nodes)), shift: make([]int, len(other.Nodes))}
	for i := range m.node {
		m.node[i] = -1
	}
	for i, id := range theirs[:same] {
		m.unite(mine[i], id)
	}
	if err := m.add(); err != nil {
		return nil, problemf(a.pos, "%v", err)
	}
	for i := range links {
		if err := connectFree(f, mine[i%len(mine)], m.node[theirs[i%len(theirs)]]); err != nil {
			return nil, problemf(a.pos, "%v", err)
		}
	}
	return f, nil
}

// outermost lists the switches of the highest level, or the leaves, in order of GUID.
func outermost(f *fabric.Fabric, leaves bool) []fabric.NodeID {
	level := Levels(f)
	want := int32(0)
	if !leaves && len(level) > 0 {
		want = slices.Max(level)
	}
	return byGUID(f, func(id fabric.NodeID) bool { return isSwitch(f, id) && level[id] == want })
}

// merger adds the nodes of another fabric to one.
type merger struct {
	f, other *fabric.Fabric
	node     []fabric.NodeID // by node of other: the node in f, or -1
	shift    []int           // by node of other: offset of its port numbers
}

// unite identifies a switch of the other fabric with one of this fabric, and appends its ports.
func (m *merger) unite(here, there fabric.NodeID) {
	m.node[there], m.shift[there] = here, m.f.Nodes[here].NumPorts()
	n := &m.f.Nodes[here]
	for range m.other.Nodes[there].NumPorts() {
		n.Ports = append(n.Ports, fabric.Port{GUID: n.Ports[0].GUID, Link: fabric.NoLink})
	}
}

// add adds all nodes that are not united, with the next free GUIDs of the scheme, and all links.
// Descriptions of switches get the number of the tree as a prefix.
func (m *merger) add() error {
	prefix := ""
	for n := 2; prefix == ""; n++ {
		prefix = fmt.Sprintf("tree %d ", n)
		if slices.ContainsFunc(m.f.Nodes, func(n fabric.Node) bool { return strings.HasPrefix(n.Desc, prefix) }) {
			prefix = ""
		}
	}
	next, nextHost := 0, 0
	for id := range m.other.Nodes {
		if m.node[id] >= 0 {
			continue
		}
		n := &m.other.Nodes[id]
		var err error
		if n.Type == fabric.Switch {
			guid := guidOfSwitch(nextFree(m.f, guidOfSwitch, &next))
			m.node[id], err = m.f.AddNode(fabric.Switch, guid, n.NumPorts(), prefix+n.Desc)
			if err == nil {
				m.f.Nodes[m.node[id]].SystemGUID = guid
			}
		} else {
			m.node[id], err = addHost(m.f, nextFree(m.f, guidOfHost, &nextHost), n.NumPorts())
		}
		if err != nil {
			return err
		}
	}
	for _, l := range m.other.Links {
		x, err := m.end(l.A)
		if err != nil {
			return err
		}
		y, err := m.end(l.B)
		if err != nil {
			return err
		}
		id, err := m.f.Connect(x, y, l.Width, l.Speed)
		if err != nil {
			return err
		}
		m.f.Links[id].Down, m.f.Links[id].Drained = l.Down, l.Drained
	}
	return nil
}

// end converts the end of a link in the other fabric to the merged fabric.
func (m *merger) end(e fabric.End) (fabric.End, error) {
	port := int(e.Port) + m.shift[e.Node]
	if port > fabric.MaxPorts {
		return e, fmt.Errorf("%s would have %d ports (at most %d)", m.f.NodeName(m.node[e.Node]), port, fabric.MaxPorts)
	}
	return fabric.End{Node: m.node[e.Node], Port: uint8(port)}, nil
}

// connectFree joins two switches by a cable on new ports.
func connectFree(f *fabric.Fabric, x, y fabric.NodeID) error {
	var ends [2]fabric.End
	for i, id := range [2]fabric.NodeID{x, y} {
		n := &f.Nodes[id]
		if n.NumPorts() == fabric.MaxPorts {
			return fmt.Errorf("%s has no port for another cable (at most %d)", f.NodeName(id), fabric.MaxPorts)
		}
		n.Ports = append(n.Ports, fabric.Port{GUID: n.Ports[0].GUID, Link: fabric.NoLink})
		ends[i] = fabric.End{Node: id, Port: uint8(n.NumPorts())}
	}
	_, err := f.Connect(ends[0], ends[1], 4, fabric.EDR)
	return err
}
