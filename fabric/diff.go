package fabric

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is one difference between two fabrics.
type Change struct {
	Kind  string     `json:"kind"`           // "node added", "node removed", "node changed", "link added", "link removed", "link changed"
	Ports []PortName `json:"ports"`          // the node, or both ends of the link
	From  string     `json:"from,omitempty"` // the old value, for changes
	To    string     `json:"to,omitempty"`   // the new value, for changes
}

// String describes the change in one line.
func (c Change) String() string {
	s := c.Kind + ": " + c.Ports[0].String()
	if len(c.Ports) > 1 {
		s += " - " + c.Ports[1].String()
	}
	if c.From != "" || c.To != "" {
		s += fmt.Sprintf(": %s -> %s", c.From, c.To)
	}
	return s
}

// cable identifies a link by its two ports, independent of any index.
type cable struct {
	aGUID, bGUID GUID
	aPort, bPort uint8
}

// Diff lists the changes from a to b, in order of GUID: nodes first, then links. Nodes are
// identified by GUID, links by the GUIDs and ports at their ends. All attributes of a node or link
// count, LIDs included; the order of nodes and links does not.
func Diff(a, b *Fabric) []Change {
	return append(diffNodes(a, b), diffLinks(a, b)...)
}

func diffNodes(a, b *Fabric) []Change {
	same := func(x, y NodeID) bool { return a.Nodes[x].saysSame(&b.Nodes[y]) }
	return differences("node", cmp.Compare[GUID], same, view[GUID, NodeID]{a.byGUID, a.nodePorts, a.describeNode}, view[GUID, NodeID]{b.byGUID, b.nodePorts, b.describeNode})
}

func diffLinks(a, b *Fabric) []Change {
	same := func(x, y LinkID) bool { return a.Links[x].saysSame(&b.Links[y]) }
	return differences("link", cable.compare, same, view[cable, LinkID]{linksByCable(a), a.LinkPorts, a.describeLink}, view[cable, LinkID]{linksByCable(b), b.LinkPorts, b.describeLink})
}

// view gives access to the nodes or the links of a fabric: by key, with functions that return the
// name and the attributes of one.
type view[K comparable, ID any] struct {
	byKey    map[K]ID
	name     func(ID) []PortName
	describe func(ID) []string
}

// differences compares two views in order of keys. Attributes are put into words only if two
// differ.
func differences[K comparable, ID any](kind string, compare func(x, y K) int, same func(x, y ID) bool, a, b view[K, ID]) (out []Change) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a.byKey)), maps.Keys(b.byKey))
	slices.SortFunc(keys, compare)
	for _, k := range slices.Compact(keys) {
		ia, inA := a.byKey[k]
		ib, inB := b.byKey[k]
		switch {
		case !inA:
			out = append(out, Change{Kind: kind + " added", Ports: b.name(ib)})
		case !inB:
			out = append(out, Change{Kind: kind + " removed", Ports: a.name(ia)})
		case !same(ia, ib):
			out = appendChanges(out, kind+" changed", a.name(ia), a.describe(ia), b.describe(ib))
		}
	}
	return out
}

// appendChanges adds one Change for every attribute that differs.
func appendChanges(out []Change, kind string, ports []PortName, from, to []string) []Change {
	for i := range max(len(from), len(to)) {
		var x, y string
		if i < len(from) {
			x = from[i]
		}
		if i < len(to) {
			y = to[i]
		}
		if x != y {
			out = append(out, Change{kind, ports, x, y})
		}
	}
	return out
}

// saysSame reports whether two nodes have the same attributes, apart from their links.
func (n *Node) saysSame(m *Node) bool {
	return n.Type == m.Type && n.Desc == m.Desc && n.SystemGUID == m.SystemGUID && n.VendorID == m.VendorID && n.DeviceID == m.DeviceID &&
		n.Revision == m.Revision && n.Chassis == m.Chassis && n.EnhancedPort0 == m.EnhancedPort0 && n.LinearFDBCap == m.LinearFDBCap &&
		n.Role == m.Role && n.Down == m.Down && n.Drained == m.Drained && slices.EqualFunc(n.Ports, m.Ports, func(p, q Port) bool {
		p.Link, q.Link = NoLink, NoLink
		return p == q
	})
}

// saysSame reports whether two links have the same attributes, apart from their ends.
func (l *Link) saysSame(k *Link) bool {
	return l.Width == k.Width && l.Speed == k.Speed && l.Down == k.Down && l.Drained == k.Drained
}

// describeNode lists a node's attributes, one string each, ports last.
func (f *Fabric) describeNode(id NodeID) []string {
	n := &f.Nodes[id]
	d := []string{
		fmt.Sprintf("%s with %d ports", n.Type, n.NumPorts()),
		fmt.Sprintf("description %q", n.Desc),
		fmt.Sprintf("system GUID %s", n.SystemGUID),
		fmt.Sprintf("vendor %#x device %#x revision %#x", n.VendorID, n.DeviceID, n.Revision),
		fmt.Sprintf("chassis %q", n.Chassis),
		fmt.Sprintf("enhanced port 0 %t", n.EnhancedPort0),
		fmt.Sprintf("LinearFDBCap %d", n.LinearFDBCap),
		fmt.Sprintf("role %s", n.Role),
		stateWords("on", "off", n.Down, n.Drained),
	}
	for i, p := range n.Ports {
		var b strings.Builder
		fmt.Fprintf(&b, "port %d: GUID %s LID %d LMC %d", i, p.GUID, p.LID, p.LMC)
		if p.VLCap != 0 {
			fmt.Fprintf(&b, " VLCap %d", p.VLCap)
		}
		if p.Label != "" {
			fmt.Fprintf(&b, " label %q", p.Label)
		}
		d = append(d, b.String())
	}
	return d
}

func (f *Fabric) describeLink(id LinkID) []string {
	l := &f.Links[id]
	return []string{
		fmt.Sprintf("%dx%s", l.Width, l.Speed),
		stateWords("up", "down", l.Down, l.Drained),
	}
}

// stateWords describes whether a node or a link is in service.
func stateWords(up, down string, isDown, isDrained bool) string {
	switch {
	case isDown && isDrained:
		return down + ", drained"
	case isDown:
		return down
	case isDrained:
		return "drained"
	}
	return up
}

func linksByCable(f *Fabric) map[cable]LinkID {
	m := make(map[cable]LinkID, len(f.Links))
	for i, l := range f.Links {
		c := cable{f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID, l.A.Port, l.B.Port}
		r := cable{c.bGUID, c.aGUID, c.bPort, c.aPort}
		if r.compare(c) < 0 {
			c = r
		}
		m[c] = LinkID(i)
	}
	return m
}

func (c cable) compare(d cable) int {
	return cmp.Or(
		cmp.Compare(c.aGUID, d.aGUID), cmp.Compare(c.aPort, d.aPort),
		cmp.Compare(c.bGUID, d.bGUID), cmp.Compare(c.bPort, d.bPort))
}

func (f *Fabric) nodePorts(id NodeID) []PortName { return []PortName{f.PortName(End{Node: id})} }

// LinkName names a link for people, by its two ends.
func (f *Fabric) LinkName(id LinkID) string {
	l := &f.Links[id]
	return f.EndName(l.A) + " - " + f.EndName(l.B)
}
