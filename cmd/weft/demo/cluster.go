package demo

import (
	"context"
	"fmt"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/netfile"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/planner"
	"weft/route/engine"
	"weft/route/foreign"
)

// cluster is a real cluster with two routings.
type cluster struct {
	Fabric
	src          *source.Source
	opensm, best *planner.Result
}

// The files of the cluster, as the project has them.
const (
	clusterFile = "examples/trinityx.ibnetdiscover"
	tablesFile  = "examples/trinityx.lfts"
)

// newCluster reads the cluster, and compares the tables of OpenSM with the best routing.
func newCluster(ctx context.Context, workers int) (*cluster, error) {
	f, warnings, err := netfile.Read(clusterFile, examples.Trinityx, netfile.Options{})
	if err != nil {
		return nil, err
	}
	c := &cluster{src: &source.Source{Fabric: f, Format: "ibnetdiscover", Warnings: warnings}}
	g := f.Compile()
	if c.opensm, err = tablesOf(g); err != nil {
		return nil, err
	}
	req := &planner.Request{Chain: chainOf(engine.Auto), Workers: workers, Seed: seed}
	if c.best, err = planner.Run(ctx, g, req); err != nil {
		return nil, err
	}
	c.Title, c.Odd = "A real cluster, as ibnetdiscover printed it", cables.Of(f, g, warnings)
	if c.Fabric.Fabric, err = summary.Of(ctx, c.src, g); err != nil {
		return nil, err
	}
	for _, r := range []struct {
		engine string
		result *planner.Result
	}{{"OpenSM 3.3.23: minhop", c.opensm}, {"weft: " + c.best.Engine.Name, c.best}} {
		row, err := measured(ctx, g, r.engine, r.result, workers)
		if err != nil {
			return nil, err
		}
		c.Engines = append(c.Engines, row)
	}
	return c, nil
}

// tablesOf reads the tables of OpenSM.
func tablesOf(g *fabric.Graph) (*planner.Result, error) {
	tables, _, err := netfile.ReadLFTs(tablesFile, examples.TrinityxTables)
	if err != nil {
		return nil, err
	}
	plan, _, err := (&foreign.Files{LFTs: tables}).Plan(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tablesFile, err)
	}
	return &planner.Result{Plan: plan}, nil
}
