package packet

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"weft/fabric"
	"weft/route"
)

// nowhere is the target of a link without a cable.
const nowhere int32 = -1

// link is one direction of a cable, or the link into or out of port 0 of a switch. Link
// PortStart[s]+p of the Graph leaves port p of switch s; the links of end ports follow.
type link struct {
	// to is the switch behind the link, -2-e for end port e, or nowhere.
	to    int32
	port  uint8 // of the switch that it leads to
	down  bool
	why   fault // reasons why it is down
	epoch uint8 // number of its failures: packets on the way at a failure are lost
	mbps  int32

	free    Time   // end of the last packet that it took
	waiting Time   // since when it has packets but no credits; -1 if it has credits
	wakes   bool   // an event comes when it is free
	asked   uint16 // VLs on which packets wait to be sent
	turn    turns
	bytes   int64 // bytes carried, headers included, without the part before the end of the warm-up
	waited  Time  // time without credits, since the warm-up
}

// network is the Plan in the form that the simulator reads.
type network struct {
	g        *fabric.Graph
	plans    []*route.Plan // by switch, then by end port: the Plan of its lane tables and paths
	vls      int32         // data VLs of every port
	top      int32         // entries of a forwarding table
	lft      []uint8       // by switch and LID: egress port
	links    []link
	firstEnd int32   // link of end port 0
	owner    []int32 // by link of a switch: the switch that it leaves
	inward   []int32 // by switch and port, indexed as PortStart: the incoming link
	oneTurn  bool    // there is one VL and every arbitration table serves it: no table is read
}

// fits returns an error if the Plan is not for g, or has no LIDs.
func fits(g *fabric.Graph, p *route.Plan) error {
	if err := p.Fits(g); err != nil {
		return fmt.Errorf("packet: %w", err)
	}
	if p.Ends.Total() == 0 {
		return errors.New("packet: no end port has a LID")
	}
	return nil
}

func newNetwork(g *fabric.Graph, p *route.Plan, c *Config) *network {
	n := &network{g: g, plans: slices.Repeat([]*route.Plan{p}, g.NumSwitches+g.NumEnds), vls: int32(max(Lanes(p), c.VLs)), top: int32(p.Tables.Top()) + 1, firstEnd: int32(len(g.Attached))}
	n.lft = make([]uint8, int(n.top)*g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		for i := range p.Tables.NumBlocks() {
			copy(n.lft[int(s)*int(n.top)+i*route.BlockSize:], p.Tables.Block(s, i)[:])
		}
	}
	n.oneTurn = n.vls == 1 && sendsVL0(p)
	n.links = make([]link, int(n.firstEnd)+g.NumEnds)
	n.inward, n.owner = make([]int32, len(g.Attached)), make([]int32, len(g.Attached))
	for i := range n.inward {
		n.inward[i], n.links[i].to = nowhere, nowhere
	}
	for s := range int32(g.NumSwitches) {
		for p := range g.SwitchPorts[s] + 1 {
			l := &n.links[g.PortStart[s]+p]
			n.owner[g.PortStart[s]+p] = s
			c, host := g.At(s, uint8(p))
			switch {
			case p == 0:
				l.to, l.mbps = -2-g.PortZero(s), portZeroRate
			case c >= 0:
				l.to, l.port, l.mbps = g.To[c], g.ToPort[c], g.ChanRate[c]
				n.inward[g.PortStart[l.to]+int32(l.port)] = g.PortStart[s] + p
			case host >= 0:
				l.to, l.mbps = -2-host, g.EndRate[host]
			}
		}
	}
	for e := range int32(g.NumEnds) {
		l := &n.links[n.firstEnd+e]
		l.to, l.port, l.mbps = g.EndSwitch[e], g.EndPort[e], g.EndRate[e]
		if g.IsPortZero(e) {
			l.mbps = portZeroRate
		}
		n.inward[g.PortStart[l.to]+int32(l.port)] = n.firstEnd + e
	}
	for i := range n.links {
		l := &n.links[i]
		if l.mbps == 0 {
			l.mbps = c.UnknownRate
		}
		if c.CreditInterval > 0 { // 8 bytes less in every interval
			l.mbps = max(l.mbps-int32(8*8_000_000/c.CreditInterval), 1)
		}
		l.waiting = -1
	}
	return n
}

