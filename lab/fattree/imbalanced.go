package fattree

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
)

// spot is a fabric with X nodes on each even leaf and Y on each odd one.
type spot struct {
	base string
	x, y int
}

func (p spot) String() string  { return fmt.Sprintf("%s %d:%d", p.base, p.x, p.y) }
func (p spot) ratio() string   { return fmt.Sprintf("%d:%d", p.x, p.y) }
func (p spot) formula() string { return fmt.Sprintf("%s|hosts(even=%d,odd=%d)", p.base, p.x, p.y) }

// ratios returns the distributions of spots.
func ratios(spots []spot) (names []string) {
	for _, p := range spots {
		names = append(names, p.ratio())
	}
	return names
}

// result holds the estimates and the balance of paths on a spot.
type result struct {
	*throughput
	balance *balance
}

// results are by spot and name of the balance.
type results map[spot]map[string]*result

func (r results) get(p spot, name string) *result {
	if v := r[p][name]; v != nil && v.trial.Refused == "" {
		return v
	}
	return nil
}

// point returns the point of a spot in a chart of throughput by number of nodes.
func (r results) point(p spot, name string) (chart.Point, bool) {
	v := r.get(p, name)
	if v == nil {
		return chart.Point{}, false
	}
	return chart.Point{X: float64(v.trial.Graph.NumHosts), Y: 100 * v.inOrder.Hosts}, true
}

// both are EFT and BEFT of a spot, if both were run.
func (r results) both(p spot) (eft, beft *result, ok bool) {
	eft, beft = r.get(p, "EFT"), r.get(p, "BEFT")
	return eft, beft, eft != nil && beft != nil
}

// sweep routes spots under the three balances and fills a table.
func sweep(ctx context.Context, s *lab.Setup, t *lab.Table, spots []spot) results {
	t.Columns = []string{"fabric", "nodes", "distribution", "balance", "in order", "independent", "most loaded link", "targets of a switch, by level", "pairs on a link up, by level", "refused because"}
	out := results{}
	for _, p := range spots {
		out[p] = map[string]*result{}
		seeded := slices.Clone(balances)
		for i := range seeded {
			seeded[i].How.Seed = s.SeedOf(p.String())
		}
		var tree *tree
		build := func() *fabric.Graph {
			tree = newTree(p.formula())
			return tree.graph
		}
		s.Each(ctx, p.String(), build, seeded, func(b *lab.Candidate, trial *lab.Trial) {
			nodes := fmt.Sprint(trial.Graph.NumHosts)
			if trial.Refused != "" {
				t.Add(p.base, nodes, p.ratio(), b.Name, "-", "-", "-", "-", "-", trial.Refused)
				return
			}
			got := estimate(ctx, trial)
			r := &result{throughput: got, balance: tree.measure(ctx, s, trial)}
			trial.Plan = nil // tables of large fabrics are not needed any more
			out[p][b.Name] = r
			t.Add(p.base, nodes, p.ratio(), b.Name, percent(got.inOrder.Hosts), percent(got.independent.Hosts), fmt.Sprintf("%.3f", r.balance.most), texts(r.balance.targets), texts(r.balance.up), "")
		})
	}
	return out
}

// printedSpots are the distributions of Table I for a fabric, with their numbers of nodes.
func printedSpots(base string) (spots []spot, nodes []int) {
	for _, r := range lab.ReadPrinted(publishedDistributions) {
		if formulas[r["topology"]] == base {
			spots = append(spots, spot{base, r.Int("nodes_even"), r.Int("nodes_odd")})
			nodes = append(nodes, r.Int("total_printed"))
		}
	}
	return spots, nodes
}

// uniform is one of Figs. 4 to 7, or the text on Ranger: a fabric under uniform traffic
// at full load, with the nodes distributed in several ways.
func uniform(ctx context.Context, s *lab.Setup, name string, spots []spot, claims func(results) []lab.Claim) *lab.Result {
	t := lab.Table{Name: name, Title: "Uniform traffic, share of a link that a node gets, and balance of the paths of all pairs"}
	r := sweep(ctx, s, &t, spots)
	return &lab.Result{
		Tables: []lab.Table{t}, Claims: claims(r), Charts: r.bars(name, spots),
		Notes: []string{"Levels count from the lowest: targets from level 1, links up from level 0. In order: a sender waits for its worst path; independent: no message waits for one to another target."},
	}
}

func fig4of1(ctx context.Context, s *lab.Setup) *lab.Result {
	spots, nodes := printedSpots("fat648")
	return uniform(ctx, s, "fig4", spots, func(r results) []lab.Claim {
		return append(r.figure4(spots), r.counts(spots, nodes), r.evenness(spots))
	})
}

func fig5of1(ctx context.Context, s *lab.Setup) *lab.Result {
	spots, nodes := printedSpots("racks648")
	return uniform(ctx, s, "fig5", spots, func(r results) []lab.Claim {
		return []lab.Claim{r.figure5(spots), r.counts(spots, nodes)}
	})
}

