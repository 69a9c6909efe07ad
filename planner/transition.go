package planner

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
	"weft/route/transition"
)

// Transition leads from the kept Plan to a new one while packets are under way.
type Transition struct {
	Between []Between      // tables to write first, in order, before the new ones
	Mixture *check.Mixture // findings on this way
	// Asked has the findings under the new tables until all hosts have asked again for SLs and
	// LIDs; nil if they are as by the old Plan.
	Asked *check.Mixture
	// Strangers counts the switches that are not in the Plan kept. The first step drops their
	// entries that differ from the new Plan.
	Strangers int
}

// Between holds the tables of switches between two Plans.
type Between struct {
	Tables *route.Tables
	SL2VL  *route.SL2VL // nil: unchanged
	Drops  bool         // packets under way must have left before the next tables are written
}

// Pauses reports whether some of these tables drop packets.
func (t *Transition) Pauses() bool {
	for _, s := range t.Between {
		if s.Drops {
			return true
		}
	}
	return false
}

// Transition finds the way to a new Plan and judges it. Hosts hear of new SLs and LIDs when all
// switches hold the new Plan, and use the old ones until they ask again.
func (k *Kept) Transition(ctx context.Context, g *fabric.Graph, plan *route.Plan, workers int) (*Transition, error) {
	w := way{k: k, g: g, plan: plan, opt: check.Options{Workers: max(1, workers)}}
	t, err := w.find(ctx)
	if err == nil && k.strangers != nil {
		w.forget(t)
	}
	return t, err
}

// way judges the steps of a Transition.
type way struct {
	k    *Kept
	g    *fabric.Graph
	plan *route.Plan
	opt  check.Options
}

// find finds the way for the switches in the Plan kept.
func (w *way) find(ctx context.Context) (*Transition, error) {
	k, g, plan := w.k, w.g, w.plan
	order := transition.Order(k.old, k.Plan, g, plan)
	m, err := w.mix(ctx, plan.Tables, check.Writing{Between: order})
	if err != nil {
		return nil, err
	}
	ordered := &Transition{Mixture: m}
	for _, tables := range order {
		ordered.Between = append(ordered.Between, Between{Tables: tables, SL2VL: plan.SL2VL})
	}
	if m.Deadlock.DeadlockFree == check.Yes {
		return ordered, nil
	}
	choices := check.OfOld
	if m.Lanes {
		if ordered.Asked, err = w.mix(ctx, plan.Tables, check.Writing{From: plan.Tables, Lanes: check.OfNew}); err != nil {
			return nil, err
		}
		if !ordered.Asked.OK { // in any case: the findings of Asked say so for hosts that have not asked again
			choices = check.OfNew
		}
		if m, err = w.mix(ctx, plan.Tables, check.Writing{Between: order, Choices: choices}); err != nil {
			return nil, err
		}
		if ordered.Mixture = m; m.Deadlock.DeadlockFree == check.Yes {
			return ordered, nil
		}
	}
	dropping, err := w.dropping(ctx, choices, m.Lanes)
	if dropping == nil || err != nil {
		return ordered, err
	}
	dropping.Asked = ordered.Asked
	return dropping, nil
}

// forget puts a step before all others: in switches that are not in the Plan kept, it drops the
// entries that differ from the new Plan. The lanes of packets that follow those entries are
// unknown. After they have left, the switches count as new.
func (w *way) forget(t *Transition) {
	was, _ := fabric.Match(w.k.old, w.g)
	rows, blocks := make([][]*route.Block, len(was)), w.plan.Tables.NumBlocks()
	for s, o := range was {
		if o < 0 {
			t.Strangers++
		}
		for b := range blocks {
			block := w.k.Plan.Tables.BlockOrEmpty(o, b)
			if o < 0 {
				held := w.k.strangers.BlockOrEmpty(int32(s), b)
				left := *w.plan.Tables.Block(int32(s), b)
				for i := range left {
					if held[i] != left[i] {
						left[i] = route.NoPort
					}
				}
				block = &left
			}
			rows[s] = append(rows[s], block)
		}
	}
	t.Between = slices.Insert(t.Between, 0, Between{Tables: route.TablesOf(blocks, rows), Drops: true})
}

// mix judges a step that leads to some tables.
func (w *way) mix(ctx context.Context, to *route.Tables, part check.Writing) (*check.Mixture, error) {
	plan := *w.plan
	plan.Tables = to
	return check.Mix(ctx, w.k.old, w.k.Plan, w.g, &plan, w.opt, part)
}

// dropping returns the way that drops all differing entries before anything new is written; nil if
// it is not proven. Until then packets can do no more than under the old tables, where a moved
// cable may have led them into a loop. Unknown lane tables may all differ: they are written before
// entries that may need them.
func (w *way) dropping(ctx context.Context, choices check.Of, lanes bool) (*Transition, error) {
	type part struct {
		to   *route.Tables
		what check.Writing
	}
	less := transition.Drop(w.k.old, w.k.Plan, w.g, w.plan)
	t := &Transition{Between: []Between{{Tables: less, Drops: true}}}
	parts := []part{{less, check.Writing{Lanes: check.OfOld, Choices: check.OfOld}}}
	if lanes && w.k.Plan.SL2VL != nil {
		t.Between[0].SL2VL = transition.DropLanes(w.k.old, w.k.Plan, w.g, w.plan)
	} else if lanes {
		t.Between = append(t.Between, Between{Tables: less, SL2VL: w.plan.SL2VL, Drops: true})
		parts = append(parts, part{less, check.Writing{From: less, Choices: choices}})
	}
	parts = append(parts, part{w.plan.Tables, check.Writing{From: less, Lanes: check.OfNew, Choices: choices}})
	for i, p := range parts {
		m, err := w.mix(ctx, p.to, p.what)
		if err != nil || !m.OK && i > 0 {
			return nil, err
		}
		if t.Mixture == nil || t.Mixture.OK {
			t.Mixture = m
		}
	}
	return t, nil
}
