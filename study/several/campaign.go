package several

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/judge/check"
	"weft/sim/flow"
	"weft/study/whatif"
)

// eachRouter is the kind of a campaign over routers, in addition to whatif.Kinds.
const eachRouter = "router"

// Kinds lists the parts of a network of subnets that a campaign can vary.
var Kinds = append(slices.Clone(whatif.Kinds), eachRouter)

// part is a part of a network that a campaign lets fail.
type part struct {
	name, short string
	router      int32 // -1: a part of a subnet
	subnet      int
	fail        func(f *fabric.Fabric)
}

// CountEach counts the parts of a kind that could fail. It fails if the network has none.
func CountEach(n *subnets.Network, kind string) (int, error) {
	parts, err := partsOf(n, kind)
	return len(parts), err
}

// partsOf lists the parts of a network that fail one by one.
func partsOf(n *subnets.Network, kind string) (out []part, err error) {
	if !slices.Contains(Kinds, kind) {
		return nil, fmt.Errorf("%s: want one of %s", kind, strings.Join(Kinds, ", "))
	}
	if kind == eachRouter {
		for r := range n.Routers {
			name := fmt.Sprintf("router %q", n.Routers[r].Name)
			out = append(out, part{name: name, short: name, router: int32(r)})
		}
	} else {
		for s := range n.Subnets {
			parts, err := whatif.PartsOfKind(n.Kinds[n.Subnets[s].Kind].Fabric, n.Graph(int32(s)), kind)
			if err != nil {
				continue // it has none
			}
			for _, p := range parts {
				out = append(out, part{n.Subnets[s].Name + ": " + p.Name, n.Subnets[s].Name + ": " + p.Short, -1, s, p.Fail})
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: the network has none that is up", kind)
	}
	return out, nil
}

// Each lets each part of a kind fail by itself, and tries several parts in parallel. When ctx ends
// it returns the finished rows and the error.
func (t *Today) Each(ctx context.Context, kind string) (*whatif.Campaign, error) {
	parts, err := partsOf(t.net, kind)
	if err != nil {
		return nil, err
	}
	c := &whatif.Campaign{Fabric: t.net.Name, Each: kind, Parts: len(parts), Today: t.asState(t.state, t.state.Lost), Rows: []whatif.Row{}, Pace: t.opt.Pace, Of: "end ports", Several: t.hostPorts > t.servers}
	each := t.forParts()
	return c, c.Try(ctx, t.opt.Request.Local.Workers, len(parts), func(i int) (*whatif.Row, error) { return each.row(ctx, &parts[i]) })
}

// TryOne lets one part of a kind fail, as Each does. Each tries one part on each core.
func (t *Today) TryOne(ctx context.Context, kind string) error {
	parts, err := partsOf(t.net, kind)
	if err != nil {
		return err
	}
	_, err = t.forParts().row(ctx, &parts[len(parts)/2])
	return err
}

// forParts returns a copy of t for the rows of a campaign, each on one core and without backups.
func (t *Today) forParts() *Today {
	each, req, flows := *t, *t.opt.Request, *t.opt.Flows
	req.Local.Workers, flows.Workers = 1, 1
	each.brief, each.opt.Request, each.opt.Flows = true, &req, &flows
	return &each
}

// row returns the effect of losing a part.
func (t *Today) row(ctx context.Context, p *part) (*whatif.Row, error) {
	r := &whatif.Row{Part: p.name, Short: p.short, Loss: 1}
	c, fabrics := &changedNetwork{}, map[int]*fabric.Fabric{}
	if p.router >= 0 {
		at := &t.net.Routers[p.router]
		for port := at.First; port < at.End; port++ {
			c.failed = append(c.failed, port)
		}
	} else {
		fabrics[p.subnet] = t.net.Kinds[t.net.Subnets[p.subnet].Kind].Fabric.Clone()
		p.fail(fabrics[p.subnet])
		c.inside = []int{p.subnet}
	}
	err := c.build(t.net, fabrics, fabrics)
	if _, gone := errors.AsType[*goneSubnet](err); gone {
		r.Reason, r.CutOff = err.Error(), countHosts(t.net.Graph(int32(p.subnet)))
		r.Servers = len(t.net.Graph(int32(p.subnet)).Servers().List)
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	a := &Answer{Today: t.state, Ports: c.ports, HostsLost: c.lost}
	a.Servers, a.HostPorts = t.servers, t.hostPorts
	if err := t.ask(ctx, c, a); err != nil {
		return nil, err
	}
	before := a.Today.Lost + a.Today.Inside.Lost - t.state.Lost // lost inside the subnet today, which the figures of today leave out
	r.CutOff, r.Servers, r.Degraded = len(c.lost.CutOff), len(c.lost.ServersCutOff), len(c.lost.Degraded)
	r.AtOnce, r.Reason = a.AsIs.Lost+a.AsIs.Inside.Lost-before, a.NotFresh
	if a.Fresh == nil {
		return r, nil
	}
	r.ForGood = max(0, a.Fresh.Lost+a.Fresh.Inside.Lost-before)
	r.Remaining = t.asState(a.Fresh, r.ForGood)
	r.Remaining.Writes = a.Writes
	if r.Loss = 0; t.state.Bandwidth > 0 {
		r.Loss = 1 - a.Fresh.Bandwidth/t.state.Bandwidth
	}
	return r, nil
}

func countHosts(g *fabric.Graph) (n int) {
	for h := range int32(g.NumHosts) {
		if g.EndType[h] != fabric.Router {
			n++
		}
	}
	return n
}

// asState converts the state of a network to the form of campaigns.
func (t *Today) asState(s *State, lost int64) *whatif.State {
	out := &whatif.State{
		Engine: string(t.opt.Request.Method), Proven: s.DeadlockFree && s.LocalFaults == 0 && s.Lost == 0, Pairs: s.Pairs + s.Inside.Pairs,
		Lost: lost, CutOff: s.CutOff + s.Inside.CutOff, First: []string{}, DeadlockFree: check.No, VLs: s.VLs,
	}
	if s.DeadlockFree {
		out.DeadlockFree = check.Yes
	}
	out.Figures = &flow.KeyFigures{EBB: flow.Summary{Mean: s.Bandwidth}}
	return out
}
