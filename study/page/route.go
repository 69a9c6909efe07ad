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

var errColour = errors.New("colour: want load, lanes, speed or errors; of a manager also traffic, waits, error-rate or fault")

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
	list []*routedBy
}

// routedBy is a routing of a fabric and its result.
type routedBy struct {
	of      *Held
	key     string
	entries int           // of the tables
	graph   *fabric.Graph // that was routed: that of the fabric, or of the fabric after a failure
	result  *planner.Result
	loads   []int64 // by channel: pairs of hosts; nil until pairs computes them
}

// get returns a routing that is kept, or makes it and keeps it.
func (k *routed) get(of *Held, key string, compute func() (*fabric.Graph, *planner.Result, error)) (*routedBy, error) {
	if r := k.find(of, key); r != nil {
		return r, nil
	}
	g, result, err := compute()
	if err != nil {
		return nil, err
	}
	made := &routedBy{of: of, key: key, entries: g.NumSwitches * (int(result.Plan.Ends.Top()) + 1), graph: g, result: result}
	k.keep(made)
	return made, nil
}

// find returns a routing that is kept, nil without one.
func (k *routed) find(of *Held, key string) *routedBy {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at := slices.IndexFunc(k.list, func(r *routedBy) bool { return r.of == of && r.key == key }); at >= 0 {
		return k.list[at]
	}
	return nil
}

// keep keeps a routing, and forgets the oldest ones beyond the limits.
func (k *routed) keep(r *routedBy) {
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
	k.list = slices.DeleteFunc(k.list, func(r *routedBy) bool { return r.of == of })
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

// routing returns the proven routing of a fabric, with the results computed for it.
func (p *Page) routing(ctx context.Context, h *Held, q *Routing) (*routedBy, error) {
	return p.routed.get(h, q.key(), func() (*fabric.Graph, *planner.Result, error) {
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
