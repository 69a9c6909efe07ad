package several

import (
	"strings"
	"testing"

	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
)

// Where gateways by switch need a layer of lanes that links do not have, one gateway for all of a
// subnet is taken, and that is said.
func TestOneGatewayWhereLanesAreFew(t *testing.T) {
	n := subnetstest.Network(t, "subnets(rlft(12,2),torus(4x4,hosts=2),routers=4)")
	chain, err := engine.Parse("ftree,dor", nil)
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]string{1: "one gateway for all of a subnet", 8: "one layer has a cycle"} {
		req := &between.Request{Request: intersubnet.Request{Method: intersubnet.Auto}, Local: planner.Request{Chain: chain, MaxVLs: most}}
		d, r, err := Route(t.Context(), n, req, false)
		if err != nil {
			t.Fatal(err)
		}
		if !d.Check.OK || d.VLs > most || !strings.Contains(d.Why, want) || (r.Plan.BySwitch == nil) != (most == 1) {
			t.Errorf("%d VLs: %d, %q, %+v", most, d.VLs, d.Why, d.Check)
		}
	}
}
