// Package demo shows what weft does in two screens and a few seconds: a real cluster and its odd
// cables, its best routing beside that of OpenSM, a subnet manager that mends a pulled cable, a
// routing that deadlocks beside one that cannot, and pictures.
//
// All figures are computed while the demo runs. The manager is that of `weft sm`, in real time;
// only the switches and hosts that it manages are emulated.
package demo

import (
	"context"
	"fmt"
	"io"
	"time"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/layout"
	"weft/fabric/summary"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
	"weft/sm/terms"
	"weft/study"
	"weft/study/compare"
	"weft/study/packets"
)

// Config says how to run the demo.
type Config struct {
	Workers int // cores to use; only times depend on it
	Clock   func() time.Duration
	// Step runs a step with its progress shown.
	Step func(what string, work func(context.Context) error) error
	Out  io.Writer // takes the text of each part as soon as the part has run; nil: no text
	// Draw writes a picture into a file and returns its path. name has no ending. Nil: no pictures.
	Draw func(name string, p *layout.Picture) (path string, err error)
}

// Demo is the document of `weft demo --json`.
type Demo struct {
	Fabrics  []Fabric `json:"fabrics"` // the real cluster, and the torus whose packets are simulated
	Repair   *Repair  `json:"repair"`
	Pictures []string `json:"pictures,omitempty"` // paths of the files, with --svg
}

// Fabric is a fabric with the results of engines.
type Fabric struct {
	Title   string                `json:"title"`
	Fabric  *summary.Summary      `json:"fabric"`
	Odd     *cables.Report        `json:"odd_cables,omitempty"`
	Engines []compare.Row         `json:"engines"`
	Traffic []*packets.Simulation `json:"traffic,omitempty"` // packets under each engine
}

// seed is the seed of everything that is drawn at random.
const seed = 1

// Run runs all parts of the demo, and prints each when it is done.
func Run(c *Config) (*Demo, error) {
	d := &Demo{}
	var found *cluster
	for _, part := range []struct {
		step string
		work func(context.Context) error
		text func() string
	}{
		{"comparing routings", func(ctx context.Context) (err error) {
			if found, err = newCluster(ctx, c.Workers); err == nil {
				d.Fabrics = append(d.Fabrics, found.Fabric)
			}
			return err
		}, func() string { return found.text() }},
		{"managing a subnet", func(ctx context.Context) (err error) {
			d.Repair, err = repair(ctx, managed, terms.UsualWatch, c.routing(), c.Clock)
			return err
		}, func() string { return d.Repair.text() }},
		{"simulating packets", func(ctx context.Context) error {
			f, err := newTorus(ctx, c.Workers)
			d.Fabrics = append(d.Fabrics, f)
			return err
		}, func() string { return d.Fabrics[1].torusText() }},
		{"drawing", func(ctx context.Context) (err error) {
			d.Pictures, err = c.draw(ctx, found)
			return err
		}, func() string { return picturesText(d.Pictures) + nextText() }},
	} {
		if err := c.Step(part.step, part.work); err != nil {
			return nil, err
		}
		if c.Out == nil {
			continue
		}
		if _, err := io.WriteString(c.Out, part.text()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// routing returns the job of the manager, which routes by the best engine.
func (c *Config) routing() planner.Request {
	return planner.Request{Chain: chainOf(engine.Auto), Workers: c.Workers, Seed: seed, Now: c.Clock}
}

// chainOf returns the chain of a known engine.
func chainOf(name string) route.Chain {
	chain, err := engine.Parse(name, nil)
	if err != nil {
		panic(fmt.Sprintf("demo: %v", err))
	}
	return chain
}

// measured proves a routing and measures its bandwidth.
func measured(ctx context.Context, g *fabric.Graph, engine string, r *planner.Result, workers int) (compare.Row, error) {
	if err := r.Judge(ctx, g, &planner.Request{Workers: workers}); err != nil {
		return compare.Row{}, err
	}
	figures, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: study.UsualRuns(g.NumHosts), Seed: seed, Workers: workers})
	if err != nil {
		return compare.Row{}, err
	}
	return compare.Row{
		Engine: engine, Choice: r.Choice, LIDs: r.Plan.Ends.Total(), VLs: r.Plan.VLs,
		Figures: figures, EBB: &figures.EBB, Check: r.Report,
	}, nil
}
