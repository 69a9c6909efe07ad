package repair

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// solver gives next hops to the switches of one column after another.
type solver struct {
	b       *binding
	l       *lanes
	deps    *dependencies
	tables  *route.Tables // new
	workers int
	loads   loads
	relaned []relaned // next hops whose packets may need other lanes
	added   []int32   // by channel: pairs of hosts added by the repair
	columnState

	way   []int32    // switches: scratch of distance
	edges []cdg.Edge // result of dependenciesOf
	sls   uint16     // of packets from the current switch to the LID
}

// columnState holds the state of the solver's current column.
type columnState struct {
	lid    int
	target int32     // switch of the LID
	state  []int8    // by switch: whole, open or settled
	out    []int32   // by switch: its channel, if its distance is known
	hops   []int32   // by switch: channels to the target, or unknown, or nowhere
	levels [][]int32 // by number of channels to the target: switches to be visited
}

// States of a switch in a column.
const (
	whole   int8 = iota // keeps its entry
	open                // needs a next hop
	settled             // has one
)

// Special values of hops.
const (
	unknown int32 = -1
	nowhere int32 = -2
)

func newSolver(b *binding, l *lanes, deps *dependencies, tables *route.Tables, workers int) *solver {
	n := b.g.NumSwitches
	return &solver{
		b: b, l: l, deps: deps, tables: tables, workers: workers, loads: newLoads(b, tables),
		added: make([]int32, b.g.NumChannels), columnState: columnState{state: make([]int8, n), out: make([]int32, n), hops: make([]int32, n)},
	}
}

// column finds next hops and writes them. It returns the first switch that can reach the LID but
// got no next hop, or -1.
func (s *solver) column(ctx context.Context, c column) (stuck int32, err error) {
	g := s.b.g
	s.lid, s.target = c.lid, g.EndSwitch[s.b.owner[c.lid]]
	for x := range s.hops {
		s.state[x], s.hops[x] = whole, unknown
	}
	s.hops[s.target] = 0
	for _, x := range c.switches {
		s.state[x] = open
	}
	s.state[s.target] = whole // write gives it the port of the LID
	left := c.switches
	for rule := range numRules {
		if left, err = s.settle(ctx, left, rule); err != nil {
			return -1, err
		}
		if len(left) == 0 {
			break
		}
	}
	stuck = s.firstStuck(left)
	s.write(c.switches)
	return stuck, nil
}

// Rules for admitting next hops, the strictest first.
const (
	knownOnly   = iota // all dependencies are in the old Plan, or added by the repair
	acyclic            // dependencies close no cycle
	relaneLater        // any: relane finds other lanes for the packets. Only with several lanes
	numRules
)

// settle gives next hops to open switches, the nearest to the LID first. It returns the switches
// left without one.
func (s *solver) settle(ctx context.Context, list []int32, rule int) (left []int32, err error) {
	g := s.b.g
	if rule == relaneLater && s.l.n == 1 {
		return list, nil
	}
	for i := range s.levels {
		s.levels[i] = s.levels[i][:0]
	}
	for _, x := range list {
		for _, c := range g.OutOf(x) {
			if u := g.To[c]; s.passable(u) && s.state[u] != open {
				if h := s.distance(u); h >= 0 {
					s.put(x, h+1)
				}
			}
		}
	}
	for h := 0; h < len(s.levels); h++ {
		for i := 0; i < len(s.levels[h]); i++ {
			x := s.levels[h][i]
			if s.state[x] != open {
				continue
			}
			c, err := s.choose(ctx, x, int32(h-1), rule)
			if err != nil {
				return nil, err
			}
			if c < 0 {
				continue
			}
			s.state[x], s.out[x], s.hops[x] = settled, c, int32(h)
			s.addPairs(x)
			if rule == relaneLater {
				s.relaned = append(s.relaned, relaned{x, s.lid})
			}
			if !s.passable(x) {
				continue
			}
			for _, back := range g.OutOf(x) {
				if p := g.To[back]; s.state[p] == open {
					s.put(p, int32(h+1))
				}
			}
		}
	}
	for _, x := range list {
		if s.state[x] == open {
			left = append(left, x)
		}
	}
	return left, nil
}

// put queues a switch for settle at a path length in channels.
func (s *solver) put(x, level int32) {
	for int(level) >= len(s.levels) {
		s.levels = append(s.levels, nil)
	}
	list := s.levels[level]
	if n := len(list); n == 0 || list[n-1] != x {
		s.levels[level] = append(list, x)
	}
}

// passable reports whether packets to the LID may enter a switch.
func (s *solver) passable(u int32) bool { return s.b.mayPass(u, s.target) }

// distance returns the number of channels to the target from a switch that keeps its entry or is
// settled, nowhere if it has no entry to keep.
func (s *solver) distance(u int32) int32 {
	g := s.b.g
	s.way = s.way[:0]
	for s.hops[u] == unknown {
		s.way = append(s.way, u)
		s.hops[u] = nowhere // unless the path ends elsewhere
		s.out[u] = s.b.channel(u, s.lid)
		if c := s.out[u]; c >= 0 {
			u = g.To[c]
		}
	}
	h := s.hops[u]
	for _, x := range slices.Backward(s.way) {
		if h != nowhere {
			h++
		}
		s.hops[x] = h
	}
	return h
}

