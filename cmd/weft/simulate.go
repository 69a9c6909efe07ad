package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/route"
	"weft/route/engine"
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
	noPairs bool
}

func (s *simulation) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.chain, "engine", "e", engine.Default, "engine, or a chain a,b,c of which the first that does not refuse is used")
	f.StringVar(&s.files.plan, "plan", "", "Plan that weft route -o wrote, instead of an engine")
	f.StringVar(&s.files.lfts, "lfts", "", "forwarding tables of another subnet manager, instead of an engine")
	f.StringVarP(&s.pattern, "pattern", "p", "bisect", "traffic pattern, NAME or NAME:ARG (--patterns lists them)")
	f.StringVar(&s.file, "pattern-file", "", "file of flows: a line SOURCE DESTINATION each; a line round begins the next round")
	f.StringVar(&s.order, "order", "auto", "how ranks are put on hosts: random in every run, natural (by GUID), or auto (as --patterns says)")
	f.IntVar(&s.ranks, "ranks", 0, "number of ranks (default: one for each host port)")
	f.IntVarP(&s.runs, "runs", "n", 1000, "runs; a pattern that is the same in every run is run once")
	f.BoolVar(&s.maxMin, "max-min", false, "compute max-min fair shares too")
	f.BoolVar(&s.noPairs, "no-pairs", false, "leave out the loads over all pairs of hosts")
}

func (s *simulation) validate(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case s.files.plan != "" && s.files.lfts != "":
		return errors.New("give --plan or --lfts, not both")
	case changed("engine") && (s.files.plan != "" || s.files.lfts != ""):
		return errors.New("give --engine, or tables with --plan or --lfts, not both")
	case changed("pattern") && s.file != "":
		return errors.New("give --pattern or --pattern-file, not both")
	case s.order != "auto" && s.order != "random" && s.order != "natural":
		return fmt.Errorf("--order %q: want auto, random or natural", s.order)
	case s.runs < 1:
		return fmt.Errorf("--runs %d: want at least 1", s.runs)
	case s.ranks < 0:
		return fmt.Errorf("--ranks %d: want at least 1", s.ranks)
	}
	return nil
}

// flowOutput is what `weft simulate flow --json` prints.
type flowOutput struct {
	Fabric  string   `json:"fabric"`
	Engine  string   `json:"engine,omitempty"` // none for tables from a file
	Refused []string `json:"refused,omitempty"`
	Pattern string   `json:"pattern"`
	Order   string   `json:"order"`
	Hosts   int      `json:"hosts"`
	Seed    uint64   `json:"seed"`
	// EBB is the effective bisection bandwidth, for the bisection patterns only.
	EBB       *flow.Summary `json:"ebb,omitempty"`
	Direction string        `json:"ebb_direction,omitempty"` // "one way" or "both ways"
	*flow.Result
	Pairs   *pairsOutput `json:"all_pairs,omitempty"`
	Seconds float64      `json:"seconds"` // simulation alone
}

