package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"weft/fabric/gen"
	"weft/internal/chart"
	"weft/lab"
	"weft/sim/flow"
)

// drawsOfDefault is the number of trees drawn for each number of failed links.
const drawsOfDefault = 6

// linksOfDefault returns the numbers of failed links.
func linksOfDefault(s *lab.Setup) []int {
	return lab.Pick(s, []int{0, 34, 80, 259}, []int{0, 24, 34, 80, 259})
}

// ofDefault compares weft without options with the paper's fat-tree routing and DFSSSP. It draws
// several trees for each number of failed links, since trees differ by more than the gap of a few
// points.
func ofDefault(ctx context.Context, s *lab.Setup) *lab.Result {
	engines := append(enginesIV(s)[:2], lab.Candidate{Name: "auto", How: lab.Routing{Engine: "auto"}})
	t := lab.Table{Name: "default", Title: "Share of a link that a node gets, by packets: mean of the trees, and by how many points auto is ahead", Columns: []string{"traffic", "failed links", "trees"}}
	t.Columns = append(append(t.Columns, lab.Names(engines)...), "auto - DFSSSP", "auto - fat-tree")
	result := &lab.Result{}
	for _, of := range []metric{uniformTraffic, randomRings} {
		line := chart.Chart{Name: "default-" + strings.ReplaceAll(of.name, " ", "-"), Title: "Ours without options: " + of.name, Kind: chart.Lines, X: chart.Axis{Label: "failed links"}, Y: chart.Axis{Label: "throughput per node (% of capacity)"}}
		means := map[string]map[int]float64{}
		numbers := linksOfDefault(s)
		for _, n := range numbers {
			if row := fmt.Sprintf("%s %d links", of.name, n); s.Want(row) {
				means[row] = addDefaultRow(ctx, s, &t, &of, n, engines, s.SeedOf(fmt.Sprint("default", n)))
			}
		}
		line.Fill(lab.Names(engines), make([]string, len(numbers)), func(engine string, i int) (chart.Point, bool) {
			for k, e := range engines {
				if v, ok := means[fmt.Sprintf("%s %d links", of.name, numbers[i])][k]; ok && e.Name == engine {
					return chart.Point{X: float64(numbers[i]), Y: v}, true
				}
			}
			return chart.Point{}, false
		})
		result.Charts = append(result.Charts, line)
	}
	result.Tables, result.Charts = []lab.Table{t}, lab.NonEmpty(result.Charts...)
	return result
}

// addDefaultRow measures engines on trees with this many failed links, and returns the means by
// engine, in percent.
func addDefaultRow(ctx context.Context, s *lab.Setup, t *lab.Table, of *metric, n int, engines []lab.Candidate, seed uint64) map[int]float64 {
	whole, trees := lab.Must(gen.Parse(degradedBase)), lab.Pick(s, 2, drawsOfDefault)
	if n == 0 {
		trees = 1
	}
	got := make([]outcome, trees*len(engines))
	s.Parallel(ctx, len(got), func(i int) {
		tree := seed + uint64(i/len(engines))
		g := degrade(whole, anyLink, n, rand.New(rand.NewPCG(tree, 0))).Compile()
		got[i] = of.on(ctx, s, g, engines[i%len(engines)].How, tree)
	})
	shares := make([][]float64, len(engines))
	gaps := make([][]float64, 2)
	for i := range got {
		k := i % len(engines)
		shares[k] = append(shares[k], 100*got[i].steady)
		if k == 2 {
			for rival := range gaps {
				gaps[rival] = append(gaps[rival], 100*(got[i].steady-got[i-1-rival].steady))
			}
		}
	}
	cells, means := []string{of.name, fmt.Sprint(n), fmt.Sprint(trees)}, map[int]float64{}
	for k := range engines {
		means[k] = flow.SummariseFew(shares[k]).Mean
		cells = append(cells, fmt.Sprintf("%.1f %%", means[k]))
	}
	for _, gap := range gaps {
		v := flow.SummariseFew(gap)
		cells = append(cells, fmt.Sprintf("%+.1f ± %.1f", v.Mean, v.CI95))
	}
	t.Add(cells...)
	return means
}
