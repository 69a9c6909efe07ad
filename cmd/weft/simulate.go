package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/study/flows"
	"weft/study/routing"
)

func simulateCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "what a routing delivers under traffic",
		Args:  cli.SubcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(simulateFlowCmd(), simulatePacketCmd(), simulateOutageCmd())
	return cmd
}

// flowOptions are the options of weft simulate flow.
type flowOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	between cli.BetweenFlags
	chain   string
	files   routing.TableFiles
	flows   flows.Request
	loads   string
	orcs    string
	asJSON  bool
}

func (o *flowOptions) add(cmd *cobra.Command) {
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.between.Add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed of orders and draws, and of engines that draw at random"
	cli.JSONFlag(cmd, &o.asJSON)
	cli.ChainFlag(cmd, &o.chain)
	f, r := cmd.Flags(), &o.flows
	f.StringVar(&o.files.Plan, "plan", "", "Plan that weft route -o wrote, instead of an engine")
	f.StringVar(&o.files.LFTs, "lfts", "", "forwarding tables of another subnet manager, instead of an engine")
	f.StringVarP(&r.Pattern, "pattern", "p", "bisect", "traffic pattern, NAME or NAME:ARG (--patterns lists them)")
	f.StringVar(&r.File, "pattern-file", "", "file of flows: a line SOURCE DESTINATION each; a line round begins the next round")
	f.StringVar(&r.Order, "order", "auto", "how ranks are put on hosts: random in every run, natural (by GUID), leaf (by switch and port), or auto (as --patterns says)")
	f.IntVar(&r.Ranks, "ranks", 0, "number of ranks (default: one for each host port)")
	f.IntVarP(&r.Runs, "runs", "n", 1000, "runs; a pattern that is the same in every run is run once")
	f.BoolVar(&r.MaxMin, "max-min", false, "compute max-min fair shares too, by the widths and speeds of links")
	f.BoolVar(&r.Equal, "equal-rates", false, "take all links for equal in max-min fair shares, as congestion does")
	f.BoolVar(&r.NoPairs, "no-pairs", false, "leave out the loads over all pairs of hosts")
	f.StringVar(&o.orcs, "orcs", "", "write the network and its tables to this file as ORCS reads them (weft reads it as FABRIC and as --lfts); with - it goes to standard output and nothing is simulated")
	f.StringVar(&o.loads, "loads", "", "write the pairs on every channel to this file, tab-separated, the most first")
}

func (o *flowOptions) validate(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
		return err
	}
	switch {
	case o.files.Plan != "" && o.files.LFTs != "":
		return errors.New("give --plan or --lfts, not both")
	case changed("pattern") && o.flows.File != "":
		return errors.New("give --pattern or --pattern-file, not both")
	case o.orcs == "-" && o.loads != "":
		return errors.New("--orcs - is all that is done: leave out --loads, or name a file")
	case o.flows.NoPairs && o.loads != "":
		return errors.New("--loads needs the loads that --no-pairs leaves out")
	}
	if err := o.flows.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

func simulateFlowCmd() *cobra.Command {
	var (
		o    flowOptions
		list bool
	)
	cmd := &cobra.Command{
		Use:   "flow FABRIC",
		Short: "congestion of traffic patterns: effective bisection bandwidth, link loads",
		Long: `Put the flows of a traffic pattern on the paths of a routing and count. The
bandwidth of a flow is 1/c of a link, c being the largest number of flows on any
link of its path, host links included. The effective bisection bandwidth (ebb) is
the mean over random bisections: one way with --pattern bisect (as ORCS counts),
both ways at once with bisect_fb_sym (as netgauge measures). --max-min adds the
max-min fair shares, as shares of the fastest link. Congestion takes all links as equally fast.

The figures over all pairs of hosts are the edge forwarding index (the largest
load of a channel), dark links, and the all-to-all risk. The risk of random
permutations is the median of max_congestion with --pattern rand, that of shifts
the largest max_congestion with --pattern shift.

A source uses the LID of its target that the Plan says. Where a Plan with an LMC lets
it use any, two kinds of traffic are reported: to base LIDs alone, as most MPI libraries
send, and with every flow divided equally over all LIDs of its target. The same seed gives the same figures on any number of cores.

` + cli.BetweenHelp,
		Example: `  weft simulate flow 'rlft(36,3)' --engine updn --runs 1000
  weft simulate flow subnet.lst --lfts osm.fdbs --pattern shift --json
  weft simulate flow fabric.txt --plan my.plan --pattern nearest3d:8x8x4 --max-min
  weft simulate flow orcs.dot --lfts orcs.dot --pattern recdbl --order natural`,
		Args: cli.ArgumentOrList("FABRIC", "patterns", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return cli.Answer(cmd.OutOrStdout(), flows.ListPatterns(), o.asJSON)
			}
			if o.fabric.Several(args[0]) {
				return o.runBetween(cmd, args[0])
			}
			if err := o.between.Refuse(cmd); err != nil {
				return err
			}
			return o.run(cmd, args[0])
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&list, "patterns", false, "list the traffic patterns")
	return cmd
}

// run routes or reads tables, and simulates.
func (o *flowOptions) run(cmd *cobra.Command, arg string) error {
	if err := o.validate(cmd); err != nil {
		return err
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	to, err := cli.AnswerTo(cmd, o.loads, o.orcs)
	if err != nil {
		return err
	}
	if o.flows.File != "" {
		if o.flows.Text, err = os.ReadFile(o.flows.File); err != nil {
			return err
		}
	}
	g, err := o.fabric.Graph(cmd, arg)
	if err != nil {
		return err
	}
	if !o.files.Given() {
		if err := o.flows.Check(g); err != nil {
			return err
		}
	}
	files, err := cli.OpenOutputs(cmd, o.orcs, o.loads)
	if err != nil {
		return err
	}
	defer files.Drop()
	r, err := cli.ReadOrRoute(cmd, g, &o.files, &o.routing.Request)
	if err != nil {
		return err
	}
	if o.orcs != "" {
		err := files[0].Write(func(w io.Writer) error { return flows.WriteORCS(w, g, r.Plan) })
		if err != nil || o.orcs == "-" {
			return err
		}
	}
	o.flows.Seed, o.flows.Workers = o.routing.Seed, o.routing.Workers
	var out *flows.Simulation
	begun := time.Now()
	err = cli.WithProgress(cmd, "simulating", func(ctx context.Context) (err error) {
		out, err = flows.Simulate(ctx, g, r, &o.flows)
		return err
	})
	if err != nil {
		return err
	}
	out.Seconds = time.Since(begun).Seconds()
	cli.Warn(cmd, out.Warnings())
	if o.loads != "" {
		if err := files[1].Write(func(w io.Writer) error { return flows.WriteLoads(w, g, out.Pairs.Loads) }); err != nil {
			return err
		}
	}
	return cli.Answer(to, out, o.asJSON)
}
