package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/check"
	"weft/route/engine"
	"weft/route/quality"
	"weft/route/recipe"
	"weft/sim/flow"
	"weft/traffic"
)

// Trial is a fabric routed by an engine and judged, or the reason why not.
type Trial struct {
	Engine  string
	Graph   *fabric.Graph
	Plan    *route.Plan
	Report  *quality.Report
	Refused string // why the engine did not route it; "" when it did
	Cost    Cost   // of routing
}

// Graph builds a formula's network.
func Graph(formula string) (*fabric.Graph, error) {
	f, err := gen.Parse(formula)
	if err != nil {
		return nil, err
	}
	return f.Compile(), nil
}

// Routing says how to route: an engine's name with its options as
// "name,option=value", the VLs that it may use (0: as many as the hardware), and the
// goroutines.
type Routing struct {
	Engine  string
	Spec    *route.Spec // an engine of the experiment's own, in place of Engine
	MaxVLs  int
	Workers int
	Seed    uint64
}

// Route routes a fabric and judges the Plan. A refusal is no error.
func (s *Setup) Route(ctx context.Context, g *fabric.Graph, how Routing) (*Trial, error) {
	spec, options, err := how.find()
	if err != nil {
		return nil, err
	}
	t := &Trial{Engine: how.Engine, Graph: g}
	workers := how.Workers
	if workers == 0 {
		workers = s.Workers
	}
	t.Cost, err = s.Measure(func() (err error) {
		t.Plan, err = recipe.Run(ctx, g, &recipe.Request{
			Engine: spec, Options: options, MaxVLs: how.MaxVLs, Workers: workers, Seed: how.Seed,
		}, func(string) {})
		return err
	})
	if refusal, ok := errors.AsType[*route.Refusal](err); ok {
		t.Refused = refusal.Reason
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.Report, err = quality.Judge(ctx, g, t.Plan, check.Options{Workers: s.Workers})
	return t, err
}

// find finds the engine, and takes its name and options apart.
func (how *Routing) find() (*route.Spec, map[string]string, error) {
	if how.Spec != nil {
		return how.Spec, nil, nil
	}
	name, rest, given := strings.Cut(how.Engine, ",")
	spec, err := engine.Find(name)
	if err != nil || !given {
		return spec, nil, err
	}
	options := map[string]string{}
	for option := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(option, "=")
		if !ok {
			return nil, nil, fmt.Errorf("lab: engine %q: an option is NAME=VALUE", how.Engine)
		}
		options[key] = value
	}
	return spec, options, nil
}

// Deadlock is the judge's word on deadlock: "none", "hosts none" (between hosts, but
// not with the traffic of switches) or "possible".
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

// Bisection is the effective bisection bandwidth: the mean over random bisections,
// one way, as ORCS counts.
func (s *Setup) Bisection(ctx context.Context, t *Trial, runs int, seed uint64) (*flow.Result, error) {
	return s.Flow(ctx, t, "bisect", flow.Options{Runs: runs, Seed: seed, Shuffle: true})
}

// Flow simulates a pattern over all hosts of opt.
func (s *Setup) Flow(ctx context.Context, t *Trial, pattern string, opt flow.Options) (*flow.Result, error) {
	n, err := flow.New(ctx, t.Graph, t.Plan, s.Workers)
	if err != nil {
		return nil, err
	}
	ranks := len(n.Hosts)
	if opt.Hosts != nil {
		ranks = len(opt.Hosts)
	}
	p, err := traffic.Parse(pattern, ranks)
	if err != nil {
		return nil, err
	}
	opt.Workers = s.Workers
	return n.Run(ctx, p, opt)
}
