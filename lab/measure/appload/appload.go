// Package appload measures the time of an application on a Plan.
package appload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/planner"
	"weft/study/app"
	"weft/study/flows"
)

// Params are the options of the workload.
type Params struct {
	Program   string `json:"program" yaml:"program" doc:"a collective operation, HPC code or training step of weft simulate app, in one line; quote it"`
	Packets   bool   `json:"packets,omitempty" yaml:"packets,omitempty" doc:"carry messages as packets in place of flows" usual:"false"`
	Placement string `json:"placement,omitempty" yaml:"placement,omitempty" doc:"of ranks: leaf, spread, rail, or random (by the traffic seed)" usual:"leaf"`
	RanksOn   string `json:"ranks_on,omitempty" yaml:"ranks_on,omitempty" doc:"servers: a rank is a server with all its ports; or ports" usual:"servers"`
	Costs     string `json:"costs,omitempty" yaml:"costs,omitempty" doc:"costs of messages as --costs of weft simulate app, such as o=200,S=65536; quote them"`
	Sends     string `json:"sends,omitempty" yaml:"sends,omitempty" doc:"order in which messages leave a rank: pair, port or shared (--sends of weft simulate app)" usual:"pair"`
}

// Figures holds the measured figures; nil for a figure that the workload does not measure.
type Figures struct {
	End       *float64 `parquet:"app_end_us"`         // when the last rank ends
	Ideal     *float64 `parquet:"app_ideal_us"`       // the same on one switch for all hosts
	Cost      *float64 `parquet:"app_cost_ratio"`     // End divided by Ideal
	Bus       *float64 `parquet:"app_bus_gb_s"`       // bus bandwidth, of a collective operation
	Algorithm *float64 `parquet:"app_algorithm_gb_s"` // size divided by time, likewise
}

// placements lists the placements that a case can name. Others read files or name nodes.
var placements = []string{"leaf", "spread", "rail", "random"}

// Validate returns an error for an option out of range.
func (p *Params) Validate() error {
	if !slices.Contains(placements, cmp.Or(p.Placement, "leaf")) {
		return fmt.Errorf("placement %q: want one of %s", p.Placement, strings.Join(placements, ", "))
	}
	if err := flows.CheckRanksOn(cmp.Or(p.RanksOn, flows.OnServers)); err != nil {
		return err
	}
	if _, err := app.ParseCosts(p.Costs, app.Usual().Costs); err != nil {
		return fmt.Errorf("costs: %w", err)
	}
	if err := new(app.Request).SetSends(p.Sends); err != nil {
		return err
	}
	if err := app.CheckLine(p.Program); err != nil {
		return fmt.Errorf("program: %w; a sweep takes programs in one line, no files", err)
	}
	return nil
}

// Measure runs the application on a Plan.
func Measure(ctx context.Context, g *fabric.Graph, routed *planner.Result, p *Params, seed uint64, workers int) (*Figures, error) {
	r := app.Usual()
	r.Packets, r.OnPorts, r.Workers = p.Packets, cmp.Or(p.RanksOn, flows.OnServers) != flows.OnServers, workers
	if r.Placement = cmp.Or(p.Placement, "leaf"); r.Placement == "random" {
		r.Placement = fmt.Sprintf("random:%d", seed)
	}
	var err error
	if r.Costs, err = app.ParseCosts(p.Costs, r.Costs); err != nil {
		return nil, err
	}
	if err = r.SetSends(p.Sends); err != nil {
		return nil, err
	}
	program, err := app.OpenLine(p.Program, app.DefaultsOf(g, r.OnPorts, r.Placement))
	if err != nil {
		return nil, err
	}
	r.Jobs = []*app.Program{program}
	run, err := app.On(ctx, g, routed, &r)
	if err != nil {
		return nil, err
	}
	end, ideal := run.EndNS/1000, run.IdealNS/1000
	f := &Figures{End: &end, Ideal: &ideal, Cost: &run.Cost}
	if run.Bandwidth != nil {
		f.Bus, f.Algorithm = &run.Bandwidth.Bus, &run.Bandwidth.Algorithm
	}
	return f, nil
}
