package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/internal/endpoints"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/study/routing"
)

var errColour = errors.New("colour: want load, lanes, speed or errors")

// Routing names a routing: engines with their options as weft route takes them.
type Routing struct {
	// Engines is an engine or a chain a,b,c. Empty: of a manager's subnet the Plan in force, of
	// other fabrics auto.
	Engines string   `json:"engines,omitempty"`
	Options []string `json:"options,omitempty"` // NAME=VALUE of the engines
}

// mostOptions is the maximum number of options of engines.
const mostOptions = 32

// Check returns errors that hold on any fabric.
func (q *Routing) Check() error {
	if len(q.Options) > mostOptions {
		return fmt.Errorf("options: want at most %d", mostOptions)
	}
	_, err := q.chain()
	return err
}

// chain returns the engines.
func (q *Routing) chain() (route.Chain, error) {
	engines := q.Engines
	if engines == "" {
		engines = engine.Auto
	}
	return engine.Parse(engines, q.Options)
}

// routed keeps the last routings of a fabric, the last one at the end.
type routed struct {
	mu   sync.Mutex
	list []routedBy
}

// routedBy is a routing and its result.
type routedBy struct {
	key    string
	result *planner.Result
}

// mostRouted is the number of routings that are kept of each fabric.
const mostRouted = 3

// routedBy returns the proven routing of a fabric. It keeps the last ones.
func (p *Page) routedBy(ctx context.Context, h *Held, q *Routing) (*planner.Result, error) {
	h.routed.mu.Lock()
	defer h.routed.mu.Unlock() // questions come one at a time
	key := q.Engines + "\x00" + strings.Join(q.Options, "\x00")
	if at := slices.IndexFunc(h.routed.list, func(r routedBy) bool { return r.key == key }); at >= 0 {
		return h.routed.list[at].result, nil
	}
	var req planner.Request
	if p.opt.Request != nil {
		req = p.opt.Request()
	}
	req.Workers = p.opt.Workers
	r, err := planRouting(ctx, h, q, &req)
	if err != nil {
		return nil, err
	}
	if len(h.routed.list) == mostRouted {
		h.routed.list = slices.Delete(h.routed.list, 0, 1)
	}
	h.routed.list = append(h.routed.list, routedBy{key, r})
	return r, nil
}

// planRouting routes a fabric, or judges the Plan in force.
func planRouting(ctx context.Context, h *Held, q *Routing, req *planner.Request) (*planner.Result, error) {
	if h.inForce != nil && q.Engines == "" {
		spec, err := engine.Find(h.inForce.Recipe.Engine())
		if err != nil {
			spec = &route.Spec{Name: h.inForce.Recipe.Engine()}
		}
		r := &planner.Result{Plan: h.inForce, Engine: spec}
		return r, r.Judge(ctx, h.graph, req)
	}
	var err error
	if req.Chain, err = q.chain(); err != nil {
		return nil, err
	}
	return planner.Run(ctx, h.graph, req)
}

// route returns the endpoint that routes a fabric.
func (p *Page) route() endpoints.Endpoint {
	return question(p, fabricPath+"/route", "Route a fabric and prove the routing, as weft route does. Nothing is distributed.", "run weft route, which has no limit",
		func(ctx context.Context, h *Held, q *Routing) (*routing.Route, error) {
			r, err := p.routedBy(ctx, h, q)
			if err != nil {
				return nil, err
			}
			return routing.New(h.graph, r, p.opt.Memory()), nil
		})
}
