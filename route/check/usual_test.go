package check

import "testing"

// Beyond usualSwitches no more distances are kept than a block needs; the Report is
// still that of a torus with minimal ways.
func TestMoreThanUsualSwitches(t *testing.T) {
	g, p := plan(t, "torus(27x27,hosts=1)", "dor", 0, nil)
	if g.NumSwitches <= usualSwitches {
		t.Fatal("too few switches:", g.NumSwitches)
	}
	n := int64(g.NumHosts)
	r := judged(t, good{g, p})
	if !r.OK || !r.Minimal || r.HostPairs.Pairs != n*(n-1) || r.Hops.Max != 13+13+1 {
		t.Fatalf("ok %v, minimal %v, %d pairs of hosts, at most %d hops: %v", r.OK, r.Minimal, r.HostPairs.Pairs, r.Hops.Max, r.Faults)
	}
}
