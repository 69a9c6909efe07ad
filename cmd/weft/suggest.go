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

func suggestCmd() *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "propose networks for a machine to be bought",
		Long: `Propose networks for so many hosts on switches of so many ports: fat trees, Dragonfly,
Dragonfly+, HyperX, full mesh, torus and Slim Fly, the smallest of each kind, whole and
oversubscribed by 2 and by --oversubscription. Each has its formula, what is bought,
and what it delivers: it is routed by the engines that are known to deliver the most
on it, the routing is proven and measured. Where one of them is large, none is routed unless
--measure always asks for it: they are compared by what uniform traffic would get under
ideal balance, by arithmetic.

A network that another one beats - as much bandwidth or more for no more switches, or
for no more cost where there are prices - stands in a table of its own. Recommended is
the tree of the oversubscription that is accepted, or what delivers nearly as much with no
more oversubscription for nine tenths of its price or less: nine tenths of its bandwidth
in random bisections, and all-to-all by shifts in five quarters of the time.

With --rails every host has so many ports. The proposals are then as many equal networks
("8 x tree", a formula for each), and rail-optimised trees, which join all rails: at the
spines, or where these have too few ports planes of two levels, one a rail, by cores.

--prices FILE: ` + bill.Help,
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
	f.IntVar(&o.want.Hosts, "hosts", 0, "hosts that it must hold")
	f.IntVar(&o.want.Radix, "radix", 0, "ports of a switch")
	f.IntVar(&o.want.Rails, "rails", 1, "ports of a host, each on a rail of its own")
	f.Float64Var(&o.want.Ratio, "oversubscription", 1, "how many hosts may share what one of them could send")
	f.StringSliceVar(&o.want.Kinds, "kinds", nil, "kinds of networks: "+strings.Join(choose.Kinds(), ",")+" (default: all)")
	pricesFlag(cmd, &o.prices)
	f.StringVar(&o.study.Measure, "measure", "auto", "route and measure the networks: always, never, or auto, unless one is large")
	f.IntVarP(&o.study.Runs, "runs", "n", 0, "random bisections (default: 200, fewer from 20,000 hosts on)")
	f.Uint64Var(&o.study.Seed, "seed", 1, "seed of random bisections")
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

// pricesFlag adds the file of prices.
func pricesFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "prices", "", "file of prices (see above)")
}

// readPrices reads the file of prices, nil where there is none.
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
		return cli.Cannot(fmt.Errorf("no network of these kinds holds %d hosts on switches of %d ports: take switches of more ports, or fewer hosts", o.want.Hosts, o.want.Radix))
	}
	return nil
}
