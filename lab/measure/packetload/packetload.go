// Package packetload measures a Plan under packets in time.
package packetload

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/sim/packet"
	"weft/study/packets"
)

// Params are the options of the workload.
type Params struct {
	Pattern  string  `json:"pattern,omitempty" yaml:"pattern,omitempty" doc:"uniform, or a pattern of weft simulate flow --patterns" usual:"uniform"`
	Order    string  `json:"order,omitempty" yaml:"order,omitempty" doc:"of ranks on hosts: auto, random, natural or leaf" usual:"auto"`
	Ranks    int     `json:"ranks,omitempty" yaml:"ranks,omitempty" doc:"number of ranks; 0: one for each host port" usual:"0"`
	Load     float64 `json:"load,omitempty" yaml:"load,omitempty" doc:"offered load as a share of the rate of a host's link; 0: no pauses" usual:"0"`
	Once     bool    `json:"once,omitempty" yaml:"once,omitempty" doc:"one message for each flow, and the run ends with the last" usual:"false"`
	Message  string  `json:"message,omitempty" yaml:"message,omitempty" doc:"bytes of a message, or LEAST-MOST"`
	Warmup   string  `json:"warmup,omitempty" yaml:"warmup,omitempty" doc:"simulated time before the measurement" usual:"50us"`
	Duration string  `json:"duration,omitempty" yaml:"duration,omitempty" doc:"simulated time that is measured" usual:"200us"`
	MTU      int     `json:"mtu,omitempty" yaml:"mtu,omitempty" doc:"largest payload of a packet, in bytes; 0: as weft simulate packet has it" usual:"0"`
	Buffer   int     `json:"buffer,omitempty" yaml:"buffer,omitempty" doc:"bytes of each input buffer, for each VL; 0: as weft simulate packet has it" usual:"0"`
}

// Figures holds the measured figures; nil for a figure that the workload does not measure.
type Figures struct {
	Throughput  *float64 `parquet:"throughput_gbps"` // payload of a sending rank
	Share       *float64 `parquet:"throughput_share"`
	Slowest     *float64 `parquet:"slowest_gbps"` // receiving rank
	Fairness    *float64 `parquet:"fairness_jain"`
	Latency     *float64 `parquet:"latency_mean_ns"`
	LatencyP99  *float64 `parquet:"latency_p99_ns"`
	LatencyMost *float64 `parquet:"latency_max_ns"`
	Finished    *float64 `parquet:"finished_ns"`
	Lost        *int64   `parquet:"lost_packets"`
	Deadlocks   *int64   `parquet:"deadlocked_runs"`
}

// Validate returns an error for an option out of range.
func (p *Params) Validate() error {
	r, err := p.request(1, 1)
	if err == nil {
		err = r.Validate()
	}
	if err == nil {
		err = r.Hardware.Validate()
	}
	return err
}

func (p *Params) request(seed uint64, workers int) (*packets.Request, error) {
	r := &packets.Request{Workers: workers, Hardware: packet.Default()}
	r.Pattern, r.Order, r.Ranks, r.Once = cmp.Or(p.Pattern, packets.Uniform), cmp.Or(p.Order, "auto"), p.Ranks, p.Once
	r.HotSpots.Share = .05
	r.Seeds, r.Seed = 1, seed
	if p.Load != 0 {
		r.Loads = []float64{p.Load}
	}
	var err error
	if r.Warmup, err = time.ParseDuration(cmp.Or(p.Warmup, "50us")); err != nil {
		return nil, fmt.Errorf("warmup: %w", err)
	}
	if r.Duration, err = time.ParseDuration(cmp.Or(p.Duration, "200us")); err != nil {
		return nil, fmt.Errorf("duration: %w", err)
	}
	if p.Message != "" {
		if r.Message, err = packets.ParseMessageSize(p.Message); err != nil {
			return nil, err
		}
	}
	r.Hardware.MTU, r.Hardware.Buffer = cmp.Or(p.MTU, r.Hardware.MTU), cmp.Or(p.Buffer, r.Hardware.Buffer)
	if r.IsBEff() {
		return nil, fmt.Errorf("pattern %s: a sweep has no b_eff yet", p.Pattern)
	}
	return r, nil
}

// Measure measures a Plan.
func Measure(ctx context.Context, g *fabric.Graph, routed *planner.Result, p *Params, seed uint64, workers int) (*Figures, error) {
	r, err := p.request(seed, workers)
	if err != nil {
		return nil, err
	}
	s, err := packets.Simulate(ctx, g, routed, r)
	if err != nil {
		return nil, err
	}
	row := &s.Rows[0]
	deadlocks := int64(row.Deadlocks)
	f := &Figures{
		Throughput: &row.Throughput.Mean, Share: &row.Share.Mean, Slowest: &row.Slowest.Mean, Fairness: &row.Fairness.Mean,
		Latency: &row.Latency.Mean, LatencyP99: &row.Latency.P99, LatencyMost: &row.Latency.Max, Lost: &row.Lost, Deadlocks: &deadlocks,
	}
	if row.Finished != nil {
		f.Finished = &row.Finished.Mean
	}
	return f, nil
}
