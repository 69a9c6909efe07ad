package repair

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/internal/cdg"
)

// Spreading counts the work of Spread.
type Spreading struct {
	Moved int  `json:"moved"` // entries
	Left  bool `json:"left"`  // true if more moves would gain
}

// Spread moves at most a number of entries of a Plan to less loaded links, those that gain most
// first. See the package comment.
func Spread(ctx context.Context, g *fabric.Graph, plan *route.Plan, most, workers int) (*route.Plan, *Spreading, error) {
	s, err := newSpreader(ctx, g, plan, max(1, workers))
	if err != nil {
		return nil, nil, err
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
	count   []int32         // by switch: its number of hosts with LIDs
	weight  []int64         // by channel: of a meeting, more on a slower link
	load    []int64         // by channel: pairs of hosts
	moved   map[int][]int32 // by LID: switches with a new next hop
	was     *paths          // of the current LID by the old tables
	now     *paths          // by the new ones
	moves   moves
	offers  []offer
	edges   []cdg.Edge
	usual   int64 // hosts of a switch with hosts
	mean    int64 // meetings of a pair of hosts on a link
	done    Spreading
}

// offer is a next hop with what it is worth.
type offer struct {
	c     int32
	worth int64
}

// mostCells is the maximum of switches x hosts that Spread takes. A million takes 0.4 s of CPU.
const mostCells = 1 << 22

// Spreadable returns why entries of a Plan cannot move, nil if they can as far as a short look
// tells.
func Spreadable(g *fabric.Graph, plan *route.Plan) *Impossible {
	if n := g.NumSwitches * g.NumHosts; n > mostCells {
		return &Impossible{fmt.Sprintf("the network is too large: %d switches x %d hosts, more than %d million", g.NumSwitches, g.NumHosts, mostCells/1_000_000)}
	}
	for h := range int32(g.NumHosts) {
		if plan.Ends.Count(h) > 1 {
			return &Impossible{"hosts have several LIDs, whose paths may be separate on purpose"}
		}
		if node := g.EndNode[h]; g.IsHost(h) && g.NodeStart[node+1]-g.NodeStart[node] > 1 {
			return &Impossible{"hosts have several ports, whose paths may be separate on purpose"}
		}
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
		count: make([]int32, g.NumSwitches), weight: make([]int64, g.NumChannels), load: make([]int64, g.NumChannels),
		moved: map[int][]int32{}, was: newPaths(g), now: newPaths(g),
	}
	fastest := int64(1)
	for _, rate := range g.ChanRate {
		fastest = max(fastest, int64(rate))
	}
	for c, rate := range g.ChanRate {
		s.weight[c] = 16
		if rate > 0 {
			s.weight[c] = 16 * fastest / int64(rate)
		}
	}
	for h, base := range plan.Ends.Base[:g.NumHosts] {
		if base != 0 && g.IsHost(int32(h)) {
			s.count[g.EndSwitch[h]]++
		}
	}
	leaves := int64(0)
	for _, n := range s.count {
		leaves += int64(min(n, 1))
		s.usual += int64(n)
	}
	s.usual = (s.usual + leaves - 1) / max(leaves, 1)
	if err := s.deps.arrangeAll(ctx, workers); err != nil {
		return nil, err
	}
	if s.deps.cyclic {
		return nil, &Impossible{"its paths close a cycle of dependencies"}
	}
	return s, nil
}

// hostLIDs lists the LIDs of hosts.
func (s *spreader) hostLIDs() (lids []int) {
	for lid, end := range s.b.owner {
		if end >= 0 && s.g.IsHost(end) {
			lids = append(lids, lid)
		}
	}
	return lids
}

// findMoves counts the pairs on all channels, and lists the moves that gain.
func (s *spreader) findMoves(ctx context.Context) error {
	lids := s.hostLIDs()
	parts := make([]*paths, s.workers)
	loads := make([][]int64, s.workers)
	err := par.For(ctx, s.workers, len(lids), func(w, i int) error {
		if parts[w] == nil {
			parts[w], loads[w] = newPaths(s.g), make([]int64, s.g.NumChannels)
		}
		p := parts[w]
		s.read(p, s.plan.Tables, lids[i])
		for _, x := range p.order {
			loads[w][p.next[x]] += p.flow[x]
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, list := range loads {
		for c, n := range list {
			s.load[c] += n
		}
	}
	s.setMean()
	found := make([]moves, len(lids))
	err = par.For(ctx, s.workers, len(lids), func(w, i int) error {
		if parts[w] == nil {
			parts[w] = newPaths(s.g)
		}
		p := parts[w]
		s.read(p, s.plan.Tables, lids[i])
		for _, x := range p.order {
			if gain := s.best(p, p, x); gain > s.least(p, x) {
				found[i] = append(found[i], move{gain, lids[i], x})
			}
		}
		return nil
	})
	s.moves = slices.Concat(found...)
	heap.Init(&s.moves)
	return err
}

// setMean sets the mean meetings of a pair of hosts on a link.
func (s *spreader) setMean() {
	meetings, pairs := int64(0), int64(0)
	for c, n := range s.load {
		meetings += s.weight[c] * n * n
		pairs += n
	}
	s.mean = meetings / max(pairs, 1)
}

// least returns the gain that a switch's entry must exceed to move.
func (s *spreader) least(p *paths, x int32) int64 { return p.flow[x] * s.mean / leastShare }

func (s *spreader) read(p *paths, t *route.Tables, lid int) {
	p.read(t, s.g.EndSwitch[s.b.owner[lid]], fabric.LID(lid), s.count)
}

// best returns the largest gain of another next hop for a switch.
func (s *spreader) best(now, was *paths, x int32) (best int64) {
	for _, c := range s.g.OutOf(x) {
		if c != now.next[x] && s.leadsNearer(was, x, c) {
			best = max(best, s.gain(now, x, c))
		}
	}
	return best
}

// leadsNearer reports whether a channel leads from a switch to one that was nearer to the LID.
func (s *spreader) leadsNearer(was *paths, x, c int32) bool {
	y := s.g.To[c]
	return was.depth[y] >= 0 && was.depth[y] < was.depth[x] && (was.depth[y] == 0 || !s.g.Drained[y])
}

// gain returns by how much meetings fall if the packets through a switch take another channel.
// Packets with the same destination do not meet. Where no packets pass the switch, a shorter path
// counts by the packets that may come: after a lost link has returned, its switch is no detour any
// more.
func (s *spreader) gain(p *paths, x, c int32) int64 {
	n, old := p.flow[x], p.next[x]
	if n == 0 {
		return int64(p.depth[x]-p.depth[s.g.To[c]]-1) * s.usual * s.mean
	}
	gain := s.weight[old]*(s.load[old]-n) - s.weight[c]*s.load[c]
	from, to := s.g.To[old], s.g.To[c]
	for from != to {
		if p.depth[from] >= p.depth[to] {
			c := p.next[from]
			gain += s.weight[c] * (s.load[c] - p.flow[from])
			from = s.g.To[c]
			continue
		}
		c := p.next[to]
		gain -= s.weight[c] * (s.load[c] - p.flow[to])
		to = s.g.To[c]
	}
	return n * gain
}

// move makes moves, those that gain most first.
func (s *spreader) move(ctx context.Context, most int) error {
	for len(s.moves) > 0 && s.done.Moved < most {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := heap.Pop(&s.moves).(move)
		s.read(s.was, s.b.plan.Tables, m.lid)
		s.read(s.now, s.plan.Tables, m.lid)
		if slices.Contains(s.moved[m.lid], m.x) {
			continue
		}
		gain := s.best(s.now, s.was, m.x)
		if gain <= s.least(s.now, m.x) {
			continue
		}
		if len(s.moves) > 0 && gain < s.moves[0].gain {
			heap.Push(&s.moves, move{gain, m.lid, m.x})
			continue
		}
		if err := s.try(ctx, m); err != nil {
			return err
		}
	}
	s.done.Left = len(s.moves) > 0
	return nil
}

// try gives a switch the best admitted next hop.
func (s *spreader) try(ctx context.Context, m move) error {
	s.offers = s.offers[:0]
	for _, c := range s.g.OutOf(m.x) {
		if c == s.now.next[m.x] || !s.leadsNearer(s.was, m.x, c) {
			continue
		}
		if worth := s.worth(m, c); worth > s.least(s.now, m.x) {
			s.offers = append(s.offers, offer{c, worth})
		}
	}
	slices.SortStableFunc(s.offers, func(a, b offer) int { return cmp.Compare(b.worth, a.worth) })
	for _, o := range s.offers {
		if !s.apart(m, o.c) {
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

// worth returns what the next hop of a move gains, half if it makes new dependencies: the more
// there are, the fewer a later repair can add.
func (s *spreader) worth(m move, c int32) int64 {
	gain := s.gain(s.now, m.x, c)
	if gain <= s.least(s.now, m.x) {
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
		if s.passes(s.was, m.x, z) || s.passes(s.was, z, m.x) || s.passes(s.now, z, m.x) || s.g.To[c] == z || s.passes(s.now, s.g.To[c], z) {
			return false
		}
	}
	return true
}

// passes reports whether the path from switch x passes another one.
func (s *spreader) passes(p *paths, x, z int32) bool {
	for c := p.next[x]; c >= 0; c = p.next[s.g.To[c]] {
		if s.g.To[c] == z {
			return true
		}
	}
	return false
}

// dependenciesOf lists the dependencies of all packets through a switch with another next hop.
func (s *spreader) dependenciesOf(m move, c int32) {
	g, p := s.g, s.now
	s.edges = s.edges[:0]
	old := p.next[m.x]
	p.next[m.x] = c
	defer func() { p.next[m.x] = old }()
	if s.l.n == 1 {
		for _, in := range g.OutOf(m.x) {
			if u := g.To[in]; p.next[u] == in^1 {
				s.edges = append(s.edges, cdg.Edge{C: in ^ 1, D: c})
			}
		}
		if d := p.next[g.To[c]]; d >= 0 {
			s.edges = append(s.edges, cdg.Edge{C: c, D: d})
		}
		return
	}
	target := g.EndSwitch[s.b.owner[m.lid]]
	next := func(x int32) int32 { return p.next[x] }
	p.gather(m.x)
	for _, y := range p.above {
		for sls := s.l.slsTo(y, m.lid); sls != 0; sls &= sls - 1 {
			s.edges = s.l.path(s.edges, p.next[y], uint8(bits.TrailingZeros16(sls)), target, next)
		}
	}
}

// change makes a move.
func (s *spreader) change(m move, to int32) {
	n := s.now.flow[m.x]
	for c := s.now.next[m.x]; c >= 0; c = s.now.next[s.g.To[c]] {
		s.load[c] -= n
	}
	for c := to; c >= 0; c = s.now.next[s.g.To[c]] {
		s.load[c] += n
	}
	s.plan.Tables.Set(m.x, fabric.LID(m.lid), s.g.FromPort[to])
	s.plan.Recipe.Repaired = true
	s.moved[m.lid] = append(s.moved[m.lid], m.x)
	s.done.Moved++
}

// move is a switch whose entry of a LID could change, with what that gains.
type move struct {
	gain int64
	lid  int
	x    int32
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
