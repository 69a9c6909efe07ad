package planning

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

// TestBetterNotUsed: a better Plan with other LIDs than the Plan in force, or one that makes weft
// itself fail, is not used, though it was asked for: the Plan in force is repaired.
func TestBetterNotUsed(t *testing.T) {
	const network = "random(switches=40,hosts=2,links=120,seed=3)"
	before, now := smtest.Formula(t, network).Compile(), smtest.Formula(t, network+"|fail(links=4,seed=1)").Compile()
	made := func(lmc uint8) *planner.Kept {
		req := smtest.JobOf("updn", lmc)
		r, err := planner.Run(context.Background(), before, &req)
		if err != nil {
			t.Fatal(err)
		}
		return planner.Keep(r.Plan, before)
	}
	held := made(0)
	for why, better := range map[string]*planner.Kept{"has LID": made(1), "a fault in weft": planner.Keep(nil, before)} {
		q := &terms.RouteRequest{Graph: now, Kept: held, Better: &terms.Better{Kept: better, Asked: true}, Later: true}
		ev := Plan(context.Background(), smtest.JobOf("updn", 0), q)
		if ev.Unfit == nil || !strings.Contains(ev.Unfit.Error(), why) {
			t.Errorf("not used because of %v, want %q", ev.Unfit, why)
		}
		if ev.Err != nil || !ev.Result.Report.OK || ev.Result.Repaired == nil || ev.Way == nil {
			t.Errorf("%s: %v, %+v", why, ev.Err, ev.Result)
		}
	}
}
