package dfsssp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/route/lanes/offline"
	"weft/sim/flow"
)

// needs finds the number of lanes in a refusal.
var needs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`needs (more than )?(\d+) lanes`) })

// lanesOf returns the number of lanes that a trial used, or that its engine says it would need. If
// the engine only says "more than n", it returns n+1 and false.
func lanesOf(t *lab.Trial) (n int, exact bool) {
	if t.Plan != nil && t.Refused == "" {
		return t.Plan.VLs, true
	}
	m := needs().FindStringSubmatch(t.Refused)
	if m == nil {
		return 0, false
	}
	n, _ = strconv.Atoi(m[2])
	if m[1] != "" {
		return n + 1, false
	}
	return n, true
}

// tally collects lane counts over networks.
type tally struct {
	lanes  []float64
	capped int // networks with only a lower bound
}

func (t *tally) add(n int, exact bool) {
	t.lanes = append(t.lanes, float64(n))
	if !exact {
		t.capped++
	}
}

func join(parts []tally) *tally {
	all := &tally{}
	for i := range parts {
		all.lanes = append(all.lanes, parts[i].lanes...)
		all.capped += parts[i].capped
	}
	return all
}

func (t *tally) summary() flow.Summary { return flow.Summarise(t.lanes) }

// most prints the largest number, and whether it is only a bound.
func (t *tally) most() string {
	text := lab.Num(t.summary().Max)
	if t.capped > 0 {
		text = "at least " + text
	}
	return text
}

// heuristic is a heuristic of section IV with the paper's range of lanes.
type heuristic struct {
	edge      offline.Heuristic
	paper     string
	low, high float64
}

var heuristicsOfPaper = []heuristic{
	{offline.Weakest, "3 to 5", 3, 5},
	{offline.First, "4 to 8", 4, 8},
	{offline.Strongest, "4 to 16", 4, 16},
}

const heuristicsNote = "The authors' own code, as it is in OpenSM 3.3.23, took over ibsim 6, 6, 6, 6, 6, 6, 5 and 6 lanes (weakest) on the networks of seeds 1 to 8."

// heuristics counts the lanes of each heuristic on random networks.
func (p *paper) heuristics(ctx context.Context, s *lab.Setup) *lab.Result {
	samples := lab.Pick(s, 10, 13)
	t := lab.Table{
		Name: "heuristics", Title: "Lanes on random networks of 64 switches, 1,024 endpoints, 128 links",
		Columns: []string{"edge that is cut", "networks", "paper", "least", "mean", "most", "is"},
	}
	c := chart.Chart{Name: "heuristics", Title: "Lanes by heuristic: mean, least and most", Kind: chart.Bars, Y: chart.Axis{Label: "lanes"}}
	ours, printed := chart.Series{Name: "mean, least and most"}, chart.Series{Name: "paper: least and most", Marks: "mean, least and most"}
	result := &lab.Result{Notes: []string{heuristicsNote}}
	var means []float64
	for i, h := range heuristicsOfPaper {
		claim := lab.NewClaim(fmt.Sprintf("lanes of the %s edge lie in the printed range", h.edge), h.paper)
		c.Categories = append(c.Categories, string(h.edge))
		if how := layeredBy(s, h.edge); s.Want(string(h.edge)) {
			needed := make([]tally, samples)
			s.Parallel(ctx, samples, func(k int) {
				g := lab.Must(lab.Graph(fmt.Sprintf("random(switches=64,hosts=16,links=128,seed=%d)", s.Seed+uint64(k))))
				needed[k].add(lanesNeeded(ctx, s, g, how))
			})
			all := join(needed)
			sum := all.summary()
			means = append(means, sum.Mean)
			t.Add(string(h.edge), count(samples), h.paper, lab.Num(sum.Min), fmt.Sprintf("%.2f ± %.2f", sum.Mean, sum.CI95), all.most(), how.Engine)
			claim.Judge(sum.Min >= h.low && sum.Max <= h.high, "%s to %s", lab.Num(sum.Min), all.most())
			ours.Add(float64(i), sum.Mean, sum.Min, sum.Max)
			printed.Add(float64(i), (h.low+h.high)/2, h.low, h.high)
		}
		result.Claims = append(result.Claims, claim)
	}
	order := lab.NewClaim("the weakest edge needs the fewest lanes, the strongest the most", "best and worst")
	if len(means) == len(heuristicsOfPaper) {
		order.Judge(slices.IsSorted(means), "%.1f, %.1f and %.1f on average", means[0], means[1], means[2])
	}
	c.Series = []chart.Series{ours, printed}
	result.Claims, result.Tables, result.Charts = append(result.Claims, order), []lab.Table{t}, lab.NonEmpty(c)
	return result
}

// lanesNeeded returns the number of lanes that an engine needs.
func lanesNeeded(ctx context.Context, s *lab.Setup, g *fabric.Graph, how lab.Routing) (n int, exact bool) {
	t := lab.Must(s.Route(ctx, g, how))
	if n, exact = lanesOf(t); n == 0 {
		lab.Check(fmt.Errorf("%s refused: %s", how.Engine, t.Refused))
	}
	return n, exact
}
