package fattree

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/lab"
	"weft/sim/flow"
	"weft/traffic"
)

// rounds are flows of end ports, by round.
type rounds []traffic.Flows

// everyPort is the identity order of hosts, so that ranks are end ports.
func everyPort(g *fabric.Graph) []int32 {
	hosts := make([]int32, g.NumHosts)
	for h := range hosts {
		hosts[h] = int32(h)
	}
	return hosts
}

// exchangeClaim says how much mFtree gains on a topology, by the text on a pattern.
type exchangeClaim struct {
	base, paper string
	low, high   float64
}

// exchange measures a pattern under the engines of Paper VI.
func exchange(ctx context.Context, s *lab.Setup, name, title string, draws int, of func(g *fabric.Graph, rng *rand.PCG) rounds, said []exchangeClaim) *lab.Result {
	t := lab.Table{Name: name, Title: fmt.Sprintf("%s, max-min fair, mean of %d random orders of nodes", title, draws), Columns: homeColumns}
	got := measureHomes(ctx, s, &t, func(base string, trial *lab.Trial) flow.Summary {
		g := trial.Graph
		net := lab.Must(flow.New(ctx, g, trial.Plan, s.Workers))
		var means []float64
		for draw := range draws {
			// The same orders for every engine.
			rng := rand.NewPCG(s.SeedOf(base), uint64(draw))
			p := traffic.FromRounds(name, g.NumHosts, of(g, rng))
			r := lab.Must(net.Run(ctx, p, flow.Options{Hosts: everyPort(g), Runs: 1, MaxMin: true, Equal: true, Workers: s.Workers}))
			means = append(means, r.MaxMin.Mean)
		}
		return flow.Summarise(means)
	})
	var claims []lab.Claim
	for _, c := range said {
		claim := gained(got, c.base, c.paper, c.low, c.high)
		claim.Text += fmt.Sprintf(" (%s to %s)", lab.Percent(c.low), lab.Percent(c.high))
		claims = append(claims, claim)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Charts: homeBars(name, title, got), Notes: []string{
		"Rounds are apart from each other here; in the paper's simulator a port goes on to its next round when its last message is sent.",
	}}
}

// inPlace orders end ports or nodes as their leaves and ports are.
func inPlace(g *fabric.Graph, list []int32, end func(int32) int32) {
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.EndSwitch[end(a)], g.EndSwitch[end(b)]), cmp.Compare(g.EndPort[end(a)], g.EndPort[end(b)]))
	})
}

// twoOrders runs a pattern with nodes in random order, as the paper's, and as an
// experiment in order of leaves.
func twoOrders(ctx context.Context, s *lab.Setup, name, title string, draws int, of func(g *fabric.Graph, rng *rand.PCG) rounds, said []exchangeClaim) *lab.Result {
	r := exchange(ctx, s, name, title, draws, of, said)
	x := exchange(ctx, s, name+"-in-place", "Experiment, in order of leaves: "+title, 1, func(g *fabric.Graph, _ *rand.PCG) rounds { return of(g, nil) }, said)
	for i := range r.Claims {
		if x.Claims[i].Verdict != lab.NotRun {
			r.Claims[i].Explain(x.Claims[i].Verdict == lab.Holds, "Experiment, nodes in order of leaves in place of a random order: %s.", x.Claims[i].Ours)
		}
	}
	r.Tables = append(r.Tables, x.Tables...)
	return r
}

// shifts are the shifts of all end ports by 1, 1+step and so on; in place without rng.
func shifts(g *fabric.Graph, rng *rand.PCG, step int) rounds {
	ends := everyPort(g)
	inPlace(g, ends, func(end int32) int32 { return end })
	if rng != nil {
		traffic.Shuffle(ends, rng)
	}
	return traffic.ShiftsOfPorts(g, ends, step)
}

func shiftOfTwoPorts(ctx context.Context, s *lab.Setup) *lab.Result {
	step := lab.Pick(s, 16, 1)
	return twoOrders(ctx, s, "fig5", "All shifts", lab.Pick(s, 1, 3), func(g *fabric.Graph, rng *rand.PCG) rounds { return shifts(g, rng, step) }, []exchangeClaim{
		{"fat648", "-4.5 %", -0.08, -0.01},
		{"racks648", "+0.8 to +1.8 %", 0, 0.04},
		{"racks432", "+0.8 to +1.8 %", 0, 0.04},
		{"racks216", "+0.8 to +1.8 %", 0, 0.04},
		{"over384", "equal", -0.02, 0.02},
	})
}

func doublingOfTwoPorts(ctx context.Context, s *lab.Setup) *lab.Result {
	return twoOrders(ctx, s, "fig6", "Recursive doubling", lab.Pick(s, 20, 200), func(g *fabric.Graph, rng *rand.PCG) rounds {
		nodes := traffic.TwoPortNodes(g)
		inPlace(g, nodes, func(n int32) int32 { return g.NodeEnds[g.NodeStart[n]] })
		if rng != nil {
			traffic.Shuffle(nodes, rng)
		}
		return traffic.DoublingOfNodes(g, nodes)
	}, []exchangeClaim{
		{"fat648", "+25.6 %", 0.156, 0.356},
		{"over384", "+52.6 %", 0.326, 0.726},
		{"racks648", "+2 %", -0.03, 0.07},
		{"racks432", "+7.1 %", 0.02, 0.12},
		{"racks216", "+8.2 %", 0.03, 0.13},
	})
}
