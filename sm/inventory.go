package sm

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/wire/mad"
)

// noSlot stands for no port at all.
const noSlot int32 = -1

// inventory holds what a sweep has found, in flat arrays: nodes, and their ports. A slot
// is the index of a port; those of a node follow each other, port 0 first.
type inventory struct {
	nodes  []node
	byGUID map[fabric.GUID]int32

	// By slot.
	owner     []int32 // node
	info      []portInfo
	guid      []fabric.GUID
	behind    []int32 // slot that answered at the other end of the cable, or noSlot
	firstFrom []int32 // first slot whose cable was seen to end here, or noSlot
	peer      []int32 // after pairPorts: the other end of a cable that both ends agree on
	flags     []portFlags

	locked map[int32]bool // nodes to which nothing can be written, since their M_Key is not known

	changed bool // something changed during the sweep
	missed  bool // a link is up, and what is behind it has not answered
	full    bool // there are more nodes than LIDs
}

// portInfo is a PortInfo as reported.
type portInfo [64]byte

// portFlags say what is known of a port.
type portFlags uint8

const (
	portKnown  portFlags = 1 << iota // info was reported
	portProbed                       // the node behind it was asked for
	portFDR10                        // its QDR is FDR10
	portCame                         // it was found in state Init
	portTold                         // it has answered a Set of its PortInfo, in this round or in one before, and nothing else was to be told since
)

// node is a node as it was found.
type node struct {
	identity
	ports     uint8  // external ports
	pkeys     uint16 // P_Keys that a port holds
	entry     int32  // slot by which it was first reached
	first     int32  // slot of port 0
	desc      string
	path      []byte // directed route to entry
	sw        switchInfo
	role      fabric.Role
	hasSwitch bool // sw was reported
	silent    bool // it did not answer what every node must answer
}

// identity holds what NodeInfo says alike through every port of a node.
type identity struct {
	guid, system             fabric.GUID
	vendor, device, revision uint32
	typ                      fabric.NodeType
}

// identityOf reads a NodeInfo.
func identityOf(data []byte) identity {
	return identity{
		guid:     fabric.GUID(mad.NodeInfoNodeGUID.Get(data)),
		system:   fabric.GUID(mad.NodeInfoSystemImageGUID.Get(data)),
		vendor:   uint32(mad.NodeInfoVendorID.Get(data)),
		device:   uint32(mad.NodeInfoDeviceID.Get(data)),
		revision: uint32(mad.NodeInfoRevision.Get(data)),
		typ:      fabric.NodeType(mad.NodeInfoNodeType.Get(data)),
	}
}

// switchInfo is a SwitchInfo as reported.
type switchInfo [20]byte

// addNode makes room for a node and its ports.
func (n *inventory) addNode(data []byte, path []byte, local uint8) int32 {
	id := int32(len(n.nodes))
	d := node{
		identity: identityOf(data),
		ports:    uint8(mad.NodeInfoNumPorts.Get(data)),
		pkeys:    uint16(mad.NodeInfoPartitionCap.Get(data)),
		first:    int32(len(n.owner)),
		path:     append([]byte(nil), path...),
	}
	if d.ports == 0 || d.ports > fabric.MaxPorts || local > d.ports {
		d.ports = max(local, 1)
	}
	d.entry = d.first + int32(local)
	for range int(d.ports) + 1 {
		n.owner = append(n.owner, id)
		n.info = append(n.info, portInfo{})
		n.guid = append(n.guid, 0)
		n.behind = append(n.behind, noSlot)
		n.firstFrom = append(n.firstFrom, noSlot)
		n.peer = append(n.peer, noSlot)
		n.flags = append(n.flags, 0)
	}
	n.nodes = append(n.nodes, d)
	n.byGUID[d.guid] = id
	return id
}

// portsOf yields the slots of a node, port 0 first.
func (n *inventory) portsOf(id int32) iter.Seq[int32] {
	first, last := n.nodes[id].first, n.nodes[id].first+int32(n.nodes[id].ports)
	return func(yield func(slot int32) bool) {
		for slot := first; slot <= last && yield(slot); slot++ {
		}
	}
}

