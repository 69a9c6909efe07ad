package job

import (
	"context"

	"weft/fabric"
	"weft/route/engine/ftree"
)

// RouteSubnet is Route for a subnet whose routers are end ports. Where Auto is asked for and the subnet is a fat-tree with
// routers on switches without hosts, ftree is tried first: Auto would compare traffic between routers of one subnet too, of which there is none.
func RouteSubnet(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	one := *req
	for i, step := range req.Chain {
		if step.Engine == autoSpec && hasTopRouters(g) && ftree.IsTree(g) {
			one.Chain = append(append(append(Chain{}, req.Chain[:i]...), named("ftree")), req.Chain[i:]...)
			break
		}
	}
	return Route(ctx, g, &one)
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
