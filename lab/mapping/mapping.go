// Package mapping reproduces the figures of Mainwaring, Chun, Schleimer and Wilkerson,
// "System Area Network Mapping", SPAA 1997 (paper 001), sections 5.1 to 5.5, and
// measures what section 6 conjectures.
//
// Of the three subclusters of the Berkeley NOW, only C is described well enough to be
// rebuilt; A and B are one choice of many. Experiments join them to C otherwise, with
// the same numbers of hosts, switches and links. Times are modelled.
package mapping

import (
	"context"
	"fmt"

	"weft/fabric/gen"
	"weft/lab"
	model "weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// Reproduction returns the reproduction of the paper.
func Reproduction() *lab.Reproduction {
	return &lab.Reproduction{
		Name:  "mapping",
		Paper: "Mainwaring, Chun, Schleimer and Wilkerson, \"System Area Network Mapping\", SPAA 1997 (paper 001).",
		Artefacts: []lab.Artefact{
			{Name: "fig3", Title: "Components of the subclusters, counted in maps", Place: "Fig. 3", Run: fig3},
			{Name: "fig4", Title: "Map of subcluster C", Place: "Fig. 4", Run: fig4},
			{Name: "fig5", Title: "Map of the 100 nodes", Place: "Fig. 5", Run: fig5},
			{Name: "fig6", Title: "Host and switch probes of the Berkeley algorithm", Place: "Fig. 6", Run: fig6},
			{Name: "fig7", Title: "Mapping times, one master and election (modelled)", Place: "Fig. 7", Run: fig7},
			{Name: "fig8", Title: "Model graph over explorations", Place: "Fig. 8", Run: fig8},
			{Name: "fig9", Title: "Time against responding hosts (modelled)", Place: "Fig. 9", Run: fig9},
			{Name: "fig10", Title: "Probes of the Myricom algorithm, and of all others", Place: "Fig. 10", Run: fig10},
			{Name: "routes", Title: "Deadlock-free routes on the maps, tried, judged and distributed", Place: "section 5.5", Run: routing},
			{Name: "growth", Title: "Probes on fat-trees of up to 1,280 switches", Place: "section 6", Run: growth},
		},
	}
}

// system is a row of Figs. 6, 7 and 10 as printed.
type system struct {
	name, formula                        string
	host, hostHits, toSwitch, switchHits int        // Fig. 6
	master, election                     [3]float64 // Fig. 7, min, avg, max, ms
	loop, mHost, mSwitch, compare, total int        // Fig. 10
}

var systems = []system{
	{"C", "now-c", 200, 107, 250, 157, [3]float64{248, 256, 265}, [3]float64{277, 278, 282}, 134, 713, 152, 450, 1449},
	{"C+A", "now-ca", 412, 216, 491, 295, [3]float64{499, 522, 555}, [3]float64{569, 577, 587}, 283, 1484, 329, 1234, 3330},
	{"C+A+B", "now-cab", 804, 324, 1207, 727, [3]float64{981, 1011, 1208}, [3]float64{1065, 1298, 3332}, 424, 2293, 611, 5089, 8413},
}

// utility is the host that maps.
const utility = "host 35"

// network returns one of the NOW networks, wired as fabric/gen has it.
func network(formula string) *model.Network {
	return lab.Must(model.FromFabric(lab.Must(gen.Parse(formula))))
}

// trial is a run of an algorithm from the utility host, under circuit routing.
type trial struct {
	algorithm string
	depth     int    // 0 for Q + D
	alone     []bool // by host: which of them respond; nil for all
	step      func(algorithm.Step)
	watch     func(model.Prober) model.Prober
}

func (t trial) run(ctx context.Context, n *model.Network) *algorithm.Result {
	a := lab.Must(algorithm.Find(t.algorithm))
	host := lab.Must(n.FindHost(utility))
	if t.depth == 0 {
		t.depth = theory.Of(n, host).Depth()
	}
	var p model.Prober = model.NewMapper(model.NewModel(n, model.Circuit, model.Myrinet), host,
		model.Conditions{SelfIdentifying: a.SelfIdentifying, Responding: t.alone})
	if t.watch != nil {
		p = t.watch(p)
	}
	return lab.Must(a.Run(ctx, p, &algorithm.Options{Self: n.Hosts[host], Radix: n.Radix(), Depth: t.depth, Explored: t.step}))
}

func count(n int) string { return fmt.Sprint(n) }

func ms(r *algorithm.Result) float64 { return r.Elapsed.Seconds() * 1000 }

// within reports whether ours is within 25 % of the paper's.
func within(ours, paper float64) bool { return ours <= 1.25*paper && ours >= 0.75*paper }

// near reports whether all pairs (ours, the paper's) are within 25 %.
func near(pairs ...[2]int) bool {
	for _, p := range pairs {
		if !within(float64(p[0]), float64(p[1])) {
			return false
		}
	}
	return true
}

// finding is a number of a network, and whether a claim holds there.
type finding struct {
	ours  string
	holds bool
}

// judge judges claims by what was found in the first network, and explains them by what
// was found in the rewired one.
func judge(claims []lab.Claim, net int, found ...finding) {
	for i, f := range found {
		if net == 0 {
			claims[i].Judge(f.holds, "%s", f.ours)
		} else {
			claims[i].Explain(f.holds, "Experiment, %s: %s.", rewiredHow, f.ours)
		}
	}
}
