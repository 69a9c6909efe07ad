package flow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/internal/par"
	"weft/sim/traffic"
)

// Options configure a simulation.
type Options struct {
	Hosts   []int32            // end ports by rank; nil for Network.Hosts
	Place   *traffic.Placement // of the ranks, in place of Hosts; nil: a rank is a host port
	Runs    int
	Seed    uint64
	Narrow  float64 // if not 0: stop before Runs when the interval of the mean bandwidth is no wider than this share of it (untilEnough)
	Shuffle bool    // place the ranks on random hosts in every run
	MaxMin  bool    // compute max-min fair shares too
	ByRate  bool    // weight congestion by the rates of links; it is 1 if a flow runs at the speed of its hosts
	Equal   bool    // max-min fair shares take all links to be of one rate, as congestion does
	Workers int     // goroutines; the result does not depend on it
}

// Result sums up the bandwidth of a pattern. Bandwidths are shares of a link, 0 to 1. Congestion
// treats all links as equal unless Options.ByRate says otherwise. Flows spread over several LIDs,
// or counted by rate, have no Histogram. Undelivered parts of spread flows add up to whole flows.
type Result struct {
	Ranks       int   `json:"ranks"`
	Rounds      int   `json:"rounds"`
	Runs        int   `json:"runs"`
	Enough      bool  `json:"enough,omitempty"` // fewer runs than asked for: the interval of the mean was narrow
	Flows       int64 `json:"flows"`            // in all runs
	Undelivered int64 `json:"undelivered"`      // flows without a path in the tables
	// Bandwidth is over runs: the mean of 1/c over the flows of a run.
	Bandwidth Summary `json:"bandwidth"`
	// MaxCongestion is over runs: the largest c in any round.
	MaxCongestion Summary `json:"max_congestion"`
	// SumMaxCongestion is over runs: the sum over rounds of the largest c.
	SumMaxCongestion Summary   `json:"sum_max_congestion"`
	Worst            []float64 `json:"-"` // by run: its largest c
	// Histogram counts the delivered flows of all runs by congestion, ascending.
	Histogram []Bin `json:"histogram"`
	// RunHistogram counts runs by Bandwidth in steps of 0.05 (ORCS's hist_acc_band).
	RunHistogram [20]int64 `json:"run_histogram"`
	// PerServer is over runs: the bandwidth of a server towards its peer, on all rails together, in
	// links. Absent if ranks are host ports.
	PerServer *Summary `json:"bandwidth_per_server,omitempty"`
	// MaxMin is over runs: the mean max-min fair share of the flows of a run, as a share of the
	// fastest link.
	MaxMin *Summary `json:"max_min,omitempty"`
	Rates  *Rates   `json:"max_min_rates,omitempty"`
}

// Bin is one bar of a histogram.
type Bin struct {
	Congestion int   `json:"congestion"`
	Flows      int64 `json:"flows"`
}

// roundsAtOnce is the number of rounds of a run in one piece of work.
const roundsAtOnce = 64

// maxPathLinks bounds the memory of the paths of one round: 4 bytes a link.
const maxPathLinks = 1 << 30

// maxPieces bounds the memory of the sums of pieces: 40 bytes each.
const maxPieces = 1 << 25

// piece sums up some rounds of a run.
type piece struct {
	flows   int64
	pairs   int64   // flows between ranks: less than flows if ranks are servers
	inverse float64 // sum of 1/c
	share   float64 // sum of max-min fair shares
	worst   int32   // largest c, in parts of flows
	sum     int64   // sum over rounds of the largest c, in parts of flows
}

// RunPattern parses a pattern for one rank on each of opt.Hosts, as traffic.Servers.OnPorts does,
// and runs it.
func (n *Network) RunPattern(ctx context.Context, text string, opt Options) (*Result, error) {
	if opt.Hosts == nil {
		opt.Hosts = n.Hosts
	}
	p, place, err := n.Servers().OnPorts(text, opt.Hosts, 0)
	if err != nil {
		return nil, err
	}
	opt.Place = place
	return n.Run(ctx, p, opt)
}

