package flow

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/sim/traffic"
)

// Yardstick holds the figures that compare routings of one fabric. All routings see the same
// traffic: bisections, orders and permutations depend only on the seed and the hosts. Links count
// by their rates if these differ. The cost is O(flows x hops) of each figure, at most flowsMost
// flows of all shifts, and O(switches x end ports) for the pairs.
type Yardstick struct {
	KeyFigures
	EBBBound float64 `json:"ebb_bound"` // upper bound: no routing has a larger mean on these bisections
	// PairLoadBound is a lower bound on the host pairs of the busiest channel under any routing,
	// even one that splits pairs: the fractional optimum from below. It is 0 for large networks.
	PairLoadBound float64 `json:"pair_load_bound"`
	// Doubling is recursive doubling, or halving, with ranks in the order of leaves; DoublingRandom
	// has ranks in random order.
	Doubling       Collective `json:"doubling"`
	DoublingRandom Collective `json:"doubling_random"`
	// PermutationMedian and PermutationP99 are the largest congestion of random permutations: the
	// median and the 99th percentile.
	PermutationMedian float64 `json:"permutation_median"`
	PermutationP99    float64 `json:"permutation_p99"`
	PairLoadSwitches  int64   `json:"pair_load_switches"` // largest number of pairs of hosts or switches on a channel
	// Servers holds the figures of servers with several ports; absent if each has one. All other
	// figures are about host ports that send within their plane, all planes at once.
	Servers *ServerFigures `json:"by_servers,omitempty"`
}

// ServerFigures are figures of traffic between servers, each message on all rails that both have:
// port i sends to port i.
type ServerFigures struct {
	Servers   int `json:"servers"`
	HostPorts int `json:"host_ports"`
	Planes    int `json:"planes"`
	// EBB is the effective bisection bandwidth over random bisections of the servers, one way, of a
	// port as a share of a link; PerServer is that of a server, in links.
	EBB       Summary    `json:"ebb"`
	PerServer Summary    `json:"ebb_per_server"`
	Shift     Collective `json:"shift"` // all-to-all by shifts of the servers, in order of leaves
}

// KeyFigures holds the figures of the yardstick that weigh most. Engine auto chooses by the first
// three (package planner).
type KeyFigures struct {
	EBB Summary `json:"ebb"` // effective bisection bandwidth, one way, over random bisections
	// Shift is all-to-all by shifts, with ranks in the order of leaves; absent in the rows of a
	// campaign of weft whatif.
	Shift        Collective `json:"shift,omitzero"`
	PairLoad     int64      `json:"pair_load"`     // largest number of pairs of hosts on a channel
	DarkChannels int        `json:"dark_channels"` // channels between switches that no pair of hosts uses
	Undelivered  int64      `json:"undelivered"`   // pairs of hosts
}

// Collective describes a pattern of several rounds; each waits for the previous one.
type Collective struct {
	Rounds int     `json:"rounds"` // simulated rounds
	Mean   float64 `json:"mean"`   // largest congestion of a round, mean over rounds
	Sum    float64 `json:"sum"`    // over all rounds of the pattern, simulated or not
}

// Measure sets the amount of traffic for the figures.
type Measure struct {
	Runs     int // bisections, permutations and random orders; 0: as many as suit the size
	Seed     uint64
	Workers  int
	NoShifts bool // skip all-to-all by shifts, most of the work of KeyFigures
}

// flowsMost bounds the flows of one figure of a Yardstick, about 3 s on a core; flowsFew bounds the
// flows of KeyFigures alone.
const flowsMost, flowsFew = 40_000_000, 2_000_000

// NewYardstick measures a Plan. It fails if the Plan is for another Graph, or if ctx ends.
func NewYardstick(ctx context.Context, g *fabric.Graph, p *route.Plan, m Measure) (*Yardstick, error) {
	n, err := New(ctx, g, p, m.Workers)
	if err != nil {
		return nil, err
	}
	if m.Runs == 0 {
		m.Runs = min(max(10_000_000/max(len(n.Hosts), 1), 100), 1000)
	}
	y := &Yardstick{}
	opt := Options{Runs: m.Runs, Seed: m.Seed, ByRate: true, Workers: m.Workers}
	if err := y.KeyFigures.measure(ctx, n, opt, flowsMost); err != nil {
		return nil, err
	}
	if err := y.random(ctx, n, opt); err != nil {
		return nil, err
	}
	if err := y.doubling(ctx, n, opt); err != nil {
		return nil, err
	}
	if y.PairLoadSwitches, err = endPairs(ctx, g, p, m.Workers); err != nil {
		return nil, err
	}
	if n.Servers() != nil {
		y.Servers, err = n.serverFigures(ctx, opt)
	}
	return y, err
}

