package smtest

import (
	"weft/fabric"
	"weft/route"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Fake is a deliberately dumb subnet: it walks directed routes over a Fabric and stores attributes
// as bytes. It knows nothing of how a Round works.
type Fake struct {
	F     *fabric.Fabric
	At    fabric.End // port of the subnet manager
	Nodes []FakeNode
}

// FakeNode is a node of a Fake: its attributes and its faults.
type FakeNode struct {
	GUID   fabric.GUID // as reported
	Ports  int         // as reported
	PKeys  int         // as reported
	Silent bool        // answers nothing and forwards nothing
	Deaf   mad.AttrID  // does not answer this attribute
	Deny   mad.AttrID  // refuses to Set this attribute
	Lies   bool        // reports that it was reached by port 0
	Eager  bool        // its ports take any state
	Forget mad.AttrID  // acknowledges a Set of this attribute and keeps the old value
	// Bend changes the data of a Set before it is stored.
	Bend   func(attr mad.AttrID, mod uint32, data *[64]byte)
	Sw     [20]byte
	LFT    map[uint32][64]byte
	Tables map[[2]uint32][64]byte // by attribute and modifier: SL2VL, VLArb, P_Key
	Info   [][64]byte
}

// NewFake returns a cold subnet. The manager sits at the first cabled port of a CA.
func NewFake(f *fabric.Fabric) *Fake {
	s := &Fake{F: f, Nodes: make([]FakeNode, len(f.Nodes)), At: fabric.End{Node: -1}}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		d := &s.Nodes[i]
		*d = FakeNode{
			GUID: n.GUID, Ports: n.NumPorts(), PKeys: 64, LFT: map[uint32][64]byte{},
			Tables: map[[2]uint32][64]byte{}, Info: make([][64]byte, len(n.Ports)),
		}
		mad.SwitchInfoLinearFDBCap.Put(d.Sw[:], 49152)
		mad.SwitchInfoPortStateChange.Put(d.Sw[:], 1)
		for p := range d.Info {
			b := d.Info[p][:]
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
			if s.At.Node < 0 && up && p > 0 && n.Type == fabric.CA {
				s.At = fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
			}
		}
	}
	return s
}

// walk follows a directed route. It returns the node reached and the port that received the
// request.
func (s *Fake) walk(path []byte) (fabric.End, bool) {
	here := s.At
	for i, port := range path {
		n := &s.F.Nodes[here.Node]
		if i > 0 && n.Type != fabric.Switch || s.Nodes[here.Node].Silent || int(port) > n.NumPorts() ||
			n.Ports[port].Link == fabric.NoLink || !s.F.LinkUp(n.Ports[port].Link) {
			return here, false
		}
		here = s.F.Peer(fabric.End{Node: here.Node, Port: port})
	}
	return here, !s.Nodes[here.Node].Silent
}

// Do performs an SMP at the end of a directed route. data is replaced by the answer's attribute. ok
// is false if no answer comes back.
func (s *Fake) Do(path []byte, method mad.Method, attr mad.AttrID, mod uint32, data *[64]byte) (status mad.Status, ok bool) {
	at, ok := s.walk(path)
	d := &s.Nodes[at.Node]
	if !ok || d.Deaf == attr && attr != 0 {
		return 0, false
	}
	n := &s.F.Nodes[at.Node]
	set := method == mad.Set && d.Forget != attr
	if set && d.Deny == attr {
		return mad.StatusBadField, true
	}
	if set && d.Bend != nil {
		d.Bend(attr, mod, data)
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
			changed := mad.SwitchInfoPortStateChange.Is(d.Sw[:]) && !mad.SwitchInfoPortStateChange.Is(data[:])
			mad.SwitchInfoLinearFDBTop.Put(d.Sw[:], mad.SwitchInfoLinearFDBTop.Get(data[:]))
			mad.SwitchInfoLifeTimeValue.Put(d.Sw[:], mad.SwitchInfoLifeTimeValue.Get(data[:]))
			if !changed {
				mad.SwitchInfoPortStateChange.Put(d.Sw[:], 0)
			}
		}
		*data = [64]byte{}
		copy(data[:], d.Sw[:])
	case mad.AttrPortInfo:
		return s.portInfo(at, uint8(mod), set, data), true
	case mad.AttrLinearForwardingTable:
		if set {
			d.LFT[mod] = *data
		}
		*data = d.LFT[mod]
	default:
		if set {
			d.Tables[[2]uint32{uint32(attr), mod}] = *data
		}
		had, written := d.Tables[[2]uint32{uint32(attr), mod}]
		*data = had
		if attr == mad.AttrVLArbitrationTable && !written { // after a restart VL 0 has its turn
			mad.VLArbitrationTableWeight.Set(data[:], 0, 1)
		}
	}
	return 0, true
}

