// Package compare lists the differences between two fabrics that come from files of different
// formats. It compares only attributes and parts that both files contain.
//
// Between two files of one format every attribute counts, as fabric.Diff has it. Otherwise:
//
//   - An attribute is told by a file that has a value of it for some node of the type: vendor,
//     system image GUID, role, LID, number of VLs and so on. The number of ports, and ports without
//     a cable, are told as netfile.Tells says.
//   - Most files list only cables that are up. A cable that is down in one file, and absent from
//     the other, is no change; nor is a node without a cable that is up.
//   - A file that knows hosts by the GUIDs of their ports is compared by these.
//   - A file without GUIDs is compared by name (names.go).
package compare

import (
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/source"
)

// Side is a fabric, with the kinds of contents of its file.
type Side struct {
	*fabric.Fabric
	Format string // files of one format tell the same
	netfile.Tells
}

// Of returns the side of a source.
func Of(src *source.Source) Side {
	return Side{src.Fabric, src.Format, netfile.TellsOf(src.Format)}
}

// Changes lists the changes from a to b, nodes first, then cables. It fails if the files have no
// name in common, and nothing else to be compared by.
func Changes(a, b Side) ([]fabric.Change, error) {
	switch {
	case a.Format == b.Format && !a.Names:
		return fabric.Diff(a.Fabric, b.Fabric), nil
	case a.Names || b.Names:
		return byName(a, b)
	}
	switch {
	case a.HostPorts != b.HostPorts && (len(a.Links) == 0 || len(b.Links) == 0): // a list of nodes
		a.Fabric, b.Fabric = a.withoutHosts(), b.withoutHosts()
	case a.HostPorts || b.HostPorts:
		a, b = a.splitHosts(), b.splitHosts()
	}
	a.Fabric, b.Fabric = a.onlyCabled(b), b.onlyCabled(a)
	t := told{a: tellsOf(a), b: tellsOf(b)}
	fa, fb := t.mask(a), t.mask(b)
	alignNodes(fa, fb, a.UpOnly || b.UpOnly)
	alignLinks(fa, fb)
	var out []fabric.Change
	for _, c := range fabric.Diff(fa, fb) {
		if !strings.HasPrefix(c.Kind, "link ") || len(a.Links) > 0 && len(b.Links) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

// withoutHosts drops the hosts: one file identifies them by node GUID, the other by port GUID.
func (s Side) withoutHosts() *fabric.Fabric {
	return s.Without(func(id fabric.NodeID) bool { return s.Nodes[id].Type == fabric.CA }, nil)
}

// splitHosts returns a side whose hosts have a node for each cabled port, known by port GUID.
func (s Side) splitHosts() Side {
	if s.HostPorts {
		return s
	}
	f := fabric.New(s.Name)
	ends := map[fabric.End]fabric.NodeID{}
	taken := map[fabric.GUID]bool{}
	for i := range s.Nodes {
		if s.Nodes[i].Type != fabric.CA {
			taken[s.Nodes[i].GUID] = true
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Type != fabric.CA {
			copyNode(f, n, n.GUID, n.NumPorts(), func(int) bool { return true })
			continue
		}
		for p := range s.Cabled(fabric.NodeID(i), nil) {
			if g := n.Ports[p].GUID; g != 0 && !taken[g] {
				taken[g] = true
				ends[fabric.End{Node: fabric.NodeID(i), Port: p}] = copyNode(f, n, g, int(p), func(q int) bool { return q == int(p) })
			}
		}
	}
	for i := range s.Links {
		l := s.Links[i]
		a, okA := moved(s.Fabric, f, ends, l.A)
		b, okB := moved(s.Fabric, f, ends, l.B)
		if !okA || !okB {
			continue
		}
		if id, err := f.Connect(a, b, l.Width, l.Speed); err == nil {
			f.Links[id].Down, f.Links[id].Drained = l.Down, l.Drained
		}
	}
	s.Fabric = f
	return s
}

// copyNode adds a copy of a node with the attributes of some of its ports.
func copyNode(f *fabric.Fabric, n *fabric.Node, guid fabric.GUID, ports int, has func(int) bool) fabric.NodeID {
	id, err := f.AddNode(n.Type, guid, ports, n.Desc)
	if err != nil {
		return -1
	}
	old := f.Nodes[id].Ports
	f.Nodes[id] = *n
	f.Nodes[id].GUID, f.Nodes[id].Ports = guid, old
	for p := range old {
		if has(p) && p < len(n.Ports) {
			old[p] = n.Ports[p]
			old[p].Link = fabric.NoLink
		}
	}
	return id
}

// moved returns the end in a split fabric.
func moved(from, to *fabric.Fabric, ends map[fabric.End]fabric.NodeID, e fabric.End) (fabric.End, bool) {
	if id, split := ends[e]; split {
		return fabric.End{Node: id, Port: e.Port}, id >= 0
	}
	id, ok := to.NodeByGUID(from.Nodes[e.Node].GUID)
	return fabric.End{Node: id, Port: e.Port}, ok && from.Nodes[e.Node].Type != fabric.CA
}

// onlyCabled drops nodes without a cable that is up, and cables that are down, where the other side
// has neither. Many files list only the parts that are up.
func (s Side) onlyCabled(other Side) *fabric.Fabric {
	cables := map[[2]end]bool{}
	for i := range other.Links {
		cables[ends(other.Fabric, &other.Links[i])] = true
	}
	return s.Without(func(id fabric.NodeID) bool {
		if _, there := other.NodeByGUID(s.Nodes[id].GUID); there || len(s.Links) == 0 || len(other.Links) == 0 {
			return false
		}
		for range s.Cabled(id, s.LinkUp) {
			return false
		}
		return true
	}, func(id fabric.LinkID) bool { return !s.LinkUp(id) && !cables[ends(s.Fabric, &s.Links[id])] })
}

// end is a port by GUID.
type end struct {
	guid fabric.GUID
	port uint8
}

// ends returns both ends of a cable, in one order.
func ends(f *fabric.Fabric, l *fabric.Link) [2]end {
	a, b := end{f.Nodes[l.A.Node].GUID, l.A.Port}, end{f.Nodes[l.B.Node].GUID, l.B.Port}
	if b.guid < a.guid || b.guid == a.guid && b.port < a.port {
		a, b = b, a
	}
	return [2]end{a, b}
}

// attribute is something that a file tells of nodes, or does not.
type attribute uint8

const (
	desc attribute = iota
	system
	vendor
	device
	revision
	chassis
	enhanced
	fdbCap
	role
	off
	drained
	lid
	lmc
	attributes
)

// tells says which attributes a file has a value of, by type of node.
type tells [fabric.Router + 1][attributes]bool

func tellsOf(s Side) (t tells) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		row := &t[n.Type]
		for a, has := range map[attribute]bool{
			desc: n.Desc != "", system: n.SystemGUID != 0, vendor: n.VendorID != 0, device: n.DeviceID != 0, revision: n.Revision != 0,
			chassis: n.Chassis != "", enhanced: n.EnhancedPort0, fdbCap: n.LinearFDBCap != 0, role: n.Role != 0, off: n.Down, drained: n.Drained,
			lid: slices.ContainsFunc(n.Ports, func(p fabric.Port) bool { return p.LID != 0 }),
			lmc: slices.ContainsFunc(n.Ports, func(p fabric.Port) bool { return p.LMC != 0 }),
		} {
			row[a] = row[a] || has
		}
	}
	return t
}

// told holds the attributes that each of two files has values of.
type told struct{ a, b tells }

func (t *told) both(n *fabric.Node, a attribute) bool { return t.a[n.Type][a] && t.b[n.Type][a] }

// mask returns a copy of a side, without attributes that one of the files lacks.
func (t *told) mask(s Side) *fabric.Fabric {
	f := s.Without(nil, nil)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for a, clear := range map[attribute]func(){
			desc: func() { n.Desc = "" }, system: func() { n.SystemGUID = 0 }, vendor: func() { n.VendorID = 0 }, device: func() { n.DeviceID = 0 },
			revision: func() { n.Revision = 0 }, chassis: func() { n.Chassis = "" }, enhanced: func() { n.EnhancedPort0 = false },
			fdbCap: func() { n.LinearFDBCap = 0 }, role: func() { n.Role = 0 }, off: func() { n.Down = false }, drained: func() { n.Drained = false },
		} {
			if !t.both(n, a) {
				clear()
			}
		}
		for p := range n.Ports {
			port := &n.Ports[p]
			if !t.both(n, lid) {
				port.LID = 0
			}
			if !t.both(n, lmc) {
				port.LMC = 0
			}
		}
	}
	return f
}

