package sa

import (
	"weft/fabric"
	"weft/route"
	"weft/route/joblanes"
	"weft/wire/mad"
)

// Subnet is a snapshot of a subnet. It must not change after New.
type Subnet struct {
	Graph *fabric.Graph
	Plan  *route.Plan
	Nodes []Node // in the order of their records
	// Ports of all nodes. The ports of a node are consecutive, port 0 first.
	Ports    []Port
	Managers []Manager
	SMKey    uint64 // of trusted requests, 0 for none
	Timeout  uint8  // the subnet timeout set in the ports: a code
	Between
	// Keys holds the P_Keys of the Graph's end ports; nil: all are full members of the default
	// partition only.
	Keys   [][]uint16
	Levels Levels // of service
	Spread Spread // of multicast groups, as last written to the switches
	// Jobs maps pairs to copies of the lanes; nil: all use the lanes of the paths.
	Jobs *joblanes.Pairs
	// Aliases names ports by further GUIDs; they change. nil: there are none.
	Aliases *Aliases
	index
}

// Spread holds the multicast groups, each with the ports that switches copy its packets to.
type Spread struct {
	Groups []route.Group // by MLID
	Trees  []route.GroupTree
}

// With returns a copy of the Subnet with other groups and jobs.
func (s *Subnet) With(spread Spread, jobs *joblanes.Pairs) *Subnet {
	now := *s
	now.Spread, now.Jobs = spread, jobs
	return &now
}

// Node is a discovered node.
type Node struct {
	Info   [40]byte // NodeInfo as read by any of its ports
	Desc   string
	Switch []byte // SwitchInfo, nil if not a switch
	First  int32  // index of port 0 in Subnet.Ports
	Num    uint8  // number of external ports
	Sw     int32  // index of the switch in the Graph, -1 for none
}

// Port is a port of a node.
type Port struct {
	Info  [64]byte // PortInfo as last read
	Known bool     // Info was read
	GUID  fabric.GUID
	Node  int32
	Num   uint8
	Peer  int32    // index of the port at the other end of the cable, -1 for none
	End   int32    // end port in the Graph, -1 for none
	PKeys []uint16 // P_Key table as far as it was read, nil if not at all
}

// Manager is a subnet manager.
type Manager struct {
	End      int32
	SMKey    uint64
	ActCount uint64
	Priority uint8
	State    uint64
}

// index speeds up look-ups in a Subnet.
type index struct {
	anySL   bool          // all SLs have the same lane everywhere
	byLID   []int32       // end port by LID, -1 for none
	byGUID  []int32       // end port + 1 by hash of the GUID, with open addressing; 0: empty
	endPort []int32       // port by end port
	routers []fabric.GUID // ports of routers, sorted; nil without Prefixes

	// MTU and rate rank of the link at a switch port, indexed like Graph.PortStart; and at an end
	// port.
	mtu, rank       []uint8
	endMTU, endRank []uint8
	treeMTU         uint8 // least MTU of the cables of the trees for groups
}

// unlimited is above all MTU codes and ranks.
const unlimited = 255

// New completes a Subnet. Graph, Plan, Nodes and Ports must match.
func New(s Subnet) *Subnet {
	g := s.Graph
	s.anySL = s.Plan.VLs <= 1 && len(s.Plan.Levels) == 0
	s.byLID = s.Plan.Ends.ByLID()
	s.endPort = make([]int32, g.NumEnds)
	for i := range s.endPort {
		s.endPort[i] = -1
	}
	for i := range s.Ports {
		if e := s.Ports[i].End; e >= 0 {
			s.endPort[e] = int32(i)
		}
	}
	size := 4
	for size < 2*g.NumEnds {
		size *= 2
	}
	s.byGUID = make([]int32, size)
	for e, guid := range g.EndGUID {
		if guid == 0 {
			continue
		}
		at := hash(guid) & uint64(size-1)
		for s.byGUID[at] != 0 && g.EndGUID[s.byGUID[at]-1] != guid {
			at = (at + 1) & uint64(size-1)
		}
		if s.byGUID[at] == 0 { // the first of several ports with the same GUID counts
			s.byGUID[at] = int32(e) + 1
		}
	}
	if s.Prefixes != nil {
		s.routers = s.findRouters()
	}
	s.measure()
	return &s
}

