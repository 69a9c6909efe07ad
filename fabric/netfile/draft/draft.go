// Package draft holds a fabric while its file is being read. Nodes may be mentioned before they are
// described, a cable may be listed from one end or from both, and lines may contradict each other.
// Build creates the fabric, with GUIDs for nodes without one.
package draft

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Draft is a fabric while its file is being read: nodes may be mentioned before they are described,
// and every cable may be listed once or from both its ends.
type Draft struct {
	lines.Messages
	Nodes  []Node
	ports  int // of all nodes
	Cables []Cable

	repeated map[string]int32    // index of a warning by text
	repeats  []int32             // by warning: number of its repetitions
	disputed map[string]disputed // by text of the warning about a contradiction
}

// Node is a node with its lines in the file. In its Ports, Link is an index into Draft.Cables.
type Node struct {
	fabric.Node
	Line    int // of its own description, 0 if it was only mentioned
	RefLine int // of the first mention
}

// Cable is a cable as the file lists it.
type Cable struct {
	a, b  fabric.End // the same if the port is cabled to itself
	line  int        // of the first listing, from end a
	back  int        // of the listing from end b, 0 if there is none
	width fabric.Width
	speed fabric.Speed
	down  bool

	contradicted bool // other lines name other cables for its ports: it is not used
}

// New returns a draft without nodes, for a file of a name.
func New(file string) *Draft {
	return &Draft{Messages: lines.Messages{File: file}, repeated: map[string]int32{}, disputed: map[string]disputed{}}
}

// Warnf adds a warning. A text that was added before is only counted.
func (d *Draft) Warnf(line int, format string, args ...any) {
	w := lines.Warningf(d.File, line, format, args...)
	if i, met := d.repeated[w.Text]; met {
		d.repeats[i]++
		return
	}
	d.repeated[w.Text] = int32(len(d.Warnings))
	d.Warnings = append(d.Warnings, w)
	d.repeats = append(d.repeats, 0)
}

// Pass adds the warnings of another file.
func (d *Draft) Pass(warnings []lines.Warning) {
	for _, w := range warnings {
		d.Warnings = append(d.Warnings, w)
		d.repeats = append(d.repeats, 0)
	}
}

// Add adds a node at its first mention.
func (d *Draft) Add(line int) fabric.NodeID {
	d.Nodes = append(d.Nodes, Node{RefLine: line})
	n := &d.Nodes[len(d.Nodes)-1]
	n.Ports = []fabric.Port{{Link: fabric.NoLink}}
	return fabric.NodeID(len(d.Nodes) - 1)
}

// Describe records the line of a node's own description, its type and number of ports.
func (d *Draft) Describe(id fabric.NodeID, line int, t fabric.NodeType, ports int) error {
	n := &d.Nodes[id]
	if n.Line != 0 {
		return d.Errorf(line, "%s is described twice: here and on line %d", d.Name(id), n.Line)
	}
	if ports < 1 || ports > fabric.MaxPorts {
		return d.Errorf(line, "%d ports (want 1 to %d)", ports, fabric.MaxPorts)
	}
	if p := len(n.Ports) - 1; p > ports {
		return d.Errorf(line, "%s has %d ports, but line %d cables its port %d", d.Name(id), ports, d.Cables[n.Ports[p].Link].line, p)
	}
	n.Line, n.Type = line, t
	return d.Grow(id, ports, line)
}

// MaxPorts bounds the ports of all nodes. Hosts of formulas have no ports without cables.
const MaxPorts = fabric.MaxSwitchPorts + fabric.MaxLinks

// Grow gives a node at least the given number of ports. It fails if the fabric would exceed the
// limits.
func (d *Draft) Grow(id fabric.NodeID, ports, line int) error {
	n := &d.Nodes[id]
	more := max(0, ports+1-len(n.Ports))
	d.ports += more
	switch {
	case len(d.Nodes) > fabric.MaxNodes:
		return d.Errorf(line, "more than %d nodes", fabric.MaxNodes)
	case d.ports > MaxPorts:
		return d.Errorf(line, "the nodes up to here have more than %d ports", MaxPorts)
	}
	n.Ports = slices.Grow(n.Ports, more)
	for range more {
		n.Ports = append(n.Ports, fabric.Port{Link: fabric.NoLink})
	}
	return nil
}

// End checks a port number of a node; a node without a description of its own gets as many ports as
// are mentioned.
func (d *Draft) End(id fabric.NodeID, port, line int) (fabric.End, error) {
	n := &d.Nodes[id]
	if n.Line == 0 && port >= 1 && port <= fabric.MaxPorts {
		if err := d.Grow(id, port, line); err != nil {
			return fabric.End{}, err
		}
	}
	if port < 1 || port >= len(n.Ports) {
		most := fabric.MaxPorts
		if n.Line != 0 {
			most = len(n.Ports) - 1
		}
		return fabric.End{}, d.Errorf(line, "%s has no port %d (ports 1 to %d)", d.Name(id), port, most)
	}
	return fabric.End{Node: id, Port: uint8(port)}, nil
}

