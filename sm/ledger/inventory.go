package ledger

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// NoSlot stands for no port.
const NoSlot int32 = -1

// Inventory holds the nodes and ports that a sweep found, in flat arrays. A slot is the index of a
// port; the slots of a node are consecutive, port 0 first.
type Inventory struct {
	Nodes  []Node
	ByGUID map[fabric.GUID]int32 // index into Nodes

	// The following slices are indexed by slot.
	Owner     []int32 // index into Nodes
	Info      []portInfo
	GUID      []fabric.GUID
	Behind    []int32 // slot that answered at the other end of the cable, or NoSlot
	FirstFrom []int32 // first slot whose cable was seen to end here, or NoSlot
	Peer      []int32 // the other end of the cable if both ends agree, or NoSlot
	Flags     []PortFlags

	Locked map[int32]bool // node indices: not writable, because the M_Key is unknown

	Changed bool // something changed during the sweep
	Missed  bool // a port has its link up, but nothing behind it answered
	Full    bool // there are more nodes than LIDs
}

// portInfo is the PortInfo attribute as reported.
type portInfo [64]byte

// PortFlags record facts about a port.
type PortFlags uint8

// The facts.
const (
	PortKnown  PortFlags = 1 << iota // its PortInfo was reported
	PortProbed                       // the node behind it was asked for
	PortFDR10                        // its QDR is FDR10
	PortCame                         // it was found in state Init
	PortTold                         // it answered the last Set of PortInfo, now or earlier
	PortDeaf                         // it did not take, or not acknowledge, a Set of PortInfo
)

// Node is a discovered node.
type Node struct {
	Identity
	Ports     uint8  // number of external ports
	PKeys     uint16 // P_Keys that a port can hold
	Entry     int32  // slot by which it was first reached
	First     int32  // slot of port 0
	Desc      string // NodeDescription
	Name      string // what people call it; "": as in Desc
	Path      []byte // directed route to Entry
	Sw        switchInfo
	Role      fabric.Role
	HasSwitch bool // Sw was reported
	Silent    bool // it did not answer a mandatory attribute
}

// Identity holds the fields of NodeInfo that are equal through all ports of a node.
type Identity struct {
	GUID, System             fabric.GUID
	Vendor, Device, Revision uint32
	Typ                      fabric.NodeType
}

// IdentityOf reads the identity from a NodeInfo.
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

// switchInfo is the SwitchInfo attribute as reported.
type switchInfo [20]byte

// AddNode appends a node and its ports, and returns its index. data is its NodeInfo, path the
// directed route to it, local the number of the port that received the request.
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

// OwnPort returns the slot of our own port. At least one node must be known.
func (n *Inventory) OwnPort() int32 { return n.Nodes[0].Entry }

// OwnGUID returns the GUID of our own port, 0 while it is unknown.
func (n *Inventory) OwnGUID() fabric.GUID {
	if len(n.Nodes) == 0 {
		return 0
	}
	return n.GUID[n.OwnPort()]
}

// PortNumber returns the number of a port at its node.
func (n *Inventory) PortNumber(slot int32) uint8 { return uint8(slot - n.Nodes[n.Owner[slot]].First) }

// SlotOf returns the slot of a port, by node GUID and port number.
func (n *Inventory) SlotOf(guid fabric.GUID, port uint8) (slot int32, ok bool) {
	id, ok := n.ByGUID[guid]
	if !ok || port > n.Nodes[id].Ports {
		return NoSlot, false
	}
	return n.Nodes[id].First + int32(port), true
}

// IsSwitch reports whether a port belongs to a switch.
func (n *Inventory) IsSwitch(slot int32) bool { return n.Nodes[n.Owner[slot]].Typ == fabric.Switch }

// TakesLID reports whether a port can have a LID: port 0 of a switch, or a CA or router port whose
// PortInfo is known.
func (n *Inventory) TakesLID(slot int32) bool {
	if n.IsSwitch(slot) {
		return n.PortNumber(slot) == 0
	}
	return n.PortNumber(slot) > 0 && n.Flags[slot]&PortKnown != 0
}

// LIDsIn returns the LIDs in a PortInfo; none if they are not all unicast LIDs.
func LIDsIn(info []byte) terms.PortLIDs {
	p := terms.PortLIDs{Base: fabric.LID(mad.PortInfoLID.Get(info)), LMC: uint8(mad.PortInfoLMC.Get(info))}
	if !p.IsUnicast() {
		return terms.PortLIDs{}
	}
	return p
}

// extendedSpeeds reports whether the node of a port supports extended link speeds.
func (n *Inventory) extendedSpeeds(slot int32) bool {
	if n.IsSwitch(slot) {
		slot = n.Nodes[n.Owner[slot]].First
	}
	return mad.PortInfoCapabilityMask.Get(n.Info[slot][:])&mad.CapIsExtendedSpeeds != 0
}