func fig6of1(ctx context.Context, s *lab.Setup) *lab.Result {
	spots, nodes := printedSpots("fat3456")
	if s.Mode != lab.Full { // 6:6 and 11:1
		spots, nodes = []spot{spots[0], spots[3]}, []int{nodes[0], nodes[3]}
	}
	return uniform(ctx, s, "fig6", spots, func(r results) []lab.Claim {
		return []lab.Claim{r.figure6(), r.figure6Skew(), r.counts(spots, nodes), r.evenness(spots)}
	})
}

func fig7of1(ctx context.Context, s *lab.Setup) *lab.Result {
	spots, nodes := printedSpots("juropa")
	if s.Mode != lab.Full {
		spots, nodes = nil, nil
	}
	return uniform(ctx, s, "fig7", spots, func(r results) []lab.Claim {
		return []lab.Claim{r.figure7(), r.counts(spots, nodes)}
	})
}

func rangerOf1(ctx context.Context, s *lab.Setup) *lab.Result {
	spots, _ := printedSpots("fat3456") // Table I (b)
	for i := range spots {
		spots[i].base = "ranger"
	}
	if s.Mode != lab.Full {
		spots = nil
	}
	result := uniform(ctx, s, "ranger", spots, func(r results) []lab.Claim { return r.ranger(spots) })
	result.Notes = append(result.Notes, "Ranger-like has 328 rack switches of 12 nodes here, so that X:Y of Table I (b) gives other totals than on 3456 ports; the thesis does not state its own.")
	return result
}

// counts is the claim that the numbers of nodes follow from the distributions.
func (r results) counts(spots []spot, nodes []int) lab.Claim {
	c := lab.NewClaim("numbers of nodes follow from the distributions", "Table I")
	n, right := 0, 0
	for i, p := range spots {
		if v := r.get(p, "ours"); v != nil {
			n++
			if v.trial.Graph.NumHosts == nodes[i] {
				right++
			}
		}
	}
	if n > 0 {
		c.Judge(right == n, "%d of %d", right, n)
	}
	return c
}

// bars draw throughput in order.
func (r results) bars(name string, spots []spot) []chart.Chart {
	if len(spots) == 0 {
		return nil
	}
	c := chart.Chart{Name: name, Title: "Uniform traffic at full load, in order: " + spots[0].base, Kind: chart.Bars, Y: chart.Axis{Label: "throughput per node (% of capacity)"}}
	c.Fill(lab.Names(balances), ratios(spots), func(name string, i int) (chart.Point, bool) { return r.point(spots[i], name) })
	return lab.Drawn(c)
}

// rounding is the largest difference of two estimates that count as equal.
const rounding = 0.0005

// gains compares BEFT with EFT on all spots of a fabric: whether it gets at least as much
// on each, and how much more at most.
type gains struct {
	always bool
	most   float64
	where  string
	spots  int
}

func (f gains) String() string {
	return fmt.Sprintf("up to %+.1f points (%s); always: %v", 100*f.most, f.where, f.always)
}

func byInOrder(r *result) float64     { return r.inOrder.Hosts }
func byIndependent(r *result) float64 { return r.independent.Hosts }

// gainsOf compares by an estimate.
func (r results) gainsOf(spots []spot, base string, by func(*result) float64) gains {
	f := gains{always: true}
	for _, p := range spots {
		eft, beft, ok := r.both(p)
		if p.base != base || !ok {
			continue
		}
		f.spots++
		gain := by(beft) - by(eft)
		f.always = f.always && gain > -rounding
		if f.spots == 1 || gain > f.most {
			f.most, f.where = gain, p.ratio()
		}
	}
	return f
}

func (r results) figure4(spots []spot) []lab.Claim {
	full, skewed, sparse := spot{"fat648", 18, 18}, spot{"fat648", 17, 1}, spot{"fat648", 9, 9}
	best := lab.NewClaim("648 ports: BEFT is at least as good as EFT for every distribution", "always")
	same := lab.NewClaim("648 ports, fully populated: both are equal", "equal")
	eftSkew := lab.NewClaim("648 ports, 17:1: EFT (between in order and independent)", "about 65 %")
	beftSkew := lab.NewClaim("648 ports, 17:1: BEFT", "over 90 %")
	if f := r.gainsOf(spots, "fat648", byInOrder); f.spots > 1 {
		best.Judge(f.always, "%s", f.String())
	}
	if eft, beft, ok := r.both(full); ok {
		diff := beft.inOrder.Hosts - eft.inOrder.Hosts
		same.Judge(diff < rounding && diff > -rounding, "%s and %s", percent(eft.inOrder.Hosts), percent(beft.inOrder.Hosts))
	}
	if eft, beft, ok := r.both(skewed); ok {
		eftSkew.Judge(eft.brackets(0.65, 0), "%s", eft.bounds())
		beftSkew.Judge(beft.inOrder.Hosts > 0.9, "%s", beft.bounds())
	}
	claims := []lab.Claim{best, same, eftSkew, beftSkew}
	if eft, beft, ok := r.both(sparse); ok {
		claims = append(claims, needsPackets("648 ports, 9:9: BEFT gains", "about 5 %", unseen(eft, beft)))
	}
	return claims
}

