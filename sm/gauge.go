package sm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"weft/planner"
	"weft/route"
	"weft/sm/watch"
)

// gauge measures, beside the loop of a Runner, which share of a fresh routing's bandwidth the Plan
// in force delivers. A round ends a measurement under way, so that no repair waits for it. It takes
// one core, and at most a tenth of the time.
type gauge struct {
	clock  func() time.Duration
	wake   chan<- struct{} // of the loop: there is a new result
	cancel context.CancelFunc
	// share measures a Plan: planner.Kept.Share, unless a test takes its place.
	share  func(context.Context, *planner.Kept, *planner.Request) (*planner.Share, error)
	ended  sync.WaitGroup
	busy   atomic.Bool // a measurement runs, maybe a cancelled one
	result atomic.Pointer[measured]

	// Of the Runner's goroutine.
	under *route.Plan   // being measured, nil for none
	last  *route.Plan   // measured, or tried
	rest  time.Duration // when the next measurement may begin
	begun time.Duration // of the one under way
}

// measured is a Plan with its share; nil for a Plan that cannot be measured.
type measured struct {
	plan  *route.Plan
	share *planner.Share
}

const (
	gaugeRuns = 100 // random bisections of a measurement
	// mostGauged limits measurements: the manager measures no Plan with more forwarding entries.
	mostGauged = 1 << 25
	gaugeAfter = 3 * time.Second // the Plan must have been in force for so long
	gaugeRest  = 9               // times as long as it took, until the next
)

func newGauge(clock func() time.Duration, wake chan<- struct{}) *gauge {
	return &gauge{clock: clock, wake: wake, share: func(ctx context.Context, kept *planner.Kept, req *planner.Request) (*planner.Share, error) {
		return kept.Share(ctx, req, gaugeRuns)
	}}
}

// look begins a measurement if there is a new Plan and the time for it, and ends one that is in the
// way. The Request says how to route afresh.
func (g *gauge) look(s *watch.Snapshot, req *planner.Request) {
	now, r := g.clock(), s.Routed
	if g.under != nil && g.done() {
		g.cancel()
		g.rest = now + gaugeRest*(now-g.begun)
		g.last, g.under = g.under, nil
	}
	switch {
	case r == nil || s.UnderWay != nil:
		g.stop()
		g.rest = max(g.rest, now+gaugeAfter)
	case r.Planning != nil: // it takes all cores that the loop leaves
	case g.busy.Load() || r.Plan == nil || r.Plan == g.last || now < g.rest || r.Graph.NumSwitches*int(r.Plan.Ends.Top()) > mostGauged:
	default:
		g.begin(r.Plan, planner.Keep(r.Plan, r.Graph), *req)
	}
}

// done reports whether the measurement under way has ended.
func (g *gauge) done() bool {
	r := g.result.Load()
	return r != nil && r.plan == g.under
}

func (g *gauge) begin(plan *route.Plan, kept *planner.Kept, req planner.Request) {
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	g.under, g.begun = plan, g.clock()
	req.Workers, req.PassDeadSwitch = 1, true
	g.busy.Store(true)
	g.ended.Go(func() {
		defer g.busy.Store(false)
		share, err := g.share(ctx, kept, &req)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			share = nil
		}
		g.result.Store(&measured{plan, share})
		signal(g.wake)
	})
}

// stop cancels a measurement under way.
func (g *gauge) stop() {
	if g.under != nil {
		g.cancel()
		g.under = nil
	}
}

// close cancels a measurement under way, and waits for its end.
func (g *gauge) close() {
	g.stop()
	g.ended.Wait()
}

// show adds the last measured share to a Snapshot with a Plan in force.
func (g *gauge) show(s *watch.Snapshot) {
	if r := g.result.Load(); r != nil && r.share != nil && s.Routed != nil {
		s.Share, s.FormerShare = r.share, s.Routed.Plan != r.plan
	}
}
