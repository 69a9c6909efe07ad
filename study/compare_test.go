package study

import (
	"strings"
	"testing"

	"weft/fabric/bill"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/sim/flow"
)

// compared makes a row with some figures.
func compared(engine string, ok bool, vls int, ebb, shift float64) Compared {
	k := &flow.KeyFigures{EBB: flow.Summary{Mean: ebb}, Shift: flow.Collective{Mean: shift, Sum: 100 * shift}, PairLoad: 10}
	return Compared{Engine: engine, VLs: vls, EBB: &k.EBB, Figures: k, Check: &quality.Report{Report: check.Report{OK: ok}}}
}

// TestRecommendEngine: the best proven engine, and of equal ones the one with fewer lanes, then the one that auto
// prefers.
func TestRecommendEngine(t *testing.T) {
	for want, rows := range map[string][]Compared{
		"updn":   {compared("minhop", false, 1, .9, 1), compared("updn", true, 1, .5, 2)},
		"nue":    {compared("dfsssp", true, 4, .7, 2), compared("nue", true, 1, .7, 2)},
		"ftree":  {compared("updn", true, 1, .7, 1), compared("ftree", true, 1, .7, 1)},
		"dfsssp": {compared("dfsssp", true, 4, .7, 2), compared("nue", true, 1, .6, 2), {Engine: "dor", Refused: &Refusal{}}},
		"dor":    {compared("auto: dor", true, 1, .7, 1), compared("dor", true, 1, .7, 1)},
		"":       {compared("minhop", false, 1, .9, 1), {Engine: "dor", Refused: &Refusal{}}},
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

// TestRecommendFabric: what delivers nearly as much for a smaller price is taken; what does so in bisections alone is
// named.
func TestRecommendFabric(t *testing.T) {
	of := func(name string, switches, hosts int, rows ...Compared) *Comparison {
		return &Comparison{Fabric: name, Bill: &bill.Bill{Switches: switches, Hosts: hosts}, Engines: rows}
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

// TestYardstickFitsAPage: the names of engines and figures as long as they usually get stay within a line.
func TestYardstickFitsAPage(t *testing.T) {
	row := compared("auto: dfsssp", true, 8, .5, 100)
	row.Yardstick = &flow.Yardstick{PermutationMedian: 100, PermutationP99: 100, PairLoadSwitches: 123456, PairLoadBound: 123456}
	row.Yardstick.PairLoad, row.Yardstick.DarkChannels = 123456, 10000
	row.Yardstick.Shift.Sum, row.Yardstick.Doubling.Sum, row.Yardstick.DoublingRandom.Sum = 123456, 1234, 1234
	var b strings.Builder
	if err := writeYardsticks(&b, []Compared{row}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimSpace(line)) > fold.Columns {
			t.Errorf("wider than %d: %s", fold.Columns, line)
		}
	}
}
