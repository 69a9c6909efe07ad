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
	want    choose.Want
	study   choose.Study
	servers string // --servers
	storage string // --storage
	service string // --service
	later   int    // --later
	apps    []string
	prices  string
	asJSON  bool
}

// suggestHelp is the text of weft suggest --help.
const suggestHelp = `Propose networks for a planned machine, measure them, and recommend one.

Input is the number of servers and of ports on a switch. Output is a table of networks: the smallest
fat-tree, Dragonfly, Dragonfly+, HyperX, full mesh, torus and Slim Fly that hold the servers, at full
bandwidth, oversubscribed by 2, and by what you accept. Each row has its formula (an argument for
other commands), the switches and cables to buy, and the bandwidth that it delivers. A network that
misses something that you asked for says so and is not recommended. A kind without a network is left
out, with the reason.

To measure a network, weft routes it with the engines that are best for its kind and proves the
routing. If one network is large, none is routed unless you give --measure always: all are then
compared by the arithmetic of uniform traffic under ideal balance.

SERVERS

  --servers 1024x8       1,024 compute servers of eight ports; 1024x8@400: of 400 Gb/s each
  --servers 1024x8+1     and one more port of each on the plane of storage and service
  --storage 64x2         64 storage servers of two ports
  --service 16           16 servers for logins, management and the like

Storage and service servers share the compute network if all servers have the same number of ports
and there is no +PORTS. Otherwise they get a tree of their own, the storage plane, which every
compute server has a port on. --oversubscription counts on the compute network,
--storage-oversubscription on the storage plane, and --between-pods above the pods of a tree, between
the groups of a Dragonfly, between rails and between subnets.

GROWTH

With --now 800 --later 2400 the network is bought in two steps. Each proposal shows both; the first
step is a formula too. In the second step no cable that stands is plugged again: switches of the
first step have free ports for the later cables. Kinds of networks that cannot grow like this are
left out.

SEVERAL SUBNETS

A subnet has 49,151 LIDs. If a machine takes more, the proposals are several equal subnets, joined by
routers on free ports of their top switches: "subnets(2,FORMULA,routers=R,cables=C)". Routers count
as switches.

THE RECOMMENDATION

A network is beaten if another one delivers at least as much, in random bisections and in all-to-all
by shifts, for no more switches, or with --prices for no more cost. Beaten networks are in a table of
their own. weft recommends the fat-tree of the accepted oversubscription (for servers of several
ports the rails), or a network that costs at most nine tenths as much and delivers nearly the same:
at least nine tenths of the bandwidth in random bisections, all-to-all in at most five quarters of
the time, and nothing missing.

APPLICATIONS

--app 'allreduce(size=64MiB)' runs an application (weft simulate app) on each measured network, by
flows: with a rank on each compute server in order of the leaves, or on each port of servers of
several ports, rail by rail. Networks are then listed by its time, and a network replaces the tree if
it costs at most nine tenths as much and the applications take at most ten ninths of the time there.
Bisections and all-to-all are shown all the same.

RAILS

Servers of several ports get two families of proposals. Rail-optimised trees ("rails") put port i of
the servers of a pod on a switch of its own and join all rails: at the spines, or with spines for
every rail and cores above them, in two or three levels. "FORMULA|planes(8)" is eight equal networks
that meet only in the servers: cheaper, but traffic from one port to another has to pass a server.

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
  weft suggest --hosts 500 --radix 36 --app 'allreduce(size=64MiB)' --app 'alltoall(size=1MiB)'
  weft suggest --servers 256x8 --radix 64
  weft suggest --servers 512x8+1@400 --storage 64x2@400 --service 16 --radix 64
  weft suggest --now 800 --later 2400 --radix 64
  weft suggest --hosts 10000 --radix 64 --measure never --json`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cli.JSONFlag(cmd, &o.asJSON)
	f := cmd.Flags()
	f.IntVar(&o.want.Hosts, "hosts", 0, "number `N` of hosts to connect; --servers says more")
	f.StringVar(&o.servers, "servers", "", "compute servers `NxPORTS+PORTS@GBPS` (see SERVERS above)")
	f.StringVar(&o.storage, "storage", "", "storage servers `NxPORTS@GBPS`")
	f.StringVar(&o.service, "service", "", "servers `NxPORTS@GBPS` for logins, management and the like")
	f.IntVar(&o.want.Now, "now", 0, "number `N` of compute servers at the first step of growth")
	f.IntVar(&o.later, "later", 0, "number `N` of compute servers at the last step; in place of --hosts")
	f.IntVar(&o.want.Radix, "radix", 0, "number `N` of ports on a switch")
	f.IntVar(&o.want.Rails, "rails", 1, "number `N` of ports on a host, each on a rail of its own")
	f.Float64Var(&o.want.Ratio, "oversubscription", 1, "accept a network in which `N` hosts share the bandwidth of one at full load")
	f.Float64Var(&o.want.StorageRatio, "storage-oversubscription", 0, "the same for the storage plane, `N` (default: as --oversubscription)")
	f.Float64Var(&o.want.Pods, "between-pods", 0, "the same between pods, groups and subnets, `N` (default: as --oversubscription)")
	f.StringSliceVar(&o.want.Kinds, "kinds", nil, "`KINDS` of networks to propose: "+strings.Join(choose.Kinds(), ",")+" (default: all)")
	pricesFlag(cmd, &o.prices)
	f.StringVar(&o.study.Measure, "measure", "auto", "`WHEN` to route and measure the networks: always, never, or auto (unless one is large)")
	f.StringArrayVar(&o.apps, "app", nil, "also run `PROGRAM` of weft simulate app on each measured network, and rank by its time; can be repeated")
	cli.SendsFlag(cmd, &o.study.Sends)
	f.IntVarP(&o.study.Runs, "runs", "n", 0, "number `N` of random bisections (default: 200, fewer from 20,000 hosts on)")
	f.Uint64Var(&o.study.Seed, "seed", 1, "seed `N` of random bisections")
	cli.JobsFlag(cmd, &o.study.Workers)
	completeFlag(cmd, "kinds", behindCommas(choose.Kinds()))
	completeFlag(cmd, "measure", fixed([]string{"always", "never", "auto"}))
	if err := cmd.MarkFlagRequired("radix"); err != nil {
		panic(err) // the flag is there
	}
	cmd.MarkFlagsOneRequired("hosts", "servers", "later")
	cmd.MarkFlagsMutuallyExclusive("hosts", "servers", "later")
	cmd.MarkFlagsMutuallyExclusive("rails", "servers")
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

// parse takes the servers of all kinds into the need.
func (o *suggestOptions) parse() (err error) {
	if o.later > 0 {
		o.want.Hosts = o.later
	}
	if o.servers != "" {
		if err := o.want.SetServers(o.servers); err != nil {
			return fmt.Errorf("servers %w", err)
		}
	}
	if o.storage != "" {
		if o.want.Storage, err = choose.ParseGroup(o.storage); err != nil {
			return fmt.Errorf("storage %w", err)
		}
	}
	if o.service != "" {
		if o.want.Service, err = choose.ParseGroup(o.service); err != nil {
			return fmt.Errorf("service %w", err)
		}
	}
	return nil
}

func (o *suggestOptions) run(cmd *cobra.Command) (err error) {
	if err := o.parse(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := o.want.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if o.study.Apps, err = o.want.OpenApps(o.apps); err != nil {
		return fmt.Errorf("--app: %w", err)
	}
	if err := o.study.Validate(); err != nil {
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
		return cli.Cannot(fmt.Errorf("no network of these kinds connects %d servers with switches of %d ports: use switches with more ports, or fewer servers", o.want.Hosts, o.want.Radix))
	}
	return nil
}
