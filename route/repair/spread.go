package repair

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
	"weft/route/internal/intree"
)

// Spreading counts the work of Spread.
type Spreading struct {
	Moved int  `json:"moved"` // entries
	Left  bool `json:"left"`  // true if more moves would gain
}

// Spread moves at most a number of entries of a Plan to less loaded links, the largest gain first,
// and none towards the hosts that stay. See the package comment.
func Spread(ctx context.Context, g *fabric.Graph, plan *route.Plan, stay []int32, most, workers int) (*route.Plan, *Spreading, error) {
	s, err := newSpreader(ctx, g, plan, max(1, workers))
	if err != nil {
		return nil, nil, err
	}
	s.stays = make([]bool, g.NumEnds)
	for _, host := range stay {
		s.stays[host] = true
	}
	if err := s.findMoves(ctx); err != nil {
		return nil, nil, err
	}
	if err := s.move(ctx, most); err != nil {
		return nil, nil, err
	}
	return s.plan, &s.done, nil
}

// An entry moves if its packets then meet fewer others, by more than 1/leastShare of what a pair of
// hosts meets on a link on average.
const leastShare = 4

// spreader is the state of Spread.
type spreader struct {
	g       *fabric.Graph
	b       *binding
	l       *lanes
	deps    *dependencies
	plan    *route.Plan // new
	workers int
	traffic
	meetings
	views
	stays  []bool // by end port: entries towards it do not move
	nodes  separation
	moved  map[int][]int32 // by LID: switches with a new next hop
	was    *intree.Tree    // of the current LID by the old tables
	now    *intree.Tree    // by the new ones
	former *intree.Tree    // was, where they differ
	cost   []int64         // of now, see costs
	moves  moves
	edges  []cdg.Edge
	done   Spreading
}

// mostCells is the maximum of switches x LIDs of hosts that Spread takes. A million takes 0.05 s of
// CPU on trees, and a repair waits for it.
const mostCells = 1 << 25

// Spreadable returns why entries of a Plan cannot move, nil if they can as far as a short look
// tells.
func Spreadable(g *fabric.Graph, plan *route.Plan) *Impossible {
	lids := 0
	for h := range int32(g.NumHosts) {
		lids += plan.Ends.Count(h)
	}
	if n := g.NumSwitches * lids; n > mostCells {
		return &Impossible{fmt.Sprintf("the network is too large: %d switches x %d LIDs of hosts, more than %d million", g.NumSwitches, lids, mostCells/1_000_000)}
	}
	if plan.Choice.By == route.ListedLIDs {
		return &Impossible{"each host uses listed LIDs, whose paths were computed together"}
	}
	return nil
}

func newSpreader(ctx context.Context, g *fabric.Graph, plan *route.Plan, workers int) (*spreader, error) {
	if no := Spreadable(g, plan); no != nil {
		return nil, no
	}
	out := *plan
	out.Tables, out.Intended = plan.Tables.Clone(), nil
	b := bind(g, &Request{Old: g, Plan: plan}, plan.Ends)
	l := newLanes(g, &out, b.owner)
	s := &spreader{
		g: g, b: b, l: l, deps: newDependencies(b, l, nil), plan: &out, workers: workers,
		traffic: newTraffic(g, &out, b.owner), meetings: newMeetings(g), nodes: newSeparation(g, &out, b.owner),
		moved: map[int][]int32{}, now: intree.New(g), former: intree.New(g), cost: make([]int64, g.NumSwitches),
	}
	if err := s.deps.arrangeAll(ctx, workers); err != nil {
		return nil, err
	}
	if s.deps.cyclic {
		return nil, &Impossible{"its paths close a cycle of dependencies"}
	}
	s.addTrees()
	return s, nil
}

// addTrees adds the dependencies of packets of multicast trees, where they share a VL with paths.
// If that closes a cycle, the Plan has no proof in any case.
func (s *spreader) addTrees() {
	vl, ok := cdg.TreeVL(s.g, s.plan)
	at := s.l.indexOf(vl)
	if !ok || at == noLane {
		return
	}
	layer, _ := s.l.layerOf(s.l.pair(0, int32(at)))
	var edges []cdg.Edge
	for i := range s.plan.Multicast.Trees {
		cdg.EachTurn(s.g, &s.plan.Multicast.Trees[i], func(c, d int32) {
			_, c = s.l.layerOf(s.l.pair(c, int32(at)))
			if _, d = s.l.layerOf(s.l.pair(d, int32(at))); !s.deps.orders[layer].Has(c, s.deps.index.Rank[d]) {
				edges = append(edges, cdg.Edge{C: c, D: d})
			}
		})
	}
	slices.SortFunc(edges, func(a, b cdg.Edge) int { return cmp.Or(cmp.Compare(a.C, b.C), cmp.Compare(a.D, b.D)) })
	s.deps.orders[layer].Add(slices.Compact(edges))
}

// homeOf returns the switch of a LID's end port.
func (s *spreader) homeOf(lid int) int32 { return s.g.EndSwitch[s.b.owner[lid]] }

func (s *spreader) read(p *intree.Tree, t *route.Tables, lid int) {
	p.Read(t, s.homeOf(lid), fabric.LID(lid), s.count[lid])
}

// readBoth reads the paths to a LID by the old and the new tables.
func (s *spreader) readBoth(lid int) {
	s.read(s.now, s.plan.Tables, lid)
	s.costs(s.now, s.cost)
	if s.was = s.now; len(s.moved[lid]) > 0 {
		s.was = s.former
		s.read(s.was, s.b.plan.Tables, lid)
	}
}

