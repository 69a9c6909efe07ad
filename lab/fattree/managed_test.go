package fattree

import (
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/sm/outage"
)

// TestManaged: when a spine stops, weft sm reroutes the flow that it carried. Until then the node
// loses half of its throughput; afterwards no packet is lost, nor when the spine comes back.
func TestManaged(t *testing.T) {
	f, err := gen.Parse("mftree-fig2")
	if err != nil {
		t.Fatal(err)
	}
	setup := setupOfManaged(f, &lab.Candidate{Name: "ours", How: lab.Routing{Engine: "ftree,multihomed=mftree"}})
	var spines []outage.Fault
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch && !leadsToHost(f, fabric.NodeID(id)) {
			spines = append(spines, outage.Fault{Pull: fabric.NoLink, Reboot: fabric.NodeID(id), Down: 20 * time.Millisecond})
		}
	}
	setup.Before, setup.After, setup.Step = 5*time.Millisecond, 75*time.Millisecond, time.Millisecond
	r, fault := worst(t.Context(), setup, spines)
	if len(spines) != 2 || r.Lost.Total() == 0 || fault.Reboot < 0 || r.Last < setup.Planning || r.Last > setup.Planning+3*time.Millisecond || r.Quiet < fault.Down {
		t.Errorf("%d spines: %+v until %v, quiet after %v", len(spines), r.Lost, r.Last, r.Quiet)
	}
	points := curveOf("ours", r, setup.Step).Points
	if len(points) != 80 || !near(points[6].Y/points[3].Y, .5, .02) || !near(points[12].Y/points[3].Y, 1, .02) || !near(points[78].Y/points[3].Y, 1, .02) {
		t.Errorf("%+v", points)
	}
}
