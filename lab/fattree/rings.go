package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/fabric"
	"weft/lab"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// ringsOfPaper is the number of random rings of HPC Challenge.
const ringsOfPaper = 30

// ringBytes is the size of a message; the papers use 1,954 kB. TestLongerRuns shows that longer
// messages change little.
const ringBytes = 64 << 10

// ring simulates a ring of nodes in this order: each sends a message to its left neighbour and
// receives one from the right, then sends one back to the right and receives one from the left. It
// returns each node's share of its link's rate. The paper prints the least, the largest and the
// mean over nodes, while HPC Challenge (sim/beff) reports the slowest node.
func ring(ctx context.Context, trial *lab.Trial, order []int32, mbps int32, bytes int64) []float64 {
	g, n := lab.WithRates(trial.Graph, mbps, mbps), int32(len(order))
	rounds := make([]traffic.Flows, 2)
	for i := range n {
		rounds[0].Add(i, (i+n-1)%n)
		rounds[1].Add(i, (i+1)%n)
	}
	work := packet.NewRounds(rounds, order, g.NumEnds, bytes)
	sim := lab.Must(packet.New(g, trial.Plan, packet.Default(), work))
	lab.Must(sim.Run(ctx, 0, packet.Second))
	shares := make([]float64, n)
	for i, end := range work.Ended {
		if end > 0 { // no end if packets are lost or deadlocked
			shares[i] = float64(2*bytes) * 8e6 / float64(end) / float64(mbps)
		}
	}
	return shares
}

// randomRing draws the order of a ring of all nodes.
func randomRing(g *fabric.Graph, seed uint64, k int) []int32 {
	order, rng := fabric.Numbers(g.NumHosts), rand.New(rand.NewPCG(seed, uint64(k)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// ringShares holds the shares of a link that nodes get in rings.
type ringShares struct {
	natural float64 // the slowest node
	// least and most are single nodes in random rings, average is the mean of a ring.
	least, most float64
	average     flow.Summary
}

// ringsOf simulates the natural ring and random ones.
func ringsOf(ctx context.Context, s *lab.Setup, trial *lab.Trial, seed uint64) *ringShares {
	all := make([][]float64, ringsOfPaper+1)
	s.Parallel(ctx, len(all), func(k int) {
		order := fabric.Numbers(trial.Graph.NumHosts)
		if k > 0 {
			order = randomRing(trial.Graph, seed, k)
		}
		all[k] = ring(ctx, trial, order, inPaper1.mbps, ringBytes)
	})
	natural, random := flow.Summarise(all[0]), make([]float64, 0, ringsOfPaper)
	r := &ringShares{natural: natural.Min, least: 1}
	for _, shares := range all[1:] {
		of := flow.Summarise(shares)
		r.least, r.most = min(r.least, of.Min), max(r.most, of.Max)
		random = append(random, of.Mean)
	}
	r.average = flow.Summarise(random)
	return r
}

// ringPaper holds the bandwidths in Table II for a fabric and distribution.
type ringPaper struct{ beft, eft map[string]float64 }

func publishedRing(p distribution) ringPaper {
	out := ringPaper{map[string]float64{}, map[string]float64{}}
	for _, r := range lab.ReadPrinted(publishedRings) {
		if formulas[r["topology"]] == p.base && r["distribution"] == p.ratio() {
			out.beft[r["measurement"]] = r.Number("beft_MBps")
			out.eft[r["measurement"]] = r.Number("eft_MBps")
		}
	}
	return out
}

// free is the bandwidth of a free link in Table II, in MB/s.
const free = 1523.73

// ringTable makes Table II.
func ringTable(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table2", Title: fmt.Sprintf("Rings of HPC Challenge by packets, share of a link that a node gets (natural, and %d random ones)", ringsOfPaper),
		Columns: []string{"fabric", "distribution", "balance", "natural", "paper", "random, least", "paper", "random, most", "paper", "random, average", "paper"},
	}
	var claims []lab.Claim
	least, most, n := 2.0, 0.0, 0
	for _, p := range []distribution{{"fat648", 9, 9}, {"fat648", 17, 1}, {"fat648", 18, 18}, {"racks648", 12, 12}, {"racks648", 22, 1}, {"racks648", 24, 24}} {
		paper := publishedRing(p)
		got, tables := map[string]*ringShares{}, map[string]*lab.Trial{}
		s.EachOf(ctx, p.String(), p.formula(), balances(s)[:2], func(b *lab.Candidate, trial *lab.Trial) {
			mustBeRouted(b, trial)
			// Both run the same rings, so equal tables need only one run.
			r := got["EFT"]
			if tables[b.Name] = trial; r == nil || !sameTables(tables["EFT"].Plan, trial.Plan) {
				r = ringsOf(ctx, s, trial, s.SeedOf(p.String()))
			}
			got[b.Name] = r
			least, most, n = min(least, r.natural), max(most, r.natural), n+1
			printed := map[string]map[string]float64{"EFT": paper.eft, "BEFT": paper.beft}[b.Name]
			cell := func(what string) string { return fmt.Sprintf("%.3f", printed[what]/free) }
			t.Add(p.base, p.ratio(), b.Name, fmt.Sprintf("%.3f", r.natural), "1", fmt.Sprintf("%.3f", r.least), cell(ringMin), fmt.Sprintf("%.3f", r.most), cell(ringMax), lab.Mean(r.average), cell(ringAverage))
		})
		claims = append(claims, ringCells(p, paper, got)...)
	}
	natural := lab.InRange("natural rings: the same everywhere, most less least by the most", "all the same", 0, 1).JudgedBy(100*(1-least/most), n > 0)
	return &lab.Result{Tables: []lab.Table{t}, Claims: append([]lab.Claim{natural}, claims...), Notes: []string{
		fmt.Sprintf("Messages of %d kB; the paper's are of 1,954 kB. Shares of the paper are of 1523.73 MB/s, its free link; in the claims ours are of what the natural ring gets on the same fabric.", ringBytes>>10),
	}}
}

// Rows of Table II.
const (
	ringMin     = "ROR BW MIN"
	ringMax     = "ROR BW MAX"
	ringAverage = "ROR BW AVG"
)

// ringCells returns the claims about Table II for a distribution: the bandwidths of BEFT, and
// gains.
func ringCells(p distribution, paper ringPaper, got map[string]*ringShares) (claims []lab.Claim) {
	eft, beft := got["EFT"], got["BEFT"]
	for _, row := range []struct {
		name, text string
		of         func(*ringShares) float64
	}{
		{ringMin, "least of random rings", func(r *ringShares) float64 { return r.least }},
		{ringMax, "most of random rings", func(r *ringShares) float64 { return r.most }},
		{ringAverage, "average of random rings", func(r *ringShares) float64 { return r.average.Mean }},
	} {
		share, gain, ok := 0.0, 0.0, eft != nil && beft != nil
		if ok {
			share, gain = 100*row.of(beft)/beft.natural, 100*(row.of(beft)/row.of(eft)-1)
		}
		printed, more := 100*paper.beft[row.name]/free, 100*(paper.beft[row.name]/paper.eft[row.name]-1)
		if more < .01 {
			more = 0
		}
		claims = append(claims,
			lab.Level(fmt.Sprintf("%s: %s, BEFT, of a free link", p, row.text), fmt.Sprintf("%.1f %%", printed), printed, lab.Exact).JudgedBy(share, ok),
			lab.Gained(fmt.Sprintf("%s: %s, BEFT gains", p, row.text), fmt.Sprintf("%+.1f %%", more), more).JudgedBy(gain, ok))
	}
	return claims
}
