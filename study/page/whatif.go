package page

import (
	"context"
	"errors"
	"slices"
	"sync"

	"weft/internal/endpoints"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/study/whatif"
)

// WhatIf asks for the effect of simultaneous changes.
type WhatIf struct {
	Changes whatif.Changes `json:"changes"`
	// Measure asks for loads and bandwidth too, before and after: as weft whatif.
	Measure bool `json:"measure,omitempty"`
	Routing
}

// Check returns errors that hold on any fabric.
func (q *WhatIf) Check() error {
	if len(q.Changes) == 0 {
		return errors.New("changes: want at least one")
	}
	return errors.Join(q.Changes.Check(), q.Routing.Check())
}

// needs returns the role for a question about changes.
func (q *WhatIf) needs() endpoints.Role { return endpoints.MayCompute }

// Effect is the answer about changes: the first, or the full one.
type Effect struct {
	Engine string         `json:"engine"` // of the present routing
	First  *whatif.Glance `json:"first,omitempty"`
	Full   *whatif.Answer `json:"full,omitempty"`
}

// whatIf returns the endpoint for the effect of changes.
func (p *Page) whatIf() endpoints.Endpoint {
	return question(p, fabricPath+"/whatif", "What changes would do: at once what is lost and what a repair does; with measure the document of weft whatif. Nothing is changed.", "run weft whatif, which has no limit",
		func(ctx context.Context, h *Held, q *WhatIf) (*Effect, error) {
			if _, err := whatif.Apply(h.Fabric, q.Changes); err != nil {
				return nil, err
			}
			r, err := p.routedBy(ctx, h, &q.Routing)
			if err != nil {
				return nil, err
			}
			req, err := p.again(r)
			if err != nil {
				return nil, err
			}
			out := &Effect{Engine: r.Engine.Name}
			if !q.Measure {
				out.First, err = whatif.Glimpse(ctx, h.Fabric, r.Plan, *req, q.Changes)
				return out, err
			}
			today, err := p.measured.of(ctx, h, r.Plan, req)
			if err != nil {
				return nil, err
			}
			out.Full, err = today.Ask(ctx, q.Changes)
			return out, err
		})
}

// again returns the request that routes a changed fabric as a routing was made.
func (p *Page) again(r *planner.Result) (*planner.Request, error) {
	var req planner.Request
	if p.opt.Request != nil {
		req = p.opt.Request()
	}
	chain, err := engine.ChainOf(&r.Plan.Recipe, nil)
	if err != nil {
		return nil, err
	}
	req.Chain = slices.Concat(chain, req.Chain)
	req.Workers, req.NoPathRecords, req.LIDs.Fresh = p.opt.Workers, true, false
	return &req, nil
}

// measured keeps the last measurement of a present routing, while its fabric is open.
type measured struct {
	mu    sync.Mutex
	held  *Held
	plan  *route.Plan
	today *whatif.Today
}

// of measures a routing, unless it was the last one.
func (m *measured) of(ctx context.Context, h *Held, plan *route.Plan, req *planner.Request) (*whatif.Today, error) {
	if today := m.find(plan); today != nil {
		return today, nil
	}
	today, err := whatif.New(ctx, h.Fabric, plan, whatif.Options{Request: *req, Pace: whatif.UsualPace})
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held, m.plan, m.today = h, plan, today
	return today, nil
}

// find returns the measurement of a routing, nil if it was not the last one.
func (m *measured) find(plan *route.Plan) *whatif.Today {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plan != plan {
		return nil
	}
	return m.today
}

// forget forgets the measurement of a fabric.
func (m *measured) forget(h *Held) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held == h {
		m.held, m.plan, m.today = nil, nil, nil
	}
}
