package job

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/mapping"
	"weft/mapping/routes"
)

// RoutesReport describes the routes on a map.
type RoutesReport struct {
	Root         string   `json:"root"`
	Relabelled   []string `json:"relabelled"`
	Pairs        int      `json:"pairs"`
	Delivered    int      `json:"delivered"` // in a trial on the network
	DeadlockFree string   `json:"deadlock_free"`
	Messages     int      `json:"messages"` // messages that send hosts their routes
	Unheard      int      `json:"unheard"`
	Bytes        int      `json:"bytes"`
	ModelledMS   float64  `json:"modelled_ms"`
}

// OK reports whether no route failed and none can deadlock, or none were requested.
func (r *RoutesReport) OK() bool {
	return r == nil || r.Delivered == r.Pairs && r.Unheard == 0 && r.DeadlockFree != check.No.String()
}

// Routes computes the routes on the map, tries every one in the network, has the judge look for
// deadlock, and sends the hosts their tables. Utility is a host of the map to ignore when choosing
// a root, -1 for none.
func (r *Result) Routes(ctx context.Context, utility int32, seed uint64) (*routes.Table, *RoutesReport, error) {
	table := routes.Compute(r.Map, &routes.Options{Utility: utility, Seed: seed})
	trial := table.Try(r.Map, r.Sender.Model)
	told := table.Distribute(r.Map, r.Map.HostByID(r.Mapper.ID), r.Sender.Model, mapping.MyrinetClock)
	rep := &RoutesReport{
		Root: r.Map.NodeName(table.Root), Relabelled: []string{}, Pairs: trial.Pairs, Delivered: trial.Delivered,
		Messages: told.Messages, Unheard: told.Unheard, Bytes: told.Bytes, ModelledMS: milliseconds(told.Elapsed),
	}
	for _, s := range table.Relabelled {
		rep.Relabelled = append(rep.Relabelled, r.Map.NodeName(s))
	}
	var err error
	rep.DeadlockFree, err = deadlockFree(ctx, r.Map, table)
	return table, rep, err
}

// errNoPlan says that the routes on a map cannot be a Plan.
var errNoPlan = errors.New("not judged")

// JudgeRoutes has the routes on a map judged as a Plan.
func JudgeRoutes(ctx context.Context, n *mapping.Network, table *routes.Table, workers int) (*quality.Report, error) {
	f, err := n.ToFabric("map", 4, fabric.SDR)
	if err != nil {
		return nil, err
	}
	g := f.Compile()
	plan, err := table.Plan(ctx, n, g)
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPlan, err)
	}
	return quality.Judge(ctx, g, plan, check.Options{Workers: workers})
}

// deadlockFree asks the judge whether messages on the routes can wait for each other in a circle.
// It returns yes, no, or the reason for not asking.
func deadlockFree(ctx context.Context, n *mapping.Network, table *routes.Table) (string, error) {
	report, err := JudgeRoutes(ctx, n, table, 1)
	switch {
	case errors.Is(err, errNoPlan):
		return err.Error(), nil
	case err != nil:
		return "", err
	case report.DifferingPaths > 0:
		return "", fmt.Errorf("mapping: the judge saw %d routes that differ from the map's", report.DifferingPaths)
	}
	return report.HostOnly.DeadlockFree.String(), nil
}