// Run simulates a pattern. Rank i is opt.Hosts[i], or the i-th host after a shuffle; all must be
// among the Network's Hosts. A pattern may have fewer ranks than there are hosts. Runs that cannot
// differ are simulated once. It fails if ctx ends, if the pattern has more ranks than there are
// hosts, if it names hosts but shall run on others, or if its flows or rounds exceed the limits of
// memory.
func (n *Network) Run(ctx context.Context, p *traffic.Pattern, opt Options) (*Result, error) {
	runs, blocks, err := n.prepare(p, &opt)
	if err != nil {
		return nil, err
	}
	pieces := make([]piece, runs*blocks)
	workers := make([]*worker, max(opt.Workers, 1))
	var (
		rates    Rates
		capacity []float64
		weights  *rateWeights
	)
	if opt.ByRate {
		weights = n.rateWeights()
	}
	if opt.MaxMin {
		rates, capacity = n.rates(opt.Equal)
	}
	some := func(from, to int) error {
		return par.For(ctx, len(workers), (to-from)*blocks, func(id, i int) error {
			if workers[id] == nil {
				workers[id] = newWorker(n, p, &opt, weights, capacity)
			}
			i += from * blocks
			return workers[id].rounds(ctx, i/blocks, i%blocks*roundsAtOnce, &pieces[i])
		})
	}
	asked := runs
	runs, err = opt.untilEnough(runs, some, func(runs int) (Summary, int64) {
		return bandwidthOf(pieces[:runs*blocks], blocks)
	})
	if err != nil {
		return nil, err
	}
	result, shares := summarise(p, n.lids.parts, weights.unit(), runs, blocks, pieces[:runs*blocks], workers)
	result.Enough = runs < asked
	if opt.MaxMin {
		result.MaxMin, result.Rates = &shares, &rates
	}
	if opt.Place.OnServers {
		result.addPerServer(runs, blocks, pieces)
	}
	return result, nil
}

// prepare puts a pattern on hosts, and returns the number of runs and the blocks of rounds of each.
func (n *Network) prepare(p *traffic.Pattern, opt *Options) (runs, blocks int, err error) {
	if p.Fixed && (opt.Shuffle || opt.Hosts != nil) {
		return 0, 0, fmt.Errorf("flow: pattern %s names hosts: it cannot run in another order of hosts", p.Name)
	}
	if opt.Hosts == nil {
		opt.Hosts = n.Hosts
	}
	if opt.Place == nil {
		opt.Place = traffic.OnHosts(opt.Hosts)
	}
	if p.Ranks > len(opt.Place.Units) {
		return 0, 0, fmt.Errorf("flow: pattern %s has %d ranks, but there are %d hosts", p.Name, p.Ranks, len(opt.Place.Units))
	}
	if opt.Runs < 1 {
		return 0, 0, fmt.Errorf("flow: %d runs: want at least 1", opt.Runs)
	}
	runs = opt.Runs
	if !opt.Shuffle && !p.Drawn {
		runs = 1
	}
	blocks = max(1, (p.Rounds+roundsAtOnce-1)/roundsAtOnce)
	if runs > maxPieces/blocks {
		return 0, 0, fmt.Errorf("flow: %d runs of %d rounds are too many to hold: at most %d runs", runs, p.Rounds, maxPieces/blocks)
	}
	return runs, blocks, nil
}

// worker simulates rounds.
type worker struct {
	*counter
	p     *traffic.Pattern
	opt   *Options
	rng   rand.PCG
	order []int32 // units of Options.Place, by rank
	run   int     // run that order belongs to, -1 at first
	flows traffic.Flows
	fair  *filler
}

func newWorker(n *Network, p *traffic.Pattern, opt *Options, weights *rateWeights, capacity []float64) *worker {
	w := &worker{counter: newCounter(n, weights), p: p, opt: opt, order: slices.Clone(opt.Place.Units), run: -1}
	if opt.MaxMin {
		w.fair = newFiller(capacity)
	}
	return w
}

// rounds simulates up to roundsAtOnce rounds, beginning with first.
func (w *worker) rounds(ctx context.Context, run, first int, sum *piece) error {
	if w.opt.Shuffle && w.run != run {
		w.run = run
		copy(w.order, w.opt.Place.Units)
		traffic.Seed(&w.rng, w.opt.Seed, run, -1)
		w.opt.Place.Shuffle(w.order, &w.rng)
	}
	for round := first; round < min(first+roundsAtOnce, w.p.Rounds); round++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.p.Drawn {
			traffic.Seed(&w.rng, w.opt.Seed, run, round)
		}
		w.p.Round(&w.flows, round, &w.rng)
		sum.pairs += int64(w.opt.Place.ToPorts(&w.flows, w.order))
		if w.flows.Len() > maxPathLinks/max(w.n.hops*w.n.lids.parts, 1) {
			return fmt.Errorf("flow: a round of pattern %s has %d flows on paths of up to %d links: too many to hold (at most %d links)",
				w.p.Name, w.flows.Len(), w.n.hops, maxPathLinks)
		}
		w.place(w.flows.Src, w.flows.Dst)
		worst := w.measure()
		w.reset()
		sum.flows += int64(w.flows.Len())
		sum.worst = max(sum.worst, worst)
		sum.sum += int64(worst)
		if w.fair != nil {
			sum.share += w.fair.shares(&flowSet{path: w.path, end: w.end})
		}
	}
	sum.inverse = w.settle()
	return nil
}
