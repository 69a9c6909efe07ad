package emulator

import (
	"weft/fabric"
	"weft/wire/mad"
)

// Capacities of the emulated devices.
const (
	pkeysCA      = 64   // P_Keys of a CA or router port
	pkeysSwitch0 = 8    // of port 0 of a switch
	pkeysSwitch  = 32   // of an external port of a switch
	guidCap      = 32   // GUIDs per end port
	vlArbCap     = 8    // entries per VL arbitration table
	mftCap       = 4096 // multicast LIDs
	lftCap       = 49152
	defaultVLs   = 8 // data VLs if the fabric does not say
)

// Capability masks: the abilities of the agents below.
const (
	capCommon = mad.CapIsTrap | mad.CapIsSLMapping | 1<<9 /* LED */ | 1<<11 /* SystemImageGUID */ |
		mad.CapIsExtendedSpeeds | mad.CapIsCapabilityMask2 | 1<<22 /* CapabilityMask notice */ |
		mad.CapIsClientReregistration | 1<<26 /* other local changes notice */
	capSwitch = capCommon | mad.CapIsMulticastFDBTop
	cap2      = 1<<0 /* Set(NodeDescription) */ | 1<<4 /* width 2x */ | 1<<5 /* HDR */ | 1<<10 /* NDR */
)

// Small holds the capacities of a device that has less room than others. A nil field leaves the
// usual capacity. The fabric has the sizes of forwarding tables and the numbers of VLs.
type Small struct {
	MLIDs    *uint16 // SwitchInfo.MulticastFDBCap
	PKeys    *uint16 // NodeInfo.PartitionCap
	Enforced *uint16 // SwitchInfo.PartitionEnforcementCap
	MTU      *uint8  // PortInfo.MTUCap of all ports, as a code
}

// orUsual returns a capacity, or the usual one.
func orUsual[T uint8 | uint16](small *T, usual uint64) uint64 {
	if small != nil {
		return uint64(*small)
	}
	return usual
}

func (d *devices) addNodes(keepLIDs bool) {
	total := 0
	for i := range d.fab.Nodes {
		total += len(d.fab.Nodes[i].Ports)
	}
	d.nodes = make([]node, len(d.fab.Nodes))
	d.ports = make([]port, total)
	d.counts = make([]counters, total)
	first := int32(0)
	for i := range d.fab.Nodes {
		f, n := &d.fab.Nodes[i], &d.nodes[i]
		n.first, n.sw, n.numPorts, n.off = first, -1, uint8(f.NumPorts()), f.Down
		copy(n.desc[:], f.Desc)
		if f.Type == fabric.Switch {
			n.sw = int32(len(d.switches))
			d.switches = append(d.switches, swtch{node: int32(i)})
		}
		for p := range f.Ports {
			d.ports[first] = port{peer: -1, cable: -1, node: int32(i), num: uint8(p), guid: portGUID(f, p)}
			first++
		}
		d.initNodeInfo(int32(i))
		d.reset(int32(i))
		if keepLIDs {
			d.keepLIDs(int32(i))
		}
	}
}

// portGUID returns the GUID of a port: the fabric's, or one derived from the node's.
func portGUID(f *fabric.Node, p int) uint64 {
	g := f.Ports[p].GUID
	if g == 0 && f.Type == fabric.Switch {
		g = f.GUID
	}
	if g == 0 {
		g = f.GUID + fabric.GUID(p)
	}
	return uint64(g)
}

func (d *devices) initNodeInfo(i int32) {
	f, n := &d.fab.Nodes[i], &d.nodes[i]
	b := n.info[:]
	system := f.SystemGUID
	if system == 0 {
		system = f.GUID
	}
	partitions := uint64(pkeysCA)
	if n.sw >= 0 {
		partitions = pkeysSwitch0
	}
	partitions = orUsual(d.small[fabric.NodeID(i)].PKeys, partitions)
	mad.NodeInfoBaseVersion.Put(b, 1)
	mad.NodeInfoClassVersion.Put(b, 1)
	mad.NodeInfoNodeType.Put(b, uint64(f.Type))
	mad.NodeInfoNumPorts.Put(b, uint64(n.numPorts))
	mad.NodeInfoSystemImageGUID.Put(b, uint64(system))
	mad.NodeInfoNodeGUID.Put(b, uint64(f.GUID))
	mad.NodeInfoPartitionCap.Put(b, partitions)
	mad.NodeInfoDeviceID.Put(b, uint64(f.DeviceID))
	mad.NodeInfoRevision.Put(b, uint64(f.Revision))
	mad.NodeInfoVendorID.Put(b, uint64(f.VendorID))
}

// reset puts a node into its state after power-on: no LID, empty tables.
func (d *devices) reset(i int32) {
	n := &d.nodes[i]
	n.led = false
	for p := n.first; p <= n.first+int32(n.numPorts); p++ {
		d.ports[p].tables = nil
		delete(d.congested, p)
		d.ports[p].stopLease()
		d.initPortInfo(p)
		d.counts[p] = counters{}
	}
	if n.sw >= 0 {
		sw := &d.switches[n.sw]
		*sw = swtch{node: i}
		d.initSwitchInfo(sw)
	}
}

