package planner

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/fattree"
	"weft/route"
)

// RouteSubnet is Route for a subnet whose routers are end ports.
func RouteSubnet(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	one := *req
	one.Chain = UnderRouters(req.Chain, g)
	return Route(ctx, g, &one)
}

// UnderRouters returns the chain for a subnet whose routers are end ports. If Auto is asked for and
// the subnet is a fat-tree with routers on switches without hosts, ftree comes first. Auto would
// also compare traffic between routers of one subnet, which does not exist.
func UnderRouters(c route.Chain, g *fabric.Graph) route.Chain {
	for i, step := range c {
		if tree := candidate(step.Engine, "ftree"); tree != nil && hasTopRouters(g) && fattree.IsTree(g) {
			return slices.Concat(c[:i], route.Chain{tree.Step}, c[i:])
		}
	}
	return c
}

// hasTopRouters reports whether routers are cabled to switches without hosts.
func hasTopRouters(g *fabric.Graph) bool {
	for h := range int32(g.NumHosts) {
		if s := g.EndSwitch[h]; g.EndType[h] == fabric.Router && g.SwitchRole[s] == fabric.RoleMiddle {
			return true
		}
	}
	return false
}
