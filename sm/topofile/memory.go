// Package topofile remembers a subnet for the topology file of a batch system.
//
// A host that is off, or whose switch restarts, is no less a host of the cluster: a file without it
// would keep jobs from it. So nodes and cables that are gone keep their place in the file, until
// another node or cable has it, or until they were missing in a number of rounds. A new adapter
// with the description of one that is gone replaces that.
//
// Devices state their names. The names of hosts are remembered by GUID: a host that calls itself
// as another one gets neither its name nor its place (batch.SlurmOptions.Was).
package topofile

import (
	"maps"

	"weft/fabric"
)

// Memory remembers nodes and cables that have gone. The zero value remembers nothing.
type Memory struct {
	seen  *fabric.Fabric // with what is gone
	names map[fabric.GUID]string
	gone  map[fabric.GUID]int // rounds since the node was there
	cut   map[cable]int       // rounds since the cable was there
}

// cable is a cable by the GUIDs and ports of its ends.
type cable struct {
	a, b   fabric.GUID
	pa, pb uint8
}

func cableOf(f *fabric.Fabric, l *fabric.Link) cable {
	c := cable{f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID, l.A.Port, l.B.Port}
	if c.b < c.a || c.b == c.a && c.pb < c.pa {
		c = cable{c.b, c.a, c.pb, c.pa}
	}
	return c
}

// Known is a subnet together with its remembered nodes and cables.
type Known struct {
	*fabric.Fabric
	Absent map[fabric.GUID]bool
}

// See takes the subnet of a round, and returns it with the remembered nodes and cables that the
// round has not found. Nodes and cables that were missing in keep rounds are forgotten; 0 keeps
// them.
func (m *Memory) See(found *fabric.Fabric, keep int) Known {
	next := Memory{names: m.names, gone: map[fabric.GUID]int{}, cut: map[cable]int{}}
	all := found.Without(nil, nil)
	known := Known{Fabric: all, Absent: map[fabric.GUID]bool{}}
	if m.seen != nil {
		m.addNodes(all, &next, known.Absent, keep)
		m.addCables(all, &next, keep)
		known.Fabric = dropAlone(all, known.Absent)
	}
	for g := range known.Absent {
		if _, there := known.NodeByGUID(g); !there {
			delete(known.Absent, g)
			delete(next.gone, g)
		}
	}
	next.seen = known.Fabric
	*m = next
	return known
}

// addNodes adds the missing nodes, except hosts that a new node of the same name replaces.
func (m *Memory) addNodes(all *fabric.Fabric, next *Memory, absent map[fabric.GUID]bool, keep int) {
	replaced := map[string]bool{}
	for i := range all.Nodes {
		n := &all.Nodes[i]
		if _, known := m.seen.NodeByGUID(n.GUID); !known {
			replaced[n.Desc] = true
		}
	}
	for i := range m.seen.Nodes {
		n := &m.seen.Nodes[i]
		rounds := m.gone[n.GUID] + 1
		if _, there := all.NodeByGUID(n.GUID); there || keep > 0 && rounds >= keep || n.Type == fabric.CA && replaced[n.Desc] {
			continue
		}
		id, err := all.AddNode(n.Type, n.GUID, n.NumPorts(), n.Desc)
		if err != nil {
			continue // it has no place any more
		}
		c := &all.Nodes[id]
		c.SystemGUID, c.VendorID, c.DeviceID = n.SystemGUID, n.VendorID, n.DeviceID
		for p := range n.Ports {
			c.Ports[p].GUID = n.Ports[p].GUID
		}
		absent[n.GUID], next.gone[n.GUID] = true, rounds
	}
}

// addCables adds the cables that are gone, where both their ports are free.
func (m *Memory) addCables(all *fabric.Fabric, next *Memory, keep int) {
	there := map[cable]bool{}
	for i := range all.Links {
		there[cableOf(all, &all.Links[i])] = true
	}
	for i := range m.seen.Links {
		l := &m.seen.Links[i]
		key := cableOf(m.seen, l)
		rounds := m.cut[key] + 1
		a, okA := all.NodeByGUID(m.seen.Nodes[l.A.Node].GUID)
		b, okB := all.NodeByGUID(m.seen.Nodes[l.B.Node].GUID)
		if there[key] || !okA || !okB || l.Down || keep > 0 && rounds >= keep {
			continue
		}
		if _, err := all.Connect(fabric.End{Node: a, Port: l.A.Port}, fabric.End{Node: b, Port: l.B.Port}, l.Width, l.Speed); err == nil {
			next.cut[key] = rounds
		}
	}
}

// dropAlone drops absent nodes without a path of cables to a present one: other nodes have their
// ports now. So the memory stays small, whatever devices pretend to be.
func dropAlone(f *fabric.Fabric, absent map[fabric.GUID]bool) *fabric.Fabric {
	met := make([]bool, len(f.Nodes))
	var todo []fabric.NodeID
	for i := range f.Nodes {
		if met[i] = !absent[f.Nodes[i].GUID]; met[i] {
			todo = append(todo, fabric.NodeID(i))
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for p := range f.Cabled(at, nil) {
			if peer := f.Peer(fabric.End{Node: at, Port: p}).Node; !met[peer] {
				met[peer] = true
				todo = append(todo, peer)
			}
		}
	}
	return f.Without(func(id fabric.NodeID) bool { return !met[id] }, nil)
}

// Names returns the names that hosts had, by node GUID.
func (m *Memory) Names() map[fabric.GUID]string { return m.names }

// Recall takes names from before the start, of nodes whose names are not known.
func (m *Memory) Recall(names map[fabric.GUID]string) {
	if m.names == nil {
		m.names = map[fabric.GUID]string{}
	}
	for g, name := range names {
		if m.names[g] == "" {
			m.names[g] = name
		}
	}
}

// Call notes the names that hosts have now. A host without one keeps its earlier one, as long as it
// is remembered.
func (m *Memory) Call(names map[fabric.GUID]string) {
	next := make(map[fabric.GUID]string, len(names))
	for g, name := range m.names {
		if _, there := m.seen.NodeByGUID(g); there {
			next[g] = name
		}
	}
	maps.Copy(next, names)
	m.names = next
}
