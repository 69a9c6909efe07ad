package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/route"
	"weft/route/job"
	"weft/sim/flow"
	"weft/traffic"
)

func simulateCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "what a routing delivers under traffic",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(simulateFlowCmd())
	return cmd
}

// simulation are the options of weft simulate flow, beside those of routing.
type simulation struct {
	chain   string
	files   tableFiles
	pattern string
	file    string
	order   string
	ranks   int
	runs    int
	maxMin  bool
	equal   bool
	noPairs bool
	loads   string
	orcs    string
}

func (s *simulation) add(cmd *cobra.Command) {
	f := cmd.Flags()
	chainFlag(cmd, &s.chain)
	f.StringVar(&s.files.plan, "plan", "", "Plan that weft route -o wrote, instead of an engine")
	f.StringVar(&s.files.lfts, "lfts", "", "forwarding tables of another subnet manager, instead of an engine")
	f.StringVarP(&s.pattern, "pattern", "p", "bisect", "traffic pattern, NAME or NAME:ARG (--patterns lists them)")
	f.StringVar(&s.file, "pattern-file", "", "file of flows: a line SOURCE DESTINATION each; a line round begins the next round")
	f.StringVar(&s.order, "order", "auto", "how ranks are put on hosts: random in every run, natural (by GUID), leaf (by switch and port), or auto (as --patterns says)")
	f.IntVar(&s.ranks, "ranks", 0, "number of ranks (default: one for each host port)")
	f.IntVarP(&s.runs, "runs", "n", 1000, "runs; a pattern that is the same in every run is run once")
	f.BoolVar(&s.maxMin, "max-min", false, "compute max-min fair shares too, by the widths and speeds of links")
	f.BoolVar(&s.equal, "equal-rates", false, "take all links for equal in max-min fair shares, as congestion does")
	f.BoolVar(&s.noPairs, "no-pairs", false, "leave out the loads over all pairs of hosts")
	f.StringVar(&s.orcs, "orcs", "", "write the network and its forwarding tables to this file as ORCS reads them, and weft too, as FABRIC and --lfts; to standard output (-) it is all that is done")
	f.StringVar(&s.loads, "loads", "", "write the pairs on every channel to this file, tab-separated")
}

// maxRuns bounds the memory of a simulation: some 100 bytes a run.
const maxRuns = 10_000_000

// tables says that there are tables, so that nothing is routed.
func (s *simulation) tables() bool { return s.files.plan != "" || s.files.lfts != "" }

func (s *simulation) validate(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, routing := range []string{"engine", "lmc", "fresh-lids", "vls", "option", "roles"} {
		if changed(routing) && s.tables() {
			return fmt.Errorf("give --%s, or tables with --plan or --lfts, not both", routing)
		}
	}
	switch {
	case s.files.plan != "" && s.files.lfts != "":
		return errors.New("give --plan or --lfts, not both")
	case changed("pattern") && s.file != "":
		return errors.New("give --pattern or --pattern-file, not both")
	case !slices.Contains([]string{"auto", "random", "natural", "leaf"}, s.order):
		return fmt.Errorf("--order %q: want auto, random, natural or leaf", s.order)
	case s.equal && !s.maxMin:
		return errors.New("--equal-rates goes with --max-min")
	case s.orcs == "-" && s.loads != "":
		return errors.New("--orcs - is all that is done: leave out --loads, or name a file")
	case s.noPairs && s.loads != "":
		return errors.New("--loads needs the loads that --no-pairs leaves out")
	case s.runs < 1 || s.runs > maxRuns:
		return fmt.Errorf("--runs %d: want at least 1 and at most %d", s.runs, maxRuns)
	case s.ranks < 0:
		return fmt.Errorf("--ranks %d: want at least 1", s.ranks)
	}
	return nil
}

func simulateFlowCmd() *cobra.Command {
	var (
		flags   fabricFlags
		routing routeFlags
		sim     simulation
		asJSON  bool
		list    bool
	)
	cmd := &cobra.Command{
		Use:   "flow FABRIC",
		Short: "congestion of traffic patterns: effective bisection bandwidth, link loads",
		Long: `Put the flows of a traffic pattern on the paths of a routing and count. The
bandwidth of a flow is 1/c of a link, c being the largest number of flows on any
link of its path, host links included. The effective bisection bandwidth (ebb) is
the mean over random bisections: one way with --pattern bisect (as ORCS counts),
both ways at once with bisect_fb_sym (as netgauge measures). --max-min adds the
max-min fair shares, as shares of the fastest link. Congestion takes links for equal.

The figures over all pairs of hosts are the edge forwarding index (the largest
load of a channel), dark links, and the all-to-all risk. The risk of random
permutations is the median of max_congestion with --pattern rand, that of shifts
the largest max_congestion with --pattern shift.

A source uses the LID of its target that the Plan says. Where a Plan with an LMC lets
it use any, two kinds of traffic are reported: to base LIDs alone, as most MPI libraries
send, and with every flow dealt out evenly over all LIDs of its target. The same seed gives the same figures on any number of cores.`,
		Example: `  weft simulate flow 'rlft(36,3)' --engine updn --runs 1000
  weft simulate flow subnet.lst --lfts osm.fdbs --pattern shift --json
  weft simulate flow fabric.txt --plan my.plan --pattern nearest3d:8x8x4 --max-min
  weft simulate flow orcs.dot --lfts orcs.dot --pattern recdbl --order natural`,
		Args: oneOrList("FABRIC", "patterns", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listPatterns(cmd.OutOrStdout(), asJSON)
			}
			if err := sim.validate(cmd); err != nil {
				return err
			}
			if err := routing.setChain(sim.chain); err != nil {
				return err
			}
			answer, err := answerTo(cmd, sim.loads, sim.orcs)
			if err != nil {
				return err
			}
			g, err := flags.graph(cmd, args[0])
			if err != nil {
				return err
			}
			out := &flowOutput{Fabric: g.Name, Seed: routing.Seed}
			plan, err := sim.plan(cmd, g, &routing.Request, out)
			if err != nil {
				return err
			}
			if sim.orcs != "" {
				if err := sim.writeORCS(cmd, g, plan); err != nil || sim.orcs == "-" {
					return err
				}
			}
			err = withProgress(cmd, "simulating", func(ctx context.Context) (err error) {
				out.Seconds, err = timed(func() error { return sim.run(ctx, g, plan, &routing, out) })
				return err
			})
			if err != nil {
				return err
			}
			if out.Undelivered > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: the tables do not deliver %d of %d flows: they count as bandwidth 0\n", out.Undelivered, out.Flows)
			}
			if r := out.Rates; r != nil && r.Gbps > 0 && r.Unknown > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: the rates of %s are not known: they are taken for %g Gbit/s\n", plural(r.Unknown, "link"), r.Gbps)
			}
			if sim.loads != "" {
				write := func(w io.Writer) error { return writeLoads(w, g, out.Pairs.Loads) }
				if err := output(cmd, sim.loads, write); err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(answer, out)
			}
			return out.write(answer)
		},
	}
	flags.add(cmd)
	flags.addRoles(cmd)
	routing.add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed of orders and draws, and of engines that draw lots"
	sim.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&list, "patterns", false, "list the traffic patterns")
	return cmd
}

