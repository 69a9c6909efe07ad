package vftree

import (
	"context"

	"weft/fabric"
	"weft/lab"
)

// fig9 is fig8 on the oversubscribed tree: the victim shares its links up and down with
// contributors.
func fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	flows := []pair{{1, 9}, {6, 9}, {8, 11}, {10, 9}}
	t := lab.Table{Name: "fig9", Title: "What each flow gets on average; 8-11 is the victim, node 9 the hot-spot", Columns: columns(flows)}
	got := map[string][]float64{}
	const one, two, three, four = "1", "2, victim by hand", "3, vFtree", "4, each flow by hand"
	for _, e := range []lab.Candidate{
		{Name: one, How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: two, How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: three, How: lab.Routing{Engine: threeLanes}},
		{Name: four, How: lab.Routing{Engine: "ftree,balance=zahavi"}},
	} {
		s.Each(ctx, "vftree-fig4b", testBed(s, "vftree-fig4b"), []lab.Candidate{e}, func(e *lab.Candidate, trial *lab.Trial) {
			p := trial.Plan
			switch e.Name {
			case two:
				p = onLanes(trial.Graph, p, flows[2:3])
			case four:
				p = onLanes(trial.Graph, p, flows[2:3], flows[0:1], flows[1:2])
			}
			got[e.Name] = gbps(ctx, s, trial.Graph, p, flows, hardware(s))
			t.Add(cells(e.Name, got[e.Name])...)
		})
	}
	plain, by2, by3, by4 := got[one], got[two], got[three], got[four]
	by19, ok := ratio(plain, 1, plain, 0)
	by109, _ := ratio(plain, 1, plain, 3)
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{
		same("1 lane: the victim gets what 6-9 gets", "the same bandwidth").JudgedBy(ratio(plain, 2, plain, 1)),
		ratioIn("1 lane: 6-9 gets less than 1-9 and 10-9, by the lesser of them", "the lowest bandwidth", 0, .95).JudgedBy(max(by19, by109), ok),
		rateOf("1 lane: the victim", "about 2.1 Gbit/s", 2.1).JudgedBy(rateAt(plain, 2)),
		rateOf("2 lanes: the victim", "about 7.5 Gbit/s", 7.5).JudgedBy(rateAt(by2, 2)),
		more("2 lanes: 10-9 gets more than 1-9 and 6-9 (parking lot)", "unfairness exists").JudgedBy(over(by2, 3, 0, 1)),
		same("4 lanes: 10-9 gets what 1-9 and 6-9 get", "resolved").JudgedBy(over(by4, 3, 0, 1)),
		rateOf("4 lanes: a contributor, mean of three", "1/3, about 4.5 Gbit/s", 4.5).JudgedBy(meanRate(by4, 0, 1, 3)),
		ratioIn("4 lanes: the victim gets slightly less than with 2", "slightly lower", .8, .995).JudgedBy(ratio(by4, 2, by2, 2)),
		ratioIn("the total is higher with 2 lanes than with 4", "higher (Fig. 7 (b))", 1.005, 2).JudgedBy(totals(by2, by4)),
		rateOf("3 lanes: a flow, mean of four", "each about 4.5 Gbit/s", 4.5).JudgedBy(meanRate(by3, 0, 1, 2, 3)),
		same("3 lanes: the victim gets what the others get", "each about 4.5 Gbit/s").JudgedBy(over(by3, 2, 0, 1, 3)),
		lab.Gained("the total rises from 1 to 3 lanes", "about 20 %", 20).JudgedBy(rise(plain, by3)),
	}}
}

// threeLanes is vFtree as on the test bed.
const threeLanes = "ftree,balance=zahavi,lanes=vftree,vls=3"

// testBed builds a cluster of Fig. 4.
func testBed(s *lab.Setup, formula string) func() *fabric.Graph {
	rate := int32(16_000)
	if s.Reads(slowLinks) {
		rate = 8_000
	}
	return func() *fabric.Graph { return lab.WithRates(lab.Must(lab.Graph(formula)), rate, 16_000) }
}