// HasLink reports whether a port's reported state is Init or higher: its cable ends in a live port.
func (n *Inventory) HasLink(slot int32) bool {
	return n.Flags[slot]&PortKnown != 0 && n.State(slot) >= mad.PortInit
}

// State returns the PortState of a port.
func (n *Inventory) State(slot int32) uint64 { return mad.PortInfoPortState.Get(n.Info[slot][:]) }

// Called returns the name of a node for people, "" if it is unknown.
func (n *Node) Called() string { return cmp.Or(n.Name, n.Desc) }

// NodeName returns the name of a node for people: type, description and GUID.
func (n *Inventory) NodeName(i int32) string {
	d := &n.Nodes[i]
	if d.Called() == "" {
		return fmt.Sprintf("%s %s", d.Typ, d.GUID)
	}
	return fmt.Sprintf("%s %q (%s)", d.Typ, d.Called(), d.GUID)
}

// PortName returns the name of a port for people: its node and its number.
func (n *Inventory) PortName(slot int32) string {
	if slot == NoSlot {
		return "our own port"
	}
	return fmt.Sprintf("%s[%d]", n.NodeName(n.Owner[slot]), n.PortNumber(slot))
}

// OwnPortName names the manager's own port.
func (n *Inventory) OwnPortName() fabric.PortName {
	d := &n.Nodes[0]
	return fabric.PortName{Type: d.Typ.String(), GUID: d.GUID, Name: d.Called(), Port: n.PortNumber(n.OwnPort())}
}

// NodePlace returns the place of a node for an Incident.
func (n *Inventory) NodePlace(i int32) terms.Place {
	return terms.Place{Node: n.Nodes[i].GUID, Name: n.Nodes[i].Called(), Port: -1}
}

// PortPlace returns the place of a port for an Incident.
func (n *Inventory) PortPlace(slot int32) terms.Place {
	if slot == NoSlot {
		return terms.Place{}
	}
	d := &n.Nodes[n.Owner[slot]]
	return terms.Place{Node: d.GUID, Name: d.Called(), Port: int(n.PortNumber(slot))}
}

// NodeInfo writes into data the NodeInfo that a node reports through this port.
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

// PortKey identifies a port by node GUID and port number.
type PortKey struct {
	Node fabric.GUID
	Port uint8
}

// MarshalText returns the port as GUID[port].
func (k PortKey) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s[%d]", k.Node, k.Port), nil
}

// UnmarshalText parses the output of MarshalText.
func (k *PortKey) UnmarshalText(text []byte) error {
	node, port, _ := strings.Cut(strings.TrimSuffix(string(text), "]"), "[")
	number, err := strconv.ParseUint(port, 10, 8)
	if err == nil {
		k.Node, err = fabric.ParseGUID(node)
	}
	k.Port = uint8(number)
	return err
}

// PortKey returns the key of a port.
func (l *Ledger) PortKey(slot int32) PortKey {
	return PortKey{l.Nodes[l.Owner[slot]].GUID, l.PortNumber(slot)}
}

// EndsOf returns both ends of the cable at a switch port. Between two switches the order is the
// same from either end; otherwise the given port is first. The second end is zero if nothing
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

// LinkName returns the name for people of the cable at a port.
func (l *Ledger) LinkName(slot int32) string {
	if l.Peer[slot] == NoSlot {
		return "the link at " + l.PortName(slot)
	}
	return fmt.Sprintf("the link %s - %s", l.PortName(slot), l.PortName(l.Peer[slot]))
}

// IsManageable reports whether a node can be managed: it is not locked and, if it is a switch, its
// port 0 and the size of its forwarding table are known.
func (l *Ledger) IsManageable(id int32) bool {
	n := &l.Nodes[id]
	return !l.Locked[id] && (n.Typ != fabric.Switch ||
		l.Flags[n.First]&PortKnown != 0 && mad.SwitchInfoLinearFDBCap.Get(n.Sw[:]) > 0)
}

// ReachableNodes marks the nodes that paired cables connect to us, by node index. A CA forwards
// nothing.
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

// IsJoinedWithout reports whether the switch at the first end of a cable stays connected to us
// without that cable. With toSwitch the same must hold for the switch at the second end.
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

// KnowsFDR10 reports whether a device supports FDR10: Mellanox SwitchX, ConnectX-3 and later.
func (n *Node) KnowsFDR10() bool {
	const mellanox, connectX3, connectXEnd, switchX = 0x0002C9, 0x1003, 0x2000, 0xC738
	return n.Vendor == mellanox && (n.Device >= switchX || n.Device >= connectX3 && n.Device < connectXEnd)
}
