package flow

import (
	"context"
)

// RingShares sum up rings of all hosts, as shares of a link, when every host sends to
// its right-hand neighbour.
type RingShares struct {
	Natural float64 // mean, hosts in order of leaves
	Average float64 // mean over random rings
	Least   float64 // of a single host in a random ring
	Most    float64 // likewise
	Spread  Summary // of the random rings' means
}

// Rings simulates the natural ring and random ones, as HPC Challenge has them. A ping-pong
// goes one way at a time, so that a host sends to one neighbour at once. Means are max-min
// fair; for single hosts congestion counting stands for that.
func (n *Network) Rings(ctx context.Context, runs int, seed uint64, workers int) (*RingShares, error) {
	natural, err := n.RunPattern(ctx, "shift:1", Options{Hosts: n.ByLeaf(), Runs: 1, MaxMin: true, Workers: workers})
	if err != nil {
		return nil, err
	}
	random, err := n.RunPattern(ctx, "shift:1", Options{Runs: runs, Seed: seed, Shuffle: true, MaxMin: true, Workers: workers})
	if err != nil {
		return nil, err
	}
	h := random.Histogram
	return &RingShares{
		Natural: natural.MaxMin.Mean, Average: random.MaxMin.Mean, Spread: *random.MaxMin,
		Least: 1 / float64(h[len(h)-1].Congestion), Most: 1 / float64(h[0].Congestion),
	}, nil
}
