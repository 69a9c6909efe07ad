package choose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/bill"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
)

// Proposal is a network with the parts to buy and the bandwidth that it delivers.
type Proposal struct {
	Shape
	Bill     *bill.Bill `json:"bill"`           // of all planes
	Cost     float64    `json:"cost,omitempty"` // the cost, if prices are given
	Diameter int        `json:"diameter"`       // channels between the two switches farthest apart
	LIDs     int        `json:"lids"`           // LIDs of a plane: hosts and switches
	// What a plane delivers; absent where nothing was routed.
	EBB    float64 `json:"ebb,omitempty"`    // effective bisection bandwidth, one way: a share of the rate of a host
	Shift  float64 `json:"shift,omitempty"`  // largest congestion of a round of all-to-all by shifts, on average: 1 is full rate
	Engine string  `json:"engine,omitempty"` // the engine that routed it
	VLs    int     `json:"vls,omitempty"`    // lanes in use
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
	Step    func(done, of int, what string) // told before each step of the work; may be nil
}

// Validate returns an error for a value out of range, named like the option of the command.
func (s *Study) Validate() error {
	switch {
	case s.Measure != "never" && s.Measure != "auto" && s.Measure != "always":
		return fmt.Errorf("measure %s: want never, auto or always", s.Measure)
	case s.Runs < 0 || s.Runs > mostRuns:
		return fmt.Errorf("runs %d: want 0 to %d", s.Runs, mostRuns)
	}
	return nil
}

// mostRuns limits the bisections of a measurement.
const mostRuns = 100_000

// routedMost is the number of forwarding table entries up to which "auto" routes all proposals: one
// of that size takes about 20 s on two cores.
const routedMost = 8_000_000

// Propose builds, measures and ranks the networks for a wish. When ctx ends it returns the finished
// measurements and the error.
func Propose(ctx context.Context, want Want, s Study) (*Proposals, error) {
	out := &Proposals{Want: want, Proposals: []*Proposal{}, Beaten: []*Proposal{}}
	if s.Prices != nil {
		out.Currency, out.Priced = s.Prices.Currency, true
	}
	shapes, none := Shapes(want)
	out.None = none
	var list []*Proposal
	most := 0
	for i, shape := range shapes {
		s.step(i, len(shapes), "building "+shape.Formula)
		f, err := gen.Parse(shape.Formula)
		if err != nil {
			if !slices.Contains(out.None, shape.Kind) {
				out.None = append(out.None, shape.Kind)
			}
			continue
		}
		g := f.Compile()
		p, err := newProposal(shape, f, g, want.Radix, s.Prices)
		if err != nil {
			return out, err
		}
		if p.Diameter, err = g.Diameter(ctx); err != nil {
			return out, err
		}
		list, most = append(list, p), max(most, g.NumSwitches*g.NumEnds)
	}
	out.Measured = s.Measure == "always" || s.Measure == "auto" && most <= routedMost
	for i, p := range list {
		if !out.Measured {
			out.Proposals = append(out.Proposals, p)
			continue
		}
		s.step(i, len(list), "measuring "+p.Formula)
		if err := s.measure(ctx, p); err != nil {
			out.Stopped = true
			out.rank()
			return out, err
		}
		out.Proposals = append(out.Proposals, p)
	}
	out.rank()
	return out, nil
}

func (s *Study) step(done, of int, what string) {
	if s.Step != nil {
		s.Step(done, of, what)
	}
}

// newProposal counts the parts of a shape's network.
func newProposal(shape Shape, f *fabric.Fabric, g *fabric.Graph, radix int, prices *bill.Prices) (*Proposal, error) {
	if shape.Planes > 1 { // all stand in one room, around the same servers
		var err error
		if f, err = gen.Parse(fmt.Sprintf("%s|planes(%d)", shape.Formula, shape.Planes)); err != nil {
			return nil, err
		}
	}
	b, err := bill.Of(f, radix)
	if err != nil {
		return nil, err
	}
	p := &Proposal{Shape: shape, Bill: b, LIDs: g.NumEnds}
	if prices != nil {
		prices.Measure(b, f)
		p.Cost, err = prices.Cost(b)
	}
	return p, err
}

// measure routes a network, proves the Plan and measures its bandwidth.
func (s *Study) measure(ctx context.Context, p *Proposal) error {
	f, err := gen.Parse(p.Formula)
	if err != nil {
		return err
	}
	g := f.Compile()
	var trials []planner.Trial
	for i, name := range planner.KnownBest(g) {
		if i < tried || len(trials) == 0 {
			t, err := s.try(ctx, g, name)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Formula, err)
			}
			if t != nil {
				trials = append(trials, *t)
			}
		}
	}
	best, _ := planner.Rank(trials)
	if best == nil {
		return fmt.Errorf("%s: none of the engines that are known to deliver the most routes it", p.Formula)
	}
	p.Engine, p.VLs, p.EBB, p.Shift = best.Engine, best.VLs, best.Figures.EBB.Mean, best.Figures.Shift.Mean
	return nil
}

// tried is the number of engines tried on a network, of the ones known to deliver the most. It
// tries more if these refuse.
const tried = 2

// try routes a network by one engine, proves the Plan and measures it. It returns nil if the engine
// refuses or nothing is proven.
func (s *Study) try(ctx context.Context, g *fabric.Graph, name string) (*planner.Trial, error) {
	chain, err := engine.Parse(name, nil)
	if err != nil {
		return nil, err
	}
	r, err := planner.Run(ctx, g, &planner.Request{Chain: chain, Seed: s.Seed, Workers: s.Workers})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil, nil
	}
	if err != nil || !r.Report.OK {
		return nil, err
	}
	k, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: s.Runs, Seed: s.Seed, Workers: s.Workers})
	return &planner.Trial{Engine: r.Engine.Name, VLs: r.Plan.VLs, Figures: k}, err
}