// serverFigures measures the traffic between servers.
func (n *Network) serverFigures(ctx context.Context, opt Options) (*ServerFigures, error) {
	s := n.Servers()
	out := &ServerFigures{HostPorts: len(n.Hosts), Planes: s.Planes}
	var err error
	run := func(pattern string, hosts []int32, opt Options, rounds int) (r *Result, all int) {
		p, place, parsed := s.OnServers(pattern, hosts, 0)
		if err = cmp.Or(err, parsed); err != nil {
			return nil, 0
		}
		out.Servers, opt.Place = len(place.Units), place
		if rounds > 0 {
			p, all = p.Sample(rounds), p.Rounds
		}
		r, err = n.Run(ctx, p, opt)
		return r, all
	}
	random := opt
	random.Shuffle = true
	bisections, _ := run("bisect", n.Hosts, random, 0)
	shifts, all := run("shift", n.ByLeaf(), opt, max(1, flowsMost/max(len(n.Hosts), 1)))
	if err != nil {
		return nil, err
	}
	out.EBB, out.PerServer, out.Shift = bisections.Bandwidth, *bisections.PerServer, collectiveOf(shifts, all)
	return out, nil
}

// NewKeyFigures measures the key figures of a Plan alone, over less traffic. It fails as
// NewYardstick does.
func NewKeyFigures(ctx context.Context, g *fabric.Graph, p *route.Plan, m Measure) (*KeyFigures, error) {
	n, err := New(ctx, g, p, m.Workers)
	if err != nil {
		return nil, err
	}
	return n.KeyFigures(ctx, m, nil)
}

// KeyFigures measures the key figures; nil if ctx ends before. It takes the figures of all pairs
// from known ones of the same Network, if there are any.
func (n *Network) KeyFigures(ctx context.Context, m Measure, known *KeyFigures) (*KeyFigures, error) {
	if m.Runs == 0 {
		m.Runs = min(max(2*flowsFew/max(len(n.Hosts), 1), 20), 200)
	}
	k, shifts := &KeyFigures{}, flowsFew
	if m.NoShifts {
		shifts = 0
	}
	opt := Options{Runs: m.Runs, Seed: m.Seed, ByRate: true, Workers: m.Workers}
	measure := k.measure
	if known != nil {
		k.PairLoad, k.DarkChannels, k.Undelivered = known.PairLoad, known.DarkChannels, known.Undelivered
		measure = k.measureRounds
	}
	if err := measure(ctx, n, opt, shifts); err != nil {
		return nil, err
	}
	return k, nil
}

// measure takes the figures: bisections, shifts (a sample with at most the given number of flows;
// none if 0), and all pairs.
func (k *KeyFigures) measure(ctx context.Context, n *Network, opt Options, flows int) error {
	if err := k.measureRounds(ctx, n, opt, flows); err != nil {
		return err
	}
	pairs, err := n.AllPairs(ctx, opt.Workers)
	if err != nil {
		return err
	}
	k.PairLoad, k.DarkChannels, k.Undelivered = pairs.Index, pairs.DarkChannels, pairs.Undelivered
	return nil
}

// measureRounds measures bisections and shifts.
func (k *KeyFigures) measureRounds(ctx context.Context, n *Network, opt Options, flows int) error {
	random := opt
	random.Shuffle = true
	bisections, err := n.RunPattern(ctx, "bisect", random)
	if err != nil {
		return err
	}
	k.EBB = bisections.Bandwidth
	if flows > 0 {
		k.Shift, err = n.shifts(ctx, opt, flows)
	}
	return err
}

// shifts measures all-to-all by shifts, or a sample with at most the given number of flows.
func (n *Network) shifts(ctx context.Context, opt Options, flows int) (Collective, error) {
	opt.Hosts = n.ByLeaf()
	shift, place, err := n.Servers().OnPorts("shift", opt.Hosts, 0)
	if err != nil {
		return Collective{}, err
	}
	opt.Place = place
	r, err := n.Run(ctx, shift.Sample(max(1, flows/max(len(n.Hosts), 1))), opt)
	if err != nil {
		return Collective{}, err
	}
	return collectiveOf(r, shift.Rounds), nil
}

// random measures permutations, and computes the bounds on pair load and on bisections.
func (y *Yardstick) random(ctx context.Context, n *Network, opt Options) error {
	opt.Shuffle = true
	permutations, err := n.RunPattern(ctx, "rand", opt)
	if err != nil {
		return err
	}
	y.PermutationMedian = permutations.MaxCongestion.Median
	y.PermutationP99 = nearestRank(permutations.Worst, .99)
	lengths, err := n.findLengths(ctx)
	if err != nil {
		return err
	}
	if lengths != nil {
		y.PairLoadBound = lengths.bound
	}
	y.EBBBound, err = n.bisectionBound(ctx, opt, lengths)
	return err
}

