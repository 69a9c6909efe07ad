package sa

import (
	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// Subnet holds what is known of a subnet at one moment. It must not be changed after New.
type Subnet struct {
	Graph *fabric.Graph
	Plan  *route.Plan
	Nodes []Node // in the order of their records
	// Ports of all nodes; those of a node follow each other, port 0 first.
	Ports    []Port
	Managers []Manager
	SMKey    uint64 // of requests that are trusted, 0 for none
	Timeout  uint8  // of the subnet, as the ports were told: a code of time
	Between
	// Keys holds the P_Keys of the end ports of the Graph; nil where all are full members of the default partition, and of no other one.
	Keys   [][]uint16
	Levels Levels // of service
	Spread Spread // of multicast groups, as the switches were told last
	index
}

// Spread holds the groups of a subnet and, of each, the ports to which switches copy its packets.
type Spread struct {
	Groups []route.Group // by MLID
	Trees  []route.GroupTree
}

// With returns the same Subnet with other groups.
func (s *Subnet) With(spread Spread) *Subnet {
	now := *s
	now.Spread = spread
	return &now
}

// Node is a node as it was found.
type Node struct {
	Info   [40]byte // NodeInfo, by any of its ports
	Desc   string
	Switch []byte // SwitchInfo, nil where it is none
	First  int32  // port 0 in Subnet.Ports
	Num    uint8  // external ports
	Sw     int32  // switch of the Graph, -1 for none
}

// Port is a port of a node.
type Port struct {
	Info  [64]byte // PortInfo as the device said last
	Known bool     // it has said so
	GUID  fabric.GUID
	Node  int32
	Num   uint8
	Peer  int32    // port at the other end of its cable, -1 for none
	End   int32    // end port of the Graph, -1 for none
	PKeys []uint16 // its P_KeyTable as far as it was read, nil for not at all
}

// Manager is a subnet manager.
type Manager struct {
	End      int32
	SMKey    uint64
	ActCount uint64
	Priority uint8
	State    uint64
}

// index finds things.
type index struct {
	byLID   []int32 // end port by LID, -1 for none
	byGUID  []int32 // end port + 1 by hash of its GUID, open addressing; 0 for none
	endPort []int32 // port, by end port

	// By port of a switch, as Graph.PortStart counts: what its link carries, as both ends say; and the same of end ports.
	mtu, rank       []uint8
	endMTU, endRank []uint8
}

// unlimited is an MTU code and a rank above all others.
const unlimited = 255

// New completes a Subnet. Graph, Plan, Nodes and Ports must fit each other.
func New(s Subnet) *Subnet {
	g := s.Graph
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
		if s.byGUID[at] == 0 { // of ports with one GUID the first counts
			s.byGUID[at] = int32(e) + 1
		}
	}
	s.measure()
	return &s
}

// measure finds what links carry.
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
}

// carries returns the MTU and the rank of the rate of a port and its link. A port that says nothing sensible limits nothing.
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

// hash spreads GUIDs, which mostly count up.
func hash(guid fabric.GUID) uint64 {
	x := uint64(guid) * 0x9E3779B97F4A7C15
	return x ^ x>>32
}

// endOfGUID returns the end port of a port GUID, -1 for none.
func (s *Subnet) endOfGUID(guid fabric.GUID) int32 {
	mask := uint64(len(s.byGUID) - 1)
	for at := hash(guid) & mask; s.byGUID[at] != 0; at = (at + 1) & mask {
		if e := s.byGUID[at] - 1; s.Graph.EndGUID[e] == guid {
			return e
		}
	}
	return -1
}

// endOfLID returns the end port that a LID names, -1 for none.
func (s *Subnet) endOfLID(lid fabric.LID) int32 {
	if int(lid) >= len(s.byLID) {
		return -1
	}
	return s.byLID[lid]
}

// lidOf returns the base LID by which records name a port: its own, or that of port 0 of its switch; 0 for none.
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
