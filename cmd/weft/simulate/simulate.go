// Package simulate has the commands below weft simulate: what a routing delivers, by flows, by
// packets, under applications, and during an outage.
package simulate

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

// Command returns weft simulate.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "simulate traffic: bandwidth, latency, deadlocks, outages",
		Long: `Simulate the traffic that a routing carries, at several levels of detail.

  flow    fast: counts flows on links, for bandwidth and congestion of patterns
  packet  detailed: packets, credits and virtual lanes in time, for latency and deadlocks
  app     applications: schedules and collective operations, and when they end
  outage  packets together with a running subnet manager, for losses during a fault`,
		Args: cli.SubcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(simulateFlowCmd(), simulatePacketCmd(), simulateAppCmd(), simulateOutageCmd())
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
	cmd.Flags().Lookup("seed").Usage = "seed `N` of orders and draws, and of engines that draw at random"
	cli.JSONFlag(cmd, &o.asJSON)
	cli.ChainFlag(cmd, &o.chain)
	f, r := cmd.Flags(), &o.flows
	f.StringVar(&o.files.Plan, "plan", "", "use the Plan in `FILE` (weft route -o)")
	f.StringVar(&o.files.LFTs, "lfts", "", "use the forwarding tables in `FILE`, of another subnet manager")
	f.StringVarP(&r.Pattern, "pattern", "p", "bisect", "traffic `PATTERN`, NAME or NAME:ARG (--patterns lists them)")
	f.StringVar(&r.File, "pattern-file", "", "`FILE` with flows: one line SOURCE DESTINATION for each; a line \"round\" begins the next round")
	f.StringVar(&r.Order, "order", "auto", "`ORDER` of ranks on hosts: random in every run, natural (by GUID), leaf (by switch and port), or auto (see --patterns)")
	f.IntVar(&r.Ranks, "ranks", 0, "number `N` of ranks (default: one for each host port, or server)")
	f.StringVar(&r.RanksOn, "ranks-on", "ports", "`WHAT` a rank is: ports, a host port; or servers, a server, which sends a message on every rail that its peer has too, port i to port i")
	f.IntVarP(&r.Runs, "runs", "n", 1000, "number `N` of runs; a pattern that is the same in every run is run once (default: 1000; of random bisections of large fabrics 100, 200 or 400 if these give the mean to 0.1 %)")
	f.BoolVar(&r.MaxMin, "max-min", false, "also compute max-min fair shares, by the widths and speeds of links")
	f.BoolVar(&r.Equal, "equal-rates", false, "treat all links as equally fast in max-min fair shares, as congestion does")
	f.BoolVar(&r.NoPairs, "no-pairs", false, "skip the loads over all pairs of hosts")
	f.StringVar(&o.orcs, "orcs", "", "write the network and its tables to `FILE` for ORCS (weft reads it as FABRIC and as --lfts); with \"-\" nothing is simulated")
	f.StringVar(&o.loads, "loads", "", "write the pairs on every link to `FILE`, tab-separated, busiest first")
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
		return errors.New("--orcs - simulates nothing: leave out --loads, or name a file for --orcs")
	case o.flows.NoPairs && o.loads != "":
		return errors.New("--loads writes the loads that --no-pairs skips: leave one of them out")
	}
	if err := o.flows.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if !changed("runs") {
		o.flows.StopEarly()
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
		Long: `Compute how much bandwidth a routing delivers under a traffic pattern, by counting flows on links.

Input is a FABRIC, an engine or existing tables (--plan, --lfts), and a pattern (--patterns lists
them). Output is the bandwidth of the flows: 1/c, where c is the largest number of flows on any link
of the path, host links included. All links count as equally fast. The same seed gives the same
figures on any number of cores.

THE FIGURES

  bandwidth     effective bisection bandwidth (ebb) is the mean over random bisections: one way with
                --pattern bisect (as ORCS counts), both ways at once with bisect_fb_sym (as netgauge
                measures)
  max-min       with --max-min: the fair share of each flow, relative to the fastest link
  all pairs     edge forwarding index (largest load of a link), unused links, all-to-all risk
  permutations  for the risk of random permutations, run --pattern rand: it is the median of
                "largest congestion" (max_congestion in JSON)
  shifts        for the risk of shifts, run --pattern shift: it is the largest max_congestion

` + ranksHelp + `

LIDS

A source sends to the LID that the Plan assigns. If a Plan with an LMC allows any LID, two results
are reported: traffic to base LIDs only, as most MPI libraries send, and traffic spread equally over
all LIDs of the destination.

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

// ranksHelp explains ranks on servers with several ports.
const ranksHelp = `SERVERS WITH SEVERAL PORTS

With --ranks-on ports, the default, a rank is a host port, and any port may send to any other. Ports
of one server send nothing to each other: that uses no network. If no switch cable joins two parts of
the network (planes), each plane has the pattern by itself, and all run at once.

With --ranks-on servers a rank is a server. A message between two servers goes over every rail that
both have, from port to port of one rail, as NCCL sends. Without a common rail it goes over one pair
of ports that can reach each other. Servers that share no plane send each other nothing. The
bandwidth is that of a port; a second row has that of a server, in links.`

// run routes the fabric or reads tables, and simulates.
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
	out, seconds, err := timed(cmd, func(ctx context.Context) (*flows.Simulation, error) {
		return flows.Simulate(ctx, g, r, &o.flows)
	})
	if err != nil {
		return err
	}
	out.Seconds = seconds
	cli.Warn(cmd, out.Warnings())
	if o.loads != "" {
		if err := files[1].Write(func(w io.Writer) error { return flows.WriteLoads(w, g, out.Pairs.Loads) }); err != nil {
			return err
		}
	}
	return cli.Answer(to, out, o.asJSON)
}

// timed runs a simulation, shows its progress, and measures the seconds that it takes.
func timed[T any](cmd *cobra.Command, simulate func(context.Context) (T, error)) (out T, seconds float64, err error) {
	begun := time.Now()
	err = cli.WithProgress(cmd, "simulating", func(ctx context.Context) (err error) {
		out, err = simulate(ctx)
		return err
	})
	return out, time.Since(begun).Seconds(), err
}