// Port returns the port at an end.
func (d *Draft) Port(e fabric.End) *fabric.Port { return &d.Nodes[e.Node].Ports[e.Port] }

// Connect records that end a lists a cable to end b. A port cabled to itself has a loopback plug:
// it has no other cable.
func (d *Draft) Connect(a, b fabric.End, line int, w fabric.Width, s fabric.Speed) error {
	pa, pb := d.Port(a), d.Port(b)
	if pa.Link == fabric.NoLink && pb.Link == fabric.NoLink {
		if a == b {
			d.Warnf(line, "port %s is cabled to itself: taken as not cabled", d.endName(a))
		}
		if len(d.Cables) == fabric.MaxLinks {
			return d.Errorf(line, "more than %d cables", fabric.MaxLinks)
		}
		pa.Link = fabric.LinkID(len(d.Cables))
		pb.Link = pa.Link
		d.Cables = append(d.Cables, Cable{a: a, b: b, line: line, width: w, speed: s})
		return nil
	}
	c := d.known(a, b)
	switch {
	case c == nil && len(d.Cables) == fabric.MaxLinks:
		return d.Errorf(line, "more than %d cables", fabric.MaxLinks)
	case c == nil:
		d.contradict(a, b, line)
		return nil
	case c.a == a:
		d.Warnf(line, "the cable %s - %s is listed again (first on line %d)", d.endName(a), d.endName(b), c.line)
	case c.back != 0:
		d.Warnf(line, "the cable %s - %s is listed again (first on line %d)", d.endName(a), d.endName(b), c.back)
	default:
		c.back = line
	}
	d.agree(c, line, w, s)
	return nil
}

// known returns the listed cable between two ends, nil if there is none.
func (d *Draft) known(a, b fabric.End) *Cable {
	for _, at := range [2]fabric.End{a, b} {
		if link := d.Port(at).Link; link != fabric.NoLink && d.Cables[link].joins(a, b) {
			return &d.Cables[link]
		}
	}
	return nil
}

// joins reports whether the cable joins two ends.
func (c *Cable) joins(a, b fabric.End) bool {
	return c.a == a && c.b == b || c.a == b && c.b == a
}

// SetDown records that a listed cable is down.
func (d *Draft) SetDown(a, b fabric.End, line int) {
	if link := d.Port(a).Link; link != fabric.NoLink {
		d.Warnf(line, "the cable %s - %s is down", d.endName(a), d.endName(b))
		d.Cables[link].down = true
	}
}

// LID checks a LID of a file; a LID that is not unicast counts as none.
func (d *Draft) LID(v uint64, line int) (fabric.LID, error) {
	if v > 0xFFFF {
		return 0, d.Errorf(line, "%d is not a LID (16 bits)", v)
	}
	if fabric.LID(v) > fabric.MaxUnicastLID {
		d.Warnf(line, "LID %d is not a unicast LID: taken as not assigned", v)
		return 0, nil
	}
	return fabric.LID(v), nil
}

// SetPortGUID records the GUID of a port. A node's own description (own) takes precedence over
// mentions elsewhere.
func (d *Draft) SetPortGUID(e fabric.End, p *fabric.Port, guid fabric.GUID, line int, own bool) {
	if p.GUID != 0 && p.GUID != guid {
		d.differs(e, line, "GUID "+guid.String(), p.GUID.String())
	}
	if p.GUID == 0 || own {
		p.GUID = guid
	}
}

// SetLID records the LID of a port. A node's own description (own) takes precedence over mentions
// elsewhere.
func (d *Draft) SetLID(id fabric.NodeID, port int, lid fabric.LID, line int, own bool) {
	p := &d.Nodes[id].Ports[port]
	if p.LID != 0 && lid != 0 && p.LID != lid {
		d.differs(fabric.End{Node: id, Port: uint8(port)}, line, fmt.Sprint("LID ", lid), fmt.Sprint("LID ", p.LID))
	}
	if p.LID == 0 || (own && lid != 0) {
		p.LID = lid
	}
}

// Name returns how messages name a node.
func (d *Draft) Name(id fabric.NodeID) string {
	n := &d.Nodes[id]
	if n.Desc == "" {
		return n.GUID.String()
	}
	if n.GUID == 0 {
		return fmt.Sprintf("%q", n.Desc)
	}
	return fmt.Sprintf("%q (%s)", n.Desc, n.GUID)
}

func (d *Draft) endName(e fabric.End) string { return fmt.Sprintf("%s[%d]", d.Name(e.Node), e.Port) }

// The first GUIDs for nodes without one, as in ibsim. Switches count up by 1, other nodes by their
// number of ports plus 1, which leaves room for the GUIDs of their ports.
const (
	firstCAGUID     fabric.GUID = 0x100000
	firstSwitchGUID fabric.GUID = 0x200000
)

