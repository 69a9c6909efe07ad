package fattree

import (
	"context"
	"fmt"

	"weft/lab"
	"weft/sim/flow"
)

// ringsOfPaper is the number of random rings of HPC Challenge.
const ringsOfPaper = 30

// ringShares holds the shares of a routed fabric, with the experiment of both neighbours at once.
type ringShares struct {
	*flow.RingShares
	both float64 // average when nodes send to both neighbours at once
}

// ring simulates the natural ring and random ones.
func ring(ctx context.Context, s *lab.Setup, trial *lab.Trial, n int, seed uint64) *ringShares {
	net := lab.Must(flow.New(ctx, trial.Graph, trial.Plan, s.Workers))
	return &ringShares{RingShares: lab.Must(net.Rings(ctx, n, seed, s.Workers))}
}

// ringPaper holds the bandwidths that Table II prints for a fabric and distribution.
type ringPaper struct{ beft, eft map[string]float64 }

func publishedRing(p spot) ringPaper {
	out := ringPaper{map[string]float64{}, map[string]float64{}}
	for _, r := range lab.ReadPrinted(publishedRings) {
		if formulas[r["topology"]] == p.base && r["distribution"] == p.ratio() {
			out.beft[r["measurement"]] = r.Number("beft_MBps")
			out.eft[r["measurement"]] = r.Number("eft_MBps")
		}
	}
	return out
}

// free is the bandwidth of a free link in Table II, MB/s.
const free = 1523.73

// bothWays is the experiment on ping-pongs: every node sends to both neighbours at once.
func bothWays(ctx context.Context, s *lab.Setup, trial *lab.Trial, n int, seed uint64) float64 {
	r := lab.Must(s.Flow(ctx, trial, "ring_random", flow.Options{Runs: n, Seed: seed, Shuffle: true, MaxMin: true}))
	return r.MaxMin.Mean
}

// rings is Table II.
func rings(ctx context.Context, s *lab.Setup) *lab.Result {
	runs := lab.Pick(s, ringsOfPaper, 20*ringsOfPaper)
	t := lab.Table{
		Name: "table2", Title: fmt.Sprintf("Rings of HPC Challenge, share of a link (natural, and %d random ones)", runs),
		Columns: []string{"fabric", "distribution", "balance", "natural", "paper", "random, least", "paper", "random, most", "paper", "random, average", "paper"},
	}
	var gains []lab.Claim
	natural := lab.NewClaim("natural ring: the full link everywhere", "all the same")
	least, n := 2.0, 0
	for _, p := range []spot{{"fat648", 9, 9}, {"fat648", 17, 1}, {"fat648", 18, 18}, {"racks648", 12, 12}, {"racks648", 22, 1}, {"racks648", 24, 24}} {
		paper := publishedRing(p)
		got := map[string]*ringShares{}
		s.EachOf(ctx, p.String(), p.formula(), balances, func(b *lab.Candidate, trial *lab.Trial) {
			isRouted(b, trial)
			// The same rings for every balance.
			r := ring(ctx, s, trial, runs, s.SeedOf(p.String()))
			r.both = bothWays(ctx, s, trial, runs, s.SeedOf(p.String()))
			got[b.Name] = r
			least, n = min(least, r.Natural), n+1
			printed := map[string]map[string]float64{"EFT": paper.eft, "BEFT": paper.beft}[b.Name]
			cell := func(what string) string {
				if v := printed[what]; v > 0 {
					return fmt.Sprintf("%.3f", v/free)
				}
				return "-"
			}
			t.Add(p.base, p.ratio(), b.Name, fmt.Sprintf("%.3f", r.Natural), "1", fmt.Sprintf("%.3f", r.Least), cell("ROR BW MIN"), fmt.Sprintf("%.3f", r.Most), cell("ROR BW MAX"), lab.Mean(r.Spread), cell("ROR BW AVG"))
		})
		gains = append(gains, ringGain(p, paper, got))
	}
	if n > 0 {
		natural.Judge(least > 0.999, "at least %.3f of a link", least)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: append([]lab.Claim{natural}, gains...), Notes: []string{
		"Shares of the paper are of 1523.73 MB/s, its free link. Its seeds are not known, and its averages are of 30 rings: gains within 10 points count as the paper's.",
	}}
}

// ringGain is the claim what BEFT gains on the average of random rings.
func ringGain(p spot, paper ringPaper, got map[string]*ringShares) lab.Claim {
	const average = "ROR BW AVG"
	printed := paper.beft[average]/paper.eft[average] - 1
	c := lab.NewClaim(fmt.Sprintf("%s: average of random rings, BEFT gains (within 10 points)", p), lab.Percent(printed))
	eft, beft := got["EFT"], got["BEFT"]
	if eft == nil || beft == nil {
		return c
	}
	gain := beft.Average/eft.Average - 1
	c.Ours = fmt.Sprintf("%s (EFT %.3f of a link, BEFT %.3f)", lab.Percent(gain), eft.Average, beft.Average)
	near := func(gain float64) bool { return gain-printed > -0.1 && gain-printed < 0.1 }
	c.Verdict = lab.Judged(near(gain))
	other := beft.both/eft.both - 1
	c.Explain(near(other), "Experiment, messages to both neighbours at once: %s.", lab.Percent(other))
	return c
}