func (s *Fake) nodeInfo(at fabric.End, data []byte) {
	n, d := &s.F.Nodes[at.Node], &s.Nodes[at.Node]
	clear(data)
	mad.NodeInfoNodeType.Put(data, uint64(n.Type))
	mad.NodeInfoNumPorts.Put(data, uint64(d.Ports))
	mad.NodeInfoSystemImageGUID.Put(data, uint64(n.SystemGUID))
	mad.NodeInfoNodeGUID.Put(data, uint64(d.GUID))
	mad.NodeInfoPortGUID.Put(data, uint64(n.Ports[at.Port].GUID))
	mad.NodeInfoDeviceID.Put(data, uint64(n.DeviceID))
	mad.NodeInfoVendorID.Put(data, uint64(n.VendorID))
	mad.NodeInfoRevision.Put(data, uint64(n.Revision))
	mad.NodeInfoPartitionCap.Put(data, uint64(d.PKeys))
	if !d.Lies {
		mad.NodeInfoLocalPortNum.Put(data, uint64(at.Port))
	}
}

// portInfo answers Get and Set of PortInfo. It refuses state changes as ibsim does.
func (s *Fake) portInfo(at fabric.End, port uint8, set bool, data *[64]byte) mad.Status {
	n, d := &s.F.Nodes[at.Node], &s.Nodes[at.Node]
	if n.Type != fabric.Switch && (port == 0 || set) && port != at.Port {
		if port != 0 {
			return mad.StatusBadField
		}
		port = at.Port
	}
	if int(port) >= len(d.Info) {
		return mad.StatusBadField
	}
	b := d.Info[port][:]
	status := mad.StatusOK
	if set {
		for _, f := range []mad.Field{mad.PortInfoPhysicalState, mad.PortInfoLinkDownDefault, mad.PortInfoClientReregister} {
			if f.Is(data[:]) { // a bring-up must not change these
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
	*data = d.Info[port]
	return status
}

// transition moves a port up one state, if the other end is at most one state behind.
func (s *Fake) transition(e fabric.End, to uint64) mad.Status {
	if to == mad.PortNoChange {
		return mad.StatusOK
	}
	n := &s.F.Nodes[e.Node]
	link := n.Ports[e.Port].Link
	b := s.Nodes[e.Node].Info[e.Port][:]
	if e.Port == 0 || link == fabric.NoLink || to < mad.PortArmed || to != mad.PortInfoPortState.Get(b)+1 {
		return mad.StatusBadField
	}
	t := s.F.Peer(e)
	if !s.Nodes[e.Node].Eager && mad.PortInfoPortState.Get(s.Nodes[t.Node].Info[t.Port][:]) < to-1 {
		return mad.StatusBadField
	}
	mad.PortInfoPortState.Put(b, to)
	return mad.StatusOK
}

// Carry sends a packet from every switch to every LID in its table, and returns the total number of
// hops. It fails the test if a packet loops.
func (s *Fake) Carry(t Fataler) (hops int) {
	for from := range s.Nodes {
		for lid := uint64(1); lid <= mad.SwitchInfoLinearFDBTop.Get(s.Nodes[from].Sw[:]); lid++ {
			at := from
			for h := 0; s.F.Nodes[at].Type == fabric.Switch; h++ {
				d := &s.Nodes[at]
				block := d.LFT[uint32(lid/64)]
				port := block[lid%64]
				if lid > mad.SwitchInfoLinearFDBTop.Get(d.Sw[:]) || port == 0 || int(port) >= len(d.Info) ||
					mad.PortInfoPortState.Get(d.Info[port][:]) != mad.PortActive {
					break
				}
				if hops++; h > len(s.Nodes) {
					t.Fatalf("from node %d, LID %d goes round in circles", from, lid)
				}
				at = int(s.F.Peer(fabric.End{Node: fabric.NodeID(at), Port: port}).Node)
			}
		}
	}
	return hops
}

// RunManager makes port 1 of a host report a subnet manager with this SMState and priority.
func (s *Fake) RunManager(host fabric.NodeID, state, priority uint64) {
	mad.PortInfoCapabilityMask.Put(s.Nodes[host].Info[1][:], mad.CapIsSM)
	var data [64]byte
	mad.SMInfoGUID.Put(data[:], uint64(s.F.Nodes[host].Ports[1].GUID))
	mad.SMInfoSMState.Put(data[:], state)
	mad.SMInfoPriority.Put(data[:], priority)
	s.Nodes[host].Tables[[2]uint32{uint32(mad.AttrSMInfo), 0}] = data
}

// Verify fails the test unless the subnet holds the Plan, as the report of the round says.
func (s *Fake) Verify(t Fataler, g *fabric.Graph, plan *route.Plan, f *fabric.Fabric, r *terms.Report) {
	t.Helper()
	at := map[fabric.GUID]int{}
	for i := range s.F.Nodes {
		at[s.F.Nodes[i].GUID] = i
	}
	for sw, guid := range g.SwitchGUID {
		d := &s.Nodes[at[guid]]
		if top := mad.SwitchInfoLinearFDBTop.Get(d.Sw[:]); top != uint64(plan.Ends.Top()) {
			t.Fatalf("switch %v: LinearFDBTop %d, want %d", guid, top, plan.Ends.Top())
		}
		for b := range uint32(plan.Tables.NumBlocks()) {
			if d.LFT[b] != *plan.Tables.Block(int32(sw), int(b)) {
				t.Fatalf("switch %v: block %d differs", guid, b)
			}
		}
	}
	for e, guid := range g.EndNodeGUID {
		b := s.Nodes[at[guid]].Info[g.EndNum[e]][:]
		if lid := mad.PortInfoLID.Get(b); lid != uint64(plan.Ends.Base[e]) || mad.PortInfoLMC.Get(b) != uint64(plan.Ends.LMC[e]) {
			t.Fatalf("%s has LID %d", route.EndName(g, int32(e)), lid)
		}
		if sm := mad.PortInfoMasterSMLID.Get(b); sm != uint64(r.LIDs.SM) || sm == 0 {
			t.Fatalf("%s has MasterSMLID %d", route.EndName(g, int32(e)), sm)
		}
		sl := uint8(0)
		if plan.SL != nil {
			sl = plan.SL.At(int32(e), r.LIDs.SM)
		}
		if mad.PortInfoMasterSMSL.Get(b) != uint64(sl) || mad.PortInfoGidPrefix.Get(b) != mad.DefaultGIDPrefix || mad.PortInfoSubnetTimeOut.Get(b) != 18 {
			t.Fatalf("%s: MasterSMSL %d, GidPrefix %x, SubnetTimeOut %d", route.EndName(g, int32(e)), mad.PortInfoMasterSMSL.Get(b),
				mad.PortInfoGidPrefix.Get(b), mad.PortInfoSubnetTimeOut.Get(b))
		}
	}
	for i := range f.Links {
		for _, e := range []fabric.End{f.Links[i].A, f.Links[i].B} {
			b := s.Nodes[at[f.Nodes[e.Node].GUID]].Info[e.Port][:]
			if mad.PortInfoPortState.Get(b) != mad.PortActive {
				t.Fatalf("%s is not Active", f.EndName(e))
			}
			if mad.PortInfoNeighborMTU.Get(b) != 5 || mad.PortInfoOperationalVLs.Get(b) != 4 {
				t.Fatalf("%s has the wrong MTU or VLs", f.EndName(e))
			}
		}
	}
}