// InventGUIDs assigns GUIDs to nodes without one, in the order of the file, skipping GUIDs in use;
// ports of a CA get the node GUID plus their number.
func (d *Draft) InventGUIDs() {
	var taken map[fabric.GUID]bool
	next := [4]fabric.GUID{fabric.CA: firstCAGUID, fabric.Router: firstCAGUID, fabric.Switch: firstSwitchGUID}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.GUID != 0 {
			continue
		}
		if taken == nil {
			taken = d.takenGUIDs()
		}
		need := 1
		if n.Type != fabric.Switch {
			need = len(n.Ports)
		}
		n.GUID = freeGUIDs(taken, next[n.Type], need)
		next[n.Type] = n.GUID + fabric.GUID(need)
		for k := range need {
			taken[n.GUID+fabric.GUID(k)] = true
		}
		for p := 1; p < need; p++ {
			if n.Ports[p].GUID == 0 {
				n.Ports[p].GUID = n.GUID + fabric.GUID(p)
			}
		}
	}
}

// freeGUIDs finds the first run of free GUIDs from a start.
func freeGUIDs(taken map[fabric.GUID]bool, start fabric.GUID, need int) fabric.GUID {
	for k := 0; k < need; {
		if taken[start+fabric.GUID(k)] {
			start, k = start+fabric.GUID(k)+1, 0
			continue
		}
		k++
	}
	return start
}

// takenGUIDs returns the GUIDs of the file, and the GUIDs that the ports of its CAs get from their
// nodes.
func (d *Draft) takenGUIDs() map[fabric.GUID]bool {
	taken := make(map[fabric.GUID]bool, 2*len(d.Nodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		taken[n.GUID] = true
		for p := range n.Ports {
			taken[n.Ports[p].GUID] = true
			if n.GUID != 0 && n.Type != fabric.Switch {
				taken[n.GUID+fabric.GUID(p)] = true
			}
		}
	}
	return taken
}

// Build creates the fabric.
func (d *Draft) Build() (*fabric.Fabric, []lines.Warning, error) {
	if len(d.Nodes) == 0 {
		return nil, nil, d.Errorf(0, "no nodes in this file")
	}
	d.InventGUIDs()
	d.checkAddresses()
	f := fabric.New(d.File)
	for i := range d.Nodes {
		if err := d.buildNode(f, &d.Nodes[i]); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range d.Cables {
		if c.a == c.b || c.contradicted {
			continue
		}
		id, err := f.Connect(c.a, c.b, c.width, c.speed)
		if err != nil {
			return nil, nil, d.Errorf(c.line, "%s", lines.Reason(err))
		}
		f.Links[id].Down = c.down
	}
	d.nameDisputed(f)
	for i, n := range d.repeats {
		if n > 0 {
			d.Warnings[i].Text += fmt.Sprintf(" (and %d times more)", n)
		}
	}
	return f, d.Warnings, nil
}

func (d *Draft) buildNode(f *fabric.Fabric, n *Node) error {
	if old, dup := f.NodeByGUID(n.GUID); dup {
		return d.Errorf(n.where(), "%s: this node GUID is used on line %d too (by %q)",
			d.Name(fabric.NodeID(len(f.Nodes))), d.Nodes[old].where(), d.Nodes[old].Desc)
	}
	id, err := f.AddNode(n.Type, n.GUID, len(n.Ports)-1, n.Desc)
	if err != nil {
		return d.Errorf(n.where(), "%s", lines.Reason(err))
	}
	made := f.Nodes[id].Ports
	f.Nodes[id] = n.Node
	f.Nodes[id].Ports = made
	for p := range made {
		from := n.Ports[p]
		made[p].LID, made[p].LMC, made[p].Label = from.LID, from.LMC, from.Label
		switch {
		case n.Type == fabric.Switch:
			if n.Ports[0].GUID != 0 {
				made[p].GUID = n.Ports[0].GUID
			}
		case from.GUID != 0:
			made[p].GUID = from.GUID
		case from.Link != fabric.NoLink:
			made[p].GUID = n.GUID + fabric.GUID(p)
		}
	}
	return nil
}

// where returns the line to name in a message about a node.
func (n *Node) where() int {
	if n.Line != 0 {
		return n.Line
	}
	return n.RefLine
}

// checkAddresses warns of LIDs and port GUIDs that several ports claim.
func (d *Draft) checkAddresses() {
	lids := make([]int32, int(fabric.MaxUnicastLID)+1) // node index plus 1
	guids := make(map[fabric.GUID]int32, len(d.Nodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		for p := range n.Ports {
			port := &n.Ports[p]
			for k := 0; port.LID != 0 && k < 1<<port.LMC && int(port.LID)+k < len(lids); k++ {
				l := int(port.LID) + k
				if lids[l] != 0 {
					d.Warnf(n.where(), "LID %d belongs to %s and to %s", l, d.Name(fabric.NodeID(lids[l]-1)), d.Name(fabric.NodeID(i)))
				}
				lids[l] = int32(i) + 1
			}
			if n.Type == fabric.Switch || port.GUID == 0 {
				continue
			}
			if old, dup := guids[port.GUID]; dup {
				d.Warnf(n.where(), "port GUID %s belongs to %s and to %s", port.GUID, d.Name(fabric.NodeID(old)), d.Name(fabric.NodeID(i)))
			}
			guids[port.GUID] = int32(i)
		}
	}
}
