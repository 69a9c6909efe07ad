package vftree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/route/lanes/victims"
	"weft/sim/flow"
)

// The assignments of lanes that are compared. Those that the engine knows have its names.
const (
	asPrinted = "vftree"  // algorithm 1
	byRounds  = "rounds"  // weft's own before algorithm 1 as printed
	byVictims = "victims" // lanes=victims
)

// victimTrees are the fabrics on which the assignments are compared.
var victimTrees = []struct{ name, formula string }{
	{drawnTree, topologies[1].formula},
	{"96 hosts, 2:1", "tree(18,96,ratio=2)"},
	{"128 hosts, three levels", "rlft(8,3)"},
}

// drawnTree is the fabric of the chart.
const drawnTree = "648-port 2:1"

// victimsOfLanes counts the victims of hot-spots under three assignments of lanes, and simulates
// some of the hot-spots.
func victimsOfLanes(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "victims", Title: "Flows to other hosts that a hot-spot holds up, mean of all hosts as the only one, and what a node takes on average beside some of them",
		Columns: []string{"fabric", "lanes", "assignment", "held up", "no less than", "Gbit/s a node", "least", "most"},
	}
	got := map[string]float64{}
	for _, x := range lab.Pick(s, victimTrees[1:], victimTrees) {
		build := func() *fabric.Graph { return lab.WithRates(lab.Must(lab.Graph(x.formula)), 32_000, 32_000) }
		for _, lanes := range []int{1, 2, 4, 8} {
			assignments := []string{asPrinted, byRounds, byVictims}
			if lanes == 1 {
				assignments = []string{"-"}
			}
			for _, name := range assignments {
				e := lab.Candidate{Name: fmt.Sprintf("%d %s", lanes, name), How: lab.Routing{Engine: engineOf(name, lanes), MaxVLs: 8}}
				s.Each(ctx, x.name, build, []lab.Candidate{e}, func(_ *lab.Candidate, trial *lab.Trial) {
					if name == byRounds {
						moveOnByRounds(trial)
					}
					paths := victims.NewPaths(trial.Graph, trial.Plan)
					held := lab.Must(paths.Count(ctx, s.Workers, lanes))
					rates := besideHotSpots(ctx, s, trial, lab.Pick(s, 1, 3), s.SeedOf(x.name))
					if x.name == drawnTree {
						got[e.Name] = rates.Mean
					}
					t.Add(x.name, fmt.Sprint(lanes), name, fmt.Sprintf("%.1f %%", paths.Percent(held)), fmt.Sprintf("%.1f %%", paths.Percent(paths.Least(lanes))), rate(rates.Mean), rate(rates.Min), rate(rates.Max))
				})
			}
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(drawVictims(got)), Notes: []string{
		"Hosts send as in Fig. 10, with one hot-spot; the rates are of three hot-spots, in the first, the middle and the last third of the leaves, one in each run. A flow is held up if it waits in a queue with packets for the hot-spot, or in one before such a queue (go doc ./route/lanes/victims). No assignment of so many lanes holds up fewer flows than the next column says.",
		"Assignments: vftree is algorithm 1 of the paper, victims is lanes=victims of weft.",
		"Rounds are weft's former rule: algorithm 1, moved on where hosts of a leaf share a link up. Hosts of one leaf then reach a hot-spot on different lanes over one link, which fills them all.",
	}}
}

// engineOf returns the engine for an assignment.
func engineOf(name string, lanes int) string {
	if lanes == 1 {
		return "ftree,balance=zahavi"
	}
	if name == byRounds {
		name = asPrinted // moveOnByRounds changes it
	}
	return fmt.Sprintf("ftree,balance=zahavi,lanes=%s,vls=%d", name, lanes)
}

// moveOnByRounds moves the lane of two hosts of different leaves on by their rounds: the number of
// times that the links up of their leaf were dealt out before them.
func moveOnByRounds(trial *lab.Trial) {
	g, p := trial.Graph, *trial.Plan
	round := make([]int, g.NumHosts)
	for s := range int32(g.NumSwitches) {
		up := map[int32]bool{}
		for _, c := range g.OutOf(s) {
			up[g.To[c]] = true
		}
		for i, h := range g.HostsOf(s) {
			round[h] = i / max(1, len(up))
		}
	}
	p.SL = pairSLs(g, &p)
	for a := range int32(g.NumHosts) {
		for b := range int32(g.NumHosts) {
			if g.EndSwitch[a] != g.EndSwitch[b] {
				sl := int(trial.Plan.SL.At(a, p.Ends.Base[b])) + round[a] + round[b]
				p.SL.Set(a, b, uint8(sl%p.VLs))
			}
		}
	}
	trial.Plan = &p
}

// besideHotSpots returns the mean receive rates of nodes, in Gbit/s, in some runs with one hot-spot
// each.
func besideHotSpots(ctx context.Context, s *lab.Setup, trial *lab.Trial, runs int, seed uint64) flow.Summary {
	rates := make([]float64, runs)
	s.Parallel(ctx, runs, func(k int) {
		n := trial.Graph.NumHosts
		hosts := fabric.Numbers(n)
		hot := (2*k+1)*n/(2*runs) + k // not always the same port of a leaf
		hosts[0], hosts[hot] = hosts[hot], hosts[0]
		rates[k] = hotSpots(ctx, trial, hardware(s), hosts, 1, seed, settling)
	})
	return flow.Summarise(rates)
}

// drawVictims draws a node's rate by lanes and assignment.
func drawVictims(got map[string]float64) chart.Chart {
	c := chart.Chart{Name: "victims", Kind: chart.Bars, Title: drawnTree + ": one hot-spot", X: chart.Axis{Label: "lanes"}, Y: chart.Axis{Label: "Gbit/s a node"}}
	groups := []string{"2", "4", "8"}
	c.Fill([]string{asPrinted, byRounds, byVictims}, groups, func(name string, i int) (chart.Point, bool) {
		v, ok := got[groups[i]+" "+name]
		return chart.Point{Y: v}, ok
	})
	return c
}
