package sm

import (
	"fmt"

	"weft/fabric"
	"weft/mad"
)

// noSlot stands for no port at all.
const noSlot int32 = -1

// net is what a sweep has found, in flat arrays: nodes, and slots, which are the
// ports of all nodes one after the other, port 0 first.
type net struct {
	nodes  []node
	byGUID map[fabric.GUID]int32

	// By slot.
	owner     []int32 // node
	info      []portInfo
	guid      []fabric.GUID
	claim     []int32 // slot that answered at the other end of the cable, or noSlot
	claimedBy []int32 // first slot whose cable ends here, or noSlot
	peer      []int32 // after resolve: the other end of a cable that both ends agree on
	flags     []slotFlags

	changed bool // something changed during the sweep
	crowded bool // there are more nodes than can be named
}

// portInfo is a PortInfo as reported.
type portInfo [64]byte

type slotFlags uint8

const (
	known   slotFlags = 1 << iota // info was reported
	probed                        // what is behind it was asked
	mute                          // what is behind it does not answer
	refused                       // the node refused to describe this port
	fdr10                         // its QDR is FDR10
)

// node is a node as it was found.
type node struct {
	guid, system             fabric.GUID
	vendor, device, revision uint32
	typ                      fabric.NodeType
	ports                    uint8  // external ports
	pkeys                    uint16 // that a port holds
	entry                    int32  // slot by which it was first reached
	first                    int32  // slot of port 0
	desc                     string
	path                     []byte // directed route to entry
	sw                       switchInfo
	role                     fabric.Role
	hasSwitch                bool // sw was reported
	silent                   bool // a question that everyone must answer was not answered
}

type switchInfo [20]byte

func (n *net) reset() {
	*n = net{byGUID: map[fabric.GUID]int32{}}
}

// addNode makes room for a node and its ports.
func (n *net) addNode(data []byte, path []byte, local uint8) int32 {
	id := int32(len(n.nodes))
	d := node{
		guid:     fabric.GUID(mad.NodeInfoNodeGUID.Get(data)),
		system:   fabric.GUID(mad.NodeInfoSystemImageGUID.Get(data)),
		vendor:   uint32(mad.NodeInfoVendorID.Get(data)),
		device:   uint32(mad.NodeInfoDeviceID.Get(data)),
		revision: uint32(mad.NodeInfoRevision.Get(data)),
		typ:      fabric.NodeType(mad.NodeInfoNodeType.Get(data)),
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
		n.claim = append(n.claim, noSlot)
		n.claimedBy = append(n.claimedBy, noSlot)
		n.peer = append(n.peer, noSlot)
		n.flags = append(n.flags, 0)
	}
	n.nodes = append(n.nodes, d)
	n.byGUID[d.guid] = id
	return id
}

// own is our own port, once it is known.
func (n *net) own() int32 { return n.nodes[0].entry }

func (n *net) portOf(slot int32) uint8 { return uint8(slot - n.nodes[n.owner[slot]].first) }

func (n *net) isSwitch(slot int32) bool { return n.nodes[n.owner[slot]].typ == fabric.Switch }

// addressed tells a port that a LID can name: a CA port that was reached, or port
// 0 of a switch.
func (n *net) addressed(slot int32) bool {
	if n.isSwitch(slot) {
		return n.portOf(slot) == 0
	}
	return n.portOf(slot) > 0 && n.flags[slot]&known != 0
}

// extendedSpeeds tells whether the node of a port knows extended link speeds.
func (n *net) extendedSpeeds(slot int32) bool {
	if n.isSwitch(slot) {
		slot = n.nodes[n.owner[slot]].first
	}
	return mad.PortInfoCapabilityMask.Get(n.info[slot][:])&mad.CapIsExtendedSpeeds != 0
}

// linked tells a port that has a cable with something live at its other end.
func (n *net) linked(slot int32) bool {
	if n.flags[slot]&known == 0 {
		return false
	}
	return mad.PortInfoPortState.Get(n.info[slot][:]) >= mad.PortInit
}

func (n *net) nodeName(i int32) string {
	d := &n.nodes[i]
	if d.desc == "" {
		return fmt.Sprintf("%s %s", d.typ, d.guid)
	}
	return fmt.Sprintf("%s %q (%s)", d.typ, d.desc, d.guid)
}

// nodePlace names a node in an Incident.
func (n *net) nodePlace(i int32) Place { return Place{n.nodes[i].guid, n.nodes[i].desc, -1} }

// portPlace names a port in an Incident.
func (n *net) portPlace(slot int32) Place {
	if slot == noSlot {
		return Place{}
	}
	d := &n.nodes[n.owner[slot]]
	return Place{d.guid, d.desc, int(n.portOf(slot))}
}

func (n *net) slotName(slot int32) string {
	if slot == noSlot {
		return "our own port"
	}
	return fmt.Sprintf("%s[%d]", n.nodeName(n.owner[slot]), n.portOf(slot))
}
