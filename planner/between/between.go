// Package between routes a network of several subnets: each subnet by its own engines (planner),
// then between them (intersubnet).
package between

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/planner"
	"weft/route"
)

// Request says how to route a Network, between the subnets and inside them. MaxVLs is that of
// Local.
type Request struct {
	intersubnet.Request
	Local  planner.Request     // for each subnet
	Chains map[int]route.Chain // by subnet: another chain than Local has
	// Routed holds routings made before, by subnet; nil: Local routes each.
	Routed []*planner.Result
}

// Result holds the Plan of a Request, and how it was made.
type Result struct {
	intersubnet.Result
	Jobs []*planner.Result // by subnet; subnets of one Kind and chain share one
}

// Route routes each subnet by its own engines and then between them. It returns the same two
// results as intersubnet.Route.
func Route(ctx context.Context, n *subnets.Network, req *Request) (layered, oneLayer *Result, err error) {
	jobs, err := req.routeSubnets(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	var local []*route.Plan
	for _, one := range jobs {
		local = append(local, one.Plan)
	}
	across := req.Request
	across.MaxVLs = req.Local.MaxVLs
	with := func(r *intersubnet.Result) *Result {
		if r == nil {
			return nil
		}
		return &Result{*r, jobs}
	}
	several, one, err := intersubnet.Route(n, local, &across)
	return with(several), with(one), err
}

// routeSubnets routes the subnets, each Kind once for each chain.
func (req *Request) routeSubnets(ctx context.Context, n *subnets.Network) (jobs []*planner.Result, err error) {
	if req.Routed != nil {
		return slices.Clone(req.Routed), nil
	}
	type key struct {
		kind  int32
		chain *route.Step
	}
	done := map[key]*planner.Result{}
	for s := range n.Subnets {
		one := req.Local
		if chain := req.Chains[s]; chain != nil {
			one.Chain = chain
		}
		if len(one.Chain) == 0 {
			return nil, errors.New("intersubnet: no engine was named")
		}
		k := key{n.Subnets[s].Kind, &one.Chain[0]}
		if done[k] == nil {
			result, err := planner.RouteSubnet(ctx, n.Graph(int32(s)), &one)
			if err != nil {
				return nil, fmt.Errorf("subnet %q: %w", n.Subnets[s].Name, err)
			}
			done[k] = result
		}
		jobs = append(jobs, done[k])
	}
	return jobs, nil
}
