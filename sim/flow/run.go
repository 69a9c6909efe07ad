package flow

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/internal/par"
	"weft/sim/traffic"
)

// Options of a simulation.
type Options struct {
	Hosts   []int32 // end ports by rank; nil for Network.Hosts
	Runs    int
	Seed    uint64
	Shuffle bool // put the ranks on hosts at random in every run
	MaxMin  bool // compute max-min fair shares too
	ByRate  bool // congestion goes by the rates of links, and is 1 where a flow gets what its hosts can do
	Equal   bool // links are of one rate for max-min fair shares, as they are for congestion
	Workers int  // goroutines; the result does not depend on it
}

// Result sums up the bandwidth of a pattern. Bandwidths are shares of a link, 0 to 1. Congestion
// treats all links as equal unless Options.ByRate says otherwise. Flows spread over several LIDs,
// or counted by rate, have no Histogram. Undelivered parts of spread flows add up to whole flows.
type Result struct {
	Ranks       int   `json:"ranks"`
	Rounds      int   `json:"rounds"`
	Runs        int   `json:"runs"`
	Flows       int64 `json:"flows"`       // in all runs
	Undelivered int64 `json:"undelivered"` // flows without a path in the tables
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
	// MaxMin is over runs: the mean max-min fair share of the flows of a run, as a share
	// of the fastest link.
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

// maxPieces bounds the memory of what they add up to: 40 bytes each.
const maxPieces = 1 << 25

// piece sums up some rounds of a run.
type piece struct {
	flows   int64
	inverse float64 // sum of 1/c
	share   float64 // sum of max-min fair shares
	worst   int32   // largest c, in parts of flows
	sum     int64   // of the largest c by round, in parts of flows
}

// RunPattern runs the pattern that traffic.Parse makes of a text, with a rank for each of
// opt.Hosts.
func (n *Network) RunPattern(ctx context.Context, text string, opt Options) (*Result, error) {
	if opt.Hosts == nil {
		opt.Hosts = n.Hosts
	}
	p, err := traffic.Parse(text, len(opt.Hosts))
	if err != nil {
		return nil, err
	}
	return n.Run(ctx, p, opt)
}

// Run simulates a pattern, whose rank i is opt.Hosts[i], or the i-th of them after
// a shuffle; they must be among the Network's Hosts. A pattern may have fewer ranks
// than there are hosts. Runs that could not differ are made once. It fails when the
// pattern has more ranks than there are hosts, names hosts and is to be put on
// others, or has more flows in a round, or rounds in all runs, than memory is meant
// for, and when ctx ends.
func (n *Network) Run(ctx context.Context, p *traffic.Pattern, opt Options) (*Result, error) {
	if p.Fixed && (opt.Shuffle || opt.Hosts != nil) {
		return nil, fmt.Errorf("flow: pattern %s names hosts: they cannot be put in another order", p.Name)
	}
	if opt.Hosts == nil {
		opt.Hosts = n.Hosts
	}
	if p.Ranks > len(opt.Hosts) {
		return nil, fmt.Errorf("flow: pattern %s has %d ranks, but there are %d hosts", p.Name, p.Ranks, len(opt.Hosts))
	}
	if opt.Runs < 1 {
		return nil, fmt.Errorf("flow: %d runs: want at least 1", opt.Runs)
	}
	runs := opt.Runs
	if !opt.Shuffle && !p.Drawn {
		runs = 1
	}
	blocks := max(1, (p.Rounds+roundsAtOnce-1)/roundsAtOnce)
	if runs > maxPieces/blocks {
		return nil, fmt.Errorf("flow: %d runs of %d rounds are too many to hold: at most %d runs", runs, p.Rounds, maxPieces/blocks)
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
	err := par.For(ctx, len(workers), len(pieces), func(id, i int) error {
		if workers[id] == nil {
			workers[id] = newWorker(n, p, &opt, weights, capacity)
		}
		return workers[id].rounds(ctx, i/blocks, i%blocks*roundsAtOnce, &pieces[i])
	})
	if err != nil {
		return nil, err
	}
	result, shares := summarise(p, n.lids.parts, weights.unit(), runs, blocks, pieces, workers)
	if opt.MaxMin {
		result.MaxMin, result.Rates = &shares, &rates
	}
	return result, nil
}

// worker simulates rounds.
type worker struct {
	*counter
	p     *traffic.Pattern
	opt   *Options
	rng   rand.PCG
	order []int32 // hosts by rank
	run   int     // of order, -1 at first
	flows traffic.Flows
	fair  *filler
}

func newWorker(n *Network, p *traffic.Pattern, opt *Options, weights *rateWeights, capacity []float64) *worker {
	w := &worker{counter: newCounter(n, weights), p: p, opt: opt, order: append([]int32(nil), opt.Hosts...), run: -1}
	if opt.MaxMin {
		w.fair = newFiller(capacity)
	}
	return w
}

// rounds simulates up to roundsAtOnce rounds from first on.
func (w *worker) rounds(ctx context.Context, run, first int, sum *piece) error {
	if w.opt.Shuffle && w.run != run {
		w.run = run
		copy(w.order, w.opt.Hosts)
		traffic.Seed(&w.rng, w.opt.Seed, run, -1)
		traffic.Shuffle(w.order, &w.rng)
	}
	for round := first; round < min(first+roundsAtOnce, w.p.Rounds); round++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.p.Drawn {
			traffic.Seed(&w.rng, w.opt.Seed, run, round)
		}
		w.p.Round(&w.flows, round, &w.rng)
		if w.flows.Len() > maxPathLinks/max(w.n.hops*w.n.lids.parts, 1) {
			return fmt.Errorf("flow: a round of pattern %s has %d flows on paths of up to %d links: too many to hold (at most %d links)",
				w.p.Name, w.flows.Len(), w.n.hops, maxPathLinks)
		}
		for i := range w.flows.Src {
			w.flows.Src[i] = w.order[w.flows.Src[i]]
			w.flows.Dst[i] = w.order[w.flows.Dst[i]]
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
