package check

import (
	"context"
	"testing"

	"weft/route/foreign"
	"weft/route/routetest"
)

// swlab's tables are those of another subnet manager, of which nobody knows the
// SLs. The figures were counted beforehand by other means.
func TestSwlab(t *testing.T) {
	g, lfts := routetest.Swlab(t)
	p, _, err := (&foreign.Files{LFTs: lfts}).Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Judge(context.Background(), g, p, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.OK || len(r.Faults) > 0 {
		t.Errorf("ok %v: %v", r.OK, r.Faults)
	}
	if r.DeadlockFree != Unknown || !r.Assigned.OneLane || len(r.Assigned.Cycle) == 0 || r.Assigned.Edges+r.Deliveries != 950 {
		t.Errorf("assigned: %+v", r.Assigned)
	}
	if r.HostOnly.DeadlockFree != Yes || r.HostOnly.Edges != 22 {
		t.Errorf("hosts alone: %+v", r.HostOnly)
	}
	if n := wholeEdges(newDumb(g, p), g.NumHosts); n != 32 {
		t.Errorf("%d dependencies of hosts with the links to them, want 32", n)
	}
}

// wholeEdges counts the dependencies of host pairs with those of the hosts' own
// links, which the other means count and no cycle can use.
func wholeEdges(d *dumb, hosts int) int {
	edges := map[[2]int32]bool{}
	for src := range int32(hosts) {
		for dst := range int32(hosts) {
			if src == dst {
				continue
			}
			_, path := d.tableWalk(d.g.EndSwitch[src], d.p.Ends.Base[dst])
			last := -1 - src
			for _, c := range append(path, -100-dst) {
				edges[[2]int32{last, c}] = true
				last = c
			}
		}
	}
	return len(edges)
}
