package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/bill"
	"weft/study/choose"
)

// suggestOptions are the options of weft suggest.
type suggestOptions struct {
	want   choose.Want
	study  choose.Study
	prices string
	asJSON bool
}

// suggestHelp is the text of weft suggest --help.
const suggestHelp = `Propose networks for a planned machine, measure them, and recommend one.

Input is the number of hosts and of ports on a switch. Output is a table of networks: the smallest
fat-tree, Dragonfly, Dragonfly+, HyperX, full mesh, torus and Slim Fly that hold the hosts, at full
bandwidth, oversubscribed by 2, and by --oversubscription. Each row has its formula (an argument for
other commands), the switches and cables to buy, and the bandwidth that it delivers.

To measure a network, weft routes it with the engines that are best for its kind and proves the
routing. If one network is large, none is routed unless you give --measure always: all are then
compared by the arithmetic of uniform traffic under ideal balance.

THE RECOMMENDATION

A network is beaten if another one delivers at least as much bandwidth for no more switches, or
with --prices for no more cost. Beaten networks are in a table of their own. weft recommends the
fat-tree of the accepted oversubscription, or a network that costs at most nine tenths as much and
delivers nearly the same: at least nine tenths of the bandwidth in random bisections, all-to-all by
shifts in at most five quarters of the time, and no more oversubscription.

RAILS

With --rails N every host has N ports. The proposals are then N equal networks ("8 x tree", one
formula for each), and rail-optimised trees that join all rails: at the spines, or, if these have too
few ports, by cores above planes of two levels, one plane for each rail.

PRICES

` + bill.Help

func suggestCmd() *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "propose networks for a planned machine and recommend one",
		Long:  suggestHelp,
		Example: `  weft suggest --hosts 2000 --radix 40
  weft suggest --hosts 500 --radix 36 --oversubscription 3 --prices prices.txt
  weft suggest --hosts 2000 --radix 40 --kinds tree,dragonfly,torus --prices prices.txt
  weft suggest --hosts 256 --radix 64 --rails 8
  weft suggest --hosts 10000 --radix 64 --measure never --json`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cli.JSONFlag(cmd, &o.asJSON)
	f := cmd.Flags()
	f.IntVar(&o.want.Hosts, "hosts", 0, "number `N` of hosts to connect")
	f.IntVar(&o.want.Radix, "radix", 0, "number `N` of ports on a switch")
	f.IntVar(&o.want.Rails, "rails", 1, "number `N` of ports on a host, each on a rail of its own")
	f.Float64Var(&o.want.Ratio, "oversubscription", 1, "accept a network in which `N` hosts share the bandwidth of one at full load")
	f.StringSliceVar(&o.want.Kinds, "kinds", nil, "`KINDS` of networks to propose: "+strings.Join(choose.Kinds(), ",")+" (default: all)")
	pricesFlag(cmd, &o.prices)
	f.StringVar(&o.study.Measure, "measure", "auto", "`WHEN` to route and measure the networks: always, never, or auto (unless one is large)")
	f.IntVarP(&o.study.Runs, "runs", "n", 0, "number `N` of random bisections (default: 200, fewer from 20,000 hosts on)")
	f.Uint64Var(&o.study.Seed, "seed", 1, "seed `N` of random bisections")
	cli.JobsFlag(cmd, &o.study.Workers)
	completeFlag(cmd, "kinds", behindCommas(choose.Kinds()))
	completeFlag(cmd, "measure", fixed([]string{"always", "never", "auto"}))
	for _, name := range []string{"hosts", "radix"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is there
		}
	}
	return cmd
}

// pricesFlag adds --prices.
func pricesFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "prices", "", "`FILE` with prices (see PRICES above)")
}

// readPrices reads the file of prices; nil if none is given.
func readPrices(path string) (*bill.Prices, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--prices: %w", err)
	}
	return bill.ReadPrices(path, data)
}

func (o *suggestOptions) run(cmd *cobra.Command) (err error) {
	if err := errors.Join(o.want.Validate(), o.study.Validate()); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if o.study.Prices, err = readPrices(o.prices); err != nil {
		return err
	}
	var out *choose.Proposals
	err = cli.WithSteps(cmd, "looking for networks", func(ctx context.Context, step func(string)) error {
		o.study.Step = func(done, of int, what string) { step(fmt.Sprintf("%s (%d of %d)", what, done+1, of)) }
		out, err = choose.Propose(ctx, o.want, o.study)
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if e := cli.Answer(cmd.OutOrStdout(), out, o.asJSON); e != nil || err != nil {
		return errors.Join(e, err)
	}
	if len(out.Proposals) == 0 {
		return cli.Cannot(fmt.Errorf("no network of these kinds connects %d hosts with switches of %d ports: use switches with more ports, or fewer hosts", o.want.Hosts, o.want.Radix))
	}
	return nil
}
