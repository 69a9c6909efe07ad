package dfsssp

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/sim/flow"
)

// paper caches results: readings and seed blocks ask for the same again.
type paper struct{ kept lab.Cache[any] }

// once returns the cached result of a key, or computes it.
func once[T any](p *paper, key string, compute func() T) T {
	return p.kept.Get(key, func() any { return compute() }).(T)
}

// routed is a network under an engine, with paths ready for counting.
type routed struct {
	*lab.Trial
	network network
	engine  string
	key     string        // unique
	flows   *flow.Network // nil if the engine refused
}

// graph builds a network under the active readings.
func (p *paper) graph(s *lab.Setup, n network) *fabric.Graph {
	n = n.wired(s)
	return once(p, "graph "+n.formula, n.graph)
}

// route routes a network under the active readings, and judges it.
func (p *paper) route(ctx context.Context, s *lab.Setup, n network, how lab.Routing) *routed {
	key := fmt.Sprintf("%s by %s, seed %d", n.wired(s).formula, how.Engine, how.Seed)
	return once(p, key, func() *routed {
		r := &routed{Trial: lab.Must(s.Route(ctx, p.graph(s, n), how)), network: n, engine: how.Engine, key: key}
		if r.Refused == "" {
			r.flows = lab.Must(flow.New(ctx, r.Graph, r.Plan, s.Workers))
		}
		return r
	})
}
