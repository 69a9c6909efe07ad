package packets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric/subnets"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	simbetween "weft/sim/between"
	"weft/sim/packet"
)

// Between describes how packets cross routers between subnets.
type Between struct {
	Plan *intersubnet.Plan
	Flat *simbetween.Flat // of it
	// Request finds the new paths after a router or one of its ports has failed.
	Request   *between.Request
	HostsOnly bool // the proof of new ways is for pairs of hosts alone
}

// BetweenChangesHelp explains the changes of a network of several subnets.
const BetweenChangesHelp = `With several subnets, --changes can fail and restore routers and their ports ("20us down router
1", "20us down router 1[2]") and the managers of subnets: after "20us lost s0" the hosts of s0 keep
their last paths, until "80us back s0". At "50us repair" all routers, and the hosts of subnets with
a manager, get paths around the failed parts; other hosts get them when their manager is back. New
paths are judged over all subnets before they are used. Cables and switches inside a subnet cannot
fail here: weft whatif SUBNETS --fail 's0: spine 1' shows what is lost without them, and a
simulation of that subnet alone shows for how long.`

// insideSubnet is the answer to a change inside a subnet: which command to use instead.
const insideSubnet = "cables and switches inside a subnet do not fail here, routers and their ports do: weft whatif SUBNETS --fail 'SUBNET: PART' says what is lost, " +
	"and weft simulate packet FABRIC --changes, with the FABRIC of that subnet, for how long"

// readBetweenChange parses the part of a change between subnets.
func (b *Between) readBetweenChange(c *NetworkChange, name string) error {
	n := b.Plan.Net
	switch c.What {
	case "repair":
		if name != "" {
			return fmt.Errorf("repair is for the whole network: leave out %q", name)
		}
	case "lost", "back":
		c.subnet = slices.IndexFunc(n.Subnets, func(s subnets.Subnet) bool { return s.Name == name })
		if c.subnet < 0 {
			return fmt.Errorf("%s: no subnet is called %q", c.What, name)
		}
		c.Part = fmt.Sprintf("manager of subnet %q", name)
	case "down", "up":
		if strings.Contains(name, ": ") {
			return errors.New(insideSubnet)
		}
		var err error
		if c.ports, err = n.FindRouterPorts(name); err != nil {
			return fmt.Errorf("%w; %s", err, insideSubnet)
		}
		r := n.Ports[c.ports[0]].Router
		c.Part = fmt.Sprintf("router %q", n.Routers[r].Name)
		if c.sw = b.Flat.Router(r); strings.HasSuffix(name, "]") && len(c.ports) == 1 && int(n.Routers[r].End-n.Routers[r].First) > 1 {
			c.port, c.Part = n.Ports[c.ports[0]].Number, n.PortName(c.ports[0])
		}
	default:
		return fmt.Errorf("%q: want down ROUTER, up ROUTER, lost SUBNET, back SUBNET or repair", c.What)
	}
	return nil
}

// prepareBetween computes the paths of each repair, and the subnets that learn of them.
func (j *job) prepareBetween(ctx context.Context) (err error) {
	b := j.Between
	down, inForce, before := map[int32]bool{}, b.Plan, (*betweencheck.Report)(nil)
	without := make([]bool, len(b.Plan.Net.Subnets))
	for i := range j.changes {
		c := &j.changes[i]
		switch c.What {
		case "down", "up":
			for _, p := range c.ports {
				if delete(down, p); c.What == "down" {
					down[p] = true
				}
			}
		case "lost", "back":
			without[c.subnet] = c.What == "lost"
			if !without[c.subnet] {
				c.ways, c.told = inForce, []int32{int32(c.subnet)}
			}
		default:
			if before == nil {
				if before, err = b.judge(ctx, b.Plan); err != nil {
					return err
				}
			}
			ways, err := b.around(ctx, down, before)
			if err != nil {
				return fmt.Errorf("%s:%d: repair: %w", j.Changes.File, c.line, err)
			}
			_, c.Moved = intersubnet.MovedGateways(inForce, ways)
			c.ways, c.routers, inForce = ways, true, ways
			for s := range without {
				if !without[s] {
					c.told = append(c.told, int32(s))
				}
			}
		}
	}
	return nil
}

// judge judges a Plan of all subnets together.
func (b *Between) judge(ctx context.Context, p *intersubnet.Plan) (*betweencheck.Report, error) {
	return betweencheck.Judge(ctx, p, betweencheck.Options{Workers: b.Request.Local.Workers, HostsOnly: b.HostsOnly})
}

// around computes paths that avoid failed router ports, on the Plan's layers of lanes. The judge
// must find them no worse than the Plan of the run, whose report is before; otherwise around fails.
func (b *Between) around(ctx context.Context, down map[int32]bool, before *betweencheck.Report) (*intersubnet.Plan, error) {
	if len(down) == 0 {
		return b.Plan, nil
	}
	ways, err := b.findAround(ctx, down)
	if err != nil {
		return nil, err
	}
	r, err := b.judge(ctx, ways)
	switch {
	case err != nil:
		return nil, err
	case before.DeadlockFree && !r.DeadlockFree:
		return nil, fmt.Errorf("the ways around it close a cycle of %d dependencies on the %d layers of lanes that the ports have", len(r.Cycle), b.Plan.Layers)
	case r.Loops > before.Loops || r.Unreachable > before.Unreachable:
		return nil, fmt.Errorf("the ways around it are not proven: %d pairs are lost that have a way, %d targets in circles", r.Unreachable, r.Loops)
	}
	return ways, nil
}

// findAround routes for around, without the judge.
func (b *Between) findAround(ctx context.Context, down map[int32]bool) (*intersubnet.Plan, error) {
	req := *b.Request
	req.Down = slices.Concat(req.Down, slices.Sorted(maps.Keys(down)))
	req.Routed, req.OneGateway = nil, b.Plan.BySwitch == nil
	for _, local := range b.Plan.Local { // hosts and switches keep their LIDs and tables
		req.Routed = append(req.Routed, &planner.Result{Plan: local})
	}
	layered, one, err := between.Route(ctx, b.Plan.Net, &req)
	switch {
	case one == nil:
		return nil, err
	case b.Plan.Layers == 1 || layered == nil && err == nil:
		return one.Plan, nil
	case layered != nil && layered.Plan.Layers <= b.Plan.Layers:
		return layered.Plan, nil
	}
	return nil, fmt.Errorf("the ways around it need more than the %d layers of lanes that the ports have", b.Plan.Layers)
}

// applyBetween applies a change between subnets to a run.
func (c *NetworkChange) applyBetween(s *packet.Sim, relay *simbetween.Transition) {
	switch c.What {
	case "down", "up":
		if down := c.What == "down"; c.port > 0 {
			s.SetPortDown(c.sw, c.port, down)
		} else {
			s.SetSwitchDown(c.sw, down)
		}
		return
	}
	var errs []error
	if c.routers {
		errs = append(errs, relay.TellRouters(c.ways))
	}
	for _, subnet := range c.told {
		errs = append(errs, relay.TellHosts(subnet, c.ways))
	}
	if err := errors.Join(errs...); err != nil {
		s.Fail(err)
	}
}
