package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"weft/fabric/gen"
	"weft/lab"
	"weft/sim/flow"
)

// switchesBeyond lists the numbers of failed switches at which our engines are compared with the
// paper's.
var switchesBeyond = []int{0, 1, 3, 7}

// beyond compares our engines with the paper's.
func (m *paperIV) beyond(ctx context.Context, s *lab.Setup) *lab.Result {
	result := &lab.Result{}
	engines := append(enginesIV(s)[:3], enginesOfWeft...)
	for _, of := range []metric{uniformTraffic, randomRings} {
		t, l := degradedTable("beyond-"+strings.ReplaceAll(of.name, " ", "-"), of), shareLeft{}
		for _, d := range []degradedRun{
			{m, of, wholeSwitch, switchesBeyond, engines}, {m, of, anyLink, []int{80}, engines},
		} {
			d.measure(ctx, s, &t, l)
		}
		result.Tables = append(result.Tables, t)
		result.Charts = append(result.Charts, l.draw(t.Name, "Ours beside the paper's: "+of.name, wholeSwitch, switchesBeyond, engines))
	}
	result.Charts = lab.NonEmpty(result.Charts...)
	t, mean := busiest(ctx, s)
	result.Tables = append(result.Tables, t)
	if len(mean) == 2*len(switchesBeyond) {
		result.Notes = append(result.Notes, fmt.Sprintf("Why a second failed switch costs ours so little after the first: if every node sends a link's worth to all others alike, the most loaded link carries %.2f of its rate on the whole tree, "+
			"and %.2f times it after the first failed switch, as a leaf switch has lost one of two ways or a root one of its links. All nodes wait for it. With seven failed switches ours has %.2f on it, and the classic order %.2f.",
			mean["0 ours"], mean["1 ours"], mean["7 ours"], mean["7 fat-tree"]))
	}
	return result
}

// busiest measures the load of the most loaded link on some trees for each number of failed
// switches. It returns the means by number and engine.
func busiest(ctx context.Context, s *lab.Setup) (t lab.Table, mean map[string]float64) {
	engines := []lab.Candidate{enginesIV(s)[0], enginesOfWeft[0]}
	t = lab.Table{Name: "beyond-most-loaded-link", Title: "What the most loaded link between switches carries, by its rate, if every node sends a link's worth to all others alike: mean of the trees, least and most", Columns: append([]string{"failed switches", "trees"}, lab.Names(engines)...)}
	whole, mean := lab.Must(gen.Parse(degradedBase)), map[string]float64{}
	for _, n := range switchesBeyond {
		number := fmt.Sprint(n)
		if !s.Want(number + " most loaded link") {
			continue
		}
		trees := lab.Pick(s, 1, 8)
		if n == 0 {
			trees = 1
		}
		cells := []string{number, fmt.Sprint(trees)}
		for _, e := range engines {
			loads := make([]float64, trees)
			for i := range loads {
				g := degrade(whole, wholeSwitch, n, rand.New(rand.NewPCG(s.SeedOf("most loaded link"+number), uint64(i)))).Compile()
				loads[i] = float64(allPairs(ctx, s, lab.Must(s.Route(ctx, g, e.How))).Index) / float64(g.NumHosts-1)
			}
			of := flow.Summarise(loads)
			mean[number+" "+e.Name] = of.Mean
			cells = append(cells, fmt.Sprintf("%.2f (%.2f to %.2f)", of.Mean, of.Min, of.Max))
		}
		t.Add(cells...)
	}
	return t, mean
}
