package vftree

import (
	"context"

	"weft/fabric"
	"weft/lab"
)

// creditRows are the runs of Fig. 2: what node 4 takes, in Mbit/s, and the lanes.
var creditRows = []struct {
	name  string
	takes int32
	lanes int
}{
	{"3, all have credits", hostRate, 3},
	{"3, lane 0 runs out of credits", slowNode, 3},
	{"1, it runs out of credits", slowNode, 1},
}

// slowNode is the rate of a node that lets its lane run out of credits, in Mbit/s.
const slowNode = 1_000

// fig2 lets three flows share a link between two switches, each on a lane of its own as in Fig. 1; one goes to a node that takes little.
func fig2(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 4}, {2, 5}, {3, 6}}
	t := lab.Table{Name: "fig2", Title: "What each flow gets on average; 1-4 is on lane 0, the others are on lanes 1 and 2", Columns: columns(flows)}
	got := map[string][]float64{}
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
			got[x.name] = gbps(ctx, s, trial.Graph, p, flows, hardware(s))
			t.Add(cells(x.name, got[x.name])...)
		})
	}
	free, short, one := got[creditRows[0].name], got[creditRows[1].name], got[creditRows[2].name]
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{
		more("lane 0 is unable to transmit while it has no credits: what it gets with all credits, by that", "unable to transmit until credit arrives").JudgedBy(ratio(free, 0, short, 0)),
		rateOf("transmission resumes when credit arrives: lane 0 gets what its node takes", "resumes for VL 0", float64(slowNode)/1000).JudgedBy(rateAt(short, 0)),
		more("the other lanes use the share of the link that lane 0 would use: by what they get with all credits", "the other lanes have sufficient credits").JudgedBy(ratio(short, 1, free, 1)),
		more("without lanes the other flows wait too: what lanes give them, by that", "separate buffering and flow-control").JudgedBy(ratio(short, 1, one, 1)),
	}}
}
