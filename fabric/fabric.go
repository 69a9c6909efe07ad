package fabric

import "fmt"

// NodeID is the index of a node in Fabric.Nodes.
type NodeID int32

// LinkID is the index of a link in Fabric.Links. NoLink marks a port without a cable.
type LinkID int32

// NoLink is the Link of a port without a cable.
const NoLink LinkID = -1

// Fabric is a network: its nodes and its cables, up or down.
//
// Nodes and Links may be read freely and their attributes set; add nodes and links only with
// AddNode and Connect, which keep the indices consistent.
type Fabric struct {
	Name  string // its origin: a file name or a formula
	Nodes []Node
	Links []Link

	byGUID map[GUID]NodeID
}

// Node is a switch, a channel adapter or a router.
type Node struct {
	GUID          GUID
	Type          NodeType
	Desc          string // NodeDescription
	SystemGUID    GUID   // system image GUID, 0 when unknown
	VendorID      uint32
	DeviceID      uint32
	Revision      uint32
	Chassis       string // chassis heading under which a dump listed the node
	EnhancedPort0 bool   // switch with an enhanced port 0
	LinearFDBCap  uint16 // entries of the linear forwarding table, 0 when unknown
	Role          Role   // role of a switch in a tree, as assigned

	Down    bool // powered off or failed: not in the Graph
	Drained bool // of a switch: serves its own hosts and port 0, lets no other traffic through

	// Ports by port number, 0 to the number of external ports. Port 0 is the
	// management port of a switch and unused on other nodes.
	Ports []Port
}

// NumPorts returns the number of external ports.
func (n *Node) NumPorts() int { return len(n.Ports) - 1 }

// Port is one port of a node.
type Port struct {
	GUID  GUID   // port GUID; all ports of a switch have the GUID of port 0
	Link  LinkID // the cable, or NoLink
	LID   LID    // base LID as seen, 0 when unknown or unassigned
	LMC   uint8
	VLCap uint8  // number of data VLs supported, 0 when unknown
	Label string // label on the case from a dump ("1/2/1"), usually empty
}

// End is one end of a cable.
type End struct {
	Node NodeID
	Port uint8
}

// Link is a cable between two ports.
type Link struct {
	A, B    End
	Width   Width
	Speed   Speed
	Down    bool // failed or unplugged: not in the Graph
	Drained bool // up, but not to be used by routing: not in the Graph
}

// New returns an empty fabric.
func New(name string) *Fabric {
	return &Fabric{Name: name, byGUID: map[GUID]NodeID{}}
}

// AddNode adds a node with the given number of external ports, none cabled. It fails if the GUID is
// taken or the number of ports is outside 1..254.
func (f *Fabric) AddNode(t NodeType, guid GUID, ports int, desc string) (NodeID, error) {
	if ports < 1 || ports > MaxPorts {
		return -1, fmt.Errorf("fabric: %s %s has %d ports (want 1 to %d)", t, guid, ports, MaxPorts)
	}
	if old, dup := f.byGUID[guid]; dup {
		return -1, fmt.Errorf("fabric: node GUID %s is used twice (%s %q and %s %q)",
			guid, f.Nodes[old].Type, f.Nodes[old].Desc, t, desc)
	}
	n := Node{GUID: guid, Type: t, Desc: desc, Ports: make([]Port, ports+1)}
	for i := range n.Ports {
		n.Ports[i].Link = NoLink
		if t == Switch {
			n.Ports[i].GUID = guid
		}
	}
	id := NodeID(len(f.Nodes))
	f.Nodes = append(f.Nodes, n)
	f.byGUID[guid] = id
	return id, nil
}

// NodeByGUID finds a node by its node GUID.
func (f *Fabric) NodeByGUID(guid GUID) (NodeID, bool) {
	id, ok := f.byGUID[guid]
	return id, ok
}

// Connect joins two free ports by a cable. A cable may join two ports of one node, as is found in
// the field, but not a port to itself.
func (f *Fabric) Connect(a, b End, w Width, s Speed) (LinkID, error) {
	for _, e := range [2]End{a, b} {
		if e.Node < 0 || int(e.Node) >= len(f.Nodes) {
			return NoLink, fmt.Errorf("fabric: no node %d", e.Node)
		}
		n := &f.Nodes[e.Node]
		if e.Port == 0 || int(e.Port) > n.NumPorts() {
			return NoLink, fmt.Errorf("fabric: %s has no port %d to cable (ports 1 to %d)", f.NodeName(e.Node), e.Port, n.NumPorts())
		}
		if n.Ports[e.Port].Link != NoLink {
			return NoLink, fmt.Errorf("fabric: port %s is cabled already (to %s)", f.EndName(e), f.EndName(f.Peer(e)))
		}
	}
	if a == b {
		return NoLink, fmt.Errorf("fabric: port %s is cabled to itself", f.EndName(a))
	}
	id := LinkID(len(f.Links))
	f.Links = append(f.Links, Link{A: a, B: b, Width: w, Speed: s})
	f.Nodes[a.Node].Ports[a.Port].Link = id
	f.Nodes[b.Node].Ports[b.Port].Link = id
	return id, nil
}

// Peer returns the other end of the cable in a port. The port must be cabled.
func (f *Fabric) Peer(e End) End {
	l := &f.Links[f.Nodes[e.Node].Ports[e.Port].Link]
	if l.A == e {
		return l.B
	}
	return l.A
}

// NodeName names a node for people: its description and GUID.
func (f *Fabric) NodeName(id NodeID) string {
	n := &f.Nodes[id]
	return fmt.Sprintf("%q (%s)", n.Desc, n.GUID)
}

// EndName names a port for people: node and port number.
func (f *Fabric) EndName(e End) string {
	return fmt.Sprintf("%s[%d]", f.NodeName(e.Node), e.Port)
}