// measure finds the MTU and rate of all links.
func (s *Subnet) measure() {
	g := s.Graph
	s.mtu, s.rank = make([]uint8, len(g.Attached)), make([]uint8, len(g.Attached))
	s.endMTU, s.endRank = make([]uint8, g.NumEnds), make([]uint8, g.NumEnds)
	for i := range s.Ports {
		p := &s.Ports[i]
		if sw := s.Nodes[p.Node].Sw; sw >= 0 && p.Num > 0 {
			at := g.PortStart[sw] + int32(p.Num)
			s.mtu[at], s.rank[at] = s.carries(p)
		}
		if p.End >= 0 {
			s.endMTU[p.End], s.endRank[p.End] = s.carries(p)
		}
	}
	s.treeMTU = unlimited
	if s.Plan.Multicast == nil {
		return
	}
	for _, t := range s.Plan.Multicast.Trees {
		for sw, c := range t.Up {
			if c >= 0 {
				s.treeMTU = min(s.treeMTU, s.mtu[g.PortStart[sw]+int32(g.FromPort[c])])
			}
		}
	}
}

// carries returns the MTU and rate rank of a port and its link. A port with invalid values sets no
// limit.
func (s *Subnet) carries(p *Port) (mtu, rank uint8) {
	mtu, rank = unlimited, unlimited
	field := mad.PortInfoNeighborMTU
	if p.Num == 0 {
		field = mad.PortInfoMTUCap
	}
	ends := [2]*Port{p, p}
	if p.Peer >= 0 {
		ends[1] = &s.Ports[p.Peer]
	}
	for _, e := range ends {
		if m := uint8(field.Get(e.Info[:])); e.Known && m > 0 {
			mtu = min(mtu, m)
		}
		if r := rankOf(mad.PortRate(e.Info[:])); e.Known && r > 0 {
			rank = min(rank, r)
		}
	}
	return mtu, rank
}

// hash spreads GUIDs, which are often consecutive.
func hash(guid fabric.GUID) uint64 {
	x := uint64(guid) * 0x9E3779B97F4A7C15
	return x ^ x>>32
}

// endOfGUID returns the end port with a port GUID or an alias, -1 for none.
func (s *Subnet) endOfGUID(guid fabric.GUID) int32 {
	if e := s.endOfPort(guid); e >= 0 {
		return e
	}
	if port := s.Aliases.PortOf(guid); port != guid {
		return s.endOfPort(port)
	}
	return -1
}

// endOfPort returns the end port with a port GUID, -1 for none.
func (s *Subnet) endOfPort(guid fabric.GUID) int32 {
	mask := uint64(len(s.byGUID) - 1)
	for at := hash(guid) & mask; s.byGUID[at] != 0; at = (at + 1) & mask {
		if e := s.byGUID[at] - 1; s.Graph.EndGUID[e] == guid {
			return e
		}
	}
	return -1
}

// endOfLID returns the end port with a LID, -1 for none.
func (s *Subnet) endOfLID(lid fabric.LID) int32 {
	if int(lid) >= len(s.byLID) {
		return -1
	}
	return s.byLID[lid]
}

// lidOf returns a port's base LID in records, of a switch that of its port 0; 0 for none.
func (s *Subnet) lidOf(p *Port) fabric.LID {
	e := p.End
	if n := &s.Nodes[p.Node]; n.Switch != nil {
		e = s.Ports[n.First].End
	}
	if e < 0 {
		return 0
	}
	return s.Plan.Ends.Base[e]
}

// portsOf returns the ports of a node, port 0 first.
func (s *Subnet) portsOf(n *Node) []Port { return s.Ports[n.First : n.First+int32(n.Num)+1] }
