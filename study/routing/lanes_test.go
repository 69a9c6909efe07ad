package routing

import (
	"strings"
	"testing"

	"weft/fabric/gen"
	"weft/judge/check"
	"weft/planner"
	"weft/route/engine"
	"weft/route/lanes/partition"
)

// TestLaneRow: bounds of known paths. On a ring of five with shortest paths, the requests and
// replies of all pairs need two lanes, and so do single paths. Nue keeps to one.
func TestLaneRow(t *testing.T) {
	usual := LaneRequest{Replies: "auto", Limits: partition.Usual}
	own, hosts, none, few := usual, usual, usual, usual
	few.Limits.Steps = 10
	own.Replies, hosts.HostsOnly, none.Limits = "own", true, partition.Limits{Cycles: 1}
	for _, c := range []struct {
		formula, engine string
		ask             LaneRequest
		least, enough   int
		uses            int
		free            check.Answer
		distance        string
		open            bool
	}{
		{"torus(5,hosts=1)", "minhop", usual, 2, 2, 1, check.No, "1 too few", false},
		{"torus(5,hosts=1)", "minhop", own, 2, 2, 1, check.No, "1 too few", false},
		{"torus(5,hosts=1)", "dfsssp,paths=sssp", usual, 2, 2, 2, check.Yes, "+0", false},
		{"torus(5,hosts=1)", "nue", usual, 1, 1, 1, check.Yes, "+0", false},
		{"torus(5x5,hosts=1)", "minhop", none, 2, 5, 1, check.No, "1 too few", true},
		{"torus(5x5,hosts=1)", "lash", few, 2, 3, 3, check.Yes, "+0 to +1", true},
		{"rlft(4,2)", "minhop", hosts, 1, 1, 1, check.Yes, "+0", false},
		{"rlft(4,2)", "minhop", usual, 2, 2, 1, check.No, "1 too few", false},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		chain, err := engine.Parse(c.engine, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := planner.Route(t.Context(), g, &planner.Request{Chain: chain, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		row, err := NewLaneRow(t.Context(), g, r, &c.ask)
		if err != nil {
			t.Fatal(err)
		}
		if row.Least != c.least || row.Enough != c.enough || row.Uses != c.uses || row.DeadlockFree != c.free || row.distance() != c.distance || (row.Open != "") != c.open || row.Exact == c.open {
			t.Errorf("%s by %s: %+v, %s", c.formula, c.engine, row, row.distance())
		}
		var text strings.Builder
		if err := (&Lanes{Routings: []LaneRow{*row}}).WriteAll(&text); err != nil || !strings.Contains(text.String(), c.distance) {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
}

// TestLaneRequest: wrong values are refused.
func TestLaneRequest(t *testing.T) {
	for _, q := range []LaneRequest{{Replies: "both"}, {Replies: "own", Limits: partition.Limits{Steps: -1}}, {Replies: "own", Limits: partition.Limits{Conflicts: -1}}} {
		if q.Validate() == nil {
			t.Errorf("%+v is accepted", q)
		}
	}
}
