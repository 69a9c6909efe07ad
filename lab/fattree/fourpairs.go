package fattree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/lab"
)

// fourOfSix are the pairs of Fig. 2, which close the cycle of a ring of six switches: two of
// switches, 0 to 3 and 3 to 6 (which is 0 on the ring), and two of nodes, which bridge them.
var fourOfSix = [][2]int{{0, 3}, {3, 0}, {2, 4}, {5, 1}}

// stepsOfFig2 are the sets of pairs run for Fig. 2, as indices into fourOfSix: one pair more each
// time, then all but one.
var stepsOfFig2 = [][]int{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}}

// fourPairs makes Fig. 2 (b) to (f): the channel dependencies of pairs on a ring of six switches,
// and the fate of their packets.
func fourPairs(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig2", Title: "Pairs on a ring of six switches, all the same way round, and what their packets do",
		Columns: []string{"pairs", "dependencies of the last pair", "cycle of", "nodes that send", "deadlock after, ms"},
	}
	cycles, stood := map[int][]int{}, lab.NewClaim("all four stand still", "Fig. 2 (f)")
	for _, step := range stepsOfFig2 {
		var pairs [][2]int
		var names []string
		for _, i := range step {
			pairs = append(pairs, fourOfSix[i])
			names = append(names, fmt.Sprintf("%d-%d", fourOfSix[i][0], fourOfSix[i][1]))
		}
		r := ringRun{strings.Join(names, " "), fmt.Sprintf("torus(6,hosts=%d)", sending(s)), pairs, edited}
		s.EachOf(ctx, r.name, r.formula, []lab.Candidate{r.tables}, func(_ *lab.Candidate, trial *lab.Trial) {
			last, cycle := dependenciesOf(trial, pairs)
			cycles[len(step)] = append(cycles[len(step)], cycle)
			_, nodes, found := r.run(ctx, s, trial)
			if len(step) == len(fourOfSix) {
				stood.Judge(found != nil, "%s", deadlocked[found != nil])
			}
			t.Add(r.name, last, fmt.Sprint(cycle), fmt.Sprint(nodes), deadlockAfter(found))
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: append(cycleClaims(cycles), stood), Notes: []string{
		"Six switches of a tree with three stages, numbered from 0, with the tables of the figure; 3-6 of it is 3-0. A dependency is from a channel to the next one of a path.",
	}}
}

// cycleClaims judges the lengths of cycles, by number of pairs.
func cycleClaims(cycles map[int][]int) []lab.Claim {
	four := lab.NewClaim("four pairs close a cycle of dependencies, six channels long", "only four communication pairs are required")
	fewer := lab.NewClaim("no three of them do", "Fig. 2 (b) to (e)")
	if all, three := cycles[4], cycles[3]; len(all) == 1 && len(three) == 4 {
		four.Judge(all[0] == 6, "%d", all[0])
		fewer.Judge(slices.Max(three) == 0, "the longest has %d", slices.Max(three))
	}
	return []lab.Claim{four, fewer}
}

// dependenciesOf follows the paths of pairs of places on a ring. It names the dependencies of the
// last pair, by the switches that its channels join. It returns the length of the cycle of all
// dependencies, 0 for none: on a ring in one direction there is at most one.
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

// channelsOf returns the channels between switches on the path from a switch to an end port.
func channelsOf(g *fabric.Graph, trial *lab.Trial, sw, end int32) (path []int32) {
	for sw != g.EndSwitch[end] && len(path) < g.NumSwitches {
		channel, _ := g.At(sw, trial.Plan.Tables.Port(sw, trial.Plan.Ends.Base[end]))
		path, sw = append(path, channel), g.To[channel]
	}
	return path
}
