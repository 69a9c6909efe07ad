package whatif

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
)

// EachRouter is a part of a network of subnets that a campaign lets fail, besides Kinds.
const EachRouter = "router"

// BetweenKinds lists the parts of a network of subnets that a campaign lets fail.
var BetweenKinds = append(slices.Clone(Kinds), EachRouter)

// betweenPart is a part of a network that fails.
type betweenPart struct {
	name, short string
	router      int32 // -1: a part of a subnet
	subnet      int
	fail        func(f *fabric.Fabric)
}

// CountEachBetween counts the parts of a kind that could fail. It fails where the network has none.
func CountEachBetween(n *subnets.Network, kind string) (int, error) {
	parts, err := betweenParts(n, kind)
	return len(parts), err
}

// betweenParts lists the parts of a network that fail, each by itself.
func betweenParts(n *subnets.Network, kind string) (out []betweenPart, err error) {
	if !slices.Contains(BetweenKinds, kind) {
		return nil, fmt.Errorf("%s: want one of %s", kind, strings.Join(BetweenKinds, ", "))
	}
	if kind == EachRouter {
		for r := range n.Routers {
			name := fmt.Sprintf("router %q", n.Routers[r].Name)
			out = append(out, betweenPart{name: name, short: name, router: int32(r)})
		}
	} else {
		for s := range n.Subnets {
			parts, err := partsOfKind(n.Kinds[n.Subnets[s].Kind].Fabric, n.Graph(int32(s)), kind)
			if err != nil {
				continue // it has none
			}
			for _, p := range parts {
				out = append(out, betweenPart{n.Subnets[s].Name + ": " + p.name, n.Subnets[s].Name + ": " + p.short, -1, s, p.fail})
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: the network has none that is up", kind)
	}
	return out, nil
}

// Each lets each part of a kind fail by itself, several of them at a time. When ctx ends it returns the rows that it has, and the error.
func (t *BetweenToday) Each(ctx context.Context, kind string) (*Campaign, error) {
	parts, err := betweenParts(t.net, kind)
	if err != nil {
		return nil, err
	}
	c := &Campaign{Fabric: t.net.Name, Each: kind, Parts: len(parts), Today: t.asState(t.state, t.state.Lost), Rows: []Row{}, Pace: t.opt.Pace, of: "end ports"}
	each := t.forParts()
	return c, c.try(ctx, t.opt.Request.Local.Workers, len(parts), func(i int) (*Row, error) { return each.row(ctx, &parts[i]) })
}

// TryOne lets one part of a kind fail, as Each does with all of them on one core each.
func (t *BetweenToday) TryOne(ctx context.Context, kind string) error {
	parts, err := betweenParts(t.net, kind)
	if err != nil {
		return err
	}
	_, err = t.forParts().row(ctx, &parts[len(parts)/2])
	return err
}

// forParts returns t as the rows of a campaign are made: each on one core, without backups.
func (t *BetweenToday) forParts() *BetweenToday {
	each, req, flows := *t, *t.opt.Request, *t.opt.Flows
	req.Local.Workers, flows.Workers = 1, 1
	each.brief, each.opt.Request, each.opt.Flows = true, &req, &flows
	return &each
}

// row finds what the network delivers once it has lost a part.
func (t *BetweenToday) row(ctx context.Context, p *betweenPart) (*Row, error) {
	r := &Row{Part: p.name, short: p.short, loss: 1}
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
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	a := &BetweenAnswer{Today: t.state, Ports: c.ports, CutOff: c.cutOff}
	if err := t.ask(ctx, c, a); err != nil {
		return nil, err
	}
	before := a.Today.Lost + a.Today.Inside.Lost - t.state.Lost // lost inside the subnet today: the figures of today leave it out
	r.CutOff, r.AtOnce, r.Reason = len(c.cutOff), a.AsIs.Lost+a.AsIs.Inside.Lost-before, a.NotFresh
	if a.Fresh == nil {
		return r, nil
	}
	r.ForGood = max(0, a.Fresh.Lost+a.Fresh.Inside.Lost-before)
	r.Remaining = t.asState(a.Fresh, r.ForGood)
	r.Remaining.Writes = a.Writes
	if r.loss = 0; t.state.Bandwidth > 0 {
		r.loss = 1 - a.Fresh.Bandwidth/t.state.Bandwidth
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

// asState is the state of a network in the form that campaigns have.
func (t *BetweenToday) asState(s *BetweenState, lost int64) *State {
	out := &State{
		Engine: string(t.opt.Request.Method), Proven: s.DeadlockFree && s.LocalFaults == 0 && s.Lost == 0, Pairs: s.Pairs + s.Inside.Pairs,
		Lost: lost, CutOff: s.CutOff + s.Inside.CutOff, First: []string{}, DeadlockFree: check.No, VLs: s.VLs,
	}
	if s.DeadlockFree {
		out.DeadlockFree = check.Yes
	}
	out.Figures = &flow.KeyFigures{EBB: flow.Summary{Mean: s.Bandwidth}}
	return out
}
