package ledger

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// NoSlot stands for no port at all.
const NoSlot int32 = -1

// Inventory holds what a sweep has found, in flat arrays: nodes, and their ports. A slot
// is the index of a port; those of a node follow each other, port 0 first.
type Inventory struct {
	Nodes  []Node
	ByGUID map[fabric.GUID]int32

	// By slot.
	Owner     []int32 // node
	Info      []portInfo
	GUID      []fabric.GUID
	Behind    []int32 // slot that answered at the other end of the cable, or noSlot
	FirstFrom []int32 // first slot whose cable was seen to end here, or noSlot
	Peer      []int32 // after pairPorts: the other end of a cable that both ends agree on
	Flags     []PortFlags

	Locked map[int32]bool // nodes to which nothing can be written, since their M_Key is not known

	Changed bool // something changed during the sweep
	Missed  bool // a link is up, and what is behind it has not answered
	Full    bool // there are more nodes than LIDs
}

// portInfo is a PortInfo as reported.
type portInfo [64]byte

// PortFlags say what is known of a port.
type PortFlags uint8

// What is known of a port.
const (
	PortKnown  PortFlags = 1 << iota // info was reported
	PortProbed                       // the node behind it was asked for
	PortFDR10                        // its QDR is FDR10
	PortCame                         // it was found in state Init
	PortTold                         // it has answered a Set of its PortInfo, in this round or in one before, and nothing else was to be told since
)

// Node is a node as it was found.
type Node struct {
	Identity
	Ports     uint8  // external ports
	PKeys     uint16 // P_Keys that a port holds
	Entry     int32  // slot by which it was first reached
	First     int32  // slot of port 0
	Desc      string
	Path      []byte // directed route to entry
	Sw        switchInfo
	Role      fabric.Role
	HasSwitch bool // sw was reported
	Silent    bool // it did not answer what every node must answer
}

// Identity holds what NodeInfo says alike through every port of a node.
type Identity struct {
	GUID, System             fabric.GUID
	Vendor, Device, Revision uint32
	Typ                      fabric.NodeType
}

// IdentityOf reads a NodeInfo.
func IdentityOf(data []byte) Identity {
	return Identity{
		GUID:     fabric.GUID(mad.NodeInfoNodeGUID.Get(data)),
		System:   fabric.GUID(mad.NodeInfoSystemImageGUID.Get(data)),
		Vendor:   uint32(mad.NodeInfoVendorID.Get(data)),
		Device:   uint32(mad.NodeInfoDeviceID.Get(data)),
		Revision: uint32(mad.NodeInfoRevision.Get(data)),
		Typ:      fabric.NodeType(mad.NodeInfoNodeType.Get(data)),
	}
}

// switchInfo is a SwitchInfo as reported.
type switchInfo [20]byte

// AddNode makes room for a node and its ports.
func (n *Inventory) AddNode(data []byte, path []byte, local uint8) int32 {
	id := int32(len(n.Nodes))
	d := Node{
		Identity: IdentityOf(data),
		Ports:    uint8(mad.NodeInfoNumPorts.Get(data)),
		PKeys:    uint16(mad.NodeInfoPartitionCap.Get(data)),
		First:    int32(len(n.Owner)),
		Path:     append([]byte(nil), path...),
	}
	if d.Ports == 0 || d.Ports > fabric.MaxPorts || local > d.Ports {
		d.Ports = max(local, 1)
	}
	d.Entry = d.First + int32(local)
	for range int(d.Ports) + 1 {
		n.Owner = append(n.Owner, id)
		n.Info = append(n.Info, portInfo{})
		n.GUID = append(n.GUID, 0)
		n.Behind = append(n.Behind, NoSlot)
		n.FirstFrom = append(n.FirstFrom, NoSlot)
		n.Peer = append(n.Peer, NoSlot)
		n.Flags = append(n.Flags, 0)
	}
	n.Nodes = append(n.Nodes, d)
	n.ByGUID[d.GUID] = id
	return id
}

// PortsOf yields the slots of a node, port 0 first.
func (n *Inventory) PortsOf(id int32) iter.Seq[int32] {
	first, last := n.Nodes[id].First, n.Nodes[id].First+int32(n.Nodes[id].Ports)
	return func(yield func(slot int32) bool) {
		for slot := first; slot <= last && yield(slot); slot++ {
		}
	}
}