// ownPort returns our own port, once it is known.
func (n *inventory) ownPort() int32 { return n.nodes[0].entry }

// ownGUID returns the GUID of our port, 0 as long as it is not known.
func (n *inventory) ownGUID() fabric.GUID {
	if len(n.nodes) == 0 {
		return 0
	}
	return n.guid[n.ownPort()]
}

// portNumber returns the number of a port at its node.
func (n *inventory) portNumber(slot int32) uint8 { return uint8(slot - n.nodes[n.owner[slot]].first) }

// slotOf returns a port of the node that has a GUID.
func (n *inventory) slotOf(guid fabric.GUID, port uint8) (slot int32, ok bool) {
	id, ok := n.byGUID[guid]
	if !ok || port > n.nodes[id].ports {
		return noSlot, false
	}
	return n.nodes[id].first + int32(port), true
}

// isSwitch reports whether a port is a switch's.
func (n *inventory) isSwitch(slot int32) bool { return n.nodes[n.owner[slot]].typ == fabric.Switch }

// takesLID reports whether a LID can name a port: port 0 of a switch, or a CA port that
// was reached.
func (n *inventory) takesLID(slot int32) bool {
	if n.isSwitch(slot) {
		return n.portNumber(slot) == 0
	}
	return n.portNumber(slot) > 0 && n.flags[slot]&portKnown != 0
}

// extendedSpeeds reports whether the node of a port knows extended link speeds.
func (n *inventory) extendedSpeeds(slot int32) bool {
	if n.isSwitch(slot) {
		slot = n.nodes[n.owner[slot]].first
	}
	return mad.PortInfoCapabilityMask.Get(n.info[slot][:])&mad.CapIsExtendedSpeeds != 0
}

// hasLink reports whether the state of a port says that its cable ends in a live port.
func (n *inventory) hasLink(slot int32) bool {
	return n.flags[slot]&portKnown != 0 && n.state(slot) >= mad.PortInit
}

// state returns the PortState of a port.
func (n *inventory) state(slot int32) uint64 { return mad.PortInfoPortState.Get(n.info[slot][:]) }

// nodeName names a node to people.
func (n *inventory) nodeName(i int32) string {
	d := &n.nodes[i]
	if d.desc == "" {
		return fmt.Sprintf("%s %s", d.typ, d.guid)
	}
	return fmt.Sprintf("%s %q (%s)", d.typ, d.desc, d.guid)
}

// portName names a port to people.
func (n *inventory) portName(slot int32) string {
	if slot == noSlot {
		return "our own port"
	}
	return fmt.Sprintf("%s[%d]", n.nodeName(n.owner[slot]), n.portNumber(slot))
}

// nodePlace names a node in an Incident.
func (n *inventory) nodePlace(i int32) Place { return Place{n.nodes[i].guid, n.nodes[i].desc, -1} }

// portPlace names a port in an Incident.
func (n *inventory) portPlace(slot int32) Place {
	if slot == noSlot {
		return Place{}
	}
	d := &n.nodes[n.owner[slot]]
	return Place{d.guid, d.desc, int(n.portNumber(slot))}
}

// nodeInfo makes the NodeInfo that a node gives by one of its ports.
func (n *inventory) nodeInfo(slot int32, data []byte) {
	d := &n.nodes[n.owner[slot]]
	mad.NodeInfoNodeType.Put(data, uint64(d.typ))
	mad.NodeInfoNumPorts.Put(data, uint64(d.ports))
	mad.NodeInfoSystemImageGUID.Put(data, uint64(d.system))
	mad.NodeInfoNodeGUID.Put(data, uint64(d.guid))
	mad.NodeInfoPortGUID.Put(data, uint64(n.guid[slot]))
	mad.NodeInfoPartitionCap.Put(data, uint64(d.pkeys))
	mad.NodeInfoDeviceID.Put(data, uint64(d.device))
	mad.NodeInfoRevision.Put(data, uint64(d.revision))
	mad.NodeInfoLocalPortNum.Put(data, uint64(n.portNumber(slot)))
	mad.NodeInfoVendorID.Put(data, uint64(d.vendor))
}