// plan reads the tables, or routes.
func (s *simulation) plan(cmd *cobra.Command, g *fabric.Graph, req *job.Request, out *flowOutput) (*route.Plan, error) {
	if s.tables() {
		return s.files.read(cmd, g)
	}
	r, err := routeFabric(cmd, g, req)
	if err != nil {
		return nil, err
	}
	routed := newRouteOutput(r)
	out.Engine, out.Refused = routed.Engine, routed.Refused
	return r.Plan, nil
}

// writeORCS writes the network and its tables.
func (s *simulation) writeORCS(cmd *cobra.Command, g *fabric.Graph, plan *route.Plan) error {
	if by := plan.Choice.By; by != route.AnyLID && by != route.BaseLID {
		return errors.New("--orcs: a host of ORCS has one address, but the plan chooses among the LIDs of a target")
	}
	return output(cmd, s.orcs, func(w io.Writer) error {
		return netfile.WriteORCS(w, g, plan.Ends.Base, plan.Tables.Port)
	})
}

// run simulates, and fills in the output.
func (s *simulation) run(ctx context.Context, g *fabric.Graph, plan *route.Plan, routing *routeFlags, out *flowOutput) error {
	n, err := flow.New(ctx, g, plan, routing.Workers)
	if err != nil {
		return err
	}
	p, err := s.traffic(g, n)
	if err != nil {
		return err
	}
	shuffle := s.order == "random" || s.order == "auto" && p.Shuffled
	out.Hosts, out.Pattern, out.Order = len(n.Hosts), p.Name, "natural"
	var hosts []int32
	switch {
	case shuffle:
		out.Order = "random"
	case s.order == "leaf":
		out.Order, hosts = "leaf", n.ByLeaf()
	}
	opt := flow.Options{
		Hosts: hosts,
		Runs:  s.runs, Seed: routing.Seed, Shuffle: shuffle, MaxMin: s.maxMin, Equal: s.equal, Workers: routing.Workers,
	}
	if out.Result, err = n.Run(ctx, p, opt); err != nil {
		return err
	}
	spread, err := flow.NewSpread(ctx, g, plan, routing.Workers)
	if err == nil && spread != nil {
		out.Spread, err = spread.Run(ctx, p, opt)
	}
	if err != nil {
		return err
	}
	if s.file == "" && (p.Name == "bisect" || p.Name == "bisect_fb_sym") {
		out.EBB, out.Direction = &out.Bandwidth, "one way"
		if p.Name == "bisect_fb_sym" {
			out.Direction = "both ways"
		}
	}
	if s.noPairs {
		return nil
	}
	out.Pairs, err = allPairs(ctx, n, plan, routing.Workers)
	return err
}

// traffic makes the pattern.
func (s *simulation) traffic(g *fabric.Graph, n *flow.Network) (*traffic.Pattern, error) {
	ranks := len(n.Hosts)
	if s.ranks > ranks {
		return nil, fmt.Errorf("--ranks %d: the fabric has %d host ports with a LID", s.ranks, ranks)
	}
	if s.ranks > 0 {
		ranks = s.ranks
	}
	if s.file == "" {
		return traffic.Parse(s.pattern, ranks)
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return nil, err
	}
	return traffic.ReadFile(s.file, data, g, n.Hosts[:ranks])
}

func allPairs(ctx context.Context, n *flow.Network, plan *route.Plan, workers int) (*pairsOutput, error) {
	pairs, err := n.AllPairs(ctx, workers)
	if err != nil {
		return nil, err
	}
	out := &pairsOutput{Pairs: pairs}
	if out.PathLoad, err = n.PathLoads(ctx, pairs.Loads, workers); err != nil || plan.Choice.By != route.AnyLID {
		return out, err
	}
	risk, err := n.A2A(ctx, pairs.Targets, workers)
	out.A2A = &risk
	return out, err
}
