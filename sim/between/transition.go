package between

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/intersubnet"
	"weft/sim/packet"
)

// Transition is a Flat whose hosts and routers change to another Plan while packets pass: the hosts
// of one subnet (TellHosts), or all routers (TellRouters). It is a packet.Relay of one run.
type Transition struct {
	*Flat
	hosts   []*intersubnet.Plan // by subnet: the Plan that its hosts follow
	routers *intersubnet.Plan   // that all routers follow
}

// Transition returns a relay with all hosts and routers on the Plan of the Flat.
func (f *Flat) Transition() *Transition {
	return &Transition{f, slices.Repeat([]*intersubnet.Plan{f.p}, len(f.p.Net.Subnets)), f.p}
}

// TellHosts makes the hosts of a subnet send by another Plan from now on.
func (t *Transition) TellHosts(subnet int32, p *intersubnet.Plan) error {
	if err := t.fits(p); err != nil {
		return err
	}
	t.hosts[subnet] = p
	return nil
}

// TellRouters makes all routers forward packets by another Plan from now on.
func (t *Transition) TellRouters(p *intersubnet.Plan) error {
	if err := t.fits(p); err != nil {
		return err
	}
	t.routers = p
	return nil
}

// fits refuses a Plan with other tables or LIDs in the subnets, or with more layers of lanes.
func (t *Transition) fits(p *intersubnet.Plan) error {
	was := t.p
	if p.Net != was.Net || p.Layers > was.Layers || p.SLs != was.SLs {
		return fmt.Errorf("intersubnet: a Plan of another network, or of %d layers of lanes for one of %d", p.Layers, was.Layers)
	}
	for s, local := range p.Local {
		if local.Tables != was.Local[s].Tables || !slices.Equal(local.Ends.Base, was.Local[s].Ends.Base) {
			return fmt.Errorf("intersubnet: the Plan has other tables or LIDs in subnet %q", p.Net.Subnets[s].Name)
		}
	}
	return nil
}

// First is Flat.First by the Plan that the source's subnet follows.
func (t *Transition) First(src, dst int32) (fabric.LID, uint8) {
	return t.firstBy(t.hosts[t.place[src].Subnet], src, dst)
}

// Forward is Flat.Forward by the Plan that routers follow.
func (t *Transition) Forward(s int32, in uint8, h packet.Header, dst int32) (uint8, packet.Header, bool) {
	return t.forwardBy(t.routers, s, in, h, dst)
}

// Router returns the switch that stands for a router.
func (f *Flat) Router(r int32) int32 { return int32(slices.Index(f.router, r)) }
