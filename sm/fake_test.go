package sm

import (
	"weft/fabric"
	"weft/wire/mad"
)

// fake is a deliberately dumb subnet: directed routes are walked over a Fabric,
// attributes are kept as bytes. It knows nothing of how a Core works.
type fake struct {
	f     *fabric.Fabric
	at    fabric.End // where the subnet manager sits
	nodes []fakeNode
}

type fakeNode struct {
	guid   fabric.GUID                                       // what it says
	ports  int                                               // what it says
	pkeys  int                                               // what it says
	silent bool                                              // its agent answers nothing, and forwards nothing
	deaf   mad.AttrID                                        // answers all but this attribute
	deny   mad.AttrID                                        // refuses to Set this one
	lies   bool                                              // says that it was reached by its port 0
	eager  bool                                              // its ports take any state
	forget mad.AttrID                                        // says that a Set of this one is well, and keeps what it has
	bend   func(attr mad.AttrID, mod uint32, data *[64]byte) // what it makes of a table that it is told
	sw     [20]byte
	lft    map[uint32][64]byte
	tables map[[2]uint32][64]byte // by attribute and modifier: SL2VL, VLArb, P_Key
	info   [][64]byte
}

// newFake makes a cold subnet; the manager sits on the first CA that has a cable.
func newFake(f *fabric.Fabric) *fake {
	s := &fake{f: f, nodes: make([]fakeNode, len(f.Nodes)), at: fabric.End{Node: -1}}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		d := &s.nodes[i]
		*d = fakeNode{
			guid: n.GUID, ports: n.NumPorts(), pkeys: 64, lft: map[uint32][64]byte{},
			tables: map[[2]uint32][64]byte{}, info: make([][64]byte, len(n.Ports)),
		}
		mad.SwitchInfoLinearFDBCap.Put(d.sw[:], 49152)
		mad.SwitchInfoPortStateChange.Put(d.sw[:], 1)
		for p := range d.info {
			b := d.info[p][:]
			up := p == 0 || n.Ports[p].Link != fabric.NoLink && f.LinkUp(n.Ports[p].Link)
			mad.PortInfoPortState.Put(b, mad.PortDown)
			mad.PortInfoPhysicalState.Put(b, mad.PhysPolling)
			if up {
				mad.PortInfoPortState.Put(b, mad.PortInit)
				mad.PortInfoPhysicalState.Put(b, mad.PhysLinkUp)
			}
			if p == 0 {
				mad.PortInfoPortState.Put(b, mad.PortActive)
			}
			mad.PortInfoLocalPortNum.Put(b, uint64(p))
			mad.PortInfoWidthActive.Put(b, 2)
			mad.PortInfoSpeedActive.Put(b, 4)
			mad.PortInfoVLCap.Put(b, 4)
			mad.PortInfoMTUCap.Put(b, 5)
			mad.PortInfoNeighborMTU.Put(b, 1)
			mad.PortInfoVLArbLowCap.Put(b, 8)
			mad.PortInfoVLArbHighCap.Put(b, 8)
			if s.at.Node < 0 && up && p > 0 && n.Type == fabric.CA {
				s.at = fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
			}
		}
	}
	return s
}

// walk follows a directed route to the node it ends at, and the port it came in by.
func (s *fake) walk(path []byte) (fabric.End, bool) {
	here := s.at
	for i, port := range path {
		n := &s.f.Nodes[here.Node]
		if i > 0 && n.Type != fabric.Switch || s.nodes[here.Node].silent || int(port) > n.NumPorts() ||
			n.Ports[port].Link == fabric.NoLink || !s.f.LinkUp(n.Ports[port].Link) {
			return here, false
		}
		here = s.f.Peer(fabric.End{Node: here.Node, Port: port})
	}
	return here, !s.nodes[here.Node].silent
}

