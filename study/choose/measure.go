package choose

import (
	"context"
	"errors"
	"fmt"

	"weft/apps/machine"
	"weft/fabric"
	"weft/fabric/bill"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
	"weft/study/app"
)

// Proposal is a network with the parts to buy and the bandwidth that it delivers.
type Proposal struct {
	Shape
	Bill      *bill.Bill `json:"bill"`           // of all planes
	Cost      float64    `json:"cost,omitempty"` // the cost, if prices are given
	Servers   int        `json:"servers"`        // of all kinds
	HostPorts int        `json:"host_ports"`     // of all servers
	Diameter  int        `json:"diameter"`       // channels between the two switches farthest apart
	LIDs      int        `json:"lids"`           // LIDs of a plane or subnet: hosts and switches
	Storage   *Plane     `json:"storage_plane,omitempty"`
	Steps     []Step     `json:"steps,omitempty"` // of growth
	// Missing says what the network misses of the need; a network that misses something is not
	// recommended.
	Missing []string `json:"misses"`
	// What a plane delivers; absent where nothing was routed.
	EBB    float64 `json:"ebb,omitempty"`    // effective bisection bandwidth, one way: a share of the rate of a host
	Shift  float64 `json:"shift,omitempty"`  // largest congestion of a round of all-to-all by shifts, on average: 1 is full rate
	Engine string  `json:"engine,omitempty"` // the engine that routed it
	VLs    int     `json:"vls,omitempty"`    // lanes in use
	// Apps are the times of applications, with a rank on each compute server, or on each of its
	// ports if it has several. AppsTime is the mean of them, each divided by that of the network on
	// which it ends first.
	Apps     []app.Time `json:"apps,omitempty"`
	AppsTime float64    `json:"apps_time,omitempty"`
	// Beaten is the formula of a proposal that delivers at least as much for no more, "" if there
	// is none.
	Beaten string `json:"beaten_by,omitempty"`
}

// Study sets how proposals are measured.
type Study struct {
	Runs    int // random bisections; 0: as many as suit the size
	Seed    uint64
	Workers int
	// Measure is "always" to route and measure all proposals, "never" for none, and "auto" for all
	// unless one is too large.
	Measure string
	Prices  *bill.Prices                    // nil for none
	Apps    []*app.Program                  // run on each measured network
	Sends   machine.SendOrder               // of the Apps
	Step    func(done, of int, what string) // told before each step of the work; may be nil
}

// Validate returns an error for a value out of range, named like the option of the command.
func (s *Study) Validate() error {
	switch {
	case s.Measure == "never" && len(s.Apps) > 0:
		return errors.New("app: runs on routed networks, and with measure never none is routed: leave one of them out")
	case s.Measure != "never" && s.Measure != "auto" && s.Measure != "always":
		return fmt.Errorf("measure %s: want never, auto or always", s.Measure)
	case s.Runs < 0 || s.Runs > mostRuns:
		return fmt.Errorf("runs %d: want 0 to %d", s.Runs, mostRuns)
	}
	return nil
}

// mostRuns limits the bisections of a measurement.
const mostRuns = 100_000

// routedMost limits "auto": it routes all proposals if the largest has no more forwarding table
// entries. A proposal of that size takes about 20 s on two cores.
const routedMost = 8_000_000

// Propose builds, measures and ranks the networks for a need. When ctx ends it returns the finished
// measurements and the error.
func Propose(ctx context.Context, want Want, s Study) (*Proposals, error) {
	want.complete()
	out := newProposals(want, s.Prices)
	shapes, left := shapes(want)
	most, cut := 0, false
	for i, shape := range shapes {
		s.step(i, len(shapes), "building "+shape.Formula)
		p, entries, err := newProposal(ctx, shape, &want, s.Prices)
		if _, large := errors.AsType[*tooLarge](err); large {
			left = append(left, LeftOut{shape.Kind, err.Error()})
			continue
		}
		if err != nil {
			return out, err
		}
		out.Proposals, most, cut = append(out.Proposals, p), max(most, entries), cut || p.Subnets != nil
	}
	out.leaveOut(left)
	list := out.Proposals
	out.Measured = !cut && (s.Measure == "always" || s.Measure == "auto" && most <= routedMost)
	for i, p := range list {
		if !out.Measured {
			break
		}
		s.step(i, len(list), "measuring "+p.Formula)
		if err := s.measure(ctx, p); err != nil {
			out.Stopped, out.Proposals = true, list[:i]
			out.rank()
			return out, err
		}
	}
	out.rank()
	return out, nil
}

func (s *Study) step(done, of int, what string) {
	if s.Step != nil {
		s.Step(done, of, what)
	}
}

// tooLarge is the error for a network that the formulas do not build.
type tooLarge struct{ error }

