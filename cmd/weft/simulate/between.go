package simulate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/planner"
	simbetween "weft/sim/between"
	"weft/study/packets"
	"weft/study/several"
)

// runBetween simulates packets in several subnets.
func (o *packetOptions) runBetween(cmd *cobra.Command, arg string) error {
	allowed := []string{"plan", "pattern", "pattern-file", "messages", "streams", "order", "ranks", "seeds", "load", "bursts", "once", "message", "duration", "warmup"}
	allowed = append(allowed, "mtu", "headers", "buffer", "switch-latency", "cable-delay", "inject", "drain-rate", "one-queue", "oldest-first", "head-of-queue", "cc", "hot-spots", "hot-share", "far-share")
	allowed = append(allowed, "csv", "svg", "beside", "over-time", "links", "hosts", "flows", "steps", "changes")
	if err := cli.RefuseOne(cmd, append(allowed, cli.RoutingNames...)...); err != nil {
		return err
	}
	n, err := o.fabric.Network(cmd, arg)
	if err != nil {
		return err
	}
	req, err := o.between.Request(n, &o.routing)
	if err != nil {
		return err
	}
	p, err := o.between.PlanOr(cmd, o.files.Plan, n, &o.routing)
	if err != nil {
		return err
	}
	flat, err := simbetween.Flatten(p, 0)
	if err != nil {
		return err
	}
	o.packets.Between = &packets.Between{Plan: p, Flat: flat, Request: req, HostsOnly: o.between.HostsOnly}
	return o.simulate(cmd, flat.Graph, func() (*planner.Result, error) { return &planner.Result{Plan: flat.Plan}, nil })
}

// runBetween routes several subnets, or reads their Plans, and simulates.
func (o *flowOptions) runBetween(cmd *cobra.Command, arg string) error {
	if err := cli.RefuseOne(cmd, "engine", "option", "vls", "seed", "jobs", "lmc", "fresh-lids", "plan", "pattern", "order", "runs"); err != nil {
		return err
	}
	if err := o.flows.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	n, err := o.fabric.Network(cmd, arg)
	if err != nil {
		return err
	}
	p, err := o.between.PlanOr(cmd, o.files.Plan, n, &o.routing)
	if err != nil {
		return err
	}
	out := &several.Flows{Network: n.Name, Layers: p.Layers}
	err = cli.WithProgress(cmd, "simulating", func(ctx context.Context) (err error) {
		out.FlowReport, err = simbetween.Simulate(ctx, p, &simbetween.FlowRequest{Pattern: o.flows.Pattern, Order: o.flows.Order, Runs: o.flows.Runs, Seed: o.routing.Seed, Workers: o.routing.Workers})
		return err
	})
	if err != nil {
		return err
	}
	return cli.Answer(cmd.OutOrStdout(), out, o.asJSON)
}