// do performs an SMP on the node that a route ends at; ok is false when nothing
// comes back. data is replaced by the answer's.
func (s *fake) do(path []byte, method mad.Method, attr mad.AttrID, mod uint32, data *[64]byte) (status mad.Status, ok bool) {
	at, ok := s.walk(path)
	d := &s.nodes[at.Node]
	if !ok || d.deaf == attr && attr != 0 {
		return 0, false
	}
	n := &s.f.Nodes[at.Node]
	set := method == mad.Set && d.forget != attr
	if set && d.deny == attr {
		return mad.StatusBadField, true
	}
	if set && d.bend != nil {
		d.bend(attr, mod, data)
	}
	switch attr {
	case mad.AttrNodeInfo:
		s.nodeInfo(at, data[:])
	case mad.AttrNodeDescription:
		*data = [64]byte{}
		copy(data[:], n.Desc)
	case mad.AttrSwitchInfo:
		if n.Type != fabric.Switch {
			return mad.StatusBadAttribute, true
		}
		if set {
			changed := mad.SwitchInfoPortStateChange.Is(d.sw[:]) && !mad.SwitchInfoPortStateChange.Is(data[:])
			mad.SwitchInfoLinearFDBTop.Put(d.sw[:], mad.SwitchInfoLinearFDBTop.Get(data[:]))
			mad.SwitchInfoLifeTimeValue.Put(d.sw[:], mad.SwitchInfoLifeTimeValue.Get(data[:]))
			if !changed {
				mad.SwitchInfoPortStateChange.Put(d.sw[:], 0)
			}
		}
		*data = [64]byte{}
		copy(data[:], d.sw[:])
	case mad.AttrPortInfo:
		return s.portInfo(at, uint8(mod), set, data), true
	case mad.AttrLinearForwardingTable:
		if set {
			d.lft[mod] = *data
		}
		*data = d.lft[mod]
	default:
		if set {
			d.tables[[2]uint32{uint32(attr), mod}] = *data
		}
		*data = d.tables[[2]uint32{uint32(attr), mod}]
	}
	return 0, true
}

func (s *fake) nodeInfo(at fabric.End, data []byte) {
	n, d := &s.f.Nodes[at.Node], &s.nodes[at.Node]
	clear(data)
	mad.NodeInfoNodeType.Put(data, uint64(n.Type))
	mad.NodeInfoNumPorts.Put(data, uint64(d.ports))
	mad.NodeInfoSystemImageGUID.Put(data, uint64(n.SystemGUID))
	mad.NodeInfoNodeGUID.Put(data, uint64(d.guid))
	mad.NodeInfoPortGUID.Put(data, uint64(n.Ports[at.Port].GUID))
	mad.NodeInfoDeviceID.Put(data, uint64(n.DeviceID))
	mad.NodeInfoVendorID.Put(data, uint64(n.VendorID))
	mad.NodeInfoRevision.Put(data, uint64(n.Revision))
	mad.NodeInfoPartitionCap.Put(data, uint64(d.pkeys))
	if !d.lies {
		mad.NodeInfoLocalPortNum.Put(data, uint64(at.Port))
	}
}

// portInfo answers Get and Set of PortInfo; a state is refused where ibsim does.
func (s *fake) portInfo(at fabric.End, port uint8, set bool, data *[64]byte) mad.Status {
	n, d := &s.f.Nodes[at.Node], &s.nodes[at.Node]
	if n.Type != fabric.Switch && (port == 0 || set) && port != at.Port {
		if port != 0 {
			return mad.StatusBadField
		}
		port = at.Port
	}
	if int(port) >= len(d.info) {
		return mad.StatusBadField
	}
	b := d.info[port][:]
	status := mad.StatusOK
	if set {
		for _, f := range []mad.Field{mad.PortInfoPhysicalState, mad.PortInfoLinkDownDefault, mad.PortInfoClientReregister} {
			if f.Is(data[:]) { // not for a bring-up to change
				return mad.StatusBadField
			}
		}
		for _, f := range []mad.Field{
			mad.PortInfoLID, mad.PortInfoLMC, mad.PortInfoMasterSMLID, mad.PortInfoMasterSMSL, mad.PortInfoGidPrefix,
			mad.PortInfoSubnetTimeOut, mad.PortInfoNeighborMTU, mad.PortInfoOperationalVLs, mad.PortInfoHOQLife,
			mad.PortInfoVLStallCount, mad.PortInfoVLHighLimit,
		} {
			f.Put(b, f.Get(data[:]))
		}
		status = s.transition(fabric.End{Node: at.Node, Port: port}, mad.PortInfoPortState.Get(data[:]))
	}
	*data = d.info[port]
	return status
}

// transition moves a port up one state, when the other end is at most one behind.
func (s *fake) transition(e fabric.End, to uint64) mad.Status {
	if to == mad.PortNoChange {
		return mad.StatusOK
	}
	n := &s.f.Nodes[e.Node]
	link := n.Ports[e.Port].Link
	b := s.nodes[e.Node].info[e.Port][:]
	if e.Port == 0 || link == fabric.NoLink || to < mad.PortArmed || to != mad.PortInfoPortState.Get(b)+1 {
		return mad.StatusBadField
	}
	t := s.f.Peer(e)
	if !s.nodes[e.Node].eager && mad.PortInfoPortState.Get(s.nodes[t.Node].info[t.Port][:]) < to-1 {
		return mad.StatusBadField
	}
	mad.PortInfoPortState.Put(b, to)
	return mad.StatusOK
}