// nearestRank returns quantile q of a sample as one of its values.
func nearestRank(sample []float64, q float64) float64 {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(sample))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// doubling measures recursive doubling in the order of leaves and at random.
func (y *Yardstick) doubling(ctx context.Context, n *Network, opt Options) error {
	leaves := opt
	leaves.Hosts = n.ByLeaf()
	r, err := n.RunPattern(ctx, "recdbl", leaves)
	if err != nil {
		return err
	}
	y.Doubling = collectiveOf(r, r.Rounds)
	opt.Shuffle, opt.Runs = true, max(1, opt.Runs/10)
	if r, err = n.RunPattern(ctx, "recdbl", opt); err != nil {
		return err
	}
	y.DoublingRandom = collectiveOf(r, r.Rounds)
	return nil
}

// collectiveOf sums up the simulated rounds of a pattern; rounds is its number of all rounds.
func collectiveOf(r *Result, rounds int) Collective {
	c := Collective{Rounds: r.Rounds}
	if r.Rounds > 0 {
		c.Mean = r.SumMaxCongestion.Mean / float64(r.Rounds)
		c.Sum = c.Mean * float64(rounds)
	}
	return c
}

// endPairs counts the pairs of end ports, including the ports of switches, on each channel, by base
// LIDs, and returns the largest number. Packets in loops are not counted.
func endPairs(ctx context.Context, g *fabric.Graph, p *route.Plan, workers int) (int64, error) {
	trees := make([]*endTree, max(workers, 1))
	pieces := (g.NumEnds + columnsAtOnce - 1) / columnsAtOnce
	err := par.For(ctx, len(trees), pieces, func(worker, piece int) error {
		if trees[worker] == nil {
			trees[worker] = newEndTree(g, p)
		}
		for end := piece * columnsAtOnce; end < min((piece+1)*columnsAtOnce, g.NumEnds); end++ {
			trees[worker].add(int32(end))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	sums, most := make([]int64, g.NumChannels), int64(0)
	for _, t := range trees {
		if t == nil {
			continue
		}
		for c, load := range t.load {
			sums[c] += load
			most = max(most, sums[c])
		}
	}
	return most, nil
}

// endTree counts, target by target, the end ports whose packets a channel carries.
type endTree struct {
	g     *fabric.Graph
	p     *route.Plan
	load  []int64 // by channel, over all targets so far
	via   []int32 // by switch: its channel towards the target, or fabric.Nothing
	joins []int32 // by switch: unprocessed switches whose channel leads to it
	flow  []int64 // by switch: end ports whose packets pass it
	ready []int32
}

func newEndTree(g *fabric.Graph, p *route.Plan) *endTree {
	n := g.NumSwitches
	return &endTree{
		g: g, p: p, load: make([]int64, g.NumChannels),
		via: make([]int32, n), joins: make([]int32, n), flow: make([]int64, n), ready: make([]int32, 0, n),
	}
}

// add counts the packets of all end ports to a target's base LID.
func (t *endTree) add(target int32) {
	lid := t.p.Ends.Base[target]
	if lid == 0 {
		return
	}
	clear(t.joins)
	for s := range t.via {
		t.via[s], t.flow[s] = fabric.Nothing, int64(len(t.g.AttachedTo(int32(s))))+1
		port := t.p.Tables.Port(int32(s), lid)
		if port == route.NoPort {
			continue
		}
		if c, _ := t.g.At(int32(s), port); c >= 0 {
			t.via[s] = c
			t.joins[t.g.To[c]]++
		}
	}
	t.ready = t.ready[:0]
	for s, n := range t.joins {
		if n == 0 {
			t.ready = append(t.ready, int32(s))
		}
	}
	for len(t.ready) > 0 {
		s := t.ready[len(t.ready)-1]
		t.ready = t.ready[:len(t.ready)-1]
		c := t.via[s]
		if c == fabric.Nothing {
			continue
		}
		to := t.g.To[c]
		t.load[c] += t.flow[s]
		t.flow[to] += t.flow[s]
		if t.joins[to]--; t.joins[to] == 0 {
			t.ready = append(t.ready, to)
		}
	}
}

// bisectionBound returns the mean over the bisections of an upper bound on the bandwidth of any
// routing. The bandwidths 1/c of the flows of a pattern never overload a link. So their sum is
// bounded by three capacities: the links around each switch with hosts, out and in; all links over
// shortest paths; and the bound by lengths, if there is one.
func (n *Network) bisectionBound(ctx context.Context, opt Options, lengths *lengths) (float64, error) {
	b := newCutBound(n, lengths)
	p, place, err := n.Servers().OnPorts("bisect", n.Hosts, 0)
	if err != nil {
		return 0, err
	}
	order := slices.Clone(place.Units)
	var rng rand.PCG
	var pairs traffic.Flows
	sum := 0.0
	for run := range opt.Runs {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		copy(order, place.Units)
		traffic.Seed(&rng, opt.Seed, run, -1)
		place.Shuffle(order, &rng)
		p.Round(&pairs, 0, &rng)
		place.ToPorts(&pairs, order)
		sum += b.bisection(&pairs)
	}
	return sum / float64(max(opt.Runs, 1)), nil
}
