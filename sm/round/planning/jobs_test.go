package planning

import (
	"context"
	"slices"
	"testing"

	"weft/fabric/jobs"
	"weft/planner"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestMovesLeaveJobs: moves to less loaded links take no entry back that leads to a node of a job
// of several nodes. Without jobs they would.
func TestMovesLeaveJobs(t *testing.T) {
	g := smtest.Formula(t, "rlft(8,2)|without(roots=2)").Compile()
	list := []terms.Job{{ID: "a", Nodes: "host[0,4,8,12,16,20,24,28]", Count: 8}, {ID: "b", Nodes: "host[1,3,6,9,15,18,21]", Count: 7}, {ID: "c", Nodes: "host2", Count: 1}}
	req := smtest.JobOf("ftree", 0)
	made, err := planner.Run(context.Background(), g, &req)
	if err != nil {
		t.Fatal(err)
	}
	q := &terms.RouteRequest{Graph: g, Kept: planner.Keep(made.Plan, g), Jobs: list, Turn: []int{0, 1}, MostMoves: 1000}
	turn := Plan(context.Background(), req, q)
	if turn.Err != nil || turn.Result.ForJobs == nil || turn.Result.ForJobs.Entries == 0 {
		t.Fatalf("%v: %+v", turn.Err, turn.Result)
	}
	held := turn.Result.Plan
	hosts, _, err := jobs.NewFinder(g).Match("host[0,4,8,12,16,20,24,28],host[1,3,6,9,15,18,21]")
	if err != nil {
		t.Fatal(err)
	}
	for _, running := range [][]terms.Job{list, nil} {
		ev := Plan(context.Background(), req, &terms.RouteRequest{Graph: g, Kept: planner.Keep(held, g), Moves: 1000, Jobs: running})
		if ev.Err != nil || !ev.Result.Report.OK {
			t.Fatalf("%v: %+v", ev.Err, ev.Result)
		}
		moved := 0
		for s := range int32(g.NumSwitches) {
			for _, h := range hosts {
				if lid := held.Ends.Base[h]; held.Tables.Port(s, lid) != ev.Result.Plan.Tables.Port(s, lid) {
					moved++
				}
			}
		}
		if (moved == 0) != (running != nil) {
			t.Errorf("%d jobs run: %d entries towards their nodes move, %+v", len(running), moved, ev.Result.Spread)
		}
	}
	if lone := hostsTogether(g, list); len(lone) != len(hosts) || slices.ContainsFunc(lone, func(h int32) bool { return !slices.Contains(hosts, h) }) {
		t.Errorf("%v stay, want %v", lone, hosts)
	}
}
