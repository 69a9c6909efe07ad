// Package flowload measures a Plan under static flows.
package flowload

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/planner"
	"weft/sim/flow"
	"weft/study/flows"
)

// Params are the options of the workload.
type Params struct {
	Runs    int    `json:"runs,omitempty" yaml:"runs,omitempty" doc:"random bisections, or runs of the pattern; 0: as many as suit the size" usual:"0"`
	Pattern string `json:"pattern,omitempty" yaml:"pattern,omitempty" doc:"a pattern of weft simulate flow --patterns; none: random bisections, and all-to-all by shifts"`
	Order   string `json:"order,omitempty" yaml:"order,omitempty" doc:"of the pattern's ranks on hosts: auto, random, natural or leaf" usual:"auto"`
}

// Figures holds the measured figures; nil for a figure that the workload does not measure. The
// yardstick defines bisections, shifts and pairs.
type Figures struct {
	EBB         *float64 `parquet:"ebb_share"`            // effective bisection bandwidth, a share of a host's link
	EBBCI       *float64 `parquet:"ebb_ci95_share"`       // half of its interval over the bisections
	Shift       *float64 `parquet:"shift_congestion_sum"` // all-to-all by shifts: sum of the largest congestions
	Pairs       *int64   `parquet:"channel_load_max_pairs"`
	Dark        *int64   `parquet:"dark_channels"`
	Undelivered *int64   `parquet:"undelivered_pairs"` // flows, if there is a pattern
	Bandwidth   *float64 `parquet:"pattern_bandwidth_share"`
	BandwidthCI *float64 `parquet:"pattern_bandwidth_ci95_share"`
	Congestion  *float64 `parquet:"pattern_congestion_max_flows"`
}

// Validate returns an error for an option out of range.
func (p *Params) Validate() error {
	if p.Runs < 0 || p.Runs > flows.MaxRuns {
		return fmt.Errorf("runs %d: want 0 to %d", p.Runs, flows.MaxRuns)
	}
	if p.Pattern == "" {
		if p.Order != "" {
			return errors.New("order: goes with a pattern")
		}
		return nil
	}
	return p.request(1, 1).Validate()
}

func (p *Params) request(seed uint64, workers int) *flows.Request {
	return &flows.Request{
		Pattern: p.Pattern, Order: cmp.Or(p.Order, "auto"), NoPairs: true,
		Options: flow.Options{Runs: cmp.Or(p.Runs, 100), Seed: seed, Workers: workers},
	}
}

// Measure measures a Plan: under the pattern, or else under bisections and shifts.
func Measure(ctx context.Context, g *fabric.Graph, r *planner.Result, p *Params, seed uint64, workers int) (*Figures, error) {
	if p.Pattern != "" {
		s, err := flows.Simulate(ctx, g, r, p.request(seed, workers))
		if err != nil {
			return nil, err
		}
		lost := s.Undelivered
		return &Figures{Bandwidth: &s.Bandwidth.Mean, BandwidthCI: &s.Bandwidth.CI95, Congestion: &s.MaxCongestion.Mean, Undelivered: &lost}, nil
	}
	k, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: p.Runs, Seed: seed, Workers: workers})
	if err != nil {
		return nil, err
	}
	dark := int64(k.DarkChannels)
	return &Figures{EBB: &k.EBB.Mean, EBBCI: &k.EBB.CI95, Shift: &k.Shift.Sum, Pairs: &k.PairLoad, Dark: &dark, Undelivered: &k.Undelivered}, nil
}
