package round

import (
	"context"
	"strings"
	"testing"

	"weft/planner"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestBetterMeetsChange: a better Plan that was made before a cable failed is repaired. If it then
// delivers less than the Plan in force it is not used, unless somebody asked for it.
func TestBetterMeetsChange(t *testing.T) {
	const network = "random(switches=40,hosts=2,links=120,seed=3)"
	before, now := smtest.Formula(t, network).Compile(), smtest.Formula(t, network+"|fail(links=4,seed=1)").Compile()
	made := func(chain string) *planner.Kept {
		req := smtest.JobOf(chain, 0)
		r, err := planner.Run(context.Background(), before, &req)
		if err != nil {
			t.Fatal(err)
		}
		return planner.Keep(r.Plan, before)
	}
	good, bad := made("dfsssp"), made("updn")
	for _, c := range []struct {
		held, better *planner.Kept
		asked, used  bool
	}{{good, bad, false, false}, {good, bad, true, true}, {bad, good, false, true}} {
		q := &terms.RouteRequest{Graph: now, Kept: c.held, Better: &terms.Better{Kept: c.better, Asked: c.asked}, Later: true}
		ev := Plan(context.Background(), smtest.JobOf("dfsssp", 0), q)
		if ev.Err != nil || !ev.Result.Report.OK || ev.Result.Repaired == nil || ev.Result.Repaired.Moved == 0 {
			t.Fatalf("%v, %+v", ev.Err, ev.Result)
		}
		want := c.held
		if c.used {
			want = c.better
		}
		if engine := ev.Result.Plan.Recipe.Engine(); (ev.Unfit == nil) != c.used || engine != want.Plan.Recipe.Engine() || !c.used && !strings.Contains(ev.Unfit.Error(), "delivers") {
			t.Errorf("asked %v: %v, in force is %s", c.asked, ev.Unfit, engine)
		}
	}
}
