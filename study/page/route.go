package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
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

// routed keeps the last routings of a fabric, the last one at the end.
type routed struct {
	mu   sync.Mutex
	list []*routedBy
}

// routedBy is a routing and its result.
type routedBy struct {
	key    string
	graph  *fabric.Graph // that was routed: that of the fabric, or of the fabric after a failure
	result *planner.Result
	loads  []int64 // by channel: pairs of hosts; nil until pairs computes them
}

// mostRouted is the number of routings that are kept of each fabric.
const mostRouted = 4

// get returns the routing with a key, or makes it.
func (r *routed) get(key string, compute func() (*fabric.Graph, *planner.Result, error)) (*routedBy, error) {
	r.mu.Lock()
	defer r.mu.Unlock() // questions come one at a time
	if at := slices.IndexFunc(r.list, func(old *routedBy) bool { return old.key == key }); at >= 0 {
		return r.list[at], nil
	}
	g, result, err := compute()
	if err != nil {
		return nil, err
	}
	if len(r.list) == mostRouted {
		r.list = slices.Delete(r.list, 0, 1)
	}
	made := &routedBy{key: key, graph: g, result: result}
	r.list = append(r.list, made)
	return made, nil
}

// key identifies a Routing.
func (q *Routing) key() string { return q.Engines + "\x00" + strings.Join(q.Options, "\x00") }

// request returns the routing options of the manager, or the usual ones.
func (p *Page) request() *planner.Request {
	var req planner.Request
	if p.opt.Request != nil {
		req = p.opt.Request()
	}
	req.Workers = p.opt.Workers
	return &req
}

// routedBy returns the proven routing of a fabric.
func (p *Page) routedBy(ctx context.Context, h *Held, q *Routing) (*planner.Result, error) {
	r, err := p.routing(ctx, h, q)
	if err != nil {
		return nil, err
	}
	return r.result, nil
}

// routing returns the proven routing of a fabric, with what was computed for it.
func (p *Page) routing(ctx context.Context, h *Held, q *Routing) (*routedBy, error) {
	return h.routed.get(q.key(), func() (*fabric.Graph, *planner.Result, error) {
		r, err := planRouting(ctx, h, q, p.request())
		return h.graph, r, err
	})
}

// pairs returns by channel the number of pairs of hosts.
func (p *Page) pairs(ctx context.Context, r *routedBy) ([]int64, error) {
	if r.loads == nil {
		n, err := flow.New(ctx, r.graph, r.result.Plan, p.opt.Workers)
		if err != nil {
			return nil, err
		}
		all, err := n.AllPairs(ctx, p.opt.Workers)
		if err != nil {
			return nil, err
		}
		r.loads = all.Loads
	}
	return r.loads, nil
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
