package emulator

import (
	"fmt"
	"math/rand/v2"
	"time"

	"weft/fabric"
	"weft/internal/event"
	"weft/wire/mad"
)

// Role is the answer of the vendor attribute SwitchRole: a role of package mad (RoleRoot ...) and a
// rank, 0 at the roots, 255 if unknown.
type Role struct{ Role, Rank uint8 }

// Options of a Subnet. The zero value is a cold subnet without faults.
type Options struct {
	// Seed of all random draws.
	Seed uint64
	// KeepLIDs starts with the fabric's LIDs and LMCs; otherwise every port starts with LID 0.
	KeepLIDs bool
	// Training is the time of a link from Polling to Init.
	Training time.Duration
	// TrapInterval is the time after which an unanswered trap is repeated. 0 stands for the port's
	// SubnetTimeOut, at most ten times a second.
	TrapInterval time.Duration
	// Roles by node, read by the vendor attribute SwitchRole. nil stands for the fabric's roles; if
	// it has none, no switch has the attribute. See RolesByDistance.
	Roles []Role
	// Small holds, by node, capacities below the usual ones.
	Small map[fabric.NodeID]Small
	// Impairment of every link without one of its own.
	Impairment Impairment
	// Log receives events of links, nodes and traps; it may be nil.
	Log func(now time.Duration, event string)
}

// Subnet is an emulated subnet. It is a state machine in passed-in time: Advance moves the time,
// Send takes a datagram, and the functions given to Attach receive deliveries. Not for concurrent
// use.
type Subnet struct {
	wires

	opt     Options
	now     time.Duration
	events  event.Queue[time.Duration, action]
	flights flights
	clients []client
	traps   traps
	stats   Stats
	routers map[int32]routerPort // by port
}

// wires follow a datagram over cables and through switches, by the current state of the devices.
type wires struct {
	devices

	rng      *rand.Rand
	common   Impairment // of every link without one of its own
	impaired bool       // some or all links are impaired
}

// devices hold the state of all nodes, ports and cables. They have no time: what takes time, or
// sends a datagram, is the Subnet's.
type devices struct {
	fab      *fabric.Fabric // names and types; for the current state see Fabric
	nodes    []node         // by fabric.NodeID
	ports    []port         // node n's port p is at nodes[n].first + p
	cables   []cable        // by fabric.LinkID
	switches []swtch
	counts   []counters // by port
	roles    []Role     // by node, nil: none
	small    map[fabric.NodeID]Small

	congested map[int32]*congestion // by agent port with congestion control settings
}

// node is a switch, CA or router.
type node struct {
	first    int32 // its port 0 in devices.ports
	sw       int32 // in devices.switches, -1 for other nodes
	numPorts uint8 // real external ports, whatever its NodeInfo says
	off      bool
	silent   bool // its management agents do not answer

	noCongestion bool // it lacks congestion control
	led          bool
	slow         time.Duration // added to the answer time of its agents
	reboots      uint32
	info         [40]byte // NodeInfo; PortGUID and LocalPortNum are filled in for each answer
	desc         [64]byte
}

// port is one port of a node; port 0 of a CA is not used.
type port struct {
	peer   int32 // port at the other end; -1 while the link is down
	cable  int32 // -1 without
	node   int32
	num    uint8
	fdr10  bool // LinkSpeedActive QDR stands for FDR10
	leases uint32
	guid   uint64
	info   [64]byte    // PortInfo
	tables *portTables // nil until the first write
}

// portTables are tables of a port that are never written for most ports.
type portTables struct {
	pkeys      [pkeysCA]uint16
	guids      [guidCap]uint64 // entry 0 is the port GUID
	vlarb      [4][64]byte     // by block, from VLArbLowLower on
	arbitrates bool            // vlarb was written
	sl2vl      uint64          // of a CA port
}

// swtch holds the state that only switches have.
type swtch struct {
	node  int32
	info  [20]byte // SwitchInfo
	lft   []byte   // port by LID, up to the highest written block
	mft   []uint16 // port mask by (MLID - 0xC000) * positions + position
	sl2vl []uint64 // by in * (ports + 1) + out; nil until written
}

