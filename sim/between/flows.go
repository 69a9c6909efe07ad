package between

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/internal/par"
	"weft/intersubnet"
	"weft/sim/traffic"
)

// FlowReport holds the bandwidth of a traffic pattern on the paths of a Plan, by congestion
// counting as in sim/flow: a flow gets 1/c of a link, with c the largest number of flows on a link
// of its path.
type FlowReport struct {
	Pattern       string  `json:"pattern"`
	Hosts         int     `json:"hosts"`
	Runs          int     `json:"runs"`
	Flows         int64   `json:"flows"`
	Undelivered   int64   `json:"undelivered"`
	Mean          float64 `json:"mean"` // bandwidth of a flow, over all runs
	Min           float64 `json:"min"`  // of the worst run
	Max           float64 `json:"max"`
	MaxCongestion int     `json:"max_congestion"`
	Across        float64 `json:"across"` // share of flows between subnets
}

// oneRun sums up a run.
type oneRun struct {
	flows, lost, across int64
	sum                 float64 // of the bandwidths of flows
	worst               int     // most flows on a link
}

// FlowRequest says which pattern to simulate, and how often.
type FlowRequest struct {
	Pattern string // as traffic.Parse reads it, with a rank for each host
	Order   string // of ranks on hosts: "random" in every run, "leaf" (by subnet, switch and port), or "auto", as the pattern has it
	Runs    int
	Seed    uint64
	Workers int
}

// Simulate counts congestion of a pattern over all hosts. The result does not depend on Workers.
func Simulate(ctx context.Context, p *intersubnet.Plan, req *FlowRequest) (*FlowReport, error) {
	hosts := p.Hosts()
	t, err := traffic.Parse(req.Pattern, len(hosts))
	if err != nil {
		return nil, err
	}
	if req.Runs < 1 || t.Fixed {
		return nil, fmt.Errorf("intersubnet: %d runs of pattern %s: want at least 1, of a pattern that names no hosts", req.Runs, t.Name)
	}
	shuffle := req.Order == "random" || req.Order == "auto" && t.Shuffled
	runs := req.Runs
	if !shuffle && !t.Drawn {
		runs = 1
	}
	first := p.FirstLinks()
	all := make([]oneRun, runs)
	counts := make([]*linkCounter, max(1, req.Workers))
	err = par.For(ctx, len(counts), runs, func(worker, run int) error {
		if counts[worker] == nil {
			counts[worker] = &linkCounter{p: p, first: first, load: make([]int32, first[len(first)-1])}
		}
		all[run] = counts[worker].run(t, hosts, run, req.Seed, shuffle)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	out := &FlowReport{Pattern: t.Name, Hosts: len(hosts), Runs: runs, Min: 1}
	across := int64(0)
	sum := 0.0
	for _, r := range all {
		out.Flows, out.Undelivered, across, sum = out.Flows+r.flows, out.Undelivered+r.lost, across+r.across, sum+r.sum
		mean := r.sum / float64(max(1, r.flows))
		out.Min, out.Max, out.MaxCongestion = min(out.Min, mean), max(out.Max, mean), max(out.MaxCongestion, r.worst)
	}
	out.Mean, out.Across = sum/float64(max(1, out.Flows)), float64(across)/float64(max(1, out.Flows))
	return out, nil
}

// linkCounter counts the flows on links. It is scratch memory of one worker.
type linkCounter struct {
	p     *intersubnet.Plan
	first []int32
	load  []int32
	paths [][]int32
	buf   []intersubnet.Hop
	rng   rand.PCG
	flows traffic.Flows
}

// run counts the flows of one run.
func (c *linkCounter) run(t *traffic.Pattern, hosts []intersubnet.Address, run int, seed uint64, shuffle bool) (sum oneRun) {
	order := make([]int32, len(hosts))
	for i := range order {
		order[i] = int32(i)
	}
	if shuffle {
		traffic.Seed(&c.rng, seed, run, -1)
		traffic.Shuffle(order, &c.rng)
	}
	for round := range t.Rounds {
		traffic.Seed(&c.rng, seed, run, round)
		t.Round(&c.flows, round, &c.rng)
		clear(c.load)
		for len(c.paths) < len(c.flows.Src) {
			c.paths = append(c.paths, nil)
		}
		for i, src := range c.flows.Src {
			from, to := hosts[order[src]], hosts[order[c.flows.Dst[i]]]
			path, ok := c.p.Path(from, to, c.buf)
			c.buf, c.paths[i] = path, c.paths[i][:0]
			sum.flows++
			if from.Subnet != to.Subnet {
				sum.across++
			}
			if !ok {
				sum.lost++
				continue
			}
			for _, h := range path {
				n := c.p.Link(c.first, h)
				c.load[n]++
				c.paths[i] = append(c.paths[i], n)
			}
		}
		for _, path := range c.paths[:len(c.flows.Src)] {
			most := int32(0)
			for _, n := range path {
				most = max(most, c.load[n])
			}
			if most > 0 {
				sum.sum += 1 / float64(most)
				sum.worst = max(sum.worst, int(most))
			}
		}
	}
	return sum
}