// OwnPort returns our own port, once it is known.
func (n *Inventory) OwnPort() int32 { return n.Nodes[0].Entry }

// OwnGUID returns the GUID of our port, 0 as long as it is not known.
func (n *Inventory) OwnGUID() fabric.GUID {
	if len(n.Nodes) == 0 {
		return 0
	}
	return n.GUID[n.OwnPort()]
}

// PortNumber returns the number of a port at its node.
func (n *Inventory) PortNumber(slot int32) uint8 { return uint8(slot - n.Nodes[n.Owner[slot]].First) }

// SlotOf returns a port of the node that has a GUID.
func (n *Inventory) SlotOf(guid fabric.GUID, port uint8) (slot int32, ok bool) {
	id, ok := n.ByGUID[guid]
	if !ok || port > n.Nodes[id].Ports {
		return NoSlot, false
	}
	return n.Nodes[id].First + int32(port), true
}

// IsSwitch reports whether a port is a switch's.
func (n *Inventory) IsSwitch(slot int32) bool { return n.Nodes[n.Owner[slot]].Typ == fabric.Switch }

// TakesLID reports whether a LID can name a port: port 0 of a switch, or a CA port that
// was reached.
func (n *Inventory) TakesLID(slot int32) bool {
	if n.IsSwitch(slot) {
		return n.PortNumber(slot) == 0
	}
	return n.PortNumber(slot) > 0 && n.Flags[slot]&PortKnown != 0
}

// extendedSpeeds reports whether the node of a port knows extended link speeds.
func (n *Inventory) extendedSpeeds(slot int32) bool {
	if n.IsSwitch(slot) {
		slot = n.Nodes[n.Owner[slot]].First
	}
	return mad.PortInfoCapabilityMask.Get(n.Info[slot][:])&mad.CapIsExtendedSpeeds != 0
}

// HasLink reports whether the state of a port says that its cable ends in a live port.
func (n *Inventory) HasLink(slot int32) bool {
	return n.Flags[slot]&PortKnown != 0 && n.State(slot) >= mad.PortInit
}

// State returns the PortState of a port.
func (n *Inventory) State(slot int32) uint64 { return mad.PortInfoPortState.Get(n.Info[slot][:]) }

// NodeName names a node to people.
func (n *Inventory) NodeName(i int32) string {
	d := &n.Nodes[i]
	if d.Desc == "" {
		return fmt.Sprintf("%s %s", d.Typ, d.GUID)
	}
	return fmt.Sprintf("%s %q (%s)", d.Typ, d.Desc, d.GUID)
}

// PortName names a port to people.
func (n *Inventory) PortName(slot int32) string {
	if slot == NoSlot {
		return "our own port"
	}
	return fmt.Sprintf("%s[%d]", n.NodeName(n.Owner[slot]), n.PortNumber(slot))
}

// NodePlace names a node in an Incident.
func (n *Inventory) NodePlace(i int32) terms.Place {
	return terms.Place{Node: n.Nodes[i].GUID, Name: n.Nodes[i].Desc, Port: -1}
}

// PortPlace names a port in an Incident.
func (n *Inventory) PortPlace(slot int32) terms.Place {
	if slot == NoSlot {
		return terms.Place{}
	}
	d := &n.Nodes[n.Owner[slot]]
	return terms.Place{Node: d.GUID, Name: d.Desc, Port: int(n.PortNumber(slot))}
}

// NodeInfo makes the NodeInfo that a node gives by one of its ports.
func (n *Inventory) NodeInfo(slot int32, data []byte) {
	d := &n.Nodes[n.Owner[slot]]
	mad.NodeInfoNodeType.Put(data, uint64(d.Typ))
	mad.NodeInfoNumPorts.Put(data, uint64(d.Ports))
	mad.NodeInfoSystemImageGUID.Put(data, uint64(d.System))
	mad.NodeInfoNodeGUID.Put(data, uint64(d.GUID))
	mad.NodeInfoPortGUID.Put(data, uint64(n.GUID[slot]))
	mad.NodeInfoPartitionCap.Put(data, uint64(d.PKeys))
	mad.NodeInfoDeviceID.Put(data, uint64(d.Device))
	mad.NodeInfoRevision.Put(data, uint64(d.Revision))
	mad.NodeInfoLocalPortNum.Put(data, uint64(n.PortNumber(slot)))
	mad.NodeInfoVendorID.Put(data, uint64(d.Vendor))
}