// unseen says what stands behind a difference that the flow level does not resolve.
func unseen(eft, beft *result) string {
	return fmt.Sprintf("EFT %s, BEFT %s; but links up carry %s pairs under EFT, %s under BEFT",
		percent(eft.inOrder.Hosts), percent(beft.inOrder.Hosts), texts(eft.balance.up), texts(beft.balance.up))
}

func (r results) figure5(spots []spot) lab.Claim {
	c := lab.NewClaim("648 ports with racks: BEFT gains at most 6 points, always in its favour", "at most 6 %")
	if f := r.gainsOf(spots, "racks648", byInOrder); f.spots > 1 {
		other := r.gainsOf(spots, "racks648", byIndependent)
		c.Judge(f.always && f.most <= 0.065, "%s", f.String())
		c.Explain(other.always && other.most <= 0.065, "Experiment, messages that do not wait for each other: %s.", other)
	}
	return c
}

func (r results) figure6() lab.Claim {
	p := spot{"fat3456", 6, 6}
	if eft, beft, ok := r.both(p); ok {
		return needsPackets("3456 ports, 6:6: throughput", "BEFT 95.42 %, EFT 89.85 %", unseen(eft, beft))
	}
	return lab.NewClaim("3456 ports, 6:6: throughput", "BEFT 95.42 %, EFT 89.85 %")
}

func (r results) figure6Skew() lab.Claim {
	c := lab.NewClaim("3456 ports: with more skew EFT falls dramatically, BEFT stays (within 10 points)", "falls; stays")
	firstEFT, firstBEFT, ok1 := r.both(spot{"fat3456", 6, 6})
	lastEFT, lastBEFT, ok2 := r.both(spot{"fat3456", 11, 1})
	if ok1 && ok2 {
		c.Judge(firstEFT.inOrder.Hosts-lastEFT.inOrder.Hosts > 0.2 && firstBEFT.inOrder.Hosts-lastBEFT.inOrder.Hosts < 0.1, "EFT %s to %s, BEFT %s to %s", percent(firstEFT.inOrder.Hosts), percent(lastEFT.inOrder.Hosts), percent(firstBEFT.inOrder.Hosts), percent(lastBEFT.inOrder.Hosts))
	}
	return c
}

func (r results) figure7() lab.Claim {
	c := lab.NewClaim("JuRoPA-like, 23:1: BEFT gains (within 5 points)", "5 %")
	if eft, beft, ok := r.both(spot{"juropa", 23, 1}); ok {
		gain := beft.inOrder.Hosts - eft.inOrder.Hosts
		c.Judge(gain > 0 && gain < 0.1, "%+.1f points (EFT %s, BEFT %s)", 100*gain, eft.bounds(), beft.bounds())
		gain = beft.independent.Hosts - eft.independent.Hosts
		c.Explain(gain > 0 && gain < 0.1, "Experiment, messages that do not wait for each other: %+.1f points.", 100*gain)
	}
	return c
}

func (r results) ranger(spots []spot) []lab.Claim {
	small := lab.NewClaim("Ranger-like: BEFT gains 1 to 2 % (within 2 points)", "1 to 2 %, always in its favour")
	same := lab.NewClaim("Ranger-like, fully populated: both are equal", "identical")
	if f := r.gainsOf(spots, "ranger", byInOrder); f.spots > 1 {
		other := r.gainsOf(spots, "ranger", byIndependent)
		small.Judge(f.always && f.most <= 0.04, "%s", f.String())
		small.Explain(other.always && other.most <= 0.04, "Experiment, messages that do not wait for each other: %s.", other)
	}
	if eft, beft, ok := r.both(spot{"ranger", 12, 12}); ok {
		diff := beft.inOrder.Hosts - eft.inOrder.Hosts
		same.Judge(diff < rounding && diff > -rounding, "%s and %s", percent(eft.inOrder.Hosts), percent(beft.inOrder.Hosts))
	}
	return []lab.Claim{small, same}
}

// evenness returns the claim that ours, beyond the paper, gives the switches of each level
// of a regular tree numbers of targets that differ by at most one.
func (r results) evenness(spots []spot) lab.Claim {
	c := lab.NewClaim("ours, beyond the paper: on 648 and 3456 ports the targets of the switches of a level differ by at most one", "-")
	n, even, eft := 0, 0, 0
	for _, p := range spots {
		v := r.get(p, "ours")
		if v == nil || p.base != "fat648" && p.base != "fat3456" {
			continue
		}
		n++
		if v.balance.even() {
			even++
		}
		if e := r.get(p, "EFT"); e != nil && e.balance.even() {
			eft++
		}
	}
	if n > 0 {
		c.Judge(even == n, "%d of %d distributions (EFT %d)", even, n, eft)
	}
	return c
}