// cable joins two ports.
type cable struct {
	a, b       int32 // -1 after Connect removed it from both
	cut        bool  // pulled, whatever the state of the ports
	width      fabric.Width
	speed      fabric.Speed
	only       [3]uint64   // speeds at which it trains, as the bits of LinkSpeed, LinkSpeedExt and LinkSpeedExt2; zero: all
	impairment *Impairment // nil: the common one
	changes    uint32      // of the link's state: earlier training is void
	cuts       uint32      // number of times pulled or plugged in
}

// New makes a subnet from a copy of a fabric. Links that are up start in Init, with PortStateChange
// set at their switches.
func New(f *fabric.Fabric, opt Options) (*Subnet, error) {
	if opt.Roles != nil && len(opt.Roles) != len(f.Nodes) {
		return nil, fmt.Errorf("emulator: %d roles for %d nodes", len(opt.Roles), len(f.Nodes))
	}
	if opt.Roles == nil {
		opt.Roles = rolesOf(f)
	}
	s := &Subnet{
		wires: wires{
			devices: devices{fab: f.Clone(), roles: opt.Roles, small: opt.Small},
			rng:     rand.New(rand.NewPCG(opt.Seed, 0x656d756c)), common: opt.Impairment, impaired: opt.Impairment.active(),
		},
		opt: opt, traps: traps{byKey: map[trapKey]int32{}},
	}
	s.opt.Log = nil // the initial state is no news
	s.addNodes(opt.KeepLIDs)
	s.addCables()
	for c := range s.cables {
		if s.trainable(int32(c)) {
			s.train(int32(c))
		}
	}
	for i := range s.switches {
		sw := &s.switches[i]
		mad.SwitchInfoPortStateChange.Put(sw.info[:], 1)
	}
	s.opt.Log = opt.Log
	return s, nil
}

// Now returns the time of the subnet.
func (s *Subnet) Now() time.Duration { return s.now }

// Next returns the time of Advance's next event; ok is false if there is none.
func (s *Subnet) Next() (at time.Duration, ok bool) { return s.events.Next() }

// Advance moves the time forward and executes due events in order. A time in the past changes
// nothing.
func (s *Subnet) Advance(to time.Duration) {
	for {
		at, ok := s.events.Next()
		if !ok || at > to {
			break
		}
		_, next := s.events.Take()
		s.now = max(s.now, at)
		s.do(next)
	}
	s.now = max(s.now, to)
}

// portAt finds the port of an end; port 0 must be a switch's.
func (d *devices) portAt(e fabric.End) (int32, error) {
	if e.Node < 0 || int(e.Node) >= len(d.nodes) {
		return 0, fmt.Errorf("emulator: no node %d", e.Node)
	}
	n := &d.nodes[e.Node]
	if e.Port > n.numPorts || e.Port == 0 && n.sw < 0 {
		return 0, fmt.Errorf("emulator: %s has no port %d", d.fab.NodeName(e.Node), e.Port)
	}
	return n.first + int32(e.Port), nil
}

// external finds a port that can have a cable.
func (d *devices) external(e fabric.End) (int32, error) {
	p, err := d.portAt(e)
	if err == nil && e.Port == 0 {
		err = fmt.Errorf("emulator: port 0 of %s has no cable", d.fab.NodeName(e.Node))
	}
	return p, err
}

// end is the inverse of portAt.
func (d *devices) end(p int32) fabric.End {
	return fabric.End{Node: fabric.NodeID(d.ports[p].node), Port: d.ports[p].num}
}

// agentPort returns the port whose management agents serve port p: port 0 of a switch, on other
// nodes the port itself.
func (d *devices) agentPort(p int32) int32 {
	if n := &d.nodes[d.ports[p].node]; n.sw >= 0 {
		return n.first
	}
	return p
}

// logPort logs an event at a port.
func (s *Subnet) logPort(p int32, what string) {
	if s.opt.Log != nil {
		s.opt.Log(s.now, s.fab.EndName(s.end(p))+": "+what)
	}
}
