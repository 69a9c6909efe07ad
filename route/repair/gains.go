package repair

import (
	"cmp"
	"math"
	"math/bits"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/intree"
)

// traffic says how many pairs of hosts use each LID of a host.
type traffic struct {
	lids  []int     // of hosts
	hosts []int32   // by switch: its number of hosts with LIDs
	count [][]int32 // by LID of a host: by switch, the traffic of its hosts to the LID
	unit  int64     // traffic of a host to all LIDs of another one
}

// newTraffic shares the traffic to a host among its LIDs: all to the base LID where clients use
// that alone, otherwise evenly.
func newTraffic(g *fabric.Graph, plan *route.Plan, owner []int32) traffic {
	t := traffic{hosts: make([]int32, g.NumSwitches), count: make([][]int32, len(owner)), unit: 1}
	for lid, end := range owner {
		if end >= 0 && g.IsHost(end) {
			t.lids = append(t.lids, lid)
			t.unit = max(t.unit, int64(plan.Ends.Count(end)))
		}
	}
	for h, base := range plan.Ends.Base[:g.NumHosts] {
		if base != 0 && g.IsHost(int32(h)) {
			t.hosts[g.EndSwitch[h]]++
		}
	}
	byShare := map[int64][]int32{}
	for _, lid := range t.lids {
		share := t.unit / int64(plan.Ends.Count(owner[lid]))
		if plan.Choice.By == route.BaseLID {
			share = 0
			if fabric.LID(lid) == plan.Ends.Base[owner[lid]] {
				share = t.unit
			}
		}
		if byShare[share] == nil {
			byShare[share] = make([]int32, len(t.hosts))
			for x, n := range t.hosts {
				byShare[share][x] = n * int32(share)
			}
		}
		t.count[lid] = byShare[share]
	}
	return t
}

// meetings counts the pairs of hosts on all channels. Packets meet where pairs with different
// destinations share a channel.
type meetings struct {
	weight []int64 // by channel: of a meeting, more on a slower link
	load   []int64 // by channel: pairs of hosts
	price  []int64 // by position in Graph.Out: weight times load, before any move
	lowest []int64 // by switch: the lowest price of a channel out of it
	usual  int64   // pairs that a switch with hosts sends to a LID
	mean   int64   // meetings of a pair of hosts on a link
}

func newMeetings(g *fabric.Graph) meetings {
	m := meetings{weight: make([]int64, g.NumChannels), load: make([]int64, g.NumChannels), price: make([]int64, g.NumChannels), lowest: make([]int64, g.NumSwitches)}
	fastest := int64(1)
	for _, rate := range g.ChanRate {
		fastest = max(fastest, int64(rate))
	}
	for c, rate := range g.ChanRate {
		m.weight[c] = 16
		if rate > 0 {
			m.weight[c] = 16 * fastest / int64(rate)
		}
	}
	return m
}

// setLoads adds up the loads that workers counted, and sets prices and means.
func (s *spreader) setLoads(readers []*treeReader) {
	high, low, pairs := uint64(0), uint64(0), uint64(0) // high and low: the meetings of all pairs
	for c := range s.load {
		for _, r := range readers {
			s.load[c] += r.load[c]
		}
		upper, lower := bits.Mul64(uint64(s.weight[c]*s.load[c]), uint64(s.load[c]))
		sum, carry := bits.Add64(low, lower, 0)
		high, low = high+upper+carry, sum
		pairs += uint64(s.load[c])
	}
	mean, _ := bits.Div64(high, low, max(pairs, 1))
	s.mean = int64(mean)
	for x := range s.lowest {
		s.lowest[x] = math.MaxInt64
		for i := s.g.OutStart[x]; i < s.g.OutStart[x+1]; i++ {
			c := s.g.Out[i]
			s.price[i] = s.weight[c] * s.load[c]
			s.lowest[x] = min(s.lowest[x], s.price[i])
		}
	}
	leaves, hosts := int64(0), int64(0)
	for _, n := range s.hosts {
		leaves += int64(min(n, 1))
		hosts += int64(n)
	}
	s.usual = (hosts + leaves - 1) / max(leaves, 1) * s.unit
}