// pairsOutput are the figures over all pairs of hosts.
type pairsOutput struct {
	*flow.Pairs
	PathLoad flow.Spread `json:"path_load"`
	A2A      *int64      `json:"a2a_risk,omitempty"` // absent for a Plan with a Choice of LIDs
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
max-min fair shares.

The figures over all pairs of hosts are the edge forwarding index (the largest
load of a channel), dark links, and the all-to-all risk. The risk of random
permutations is the median of max_congestion with --pattern rand, that of shifts
the largest max_congestion with --pattern shift.

The same seed gives the same figures on any number of cores.`,
		Example: `  weft simulate flow 'rlft(36,3)' --engine updn --runs 1000
  weft simulate flow subnet.lst --lfts osm.fdbs --pattern shift --json
  weft simulate flow fabric.txt --plan my.plan --pattern nearest3d:8x8x4 --max-min`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listPatterns(cmd.OutOrStdout(), asJSON)
			}
			if err := sim.validate(cmd); err != nil {
				return err
			}
			specs, err := engine.Chain(sim.chain)
			if err != nil {
				return err
			}
			if err := routing.validate(specs); err != nil {
				return err
			}
			src, err := flags.open(cmd, args[0])
			if err != nil {
				return err
			}
			g := src.Fabric.Compile()
			out := &flowOutput{Fabric: src.Fabric.Name, Seed: routing.seed}
			plan, err := sim.plan(cmd, g, specs, &routing, out)
			if err != nil {
				return err
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
			if asJSON {
				return printJSON(cmd.OutOrStdout(), out)
			}
			return out.write(cmd.OutOrStdout())
		},
	}
	flags.add(cmd)
	routing.add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed of orders and draws, and of engines that draw lots"
	sim.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&list, "patterns", false, "list the traffic patterns")
	return cmd
}

// plan reads the tables, or routes.
func (s *simulation) plan(cmd *cobra.Command, g *fabric.Graph, chain []*route.Spec, routing *routeFlags, out *flowOutput) (*route.Plan, error) {
	if s.files.plan != "" || s.files.lfts != "" {
		return s.files.read(cmd, g)
	}
	routed, plan, err := routeAndJudge(cmd, g, chain, routing, false)
	if err != nil {
		return nil, err
	}
	out.Engine, out.Refused = routed.Engine, routed.Refused
	return plan, nil
}

// run simulates, and fills in the output.
func (s *simulation) run(ctx context.Context, g *fabric.Graph, plan *route.Plan, routing *routeFlags, out *flowOutput) error {
	n, err := flow.New(ctx, g, plan, routing.workers)
	if err != nil {
		return err
	}
	p, err := s.traffic(g, n)
	if err != nil {
		return err
	}
	shuffle := s.order == "random" || s.order == "auto" && p.Shuffled
	out.Hosts, out.Pattern, out.Order = len(n.Hosts), p.Name, "natural"
	if shuffle {
		out.Order = "random"
	}
	out.Result, err = n.Run(ctx, p, flow.Options{
		Runs: s.runs, Seed: routing.seed, Shuffle: shuffle, MaxMin: s.maxMin, Workers: routing.workers,
	})
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
	out.Pairs, err = allPairs(ctx, n, plan, routing.workers)
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
	if out.PathLoad, err = n.PathLoads(ctx, pairs.Loads, workers); err != nil || plan.Choice != nil {
		return out, err
	}
	risk, err := n.A2A(ctx, workers)
	out.A2A = &risk
	return out, err
}

func (o *flowOutput) write(w io.Writer) error {
	tables := "tables of a file"
	if o.Engine != "" {
		tables = o.Engine
	}
	what := "bandwidth"
	if o.EBB != nil {
		what = "effective bisection bandwidth, " + o.Direction
	}
	rows := [][]string{
		{"engine", tables},
		{"pattern", fmt.Sprintf("%s, %d ranks, %s order", o.Pattern, o.Ranks, o.Order)},
		{"runs", fmt.Sprintf("%d of %s, %s in all", o.Runs, plural(o.Rounds, "round"), plural(o.Flows, "flow"))},
	}
	if o.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", plural(o.Undelivered, "flow")})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	stats := [][]string{{"", "MEAN", "+-95%", "MIN", "MEDIAN", "MAX"}, summaryRow(what, &o.Bandwidth, 4)}
	if o.MaxMin != nil {
		stats = append(stats, summaryRow("max-min fair share", o.MaxMin, 4))
	}
	stats = append(stats, summaryRow("largest congestion", &o.MaxCongestion, 2))
	if o.Rounds > 1 {
		stats = append(stats, summaryRow("sum over rounds", &o.SumMaxCongestion, 2))
	}
	if err := table(w, stats); err != nil {
		return err
	}
	if o.Pairs == nil {
		return nil
	}
	fmt.Fprintln(w)
	return o.Pairs.write(w)
}

// summaryRow is a row of a table: mean, confidence, least, median and largest.
func summaryRow(name string, s *flow.Summary, digits int) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{name, number(s.Mean), number(s.CI95), number(s.Min), number(s.Median), number(s.Max)}
}

func (p *pairsOutput) write(w io.Writer) error {
	spread := func(s flow.Spread) string {
		return fmt.Sprintf("%.0f to %.0f, mean %.1f, deviation %.1f", s.Min, s.Max, s.Mean, s.StdDev)
	}
	rows := [][]string{
		{"all pairs", strconv.FormatInt(p.Pairs.Pairs, 10)},
		{"pairs a channel", spread(p.Load)},
		{"largest on a path", spread(p.PathLoad)},
		{"edge forwarding index", strconv.FormatInt(p.Index, 10)},
		{"dark", fmt.Sprintf("%d of %d channels, %s both ways", p.DarkChannels, p.Channels, plural(p.DarkLinks, "link"))},
	}
	if p.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", plural(p.Undelivered, "pair")})
	}
	if p.A2A != nil {
		rows = append(rows, []string{"all-to-all risk", strconv.FormatInt(*p.A2A, 10)})
	}
	return table(w, rows)
}

// plural is a number with its noun.
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// patternEntry is what `weft simulate flow --patterns --json` prints of a pattern.
type patternEntry struct {
	Name    string `json:"name"`
	Arg     string `json:"arg,omitempty"` // in brackets when it may be left out
	Order   string `json:"order"`
	Summary string `json:"summary"`
}

func listPatterns(w io.Writer, asJSON bool) error {
	entries := []patternEntry{}
	rows := [][]string{{"PATTERN", "ORDER", ""}}
	for _, k := range traffic.Kinds() {
		e := patternEntry{k.Name, k.Arg, "natural", k.Summary}
		if k.Shuffled {
			e.Order = "random"
		}
		entries = append(entries, e)
		name := k.Name
		if k.Arg != "" {
			name += "[:" + k.Arg[1:]
		}
		rows = append(rows, []string{name, e.Order, e.Summary})
	}
	if asJSON {
		return printJSON(w, map[string]any{"patterns": entries})
	}
	return table(w, rows)
}