// choose finds the best channel from a switch to one at the given distance from the LID: the old
// one, or the least loaded. It returns -1 if none is admitted.
func (s *solver) choose(ctx context.Context, x, hops int32, rule int) (int32, error) {
	g := s.b.g
	if s.l.n > 1 {
		s.sls = s.l.slsTo(x, s.lid)
	}
	was := s.b.channel(x, s.lid)
	if was >= 0 && s.candidate(was, hops) {
		if ok, err := s.admitted(ctx, was, rule); ok || err != nil {
			return was, err
		}
	}
	if rule != acyclic {
		best, least := fabric.Nothing, int64(math.MaxInt64)
		for _, c := range g.OutOf(x) {
			if c == was || !s.candidate(c, hops) {
				continue
			}
			if load := s.load(c); load < least {
				if ok, err := s.admitted(ctx, c, rule); err != nil {
					return -1, err
				} else if ok {
					best, least = c, load
				}
			}
		}
		return best, nil
	}
	type ranked struct {
		c, turns, backwards int32
		load                int64
	}
	list := make([]ranked, 0, 8)
	for _, c := range g.OutOf(x) {
		if c != was && s.candidate(c, hops) {
			n, err := s.backwards(ctx, c)
			if err != nil {
				return -1, err
			}
			list = append(list, ranked{c, s.deps.turns[g.To[c]], n, s.load(c)})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.turns, a.turns), cmp.Compare(a.backwards, b.backwards), cmp.Compare(a.load, b.load))
	})
	for _, r := range list {
		if ok, err := s.admitted(ctx, r.c, acyclic); ok || err != nil {
			return r.c, err
		}
	}
	return fabric.Nothing, nil
}

// load ranks the path over a channel: first by the maximum of pairs that the repair has added to
// any of its channels, then by the entries of the first channel. Less is better.
func (s *solver) load(c int32) int64 {
	most, at := int32(0), c
	for {
		most = max(most, s.added[at])
		u := s.b.g.To[at]
		if u == s.target {
			return int64(most)<<32 | int64(s.loads.of(c))
		}
		at = s.out[u]
	}
}

// addPairs counts the pairs of a switch's own hosts with the LID on its path, if the LID is a
// host's.
func (s *solver) addPairs(x int32) {
	g := s.b.g
	hosts := int32(len(g.HostsOf(x)))
	if hosts == 0 || !g.IsHost(s.b.owner[s.lid]) {
		return
	}
	for x != s.target {
		c := s.out[x]
		s.added[c] += hosts
		x = g.To[c]
	}
}

// backwards counts the dependencies of packets over a channel that lead backwards in the order of
// channels.
func (s *solver) backwards(ctx context.Context, c int32) (n int32, err error) {
	s.dependenciesOf(c)
	for _, e := range s.edges {
		forwards, err := s.deps.forwards(ctx, s.workers, e.C, e.D)
		if err != nil {
			return 0, err
		}
		if !forwards {
			n++
		}
	}
	return n, nil
}

// candidate reports whether a channel leads to a usable switch at the given distance from the LID.
func (s *solver) candidate(c, hops int32) bool {
	u := s.b.g.To[c]
	return s.state[u] != open && s.passable(u) && s.distance(u) == hops
}

// admitted reports whether the packets of a switch may take a channel. It adds new dependencies.
func (s *solver) admitted(ctx context.Context, c int32, rule int) (bool, error) {
	if rule == relaneLater {
		return true, nil
	}
	s.dependenciesOf(c)
	if rule == acyclic {
		return s.deps.admit(ctx, s.workers, s.edges)
	}
	for _, e := range s.edges {
		if !s.deps.has(e.C, e.D) {
			return false, nil
		}
	}
	return true, nil
}

// dependenciesOf lists the dependencies of packets over a channel to the LID. With one lane it
// lists the first only, since the others exist. With several lanes it lists, for packets of the
// switch's own end ports, the dependencies of the whole path.
func (s *solver) dependenciesOf(c int32) {
	g, l := s.b.g, s.l
	s.edges = s.edges[:0]
	if g.To[c] == s.target {
		return
	}
	if l.n == 1 {
		s.edges = append(s.edges, cdg.Edge{C: c, D: s.out[g.To[c]]})
		return
	}
	for sls := s.sls; sls != 0; sls &= sls - 1 {
		sl := uint8(bits.TrailingZeros16(sls))
		s.edges = l.path(s.edges, c, sl, s.target, s.onward)
	}
}

// onward returns the output channel of a switch with a known distance, not the target.
func (s *solver) onward(u int32) int32 { return s.out[u] }

// firstStuck returns the first open switch that can reach the LID, or -1.
func (s *solver) firstStuck(list []int32) int32 {
	if len(list) == 0 {
		return -1
	}
	from := s.b.g.NewSearch(s.b.g.Drained)
	from.From(s.target)
	for _, x := range list {
		if from.Hops[x] != fabric.Unreached {
			return x
		}
	}
	return -1
}

// write writes the next hops into the tables.
func (s *solver) write(list []int32) {
	g, lid := s.b.g, fabric.LID(s.lid)
	s.set(s.target, lid, g.EndPort[s.b.owner[s.lid]])
	for _, x := range list {
		switch {
		case x == s.target:
		case s.state[x] == settled:
			s.set(x, lid, g.FromPort[s.out[x]])
		default:
			s.set(x, lid, route.NoPort)
		}
	}
}

func (s *solver) set(x int32, lid fabric.LID, port uint8) {
	was := s.tables.Port(x, lid)
	if was == port {
		return
	}
	s.loads.change(x, s.lid, was, port)
	s.tables.Set(x, lid, port)
}
