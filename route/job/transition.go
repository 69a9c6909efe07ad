package job

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/check"
	"weft/route/transition"
)

// Transition is the way from the Plan kept to a new one, while packets are under way.
type Transition struct {
	Between []*route.Tables // to be written one after the other before those of the new Plan
	Pause   bool            // Between has one, which drops packets: those under way must have left before the Plan is written
	Mixture *check.Mixture  // what can happen on this way
}

// Transition finds the way to a new Plan, and judges it.
func (k *Kept) Transition(ctx context.Context, g *fabric.Graph, plan *route.Plan, workers int) (*Transition, error) {
	opt := check.Options{Workers: max(1, workers)}
	between := transition.Order(k.old, k.Plan, g, plan)
	m, err := check.Mix(ctx, k.old, k.Plan, g, plan, opt, between...)
	if err != nil {
		return nil, err
	}
	ordered := &Transition{Between: between, Mixture: m}
	if m.Deadlock.DeadlockFree == check.Yes {
		return ordered, nil
	}
	dropping := *plan
	dropping.Tables = transition.Drop(k.old, k.Plan, g, plan)
	if m, err = check.Mix(ctx, k.old, k.Plan, g, &dropping, opt); err != nil || !m.OK {
		return ordered, err
	}
	if m, err = check.Mix(ctx, g, &dropping, g, plan, opt); err != nil || !m.OK {
		return ordered, err
	}
	return &Transition{Between: []*route.Tables{dropping.Tables}, Pause: true, Mixture: m}, nil
}
