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

var errColour = errors.New("colour: want load or lanes")

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

// needs returns the role for a question about the routing: who may read may see the Plan in force;
// other routings take a core for a while.
func (q *Routing) needs() endpoints.Role {
	if q.Engines == "" {
		return endpoints.MayRead
	}
	return endpoints.MayCompute
}

// Limits of routings that are kept. The entries of tables, a byte each, are most of a Plan.
const (
	mostRouted  = 8
	mostEntries = 256 << 20
)

// routed keeps the last routings of all fabrics, the last one at the end.
type routed struct {
	mu   sync.Mutex
	list []routedBy
}

// routedBy is a routing of a fabric and its result.
type routedBy struct {
	of      *Held
	key     string
	entries int
	result  *planner.Result
}

// find returns a routing that is kept, nil without one.
func (k *routed) find(of *Held, key string) *planner.Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := slices.IndexFunc(k.list, func(r routedBy) bool { return r.of == of && r.key == key }); at >= 0 {
		return k.list[at].result
	}
	return nil
}

// keep keeps a routing, and forgets the oldest ones beyond the limits.
func (k *routed) keep(r routedBy) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, r)
	entries := 0
	for _, r := range k.list {
		entries += r.entries
	}
	for len(k.list) > 1 && (len(k.list) > mostRouted || entries > mostEntries) {
		entries -= k.list[0].entries
		k.list = slices.Delete(k.list, 0, 1)
	}
}

// forget forgets the routings of a fabric.
func (k *routed) forget(of *Held) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(r routedBy) bool { return r.of == of })
}

// routedBy returns the proven routing of a fabric. It keeps the last ones.
func (p *Page) routedBy(ctx context.Context, h *Held, q *Routing) (*planner.Result, error) {
	key := q.Engines + "\x00" + strings.Join(q.Options, "\x00")
	if r := p.routed.find(h, key); r != nil {
		return r, nil
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
	p.routed.keep(routedBy{h, key, h.graph.NumSwitches * (int(r.Plan.Ends.Top()) + 1), r})
	return r, nil
}

// planRouting routes a fabric, or returns the Plan in force, with the manager's verdict.
func planRouting(ctx context.Context, h *Held, q *Routing, req *planner.Request) (*planner.Result, error) {
	if h.inForce != nil && q.Engines == "" {
		spec, err := engine.Find(h.inForce.Recipe.Engine())
		if err != nil {
			spec = &route.Spec{Name: h.inForce.Recipe.Engine()}
		}
		r := &planner.Result{Plan: h.inForce, Engine: spec, Report: h.verdict}
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
