package wiretest

import (
	"sync"

	"weft/mad"
	"weft/wire"
)

// GUIDs of the nodes; a CA's port has the GUID after its node's.
const (
	GUIDA = 0x100000
	GUIDB = 0x100002
	GUIDS = 0x200000
)

// Ibsim is the subnet as a net file; its GUIDs are the program's own choice.
const Ibsim = `Switch 2 "S"
[1]  "A"[1]
[2]  "B"[1]

Hca 1 "A"
[1]  "S"[1]

Hca 1 "B"
[1]  "S"[2]
`

// Subnet emulates as much of the subnet as the suite asks for: NodeInfo,
// SwitchInfo, and a PortInfo of the CAs that can be written; directed routes, and
// a CA's own LID. SMInfo goes to the attachment at the port, if it IsSM.
type Subnet struct {
	mu  sync.Mutex
	cas [2]ca
}

type ca struct {
	info    [64]byte // PortInfo
	deliver func(*wire.Datagram)
}

// NewSubnet makes a subnet without LIDs.
func NewSubnet() *Subnet {
	s := new(Subnet)
	for i := range s.cas {
		pi := s.cas[i].info[:]
		mad.PortInfoGidPrefix.Put(pi, mad.DefaultGIDPrefix)
		mad.PortInfoLocalPortNum.Put(pi, 1)
		mad.PortInfoPortState.Put(pi, mad.PortInit)
		mad.PortInfoPhysicalState.Put(pi, mad.PhysLinkUp)
	}
	return s
}

// Attachment is a port of the subnet that somebody sends and receives through.
type Attachment struct {
	s    *Subnet
	node int // of cas
}

// Attach attaches to node "A" or "B"; deliver gets what arrives there.
func (s *Subnet) Attach(node string, deliver func(*wire.Datagram)) *Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Attachment{s: s}
	if node == "B" {
		a.node = 1
	}
	s.cas[a.node].deliver = deliver
	return a
}

// SetIsSM sets the bit of the capability mask.
func (a *Attachment) SetIsSM(on bool) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	pi := a.info()
	caps := mad.PortInfoCapabilityMask.Get(pi) &^ mad.CapIsSM
	if on {
		caps |= mad.CapIsSM
	}
	mad.PortInfoCapabilityMask.Put(pi, caps)
}

func (a *Attachment) info() []byte { return a.s.cas[a.node].info[:] }

// Port is the attached port.
func (a *Attachment) Port() wire.Port {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	pi := a.info()
	caps := uint32(mad.PortInfoCapabilityMask.Get(pi))
	return wire.Port{
		Device: nodeNames[a.node], Number: 1, NodeGUID: nodeGUIDs[a.node], PortGUID: nodeGUIDs[a.node] + 1,
		GIDPrefix: mad.DefaultGIDPrefix, LID: uint16(mad.PortInfoLID.Get(pi)), PKeys: []uint16{0xFFFF},
		State: uint8(mad.PortInfoPortState.Get(pi)), PhysState: uint8(mad.PortInfoPhysicalState.Get(pi)),
		CapMask: caps, IsSM: caps&mad.CapIsSM != 0,
	}
}

const theSwitch = 2

var (
	nodeNames = [...]string{"A", "B", "S"}
	nodeGUIDs = [...]uint64{GUIDA, GUIDB, GUIDS}
)

// Send brings a datagram from the attachment into the subnet. d may be changed. It
// reports false for one that cannot be delivered.
func (a *Attachment) Send(d *wire.Datagram) bool {
	a.s.mu.Lock()
	to, port, ok := a.s.route(a.node, d)
	if ok && (d.MAD.Method().IsResponse() || d.MAD.Attr() == mad.AttrSMInfo) {
		deliver := a.s.takes(to, d)
		a.s.mu.Unlock()
		if deliver != nil {
			deliver(d)
		}
		return deliver != nil
	}
	var deliver func(*wire.Datagram)
	if ok {
		a.s.answer(to, port, d)
		deliver = a.s.cas[a.node].deliver
	}
	a.s.mu.Unlock()
	if ok {
		deliver(d)
	}
	return ok
}

// route finds the node that d goes to and the port it comes in by.
func (s *Subnet) route(from int, d *wire.Datagram) (node, port int, ok bool) {
	if d.MAD.Class() != mad.ClassDirectedSMP {
		own := uint16(mad.PortInfoLID.Get(s.cas[from].info[:]))
		return from, 1, own != 0 && d.Addr.DLID == own
	}
	if d.MAD.Method().IsResponse() {
		// Only the other CA can have asked, and the way back has two hops.
		return 1 - from, 1, len(d.MAD.Hops()) == 2
	}
	node, port = from, 1
	for i, egress := range d.MAD.Hops() {
		switch {
		case node != theSwitch && egress == 1 && i == 0: // a CA forwards nothing
			port = node + 1
			node = theSwitch
		case node == theSwitch && egress >= 1 && egress <= 2:
			node, port = int(egress)-1, 1
		default:
			return 0, 0, false
		}
	}
	return node, port, true
}

// takes gives the attachment that d is handed to, if there is one.
func (s *Subnet) takes(node int, d *wire.Datagram) func(*wire.Datagram) {
	if node == theSwitch {
		return nil
	}
	c := &s.cas[node]
	if d.MAD.Method().IsResponse() || mad.PortInfoCapabilityMask.Get(c.info[:])&mad.CapIsSM != 0 {
		return c.deliver
	}
	return nil
}

// answer turns d into the node's answer.
func (s *Subnet) answer(node, port int, d *wire.Datagram) {
	status, data := mad.StatusOK, d.MAD.Data()
	set := d.MAD.Method() == mad.Set
	switch attr := d.MAD.Attr(); {
	case attr == mad.AttrNodeInfo && !set:
		clear(data)
		s.nodeInfo(node, port, data)
	case attr == mad.AttrPortInfo && node != theSwitch:
		if set {
			mad.PortInfoLID.Put(s.cas[node].info[:], mad.PortInfoLID.Get(data))
		}
		copy(data, s.cas[node].info[:])
	case attr == mad.AttrSwitchInfo && node == theSwitch && !set:
		clear(data)
		mad.SwitchInfoLinearFDBCap.Put(data, 1024)
	default:
		status = mad.StatusBadAttribute
	}
	d.MAD.Answer(status)
	d.Addr = d.Addr.Reply()
}

func (s *Subnet) nodeInfo(node, port int, data []byte) {
	mad.NodeInfoNodeGUID.Put(data, nodeGUIDs[node])
	mad.NodeInfoLocalPortNum.Put(data, uint64(port))
	if node == theSwitch {
		mad.NodeInfoNodeType.Put(data, mad.NodeSwitch)
		mad.NodeInfoNumPorts.Put(data, 2)
		mad.NodeInfoPortGUID.Put(data, nodeGUIDs[node])
		return
	}
	mad.NodeInfoNodeType.Put(data, mad.NodeCA)
	mad.NodeInfoNumPorts.Put(data, 1)
	mad.NodeInfoPortGUID.Put(data, nodeGUIDs[node]+1)
}