// PortKey names a port of a node.
type PortKey struct {
	Node fabric.GUID
	Port uint8
}

// MarshalText writes a port as GUID[port].
func (k PortKey) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s[%d]", k.Node, k.Port), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *PortKey) UnmarshalText(text []byte) error {
	node, port, _ := strings.Cut(strings.TrimSuffix(string(text), "]"), "[")
	number, err := strconv.ParseUint(port, 10, 8)
	if err == nil {
		k.Node, err = fabric.ParseGUID(node)
	}
	k.Port = uint8(number)
	return err
}

// PortKey names a port.
func (l *Ledger) PortKey(slot int32) PortKey {
	return PortKey{l.Nodes[l.Owner[slot]].GUID, l.PortNumber(slot)}
}

// EndsOf names both ends of the cable in a switch port, in an order that does not depend on the end; the second is empty where nothing
// answers there.
func (l *Ledger) EndsOf(slot int32) [2]PortKey {
	here, t := l.PortKey(slot), l.Peer[slot]
	if t == NoSlot {
		return [2]PortKey{here}
	}
	there := l.PortKey(t)
	if l.IsSwitch(t) && (there.Node < here.Node || there.Node == here.Node && there.Port < here.Port) {
		here, there = there, here
	}
	return [2]PortKey{here, there}
}

// LinkName names the cable in a port to people.
func (l *Ledger) LinkName(slot int32) string {
	if l.Peer[slot] == NoSlot {
		return "the link at " + l.PortName(slot)
	}
	return fmt.Sprintf("the link %s - %s", l.PortName(slot), l.PortName(l.Peer[slot]))
}

// IsManageable reports whether a node has said what must be known to manage it: of a
// switch its port 0 and how large its forwarding table is.
func (l *Ledger) IsManageable(id int32) bool {
	n := &l.Nodes[id]
	return !l.Locked[id] && (n.Typ != fabric.Switch ||
		l.Flags[n.First]&PortKnown != 0 && mad.SwitchInfoLinearFDBCap.Get(n.Sw[:]) > 0)
}

// ReachableNodes marks the nodes that paired cables join to us. A CA forwards nothing.
func (l *Ledger) ReachableNodes() []bool {
	reached := make([]bool, len(l.Nodes))
	reached[0] = true
	for todo := []int32{0}; len(todo) > 0; todo = todo[1:] {
		id := todo[0]
		for slot := range l.PortsOf(id) {
			t := l.Peer[slot]
			if l.Nodes[id].Typ != fabric.Switch && slot != l.OwnPort() ||
				t == NoSlot || reached[l.Owner[t]] || !l.IsManageable(l.Owner[t]) {
				continue
			}
			reached[l.Owner[t]] = true
			todo = append(todo, l.Owner[t])
		}
	}
	return reached
}

// IsJoinedWithout reports whether the switch at the first end of a link is found, and joined to us by
// other links. With toSwitch the second end leads to a switch too, which must be as well.
func (l *Ledger) IsJoinedWithout(ends [2]PortKey, toSwitch bool) bool {
	slot, ok := l.SlotOf(ends[0].Node, ends[0].Port)
	if !ok {
		return false
	}
	t := l.Peer[slot]
	if t != NoSlot {
		l.Peer[slot], l.Peer[t] = NoSlot, NoSlot
		defer func() { l.Peer[slot], l.Peer[t] = t, slot }()
	}
	reached := l.ReachableNodes()
	if !reached[l.Owner[slot]] {
		return false
	}
	other, ok := l.ByGUID[ends[1].Node]
	return !toSwitch || ok && reached[other]
}

// KnowsFDR10 reports whether a device is of the families from SwitchX and ConnectX-3 on.
func (n *Node) KnowsFDR10() bool {
	const mellanox, connectX3, connectXEnd, switchX = 0x0002C9, 0x1003, 0x2000, 0xC738
	return n.Vendor == mellanox && (n.Device >= switchX || n.Device >= connectX3 && n.Device < connectXEnd)
}