// portKey names a port of a node.
type portKey struct {
	node fabric.GUID
	port uint8
}

// MarshalText writes a port as GUID[port].
func (k portKey) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s[%d]", k.node, k.port), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *portKey) UnmarshalText(text []byte) error {
	node, port, _ := strings.Cut(strings.TrimSuffix(string(text), "]"), "[")
	number, err := strconv.ParseUint(port, 10, 8)
	if err == nil {
		k.node, err = fabric.ParseGUID(node)
	}
	k.port = uint8(number)
	return err
}

// portKey names a port.
func (l *ledger) portKey(slot int32) portKey {
	return portKey{l.nodes[l.owner[slot]].guid, l.portNumber(slot)}
}

// endsOf names both ends of the cable in a switch port, in an order that does not depend on the end; the second is empty where nothing
// answers there.
func (l *ledger) endsOf(slot int32) [2]portKey {
	here, t := l.portKey(slot), l.peer[slot]
	if t == noSlot {
		return [2]portKey{here}
	}
	there := l.portKey(t)
	if l.isSwitch(t) && (there.node < here.node || there.node == here.node && there.port < here.port) {
		here, there = there, here
	}
	return [2]portKey{here, there}
}

// linkName names the cable in a port to people.
func (l *ledger) linkName(slot int32) string {
	if l.peer[slot] == noSlot {
		return "the link at " + l.portName(slot)
	}
	return fmt.Sprintf("the link %s - %s", l.portName(slot), l.portName(l.peer[slot]))
}

// isManageable reports whether a node has said what must be known to manage it: of a
// switch its port 0 and how large its forwarding table is.
func (l *ledger) isManageable(id int32) bool {
	n := &l.nodes[id]
	return !l.locked[id] && (n.typ != fabric.Switch ||
		l.flags[n.first]&portKnown != 0 && mad.SwitchInfoLinearFDBCap.Get(n.sw[:]) > 0)
}

// reachableNodes marks the nodes that paired cables join to us. A CA forwards nothing.
func (l *ledger) reachableNodes() []bool {
	reached := make([]bool, len(l.nodes))
	reached[0] = true
	for todo := []int32{0}; len(todo) > 0; todo = todo[1:] {
		id := todo[0]
		for slot := range l.portsOf(id) {
			t := l.peer[slot]
			if l.nodes[id].typ != fabric.Switch && slot != l.ownPort() ||
				t == noSlot || reached[l.owner[t]] || !l.isManageable(l.owner[t]) {
				continue
			}
			reached[l.owner[t]] = true
			todo = append(todo, l.owner[t])
		}
	}
	return reached
}

// isJoinedWithout reports whether the switch at the first end of a link is found, and joined to us by
// other links. With toSwitch the second end leads to a switch too, which must be as well.
func (l *ledger) isJoinedWithout(ends [2]portKey, toSwitch bool) bool {
	slot, ok := l.slotOf(ends[0].node, ends[0].port)
	if !ok {
		return false
	}
	t := l.peer[slot]
	if t != noSlot {
		l.peer[slot], l.peer[t] = noSlot, noSlot
		defer func() { l.peer[slot], l.peer[t] = t, slot }()
	}
	reached := l.reachableNodes()
	if !reached[l.owner[slot]] {
		return false
	}
	other, ok := l.byGUID[ends[1].node]
	return !toSwitch || ok && reached[other]
}

// knowsFDR10 reports whether a device is of the families from SwitchX and ConnectX-3 on.
func (n *node) knowsFDR10() bool {
	const mellanox, connectX3, connectXEnd, switchX = 0x0002C9, 0x1003, 0x2000, 0xC738
	return n.vendor == mellanox && (n.device >= switchX || n.device >= connectX3 && n.device < connectXEnd)
}