// newProposal builds a network and counts its parts. entries is the number of forwarding table
// entries of a plane.
func newProposal(ctx context.Context, shape Shape, w *Want, prices *bill.Prices) (p *Proposal, entries int, err error) {
	p = &Proposal{Shape: shape}
	var f *fabric.Fabric
	if p.Subnets != nil {
		f, p.LIDs, err = openSubnets(p.Formula)
	} else {
		f, err = gen.Parse(p.Formula)
	}
	if err != nil {
		return nil, 0, &tooLarge{err}
	}
	g := f.Compile()
	if p.Diameter, err = g.Diameter(ctx); err != nil {
		return nil, 0, err
	}
	if p.Subnets == nil {
		p.LIDs = g.NumEnds
	}
	compute := w.Hosts
	if w.OnPlane > 0 || w.Now > 0 {
		compute = len(f.Servers().List)
	}
	if w.OnPlane == 0 {
		compute = min(compute, max(w.Hosts, compute-w.others()))
	}
	if err := p.count(w, f, compute, prices); err != nil {
		return nil, 0, err
	}
	p.miss(w)
	return p, g.NumSwitches * g.NumEnds, nil
}

// count builds all planes of a network, counts their parts, and adds the steps of growth.
func (p *Proposal) count(w *Want, plane *fabric.Fabric, compute int, prices *bill.Prices) (err error) {
	if w.OnPlane > 0 {
		if p.Storage, err = w.storagePlane(compute); err != nil {
			return err
		}
		f, err := gen.Parse(p.Storage.Formula)
		if err != nil {
			return err
		}
		if p.Storage.Bill, _, err = billOf(f, w.Radix, nil); err != nil {
			return err
		}
	}
	whole := plane
	if p.Whole = p.whole(p.Storage); p.Whole != p.Formula {
		if whole, err = gen.Parse(p.Whole); err != nil {
			return &tooLarge{err}
		}
	}
	if p.Bill, p.Cost, err = billOf(whole, w.Radix, prices); err != nil {
		return err
	}
	p.Servers, p.HostPorts = p.Bill.Servers, p.Bill.HostPorts
	if w.Now > 0 {
		return p.steps(w, whole, prices, compute)
	}
	return nil
}

// billOf counts the parts of a fabric, and their cost if there are prices.
func billOf(f *fabric.Fabric, radix int, prices *bill.Prices) (b *bill.Bill, cost float64, err error) {
	if b, err = bill.Of(f, radix); err == nil && prices != nil {
		prices.Measure(b, f)
		cost, err = prices.Cost(b)
	}
	return b, cost, err
}

// miss lists the parts of the need that a network misses.
func (p *Proposal) miss(w *Want) {
	p.Missing = []string{}
	add := func(format string, args ...any) { p.Missing = append(p.Missing, fmt.Sprintf(format, args...)) }
	if p.Ratio > w.Ratio {
		add("oversubscribed %g:1, and %g:1 is accepted", p.Ratio, w.Ratio)
	} else if least := 1 / max(p.Ratio, p.Pods); p.Uniform < least-1e-9 && (p.Subnets == nil || p.Subnets.Ratio <= p.Pods+1e-9) {
		add("uniform traffic gets %.2f of the rate, and %.2f is accepted", p.Uniform, least)
	}
	if p.Pods > max(w.Pods, p.Ratio) {
		add("oversubscribed %g:1 between pods, and %g:1 is accepted", p.Pods, w.Pods)
	}
	if p.Subnets != nil && p.Subnets.Ratio > w.Pods+1e-9 {
		add("oversubscribed %.1f:1 between its %d subnets, and %g:1 is accepted: their top switches have no more free ports for routers", p.Subnets.Ratio, p.Subnets.Number, w.Pods)
	}
	for _, s := range p.Steps {
		for _, m := range s.Missing {
			add("with %d servers %s", s.Servers, m)
		}
	}
}

// measure routes a network, proves the Plan and measures its bandwidth.
func (s *Study) measure(ctx context.Context, p *Proposal) error {
	f, err := gen.Parse(p.Formula)
	if err != nil {
		return err
	}
	g := f.Compile()
	var trials []planner.Trial
	routed := map[string]*planner.Result{}
	for i, name := range planner.KnownBest(g) {
		if i < tried || len(trials) == 0 {
			t, r, err := s.try(ctx, g, name)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Formula, err)
			}
			if t != nil {
				trials = append(trials, *t)
				routed[t.Engine] = r
			}
		}
	}
	best, _ := planner.Rank(trials)
	if best == nil {
		return fmt.Errorf("%s: none of the engines that are known to deliver the most routes it", p.Formula)
	}
	p.Engine, p.VLs, p.EBB, p.Shift = best.Engine, best.VLs, best.Figures.EBB.Mean, best.Figures.Shift.Mean
	return s.runApps(ctx, p, g, routed[best.Engine])
}

// tried is the number of engines tried on a network, of the ones known to deliver the most. It
// tries more if these refuse.
const tried = 2

// try routes a network by one engine, proves the Plan and measures it. It returns nil if the engine
// refuses or nothing is proven.
func (s *Study) try(ctx context.Context, g *fabric.Graph, name string) (*planner.Trial, *planner.Result, error) {
	chain, err := engine.Parse(name, nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := planner.Run(ctx, g, &planner.Request{Chain: chain, Seed: s.Seed, Workers: s.Workers})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil, nil, nil
	}
	if err != nil || !r.Report.OK {
		return nil, nil, err
	}
	k, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: s.Runs, Seed: s.Seed, Workers: s.Workers})
	return &planner.Trial{Engine: r.Engine.Name, VLs: r.Plan.VLs, Figures: k}, r, err
}
