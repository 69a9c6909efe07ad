package repair

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/intree"
)

// separation keeps paths apart that an engine may have made separate on purpose: those between the
// same two nodes, to several LIDs or between several ports.
type separation struct {
	g        *fabric.Graph
	tables   *route.Tables // new
	owner    []int32       // by LID: its end port
	lidsOf   [][]int32     // by node: its LIDs
	partners [][]int32     // by switch: itself, and switches with other ports of its hosts
	links    []uint8       // by channel / 2: the paths that pass it, a set of before and after
	switches []uint8       // the same by switch
}

// Paths of a packet.
const (
	before uint8 = 1 << iota
	after
)

func newSeparation(g *fabric.Graph, plan *route.Plan, owner []int32) separation {
	s := separation{
		g: g, tables: plan.Tables, owner: owner, lidsOf: make([][]int32, g.NumNodes), partners: make([][]int32, g.NumSwitches),
		links: make([]uint8, g.NumChannels/2), switches: make([]uint8, g.NumSwitches),
	}
	for lid, end := range owner {
		if end >= 0 && g.IsHost(end) {
			node := g.EndNode[end]
			s.lidsOf[node] = append(s.lidsOf[node], int32(lid))
		}
	}
	for x := range s.partners {
		s.partners[x] = []int32{int32(x)}
	}
	for node := range s.lidsOf {
		ends := g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]]
		for _, a := range ends {
			for _, b := range ends {
				if list := &s.partners[g.EndSwitch[a]]; !slices.Contains(*list, g.EndSwitch[b]) {
					*list = append(*list, g.EndSwitch[b])
				}
			}
		}
	}
	return s
}

// separate reports whether no path through a switch, with another next hop, shares more links or
// switches than before with a path between other ports or LIDs of the same two nodes.
func (s *separation) separate(p *intree.Tree, m move, c int32, hosts []int32) bool {
	others := s.lidsOf[s.g.EndNode[s.owner[m.lid]]]
	if len(others) == 1 {
		return true
	}
	s.mark(p, p.Next[m.x], before)
	s.mark(p, c, after)
	defer s.unmark(p, p.Next[m.x], c)
	p.Gather(m.x, hosts)
	for _, x := range p.Source {
		for _, y := range s.partners[x] {
			for _, lid := range others {
				if int(lid) != m.lid && s.sharesMore(y, lid) {
					return false
				}
			}
		}
	}
	return true
}

// mark marks the path over a channel up to the last switch.
func (s *separation) mark(p *intree.Tree, c int32, path uint8) {
	for ; c >= 0; c = p.Next[s.g.To[c]] {
		s.links[c/2] |= path
		s.switches[s.g.To[c]] |= path
	}
}

// unmark removes all marks of the paths over some channels.
func (s *separation) unmark(p *intree.Tree, channels ...int32) {
	for _, c := range channels {
		for ; c >= 0; c = p.Next[s.g.To[c]] {
			s.links[c/2], s.switches[s.g.To[c]] = 0, 0
		}
	}
}

// sharesMore reports whether the path from a switch to a LID shares more links or switches with the
// path after a move than with the one before.
func (s *separation) sharesMore(x, lid int32) bool {
	links, switches := 0, 0
	for home := s.g.EndSwitch[s.owner[lid]]; ; {
		switches += moreOf(s.switches[x])
		c, _ := s.g.At(x, s.tables.Port(x, fabric.LID(lid)))
		if x == home || c < 0 {
			return links > 0 || switches > 0
		}
		links += moreOf(s.links[c/2])
		x = s.g.To[c]
	}
}

// moreOf returns 1 for the path after a move alone, and -1 for the one before alone.
func moreOf(paths uint8) int { return int(paths>>1&1) - int(paths&1) }
