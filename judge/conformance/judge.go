package conformance

import (
	"context"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
)

// judge asks the judge about the engine's duties and claims.
func judge(t rapid.TB, claims Claims, g *fabric.Graph, plan *route.Plan) {
	r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Errorf("judge: %v", err)
		return
	}
	for _, f := range r.Faults {
		t.Errorf("judge: %s: %d times, %q", f.Kind, f.Count, f.Examples)
	}
	if r.Unreachable > 0 || r.Loops > 0 || r.Discarded > 0 {
		t.Errorf("judge: %d pairs unreachable, %d loops, %d pairs discarded", r.Unreachable, r.Loops, r.Discarded)
	}
	if claims.Minimal && !r.Minimal {
		t.Errorf("judge: %d pairs are not minimal", r.NonMinimal)
	}
	if claims.HostsMinimal && r.HostPairs.NonMinimal > 0 {
		t.Errorf("judge: %d pairs of hosts are not minimal", r.HostPairs.NonMinimal)
	}
	if claims.DeadlockFree && (r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes) {
		t.Errorf("judge: deadlock-free: %v, for any LID: %v; cycle %+v", r.Assigned.DeadlockFree, r.AnyDLID.DeadlockFree, r.Cycle)
	}
}
