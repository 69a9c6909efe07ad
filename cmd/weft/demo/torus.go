package demo

import (
	"context"
	"time"

	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/planner"
	"weft/sim/packet"
	"weft/study/packets"
)

// torus is the fabric whose packets are simulated, and engines the two routings of it: the first
// can deadlock, the second cannot.
const torus = "torus(5x5,hosts=2)"

var engines = []string{"minhop", "dor"}

// The traffic: all hosts send to random hosts, at this share of their link rate, for this time.
const (
	load     = 0.9
	duration = time.Millisecond
)

// newTorus routes the torus with both engines and simulates packets.
func newTorus(ctx context.Context, workers int) (Fabric, error) {
	out := Fabric{Title: "A torus, and the packets of two routings"}
	src, err := source.Generate(torus)
	if err != nil {
		return out, err
	}
	g := src.Fabric.Compile()
	if out.Fabric, err = summary.Of(ctx, src, g); err != nil {
		return out, err
	}
	for _, engine := range engines {
		r, err := planner.Run(ctx, g, &planner.Request{Chain: chainOf(engine), Workers: workers, Seed: seed})
		if err != nil {
			return out, err
		}
		row, err := measured(ctx, g, engine, r, workers)
		if err != nil {
			return out, err
		}
		packets, err := packets.Simulate(ctx, g, r, traffic(workers))
		if err != nil {
			return out, err
		}
		out.Engines, out.Traffic = append(out.Engines, row), append(out.Traffic, packets)
	}
	return out, nil
}

// traffic returns the traffic of the torus.
func traffic(workers int) *packets.Request {
	hardware := packet.Default()
	hardware.GoOn = true // after a deadlock, so that both run for as long
	return &packets.Request{
		Traffic:  packets.Traffic{Pattern: packets.Uniform, Order: "natural", Loads: []float64{load}},
		Runs:     packets.Runs{Seeds: 1, Seed: seed, Duration: duration},
		Hardware: hardware, Workers: workers,
	}
}
