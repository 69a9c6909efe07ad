package exchange

import (
	"context"
	"testing"

	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
)

// ownSubnet is the first of two trees under routers.
func ownSubnet(t *testing.T) *OwnSubnet {
	n := subnetstest.Network(t, "subnets(2,rlft(4,2),routers=2)")
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, one, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: planner.Request{Chain: chain}})
	if err != nil {
		t.Fatal(err)
	}
	return &OwnSubnet{Prefix: n.Subnets[0].Prefix, Graph: n.NamedGraph(0), Plan: one.Plan.Local[0]}
}
