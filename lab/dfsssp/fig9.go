package dfsssp

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
)

const openSMLanesNote = "OpenSM 3.3.23 itself, over ibsim with 8 lanes, on the network of seed 1: with 150, 180, 200, 220, 250, 300 and 400 links its LASH takes 7, more than 8, 8, 8, 8, 8 and 6 lanes, its DFSSSP 5, 7, 8, 8," +
	" more than 8, more than 8 and 8: the lines meet at 200 links. LASH gives both directions of a pair of switches one lane, DFSSSP each its own."

// lanesFor counts the lanes that LASH or DFSSSP needs under the active readings.
func lanesFor(ctx context.Context, s *lab.Setup, g *fabric.Graph, engine string) (n int, exact bool) {
	if engine == lash && s.Reads(asOpenSM) {
		return countLASH(ctx, lab.Must(s.Route(ctx, g, routingOf(s, lash)))), true
	}
	return lanesNeeded(ctx, s, g, routingOf(s, engine))
}

// fig9 counts the lanes of LASH and DFSSSP on random networks of 128 switches.
func (p *paper) fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	links := lab.Pick(s, []int{140, 200, 400}, []int{130, 140, 150, 165, 180, 200, 220, 250, 300, 400})
	t := lab.Table{
		Name: "fig9", Title: "Lanes on random networks of 128 switches with 16 endpoints each",
		Columns: []string{"links", "engine", "networks", "least", "mean", "most", "is"},
	}
	c := chart.Chart{
		Name: "fig9", Title: "Lanes needed on random networks of 128 switches: mean, least and most", Kind: chart.Lines,
		X: chart.Axis{Label: "links between switches", Log: true}, Y: chart.Axis{Label: "lanes"},
	}
	means := map[string]map[int]float64{}
	for _, e := range []string{lash, dfsssp} {
		means[e] = map[int]float64{}
		series := chart.Series{Name: e}
		for _, n := range links {
			if !s.Want(fmt.Sprintf("%d %s", n, e)) {
				continue
			}
			samples := 3
			if n < sparseBelow {
				samples = 6 // they take less time
			}
			all := once(p, fmt.Sprintf("%d lanes of %s with %d links, seed %d", samples, routingOf(s, e).Engine, n, s.Seed), func() *tally {
				lanes := make([]tally, samples)
				s.Parallel(ctx, samples, func(k int) {
					g := lab.Must(lab.Graph(fmt.Sprintf("random(switches=128,hosts=16,links=%d,seed=%d)", n, s.Seed+uint64(k))))
					lanes[k].add(lanesFor(ctx, s, g, e))
				})
				return join(lanes)
			})
			sum := all.summary()
			means[e][n] = sum.Mean
			series.Add(float64(n), sum.Mean, sum.Min, sum.Max)
			t.Add(count(n), e, count(samples), lab.Num(sum.Min), fmt.Sprintf("%.2f ± %.2f", sum.Mean, sum.CI95), all.most(), routingOf(s, e).Engine)
		}
		c.Series = append(c.Series, series)
	}
	c.Uprights = []chart.Upright{{Name: "paper: lines cross", X: 200}}
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: crossover(links, means[lash], means[dfsssp]), Notes: []string{openSMLanesNote},
	}
}

// Numbers of links of networks that the paper calls sparser and denser.
const (
	sparseBelow = 180
	denseAbove  = 220
)

// crossover returns the claims about which engine needs fewer lanes.
func crossover(links []int, lash, dfsssp map[int]float64) []lab.Claim {
	cross := lab.NewClaim("the average numbers of lanes cross at about 200 links (170 to 230)", "about 200")
	sparse := lab.NewClaim("DFSSSP needs fewer lanes on sparser networks (3 in 4 points below 180 links)", "fewer")
	dense := lab.NewClaim("LASH needs fewer lanes on denser networks (3 in 4 points above 220 links)", "fewer")
	var points []int
	for _, e := range links {
		if lash[e] > 0 && dfsssp[e] > 0 {
			points = append(points, e)
		}
	}
	if len(points) < 2 {
		return []lab.Claim{cross, sparse, dense}
	}
	// The difference changes its sign here, by straight lines between points.
	at := 0.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		before, after := dfsssp[a]-lash[a], dfsssp[b]-lash[b]
		if before < 0 && after >= 0 {
			at = float64(a) + float64(b-a)*before/(before-after)
		}
	}
	if cross.Judge(false, "no crossing"); at > 0 {
		cross.JudgeRange(at, 170, 230, "%.0f")
	}
	wins := func(c *lab.Claim, keep func(int) bool, first, second map[int]float64) {
		won, of := 0, 0
		for _, e := range points {
			if keep(e) {
				of++
				if first[e] < second[e] {
					won++
				}
			}
		}
		if of > 0 {
			c.Judge(won*4 >= of*3, "%d of %d points", won, of)
		}
	}
	wins(&sparse, func(e int) bool { return e < sparseBelow }, dfsssp, lash)
	wins(&dense, func(e int) bool { return e > denseAbove }, lash, dfsssp)
	return []lab.Claim{cross, sparse, dense}
}