// portZeroRate is the rate of port 0 of a switch, that of a 1x SDR link, in Mbit/s.
const portZeroRate = 2000

// Lanes returns the number of VLs up to the highest in a Plan's SL2VL tables.
func Lanes(p *route.Plan) int {
	most := int32(0)
	if p.SL2VL != nil {
		for _, t := range p.SL2VL.Pool {
			for _, vl := range t {
				if vl != route.DropVL {
					most = max(most, int32(vl))
				}
			}
		}
	}
	return int(most) + 1
}

// sendsVL0 reports whether every VL arbitration table serves VL 0.
func sendsVL0(p *route.Plan) bool {
	if p.Arbitration != nil {
		for i := range p.Arbitration.Pool {
			if p.Arbitration.Pool[i].Weight(0) == 0 {
				return false
			}
		}
	}
	return true
}

// planOf returns the Plan that an end port uses.
func (n *network) planOf(end int32) *route.Plan { return n.plans[int32(n.g.NumSwitches)+end] }

// lid returns the LID that a source uses for a target; 0 if the target has none.
func (n *network) lid(src, dst int32) fabric.LID {
	p := n.planOf(src)
	base, count := p.Ends.Base[dst], p.Ends.Count(dst)
	switch {
	case count <= 1:
	case p.Choice.By == route.HashedLID:
		return base + fabric.LID(route.HashedOffset(p.Ends.Base[src], p.Ends.LMC[src], count))
	case p.Choice.By == route.ListedLIDs:
		if offsets := p.Choice.Offsets(src, dst); len(offsets) > 0 {
			return base + fabric.LID(offsets[0])
		}
	}
	return base
}

// sl returns the SL from a source to a LID, at a level of service.
func (n *network) sl(level uint8, src int32, lid fabric.LID) uint8 {
	p := n.planOf(src)
	switch {
	case p.SL == nil:
		return 0
	case int(level) < len(p.Levels):
		return p.Levels[level].SL[p.SL.At(src, lid)]
	}
	return p.SL.At(src, lid)
}

// sendVL returns the lane on which an end port sends packets of a service level.
func (n *network) sendVL(end int32, sl uint8) uint8 {
	t := n.planOf(end).SL2VL
	if t == nil || n.g.IsPortZero(end) {
		return 0
	}
	return t.HostTable(end)[sl]
}

// switchVL returns the lane on which switch s forwards packets of a service level.
func (n *network) switchVL(s int32, in, out, sl uint8) uint8 {
	switch t := n.plans[s].SL2VL; {
	case t == nil:
		return 0
	case len(t.Pool) == 1:
		return t.Pool[0][sl]
	default:
		return t.Table(n.g, s, in, out)[sl]
	}
}

// arbitration returns the VL arbitration table of a link; nil if all VLs take equal turns.
func (n *network) arbitration(l int32) *route.ArbTable {
	if l >= n.firstEnd {
		end := l - n.firstEnd
		if a := n.planOf(end).Arbitration; a != nil && end < int32(n.g.NumHosts) {
			return a.OfHost(end)
		}
		return nil
	}
	if a := n.plans[n.owner[l]].Arbitration; a != nil {
		return &a.Pool[a.Switch[l]]
	}
	return nil
}

// Links returns the number of links of a Graph.
func Links(g *fabric.Graph) int { return len(g.Attached) + g.NumEnds }

// LinkPort returns the port that sends on a link.
func LinkPort(g *fabric.Graph, link int32) fabric.PortName {
	if end := link - int32(len(g.Attached)); end >= 0 {
		return g.EndName(end)
	}
	s := sort.Search(g.NumSwitches, func(s int) bool { return g.PortStart[s] > link }) - 1
	return g.SwitchPort(int32(s), uint8(link-g.PortStart[s]))
}
