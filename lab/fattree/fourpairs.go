package fattree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/lab"
	"weft/sim/packet"
)

// stepsOfFig2 are the sets of pairs of Fig. 2 that are run: one more each time, and all but one, by their places in fourOfSix.
var stepsOfFig2 = [][]int{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}}

// fourPairs is Fig. 2 (b) to (f): the channel dependencies of pairs on a ring of six switches, and what their packets do when one node of each
// switch sends, and two.
func fourPairs(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig2", Title: "Pairs on a ring of six switches, all the same way round, and what their packets do",
		Columns: []string{"pairs", "dependencies of the last pair", "cycle of", "one node sends: deadlock after, ms", "two nodes: deadlock after, ms"},
	}
	cycles, stood := map[int][]int{}, map[int][]bool{}
	for _, step := range stepsOfFig2 {
		var pairs [][2]int
		var names []string
		for _, i := range step {
			pairs = append(pairs, fourOfSix[i])
			names = append(names, fmt.Sprintf("%d-%d", fourOfSix[i][0], fourOfSix[i][1]))
		}
		cells := []string{strings.Join(names, " ")}
		for nodes := 1; nodes <= 2; nodes++ {
			r := ringRun{cells[0], fmt.Sprintf("torus(6,hosts=%d)", nodes), pairs, edited}
			s.EachOf(ctx, r.name, r.formula, []lab.Candidate{r.tables}, func(_ *lab.Candidate, trial *lab.Trial) {
				if nodes == 1 {
					last, cycle := dependenciesOf(trial, pairs)
					cycles[len(step)] = append(cycles[len(step)], cycle)
					cells = append(cells, last, fmt.Sprint(cycle))
				}
				_, _, found := r.run(ctx, s, trial)
				when := "none"
				if found != nil {
					when = fmt.Sprintf("%.2f", float64(found.At)/float64(packet.Millisecond))
				}
				if nodes == 2 {
					stood[len(step)] = append(stood[len(step)], found != nil)
				}
				cells = append(cells, when)
			})
		}
		if len(cells) == len(t.Columns) {
			t.Add(cells...)
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: fourPairsClaims(cycles, stood), Notes: []string{
		"Switches of the ring are numbered from 0; 3-6 of the figure is 3-0. A dependency is from a channel to the next one of a path. One stream a pair fills no buffer: what comes and what goes on have equal turns on every link.",
	}}
}

// fourPairsClaims judges the lengths of cycles and the deadlocks, by number of pairs.
func fourPairsClaims(cycles map[int][]int, stood map[int][]bool) []lab.Claim {
	const figure = "Fig. 2 (f)"
	claims := []lab.Claim{
		lab.NewClaim("four pairs close a cycle of dependencies, six channels long", "only four communication pairs are required"),
		lab.NewClaim("no three of them do", "Fig. 2 (b) to (e)"),
		lab.NewClaim("all four stand still, two nodes a switch sending", figure),
		lab.NewClaim("no three of them stand still", "Fig. 2 (b) to (e)"),
	}
	if all, three := cycles[4], cycles[3]; len(all) == 1 && len(three) == 4 {
		claims[0].Judge(all[0] == 6, "%d", all[0])
		claims[1].Judge(slices.Max(three) == 0, "the longest has %d", slices.Max(three))
	}
	if all, three := stood[4], stood[3]; len(all) == 1 && len(three) == 4 {
		claims[2].Judge(all[0], "%v", all[0])
		claims[3].Judge(!slices.Contains(three, true), "%v", three)
	}
	return claims
}

// dependenciesOf follows the paths of pairs of places on a ring. It names the dependencies of the last pair, by the switches that its channels
// join, and returns the length of the cycle of all dependencies, 0 for none. On a ring all the same way round there is one at most.
func dependenciesOf(trial *lab.Trial, pairs [][2]int) (last string, cycle int) {
	g, order := trial.Graph, roundTheRing(trial.Graph)
	next := map[int32]int32{}
	for _, pair := range pairs {
		path := channelsOf(g, trial, order[pair[0]], g.HostsOf(order[pair[1]])[0])
		var names []string
		for i := range path {
			names = append(names, fmt.Sprintf("%d%d", slices.Index(order, g.From[path[i]]), slices.Index(order, g.To[path[i]])))
			if i > 0 {
				next[path[i-1]] = path[i]
			}
		}
		last = strings.Join(names, " > ")
	}
	for start := range next {
		length, at, ok := 1, next[start], true
		for ; ok && at != start && length <= g.NumChannels; length++ {
			at, ok = next[at]
		}
		if ok && at == start {
			return last, length
		}
	}
	return last, 0
}

// channelsOf are the channels between switches on the way from a switch to an end port.
func channelsOf(g *fabric.Graph, trial *lab.Trial, sw, end int32) (path []int32) {
	for sw != g.EndSwitch[end] && len(path) < g.NumSwitches {
		channel, _ := g.At(sw, trial.Plan.Tables.Port(sw, trial.Plan.Ends.Base[end]))
		path, sw = append(path, channel), g.To[channel]
	}
	return path
}