// move makes moves, the largest gain first.
func (s *spreader) move(ctx context.Context, most int) error {
	for len(s.moves) > 0 && s.done.Moved < most {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := heap.Pop(&s.moves).(move)
		if slices.Contains(s.moved[m.lid], m.x) {
			continue
		}
		v := s.viewOf(&m)
		if m.gain = s.value(v); m.gain <= s.least(v.flow) {
			continue
		}
		if len(s.moves) > 0 && m.gain < s.moves[0].gain {
			heap.Push(&s.moves, m)
			continue
		}
		if err := s.try(ctx, m); err != nil {
			return err
		}
	}
	s.done.Left = len(s.moves) > 0
	return nil
}

// viewOf returns what the gain of a move depends on.
func (s *spreader) viewOf(m *move) *view {
	made := len(s.moved[m.lid])
	if v := s.known(m, made); v != nil {
		return v
	}
	s.readBoth(m.lid)
	v := view{lid: m.lid, x: m.x, made: made, flow: s.now.Flow[m.x]}
	if v.flow > 0 {
		v.paths = append(v.paths, pathOver(s.g, s.now, s.now.Next[m.x], v.flow))
	}
	for _, c := range s.g.OutOf(m.x) {
		switch {
		case c == s.now.Next[m.x] || !s.leadsNearer(m.x, c):
		case v.flow > 0:
			v.paths = append(v.paths, pathOver(s.g, s.now, c, 0))
		default:
			v.worth = max(v.worth, s.gain(s.now, s.cost, m.x, c))
		}
	}
	return s.keep(m, v)
}

// leadsNearer reports whether a channel leads from a switch to one that was nearer to the LID by
// the old tables.
func (s *spreader) leadsNearer(x, c int32) bool { return s.was.LeadsNearer(x, c) }

// try gives a switch the best admitted next hop.
func (s *spreader) try(ctx context.Context, m move) error {
	s.readBoth(m.lid)
	for _, o := range s.offers(m) {
		if !s.apart(m, o.c) || !s.nodes.separate(s.now, m, o.c, s.hosts) {
			continue
		}
		s.dependenciesOf(m, o.c)
		if ok, err := s.deps.admit(ctx, s.workers, s.edges); err != nil {
			return err
		} else if !ok {
			continue
		}
		s.change(m, o.c)
		return nil
	}
	return nil
}

// offer is a next hop with what it is worth.
type offer struct {
	c     int32
	worth int64
}

// offers lists the next hops that gain, the best first.
func (s *spreader) offers(m move) (list []offer) {
	for _, c := range s.g.OutOf(m.x) {
		if c == s.now.Next[m.x] || !s.leadsNearer(m.x, c) {
			continue
		}
		if worth := s.worth(m, c); worth > s.least(s.now.Flow[m.x]) {
			list = append(list, offer{c, worth})
		}
	}
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(b.worth, a.worth) })
	return list
}

// worth returns what the next hop of a move gains, half if it makes new dependencies: the more
// there are, the fewer a later repair can add.
func (s *spreader) worth(m move, c int32) int64 {
	gain := s.gain(s.now, s.cost, m.x, c)
	if gain <= s.least(s.now.Flow[m.x]) {
		return gain
	}
	s.dependenciesOf(m, c)
	if slices.ContainsFunc(s.edges, func(e cdg.Edge) bool { return !s.deps.has(e.C, e.D) }) {
		return gain / 2
	}
	return gain
}

// apart reports whether no packet to the LID can pass two switches with new next hops, while some
// switches have the old entry.
func (s *spreader) apart(m move, c int32) bool {
	for _, z := range s.moved[m.lid] {
		if s.was.Passes(m.x, z) || s.was.Passes(z, m.x) || s.now.Passes(z, m.x) || s.g.To[c] == z || s.now.Passes(s.g.To[c], z) {
			return false
		}
	}
	return true
}

// dependenciesOf lists the dependencies of all packets through a switch with another next hop.
func (s *spreader) dependenciesOf(m move, c int32) {
	g, p := s.g, s.now
	s.edges = s.edges[:0]
	old := p.Next[m.x]
	p.Next[m.x] = c
	defer func() { p.Next[m.x] = old }()
	if s.l.n == 1 {
		for _, in := range g.OutOf(m.x) {
			if u := g.To[in]; p.Next[u] == in^1 {
				s.edges = append(s.edges, cdg.Edge{C: in ^ 1, D: c})
			}
		}
		if d := p.Next[g.To[c]]; d >= 0 {
			s.edges = append(s.edges, cdg.Edge{C: c, D: d})
		}
		return
	}
	target := s.homeOf(m.lid)
	next := func(x int32) int32 { return p.Next[x] }
	p.Gather(m.x, s.hosts)
	for _, y := range p.Above {
		for sls := s.l.slsTo(y, m.lid); sls != 0; sls &= sls - 1 {
			s.edges = s.l.path(s.edges, p.Next[y], uint8(bits.TrailingZeros16(sls)), target, next)
		}
	}
}

// change makes a move.
func (s *spreader) change(m move, to int32) {
	n := s.now.Flow[m.x]
	for c := s.now.Next[m.x]; c >= 0; c = s.now.Next[s.g.To[c]] {
		s.load[c] -= n
	}
	for c := to; c >= 0; c = s.now.Next[s.g.To[c]] {
		s.load[c] += n
	}
	s.plan.Tables.Set(m.x, fabric.LID(m.lid), s.g.FromPort[to])
	s.plan.Recipe.Repaired = true
	s.moved[m.lid] = append(s.moved[m.lid], m.x)
	s.done.Moved++
}
