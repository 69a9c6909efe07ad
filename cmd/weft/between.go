package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
	"weft/study/several"
)

// runBetween predicts what changes of several subnets do.
func (o *whatifOptions) runBetween(cmd *cobra.Command, arg string) error {
	if err := cli.RefuseOne(cmd, append(cli.RoutingNames, "fail", "drain", "add", "move", "each", "top", "runs", "window", "round-trip")...); err != nil {
		return err
	}
	if err := errors.Join(o.validate(cmd, several.Kinds), o.routing.SetChain(o.chain)); err != nil {
		return err
	}
	n, err := o.fabric.Network(cmd, arg)
	if err != nil {
		return err
	}
	parts := 0
	if o.each != "" {
		parts, err = several.CountEach(n, o.each)
	} else {
		err = several.CheckChanges(n, o.changes)
	}
	if err != nil {
		return err
	}
	req, err := o.between.Request(n, &o.routing)
	if err != nil {
		return err
	}
	var today *several.Today
	err = cli.WithProgress(cmd, "measuring the present routing", func(ctx context.Context) (err error) {
		today, err = several.NewToday(ctx, n, several.Options{Request: req, HostsOnly: o.between.HostsOnly, Flows: o.routing.Flows(o.runs), Pace: o.pace()})
		return err
	})
	if err != nil {
		return err
	}
	return o.ask(cmd, today, parts, func(ctx context.Context) (cli.Document, bool, error) {
		a, err := today.Ask(ctx, o.changes)
		if err != nil {
			return nil, false, err
		}
		return a, a.OK, nil
	})
}

// runBetween compares the methods of routing between several subnets.
func (o *compareOptions) runBetween(cmd *cobra.Command, fabrics []string) error {
	if len(fabrics) > 1 {
		return errors.New("several subnets cannot be compared with other fabrics: name one FABRIC")
	}
	if err := cli.RefuseOne(cmd, append(cli.RoutingNames, "engines", "runs")...); err != nil {
		return err
	}
	if err := errors.Join(o.validate(fabrics), o.routing.SetChain(cmp.Or(strings.Join(o.engines, ","), "auto"))); err != nil {
		return err
	}
	n, err := o.fabric.Network(cmd, fabrics[0])
	if err != nil {
		return err
	}
	methods := several.Methods
	if o.between.Method != cli.EveryMethod {
		methods = nil
		for name := range strings.SplitSeq(o.between.Method, ",") {
			m, err := intersubnet.ParseMethod(name)
			if err != nil {
				return fmt.Errorf("--between: %w", err)
			}
			methods = append(methods, m)
		}
	}
	o.between.Method = string(methods[0])
	req, err := o.between.Request(n, &o.routing)
	if err != nil {
		return err
	}
	out, ready := cmd.OutOrStdout(), func(*several.MethodRow) {}
	if !o.form.JSON {
		several.WriteMethodsHead(out, n.Name)
		ready = func(r *several.MethodRow) { r.Write(out) }
	}
	var c *several.Comparison
	err = cli.WithProgress(cmd, "comparing", func(ctx context.Context) (err error) {
		c, err = several.Compare(ctx, n, req, methods, o.between.HostsOnly, o.routing.Flows(o.runs), time.Now, ready)
		return err
	})
	switch {
	case err != nil:
		return err
	case o.form.JSON:
		return cli.PrintJSON(out, c)
	}
	return c.WriteEnd(out)
}

// runBetween routes and judges several subnets, and writes a directory of Plans.
func (o *routeOptions) runBetween(cmd *cobra.Command, arg string) error {
	if err := cli.RefuseOne(cmd, "engine", "option", "vls", "seed", "jobs", "lmc", "fresh-lids", "output"); err != nil {
		return err
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	n, err := o.fabric.Network(cmd, arg)
	if err != nil {
		return err
	}
	d, p, err := o.between.Route(cmd, n, &o.routing)
	if err != nil {
		return err
	}
	if o.files.Plan != "" {
		if err := cli.WriteBetween(cmd, o.files.Plan, p); err != nil {
			return err
		}
	}
	if err := o.form.Answer(cmd.OutOrStdout(), d); err != nil {
		return err
	}
	if !d.Check.OK {
		return cli.AnswerNo
	}
	return nil
}

// checkBetween judges the routing of several subnets: a directory of Plans.
func (o *checkOptions) checkBetween(cmd *cobra.Command, arg string) error {
	if err := o.jobs.Refuse(); err != nil {
		return err
	}
	if err := cli.RefuseOne(cmd, "plan", "jobs"); err != nil {
		return err
	}
	if o.files.Plan == "" {
		return errors.New("FABRIC is several subnets: --plan needs the directory that weft route -o wrote")
	}
	n, err := o.fabric.Network(cmd, arg)
	if err != nil {
		return err
	}
	p, err := cli.LoadBetween(o.files.Plan, n)
	if err != nil {
		return err
	}
	var r *betweencheck.Report
	err = cli.WithProgress(cmd, "judging", func(ctx context.Context) (err error) {
		r, err = betweencheck.Judge(ctx, p, betweencheck.Options{Workers: o.workers, HostsOnly: o.hostsOnly})
		return err
	})
	if err != nil {
		return err
	}
	if err := cli.Answer(cmd.OutOrStdout(), r, o.form.JSON); err != nil {
		return err
	}
	if !r.OK {
		return cli.AnswerNo
	}
	return nil
}

// writeSubnets writes the subnets and routers of a formula to a file.
func writeSubnets(cmd *cobra.Command, arg, out string) error {
	if cmd.Flags().Changed("format") {
		return errors.New("--format does not work with several subnets: they have a single format")
	}
	n, err := new(cli.FabricFlags).Network(cmd, arg)
	if err != nil {
		return err
	}
	return cli.Output(cmd, out, n.File.Write)
}