func (d *devices) initSwitchInfo(sw *swtch) {
	f, b := &d.fab.Nodes[sw.node], sw.info[:]
	lids := f.LinearFDBCap
	if lids == 0 {
		lids = lftCap
	}
	mad.SwitchInfoLinearFDBCap.Put(b, uint64(lids))
	mad.SwitchInfoMulticastFDBCap.Put(b, orUsual(d.small[fabric.NodeID(sw.node)].MLIDs, mftCap))
	mad.SwitchInfoLifeTimeValue.Put(b, 0x12)
	mad.SwitchInfoOptimizedSLtoVL.Put(b, 1)
	mad.SwitchInfoPartitionEnfCap.Put(b, orUsual(d.small[fabric.NodeID(sw.node)].Enforced, pkeysSwitch))
	mad.SwitchInfoInboundEnfCap.Put(b, 1)
	mad.SwitchInfoOutboundEnfCap.Put(b, 1)
	if f.EnhancedPort0 {
		mad.SwitchInfoEnhancedPort0.Put(b, 1)
	}
}

func (d *devices) keepLIDs(i int32) {
	f, n := &d.fab.Nodes[i], &d.nodes[i]
	for p := range f.Ports {
		b := d.ports[n.first+int32(p)].info[:]
		if n.sw < 0 || p == 0 {
			mad.PortInfoLID.Put(b, uint64(f.Ports[p].LID))
			mad.PortInfoLMC.Put(b, uint64(f.Ports[p].LMC))
		}
	}
}

// initPortInfo writes the PortInfo of a port after power-on, its link down.
func (d *devices) initPortInfo(p int32) {
	x := &d.ports[p]
	x.info = [64]byte{}
	b := x.info[:]
	f := &d.fab.Nodes[x.node]
	sw := f.Type == fabric.Switch
	zero := x.num == 0 && sw
	if endPort := zero || !sw; endPort {
		mask := uint64(capCommon)
		if sw {
			mask = capSwitch
		}
		mad.PortInfoGidPrefix.Put(b, mad.DefaultGIDPrefix)
		mad.PortInfoCapabilityMask.Put(b, mask)
		mad.PortInfoCapabilityMask2.Put(b, cap2)
		mad.PortInfoGUIDCap.Put(b, guidCap)
		mad.PortInfoRespTimeValue.Put(b, 16)
		mad.PortInfoSubnetTimeOut.Put(b, 18)
	}
	mad.PortInfoPortState.Put(b, mad.PortDown)
	mad.PortInfoPhysicalState.Put(b, mad.PhysPolling)
	mad.PortInfoLinkDownDefault.Put(b, mad.PhysPolling)
	mtu := orUsual(d.small[fabric.NodeID(x.node)].MTU, 5)
	mad.PortInfoMTUCap.Put(b, mtu)
	mad.PortInfoNeighborMTU.Put(b, mtu)
	vls := f.Ports[x.num].VLCap
	if vls == 0 {
		vls = defaultVLs
	}
	mad.PortInfoVLCap.Put(b, vlCode(vls))
	mad.PortInfoOperationalVLs.Put(b, vlCode(vls))
	mad.PortInfoVLArbHighCap.Put(b, vlArbCap)
	mad.PortInfoVLArbLowCap.Put(b, vlArbCap)
	if zero {
		mad.PortInfoPortState.Put(b, mad.PortActive)
		mad.PortInfoPhysicalState.Put(b, mad.PhysLinkUp)
	}
	d.initRates(p)
}

// vlCode returns the largest VLCap with at most n data VLs.
func vlCode(n uint8) uint64 {
	code := uint64(5)
	for code > 1 && mad.DataVLs(code) > n {
		code--
	}
	return code
}

func (d *devices) addCables() {
	d.cables = make([]cable, len(d.fab.Links))
	for i := range d.fab.Links {
		l, c := &d.fab.Links[i], &d.cables[i]
		c.a = d.nodes[l.A.Node].first + int32(l.A.Port)
		c.b = d.nodes[l.B.Node].first + int32(l.B.Port)
		c.cut, c.width, c.speed = l.Down, l.Width, l.Speed
		d.ports[c.a].cable, d.ports[c.b].cable = int32(i), int32(i)
		d.initRates(c.a)
		d.initRates(c.b)
	}
}

// rolesOf returns the roles that the fabric gives its switches, nil if it gives none.
func rolesOf(f *fabric.Fabric) []Role {
	roles, given := make([]Role, len(f.Nodes)), false
	for i := range f.Nodes {
		r := f.Nodes[i].Role
		roles[i] = Role{Role: uint8(r), Rank: 255}
		given = given || r != fabric.NoRole
	}
	if !given {
		return nil
	}
	return roles
}

// RolesByDistance derives a rank and a role for every switch from its distance from the hosts: rank
// 0 is the greatest distance. It is right for trees whose hosts are all at the same level.
func RolesByDistance(f *fabric.Fabric) []Role {
	roles := make([]Role, len(f.Nodes))
	for i := range roles {
		roles[i].Rank = 255
	}
	g := f.Compile()
	var leaves []int32
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) > 0 {
			leaves = append(leaves, s)
		}
	}
	search := g.NewSearch(nil)
	search.From(leaves...)
	if len(search.Order) == 0 {
		return roles
	}
	top := search.Hops[search.Order[len(search.Order)-1]]
	for _, s := range search.Order {
		level := search.Hops[s]
		r := Role{Role: mad.RoleMiddle, Rank: uint8(min(top-level, 254))}
		switch level {
		case 0:
			r.Role = mad.RoleLeaf
		case top:
			r.Role = mad.RoleRoot
		}
		if id, ok := f.NodeByGUID(g.SwitchGUID[s]); ok {
			roles[id] = r
		}
	}
	return roles
}
