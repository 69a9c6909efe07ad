package vftree

import (
	"context"

	"weft/fabric"
	"weft/lab"
)

// creditRows are the runs of Fig. 2: the rate of the link of node 4, in Mbit/s, and the lanes.
var creditRows = []struct {
	name  string
	takes int32
	lanes int
}{
	{"3, all have credits", 16_000, 3},
	{"3, lane 0 runs out of credits", slowNode, 3},
	{"1, it runs out of credits", slowNode, 1},
}

// slowNode is the rate of a node whose lane runs out of credits, in Mbit/s.
const slowNode = 1_000

// fig2 lets three flows share a link between two switches, each on a lane of its own as in Fig. 1;
// one goes to a slow receiver. It judges nothing: the simulator has credits by lane anyway, and we
// chose the rate of the slow node.
func fig2(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 4}, {2, 5}, {3, 6}}
	t := lab.Table{Name: "fig2", Title: "What each flow gets on average; 1-4 is on lane 0, the others are on lanes 1 and 2", Columns: columns(flows)}
	for _, x := range creditRows {
		build := func() *fabric.Graph {
			g := lab.WithRates(lab.Must(lab.Graph("mesh(2,hosts=3)")), 16_000, 16_000)
			g.EndRate[nodes(g)[4]] = x.takes
			return g
		}
		s.Each(ctx, "two switches", build, []lab.Candidate{{Name: x.name, How: lab.Routing{Engine: "updn"}}}, func(_ *lab.Candidate, trial *lab.Trial) {
			p := trial.Plan
			if x.lanes == 3 {
				p = onLanes(trial.Graph, p, flows[1:2], flows[2:])
			}
			t.Add(cells(x.name, gbps(ctx, s, trial.Graph, p, flows, hardware(s)))...)
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Notes: []string{
		"Nothing is judged: credits by lane are what the simulator has (tests of sim/packet), and that node 4 takes 1 Gbit/s is ours.",
	}}
}
