package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/route"
	"weft/route/planfile"
	"weft/study/routing"
)

// TwoPlans names two stored Plans of a manager by their versions.
type TwoPlans struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// Check returns errors that hold on any fabric.
func (q *TwoPlans) Check() error {
	if q.Before < 0 || q.After < 0 {
		return errors.New("before, after: want versions of /v1/plans")
	}
	return nil
}

// plans returns the endpoint that compares two stored Plans.
func (p *Page) plans() endpoints.Endpoint {
	return question(p, fabricPath+"/plans", "What changed from one stored Plan to another: LIDs, and entries of forwarding tables by switch.", "weft route --since compares the files of /v1/plans",
		func(_ context.Context, h *Held, q *TwoPlans) (*routing.Change, error) {
			before, old, err := p.stored(q.Before)
			if err != nil {
				return nil, fmt.Errorf("before: %w", err)
			}
			after, g, err := p.stored(q.After)
			if err != nil {
				return nil, fmt.Errorf("after: %w", err)
			}
			takeNames(g, h.graph)
			return routing.NewChange(fmt.Sprint("version ", q.Before), g, route.Compare(old, before, g, after), &planner.Result{}, nil, nil), nil
		})
}

// stored returns a stored Plan, with the switches and end ports that it is for.
func (p *Page) stored(version int64) (*route.Plan, *fabric.Graph, error) {
	data, err := p.opt.PlanFile(version)
	switch {
	case err != nil:
		return nil, nil, err
	case data == nil:
		return nil, nil, fmt.Errorf("version %d is not stored: see /v1/plans", version)
	}
	return planfile.LoadAlone(bytes.NewReader(data))
}

// takeNames copies the names of the subnet in force to the Graph of a Plan's file, which has none.
func takeNames(g, of *fabric.Graph) {
	switches, ends := fabric.Match(of, g)
	for s, o := range switches {
		if o >= 0 {
			g.SwitchDesc[s] = of.SwitchDesc[o]
		}
	}
	for e, o := range ends {
		if o >= 0 {
			g.EndDesc[e] = of.EndDesc[o]
		}
	}
}
