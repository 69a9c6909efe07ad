package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/planner"
	"weft/study"
	"weft/whatif"
)

// betweenRuns is the number of random bisections of several subnets that are measured by default.
const betweenRuns = 100

// routingNames are the options of routing that go with several subnets.
var routingNames = []string{"engine", "option", "vls", "seed", "jobs", "lmc", "fresh-lids"}

// flows asks for bisections.
func (r *routeFlags) flows(runs int) *intersubnet.FlowRequest {
	return &intersubnet.FlowRequest{Runs: cmp.Or(runs, betweenRuns), Seed: r.Seed, Workers: r.Workers}
}

// runBetween says what changes of several subnets would do.
func (o *whatifOptions) runBetween(cmd *cobra.Command, arg string) error {
	if err := refuseOne(cmd, append(routingNames, "fail", "drain", "add", "move", "each", "top", "runs", "window", "round-trip")...); err != nil {
		return err
	}
	if err := errors.Join(o.validate(cmd, whatif.BetweenKinds), o.routing.setChain(o.chain)); err != nil {
		return err
	}
	n, err := o.fabric.network(cmd, arg)
	if err != nil {
		return err
	}
	parts := 0
	if o.each != "" {
		parts, err = whatif.CountEachBetween(n, o.each)
	} else {
		err = whatif.CheckBetween(n, o.changes)
	}
	if err != nil {
		return err
	}
	req, err := o.between.request(n, &o.routing)
	if err != nil {
		return err
	}
	var today *whatif.BetweenToday
	err = withProgress(cmd, "measuring today", func(ctx context.Context) (err error) {
		today, err = whatif.NewBetween(ctx, n, whatif.BetweenOptions{Request: req, HostsOnly: o.between.hostsOnly, Flows: o.routing.flows(o.runs), Pace: o.pace()})
		return err
	})
	if err != nil {
		return err
	}
	return o.ask(cmd, today, parts, func(ctx context.Context) (document, bool, error) {
		a, err := today.Ask(ctx, o.changes)
		if err != nil {
			return nil, false, err
		}
		return a, a.OK, nil
	})
}

// runBetween compares the ways to route between several subnets.
func (o *compareOptions) runBetween(cmd *cobra.Command, fabrics []string) error {
	if len(fabrics) > 1 {
		return errors.New("several subnets are compared by themselves: name one FABRIC")
	}
	if err := refuseOne(cmd, append(routingNames, "engines", "runs")...); err != nil {
		return err
	}
	if err := errors.Join(o.validate(fabrics), o.routing.setChain(cmp.Or(strings.Join(o.engines, ","), "auto"))); err != nil {
		return err
	}
	n, err := o.fabric.network(cmd, fabrics[0])
	if err != nil {
		return err
	}
	methods := study.BetweenMethods
	if o.between.method != everyMethod {
		methods = nil
		for name := range strings.SplitSeq(o.between.method, ",") {
			m, err := intersubnet.ParseMethod(name)
			if err != nil {
				return fmt.Errorf("--between: %w", err)
			}
			methods = append(methods, m)
		}
	}
	o.between.method = string(methods[0])
	req, err := o.between.request(n, &o.routing)
	if err != nil {
		return err
	}
	out, ready := cmd.OutOrStdout(), func(*study.MethodRow) {}
	if !o.form.json {
		study.WriteMethodsHead(out, n.Name)
		ready = func(r *study.MethodRow) { r.Write(out) }
	}
	var c *study.ComparedBetween
	err = withProgress(cmd, "comparing", func(ctx context.Context) (err error) {
		c, err = study.CompareBetween(ctx, n, req, methods, o.between.hostsOnly, o.routing.flows(o.runs), time.Now, ready)
		return err
	})
	switch {
	case err != nil:
		return err
	case o.form.json:
		return printJSON(out, c)
	}
	return c.WriteEnd(out)
}

// everyMethod is the value of --between that compare takes by default.
const everyMethod = "all"

// addCompared adds the options, with --between for several methods.
func (b *betweenFlags) addCompared(cmd *cobra.Command) {
	b.add(cmd)
	f := cmd.Flags().Lookup("between")
	f.Usage, f.DefValue, b.method = "ways to route between several subnets that are compared, a,b,c or all", everyMethod, everyMethod
}

// planOr reads a Plan of several subnets from a directory, or routes.
func (b *betweenFlags) planOr(cmd *cobra.Command, dir string, n *subnets.Network, local *routeFlags) (*intersubnet.Plan, error) {
	if dir != "" {
		return loadBetween(dir, n)
	}
	_, p, err := b.route(cmd, n, local)
	return p, err
}

// runBetween lets packets pass several subnets.
func (o *packetOptions) runBetween(cmd *cobra.Command, arg string) error {
	allowed := []string{"plan", "pattern", "pattern-file", "messages", "streams", "order", "ranks", "seeds", "load", "bursts", "once", "message", "duration", "warmup"}
	allowed = append(allowed, "mtu", "headers", "buffer", "switch-latency", "cable-delay", "inject", "drain-rate", "one-queue", "oldest-first", "head-of-queue", "cc", "hot-spots", "hot-share")
	allowed = append(allowed, "csv", "svg", "beside", "over-time", "links", "hosts", "flows", "steps", "changes")
	if err := refuseOne(cmd, append(allowed, routingNames...)...); err != nil {
		return err
	}
	n, err := o.fabric.network(cmd, arg)
	if err != nil {
		return err
	}
	req, err := o.between.request(n, &o.routing)
	if err != nil {
		return err
	}
	p, err := o.between.planOr(cmd, o.files.Plan, n, &o.routing)
	if err != nil {
		return err
	}
	flat, err := p.Flatten(0)
	if err != nil {
		return err
	}
	o.packets.Between = &study.PacketsBetween{Plan: p, Flat: flat, Request: req, HostsOnly: o.between.hostsOnly}
	return o.simulate(cmd, flat.Graph, func() (*planner.Result, error) { return &planner.Result{Plan: flat.Plan}, nil })
}
