package routing

import (
	"context"
	"errors"
	"fmt"
	"io"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
	"weft/study"
)

// Balance compares the bandwidth of a repaired Plan with the bandwidth of a fresh routing by its
// recipe.
type Balance struct {
	Runs     int            `json:"runs"` // random bisections
	Repaired float64        `json:"repaired_ebb"`
	Fresh    float64        `json:"fresh_ebb"`
	Moved    int            `json:"fresh_moved"` // entries that a fresh routing would move
	Advised  bool           `json:"rebalance"`   // the repaired Plan delivers less than 98 % of the fresh one
	Refused  *study.Refusal `json:"refused,omitempty"`
}

// comparedEntries limits the comparison of a repair with a fresh routing: with more forwarding
// entries it would take longer than some seconds.
const comparedEntries = 1 << 25

// balanceKept is the share of a fresh routing's bisection bandwidth that a repair must deliver.
const balanceKept = 0.98

// NewBalance routes afresh and compares. It returns nil if nothing was repaired, or if the fabric
// is too large.
func NewBalance(ctx context.Context, g *fabric.Graph, asked *planner.Request, r *planner.Result) (*Balance, error) {
	if r.Repaired == nil || g.NumHosts < 2 || g.NumSwitches*int(r.Plan.Ends.Top()) > comparedEntries {
		return nil, nil
	}
	req := *asked
	req.Kept = nil
	b := &Balance{Runs: study.UsualRuns(g.NumHosts)}
	fresh, err := planner.Route(ctx, g, &req)
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		refusal := study.RefusalOf(err)
		b.Refused = &refusal
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	b.Moved = asked.Kept.Changes(g, fresh.Plan).Entries.Moved
	for _, side := range []struct {
		plan *route.Plan
		ebb  *float64
	}{{r.Plan, &b.Repaired}, {fresh.Plan, &b.Fresh}} {
		ebb, err := bisections(ctx, g, side.plan, &req, b.Runs)
		if err != nil {
			return nil, err
		}
		*side.ebb = ebb.Mean
	}
	b.Advised = b.Repaired < balanceKept*b.Fresh
	return b, nil
}

func (b *Balance) write(w io.Writer) {
	switch {
	case b == nil:
	case b.Refused != nil:
		fmt.Fprintln(w, "a fresh routing is not possible:", b.Refused.String())
	case b.Advised:
		fmt.Fprintf(w, "WARNING: effective bisection bandwidth %.3f; a fresh routing (--rebalance) has %.3f and moves %d entries\n", b.Repaired, b.Fresh, b.Moved)
	default:
		fmt.Fprintf(w, "effective bisection bandwidth %.3f; a fresh routing (--rebalance) has %.3f and moves %d entries\n", b.Repaired, b.Fresh, b.Moved)
	}
}

// bisections returns the effective bisection bandwidth, one way. Where the rates of links differ,
// they count.
func bisections(ctx context.Context, g *fabric.Graph, plan *route.Plan, req *planner.Request, runs int) (*flow.Summary, error) {
	n, err := flow.New(ctx, g, plan, req.Workers)
	if err != nil {
		return nil, err
	}
	result, err := n.RunPattern(ctx, "bisect", flow.Options{Runs: runs, Seed: req.Seed, Shuffle: true, ByRate: true, Workers: req.Workers})
	if err != nil {
		return nil, err
	}
	return &result.Bandwidth, nil
}
