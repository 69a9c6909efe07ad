package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
)

// Trial is a fabric with an engine's Plan and the judge's report, or with the engine's refusal.
type Trial struct {
	Graph   *fabric.Graph
	Plan    *route.Plan
	Report  *quality.Report
	Refused string // the engine's reason; "" if it routed the fabric
	Cost    Cost   // of routing
}

// Graph builds the network of a formula.
func Graph(formula string) (*fabric.Graph, error) {
	f, err := gen.Parse(formula)
	if err != nil {
		return nil, err
	}
	return f.Compile(), nil
}

// WithRates returns a copy of a fabric with these data rates, in Mbit/s, for links between switches
// and for hosts.
func WithRates(g *fabric.Graph, switches, hosts int32) *fabric.Graph {
	same := *g
	same.ChanRate, same.EndRate = slices.Repeat([]int32{switches}, g.NumChannels), make([]int32, g.NumEnds)
	for h := range g.NumHosts {
		same.EndRate[h] = hosts
	}
	return &same
}

// Candidate is an engine of an experiment.
type Candidate struct {
	Name   string // for tables and row names
	Column string // in a printed table; "" if the paper does not have the engine
	How    Routing
}

// Names returns the names of candidates.
func Names(candidates []Candidate) (names []string) {
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	return names
}

// Each routes a network with each candidate whose row is selected, and calls visit with the Trial.
// A row is named after network and candidate. The network is built when first needed; an error ends
// the artefact.
func (s *Setup) Each(ctx context.Context, network string, build func() *fabric.Graph, candidates []Candidate, visit func(*Candidate, *Trial)) {
	var g *fabric.Graph
	for i := range candidates {
		c := &candidates[i]
		if !s.Want(network + " " + c.Name) {
			continue
		}
		if g == nil {
			g = build()
		}
		visit(c, Must(s.Route(ctx, g, c.How)))
	}
}

// EachOf is Each for the network of a formula.
func (s *Setup) EachOf(ctx context.Context, network, formula string, candidates []Candidate, visit func(*Candidate, *Trial)) {
	s.Each(ctx, network, func() *fabric.Graph { return Must(Graph(formula)) }, candidates, visit)
}

// Routing is an engine with its settings.
type Routing struct {
	Engine  string      // with its options, in the form for engine.Parse
	Spec    *route.Spec // an engine of the experiment, instead of Engine
	MaxVLs  int         // 0: as many as the hardware has
	Workers int         // 0: as many as the Setup has
	Seed    uint64
	Times   int // repetitions, of which the fastest counts; 0 stands for one
}

// longEnough is the CPU time, in seconds, beyond which routing is not repeated.
const longEnough = 2

// Route routes a fabric and judges the Plan. A refusal is no error. Only the routing is measured.
func (s *Setup) Route(ctx context.Context, g *fabric.Graph, how Routing) (*Trial, error) {
	best, err := s.routeOnce(ctx, g, how)
	for n := 1; n < how.Times && err == nil && best.Cost.Seconds <= longEnough; n++ {
		var t *Trial
		if t, err = s.routeOnce(ctx, g, how); err == nil && t.Cost.Seconds < best.Cost.Seconds {
			best = t
		}
	}
	return best, err
}

func (s *Setup) routeOnce(ctx context.Context, g *fabric.Graph, how Routing) (*Trial, error) {
	req := &planner.Request{Chain: route.Chain{{Engine: how.Spec}}, MaxVLs: how.MaxVLs, Workers: cmp.Or(how.Workers, s.Workers), Seed: how.Seed}
	if how.Spec == nil {
		var err error
		if req.Chain, err = engine.Parse(how.Engine, nil); err != nil {
			return nil, fmt.Errorf("lab: engine %q: %w", how.Engine, err)
		}
	}
	t := &Trial{Graph: g}
	var made *planner.Result
	cost, err := s.Measure(func() (err error) {
		made, err = planner.Route(ctx, g, req)
		return err
	})
	t.Cost = cost
	if refusal, ok := errors.AsType[*route.Refusal](err); ok {
		t.Refused = refusal.Reason
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	req.Workers = s.Workers
	err = made.Judge(ctx, g, req)
	t.Plan, t.Report = made.Plan, made.Report
	return t, err
}

// Deadlock returns the judge's verdict on deadlock: "none", "hosts none" (none between hosts, but
// possible with the traffic of switches) or "possible".
func (t *Trial) Deadlock() string {
	switch {
	case t.Report == nil:
		return "-"
	case t.Report.DeadlockFree == check.Yes:
		return "none"
	case t.Report.HostOnly.DeadlockFree == check.Yes:
		return "hosts none"
	}
	return "possible"
}
