package sm

import (
	"context"
	"testing"
	"time"

	"weft/planner"
	"weft/sm/smtest"
	"weft/sm/watch"
)

// TestGauge: a Plan is measured once it has been in force for a while, and once only. A round ends
// a measurement, and a Plan that comes after it is told to be another one.
func TestGauge(t *testing.T) {
	g0 := smtest.Formula(t, "rlft(6,2)").Compile()
	req := smtest.JobOf("ftree", 0)
	r, err := planner.Run(t.Context(), g0, &req)
	if err != nil {
		t.Fatal(err)
	}
	now, wake := time.Duration(0), make(chan struct{}, 1)
	g := newGauge(func() time.Duration { return now }, wake)
	defer g.close()
	at := func(plan bool, round bool) *watch.Snapshot {
		s := &watch.Snapshot{}
		if plan {
			s.Routed = &watch.Routed{Graph: g0, Plan: r.Plan}
		}
		if round {
			s.UnderWay = &watch.Round{}
		}
		g.look(s, &req)
		g.show(s)
		return s
	}
	measure := g.share
	g.share = func(ctx context.Context, kept *planner.Kept, req *planner.Request) (*planner.Share, error) {
		<-ctx.Done() // the round ends it before it has a result
		return measure(context.Background(), kept, req)
	}
	at(false, false)
	at(true, true)
	if s := at(true, false); s.Share != nil || g.busy.Load() {
		t.Fatalf("measured at once: %+v", s.Share)
	}
	now += gaugeAfter
	at(true, false)
	at(true, true)
	g.ended.Wait()
	g.share = measure
	if now += gaugeAfter; at(true, false).Share != nil {
		t.Error("a measurement that a round has ended counts")
	}
	<-wake
	s := at(true, false)
	if s.Share == nil || s.FormerShare || s.Share.Runs != gaugeRuns || s.Share.Ours <= 0 || s.Share.Of() != 1 {
		t.Fatalf("%+v", s.Share)
	}
	plan := *r.Plan
	r.Plan = &plan
	if s := at(true, true); s.Share == nil || !s.FormerShare {
		t.Errorf("another Plan: %+v", s.Share)
	}
	if s := at(false, false); s.Share != nil {
		t.Errorf("no Plan: %+v", s.Share)
	}
	if now = time.Hour; g.begun == now {
		t.Error("measured again")
	}
}
