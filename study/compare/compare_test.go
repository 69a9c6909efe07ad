package compare

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weft/fabric/bill"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/flow"
	"weft/study"
	"weft/study/studytest"
)

// compared makes a row with some figures.
func compared(engine string, ok bool, vls int, ebb, shift float64) Row {
	k := &flow.KeyFigures{EBB: flow.Summary{Mean: ebb}, Shift: flow.Collective{Mean: shift, Sum: 100 * shift}, PairLoad: 10}
	return Row{Engine: engine, VLs: vls, EBB: &k.EBB, Figures: k, Check: &quality.Report{Report: check.Report{OK: ok}}}
}

// TestRecommendEngine: the best proven engine, and of equal ones the one with fewer lanes, then the
// one that auto prefers.
func TestRecommendEngine(t *testing.T) {
	for want, rows := range map[string][]Row{
		"updn":   {compared("minhop", false, 1, .9, 1), compared("updn", true, 1, .5, 2)},
		"nue":    {compared("dfsssp", true, 4, .7, 2), compared("nue", true, 1, .7, 2)},
		"ftree":  {compared("updn", true, 1, .7, 1), compared("ftree", true, 1, .7, 1)},
		"dfsssp": {compared("dfsssp", true, 4, .7, 2), compared("nue", true, 1, .6, 2), {Engine: "dor", Refused: &study.Refusal{}}},
		"dor":    {compared("auto: dor", true, 1, .7, 1), compared("dor", true, 1, .7, 1)},
		"":       {compared("minhop", false, 1, .9, 1), {Engine: "dor", Refused: &study.Refusal{}}},
	} {
		c := &Comparison{Fabric: "f", Engines: rows}
		c.Recommend()
		if got := c.Best; (got == nil) != (want == "") || got != nil && (got.Engine != want || got.Why == "") {
			t.Errorf("recommended %+v, want %s", got, want)
		}
		if want == "dor" && !strings.HasPrefix(c.Best.Why, "the only one") {
			t.Errorf("one engine counts twice: %s", c.Best.Why)
		}
	}
}

// TestRecommendFabric: what delivers nearly as much for a smaller price is taken; what does so in
// bisections alone is named.
func TestRecommendFabric(t *testing.T) {
	of := func(name string, switches, hosts int, rows ...Row) *Comparison {
		return &Comparison{Fabric: name, Bill: &bill.Bill{Switches: switches, Hosts: hosts, Servers: hosts, HostPorts: hosts}, Engines: rows}
	}
	for _, c := range []struct {
		best, but string
		fabrics   []*Comparison
	}{
		{"tree", "mesh", []*Comparison{of("mesh", 50, 100, compared("dor", true, 1, .68, 9)), of("tree", 90, 100, compared("ftree", true, 1, .7, 1))}},
		{"small", "", []*Comparison{of("tree", 90, 100, compared("ftree", true, 1, .7, 1)), of("small", 70, 100, compared("ftree", true, 1, .69, 1.1))}},
		{"tree", "", []*Comparison{of("tree", 90, 100, compared("ftree", true, 1, .7, 1)), of("poor", 9, 100, compared("ftree", true, 1, .3, 4))}},
		{"tree", "", []*Comparison{of("tree", 90, 100, compared("ftree", true, 1, .7, 1)), of("few", 45, 50, compared("ftree", true, 1, .7, 1))}},
		{"two", "", []*Comparison{of("lone", 1, 1, compared("ftree", true, 1, 0, 0)), of("two", 1, 2, compared("ftree", true, 1, 1, 1))}},
		{"", "", []*Comparison{of("ring", 5, 5, compared("minhop", false, 1, .7, 1))}},
	} {
		all := &Comparisons{Fabrics: c.fabrics}
		all.Recommend()
		if (all.Best == nil) != (c.best == "") {
			t.Errorf("recommended %+v, want %q", all.Best, c.best)
			continue
		}
		if b := all.Best; b != nil && (b.Fabric != c.best || !strings.HasPrefix(b.But, c.but) || (b.But == "") != (c.but == "")) {
			t.Errorf("recommended %+v, want %q but %q", b, c.best, c.but)
		}
	}
}

// TestSort: rows without a Plan are last in every order, and equal rows stay in order.
func TestSort(t *testing.T) {
	rows := []Row{
		{Engine: "refused", Refused: &study.Refusal{}},
		{Engine: "a", EBB: &flow.Summary{Mean: .5}, VLs: 2, Seconds: 3, RouteRSS: 9},
		{Engine: "b", EBB: &flow.Summary{Mean: .9}, VLs: 3, Seconds: 1, RouteRSS: 8},
		{Engine: "c", EBB: &flow.Summary{Mean: .5}, VLs: 1, Seconds: 2, RouteRSS: 7},
	}
	for order, want := range map[string]string{"engine": "a b c refused", "ebb": "b a c refused", "vls": "c a b refused", "seconds": "b c a refused", "memory": "c b a refused"} {
		c := Comparison{Engines: append([]Row{}, rows...)}
		c.Sort(order)
		var got []string
		for _, r := range c.Engines {
			got = append(got, r.Engine)
		}
		if strings.Join(got, " ") != want || CheckOrder(order) != nil {
			t.Errorf("%s: %v, want %s", order, got, want)
		}
	}
	if CheckOrder("nothing") == nil {
		t.Error("an unknown order")
	}
}

// TestCompareEngine: a refusal is a row, measured times come from the clock.
func TestCompareEngine(t *testing.T) {
	g, _ := studytest.Routed(t, "rlft(4,2)", "updn")
	ticks := time.Duration(0)
	req := &planner.Request{Seed: 1, Now: func() time.Duration { ticks += time.Second; return ticks }}
	chain, err := engine.Parse("updn,dor", nil)
	if err != nil {
		t.Fatal(err)
	}
	row, err := NewRow(t.Context(), g, chain[0], req, Figures{Runs: 10}, func() float64 { return 7 })
	if err != nil || row.EBB == nil || row.Counted != 1 || row.Judged != 1 || row.RouteRSS != 7 || !row.Check.OK {
		t.Errorf("%+v, %v", row, err)
	}
	if row, err = NewRow(t.Context(), g, chain[1], req, Figures{Runs: 10}, func() float64 { return 7 }); err != nil || row.Refused == nil || row.Refused.Engine != "dor" {
		t.Errorf("%+v, %v", row, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewRow(ended, g, chain[0], req, Figures{Runs: 10}, func() float64 { return 0 }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
