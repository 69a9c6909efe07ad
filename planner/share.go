package planner

import (
	"context"
	"fmt"
	"maps"

	"weft/fabric"
	"weft/route"
	"weft/sim/flow"
)

// Share compares the effective bisection bandwidth of a Plan with a fresh routing by its engine, on
// the same random bisections.
type Share struct {
	Runs  int     `json:"runs"`      // random bisections
	Ours  float64 `json:"ebb"`       // of the Plan
	Fresh float64 `json:"fresh_ebb"` // of a fresh routing
}

// Of returns the share of the fresh routing's bandwidth that the Plan delivers; 1 if it has more.
func (s *Share) Of() float64 {
	if s.Fresh <= 0 {
		return 1
	}
	return min(1, s.Ours/s.Fresh)
}

// Share measures the Plan on its own Graph. It compares it with a fresh routing by the Plan's
// engine, which must be one of the Request's.
func (k *Kept) Share(ctx context.Context, req *Request, runs int) (*Share, error) {
	chain := k.madeBy(req.Chain)
	if chain == nil {
		return nil, fmt.Errorf("the engine %s is not among those asked for", k.Plan.Recipe.Engine())
	}
	fresh := *req
	fresh.Chain, fresh.Kept, fresh.Multicast, fresh.Moves = chain, nil, false, 0
	if err := k.Hold(k.old, &fresh); err != nil {
		return nil, err
	}
	r, err := Route(ctx, k.old, &fresh)
	if err != nil {
		return nil, err
	}
	s := &Share{Runs: runs}
	if s.Ours, err = Bisection(ctx, k.old, k.Plan, req, runs); err != nil {
		return nil, err
	}
	s.Fresh, err = Bisection(ctx, k.old, r.Plan, req, runs)
	return s, err
}

// madeBy returns the step of a chain that made the Plan, or may have; the whole chain if several
// did, for different planes; nil if none did.
func (k *Kept) madeBy(chain route.Chain) route.Chain {
	name, options := k.Plan.Recipe.Engine(), k.Plan.Recipe.Options
	if k.Plan.Recipe.Paths == chainText(chain) && len(options) == 0 {
		return chain
	}
	for _, step := range chain {
		if step.Engine.Among == nil && step.Engine.Name == name && maps.Equal(step.Options, options) {
			return route.Chain{step}
		}
		for i := range step.Engine.Among {
			if engine := step.Engine.Among[i].Engine; engine.Name == name {
				return route.Chain{{Engine: engine, Options: options}}
			}
		}
	}
	return nil
}

// Bisection returns the effective bisection bandwidth of a Plan.
func Bisection(ctx context.Context, g *fabric.Graph, plan *route.Plan, req *Request, runs int) (float64, error) {
	n, err := flow.New(ctx, g, plan, max(1, req.Workers))
	if err != nil {
		return 0, err
	}
	r, err := n.RunPattern(ctx, "bisect", flow.Options{Runs: runs, Seed: req.Seed, Shuffle: true, ByRate: true, Workers: max(1, req.Workers)})
	if err != nil {
		return 0, err
	}
	return r.Bandwidth.Mean, nil
}