// least returns the gain that an entry for so many pairs must exceed to move.
func (m *meetings) least(flow int64) int64 { return flow * m.mean / leastShare }

// costs sets, by switch, the meetings of one pair on its path to the LID of a column.
func (s *spreader) costs(p *intree.Tree, cost []int64) {
	cost[p.Home] = 0
	for i := len(p.Order) - 1; i >= 0; i-- {
		x := p.Order[i]
		c := p.Next[x]
		cost[x] = s.weight[c]*(s.load[c]-p.Flow[x]) + cost[s.g.To[c]]
	}
}

// gain returns by how much meetings fall if the packets through a switch take another channel; cost
// is set by costs. Packets with the same destination do not meet. Where no packets pass the switch,
// a shorter path counts by the packets that may come: after a lost link has returned, its switch is
// no detour any more.
func (s *spreader) gain(p *intree.Tree, cost []int64, x, c int32) int64 {
	y := s.g.To[c]
	if p.Flow[x] == 0 {
		return int64(p.Depth[x]-p.Depth[y]-1) * s.usual * s.mean
	}
	return p.Flow[x] * (cost[x] - s.weight[c]*s.load[c] - cost[y])
}

// view holds everything that the gain of a move depends on, besides the load of channels. So it
// follows the loads without reading the tables again.
type view struct {
	lid   int
	x     int32
	made  int      // moves to the LID when it was made
	flow  int64    // pairs through the switch
	worth int64    // the gain if that is 0
	paths [][]part // the path in use, then the paths over other channels
}

// part is a channel of a path, with the pairs to the same LID on it.
type part struct {
	c    int32
	flow int32
}

// pathOver returns the path over a channel that carries so many pairs to the LID.
func pathOver(g *fabric.Graph, p *intree.Tree, c int32, flow int64) []part {
	path := make([]part, 0, 1+p.Depth[g.To[c]])
	for ; c >= 0; c = p.Next[g.To[c]] {
		path = append(path, part{c, int32(flow)})
		flow = p.Flow[g.To[c]]
	}
	return path
}

// value returns the largest gain of another next hop.
func (s *spreader) value(v *view) int64 {
	if v.flow == 0 {
		return v.worth
	}
	gain, present := int64(0), s.costOf(v.paths[0])
	for _, path := range v.paths[1:] {
		gain = max(gain, v.flow*(present-s.costOf(path)))
	}
	return gain
}

// costOf returns the meetings of one pair on a path.
func (s *spreader) costOf(path []part) (sum int64) {
	for _, p := range path {
		sum += s.weight[p.c] * (s.load[p.c] - int64(p.flow))
	}
	return sum
}

// mostParts is the maximum number of parts kept: 32 MB.
const mostParts = 1 << 22

// views keeps the last views.
type views struct {
	list  []view
	parts int
}

// known returns the view of a move if it is kept, and no move to its LID was made since.
func (k *views) known(m *move, made int) *view {
	if m.view == 0 || m.view > len(k.list) {
		return nil
	}
	if v := &k.list[m.view-1]; v.lid == m.lid && v.x == m.x && v.made == made {
		return v
	}
	return nil
}

// keep keeps the view of a move. If there are too many, it drops all others.
func (k *views) keep(m *move, v view) *view {
	for _, path := range v.paths {
		k.parts += len(path)
	}
	if k.parts > mostParts {
		k.list, k.parts = nil, 0
	}
	k.list = append(k.list, v)
	m.view = len(k.list)
	return &k.list[m.view-1]
}

// move is a switch whose entry of a LID could change, with the gain of its best next hop.
type move struct {
	gain int64
	lid  int
	x    int32
	view int // of views.list, from 1 on; 0: none yet
}

// moves is a heap with the largest gain first.
type moves []move

func (h moves) Len() int { return len(h) }
func (h moves) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].gain, h[i].gain), cmp.Compare(h[i].lid, h[j].lid), cmp.Compare(h[i].x, h[j].x)) < 0
}
func (h moves) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *moves) Push(m any)   { *h = append(*h, m.(move)) }
func (h *moves) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