// alignNodes clears the attributes of ports that only one of two files tells: of ports without a
// cable in one of them, GUIDs of the ports of switches, and values that are unknown in one. If grow
// is set, the files do not tell the number of ports.
func alignNodes(a, b *fabric.Fabric, grow bool) {
	for i := range a.Nodes {
		n := &a.Nodes[i]
		id, there := b.NodeByGUID(n.GUID)
		if !there {
			continue
		}
		m := &b.Nodes[id]
		if grow {
			for len(n.Ports) < len(m.Ports) {
				n.Ports = append(n.Ports, fabric.Port{Link: fabric.NoLink})
			}
			for len(m.Ports) < len(n.Ports) {
				m.Ports = append(m.Ports, fabric.Port{Link: fabric.NoLink})
			}
		}
		for p := range min(len(n.Ports), len(m.Ports)) {
			alignPorts(&n.Ports[p], &m.Ports[p], p == 0)
		}
	}
}

func alignPorts(p, q *fabric.Port, zero bool) {
	if !zero && (p.Link == fabric.NoLink || q.Link == fabric.NoLink) {
		*p, *q = fabric.Port{Link: p.Link}, fabric.Port{Link: q.Link}
	}
	if p.GUID == 0 || q.GUID == 0 {
		p.GUID, q.GUID = 0, 0
	}
	if p.VLCap == 0 || q.VLCap == 0 {
		p.VLCap, q.VLCap = 0, 0
	}
	if p.Label == "" || q.Label == "" {
		p.Label, q.Label = "", ""
	}
}

// alignLinks clears widths and speeds that are unknown in one of two files.
func alignLinks(a, b *fabric.Fabric) {
	links := map[[2]end]*fabric.Link{}
	for i := range b.Links {
		links[ends(b, &b.Links[i])] = &b.Links[i]
	}
	for i := range a.Links {
		l := &a.Links[i]
		k := links[ends(a, l)]
		if k == nil {
			continue
		}
		if l.Width == 0 || k.Width == 0 {
			l.Width, k.Width = 0, 0
		}
		if l.Speed == fabric.SpeedUnknown || k.Speed == fabric.SpeedUnknown {
			l.Speed, k.Speed = fabric.SpeedUnknown, fabric.SpeedUnknown
		}
	}
}
