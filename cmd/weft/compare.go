package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/apps/machine"
	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/bill"
	"weft/route"
	"weft/route/engine"
	"weft/study"
	"weft/study/compare"
	"weft/study/flows"
)

// compareOptions are the options of weft compare.
type compareOptions struct {
	fabric    cli.FabricFlags
	routing   cli.RouteFlags
	between   cli.BetweenFlags
	engines   []string
	runs      int
	yardstick bool
	apps      []string
	sends     machine.SendOrder
	sort      string
	prices    string
	form      cli.Form
}

// compareHelp is the text of weft compare --help.
const compareHelp = `Compare routing engines on one fabric, or compare several fabrics, and recommend one.

Input is one FABRIC, which is routed by every engine, or several FABRICs, each routed by its best
engine; --engines selects others. Output is a table with one row for each engine and a
recommendation; what each fabric needs to be bought is above its rows. Rows appear as they are
finished. Ctrl-C stops, and the recommendation then uses the rows so far.

For one fabric weft recommends the engine that auto would choose among the proven ones. For several
it recommends the fabric with the most bandwidth in bisections and all-to-all together, or one with
nearly as much for at most nine tenths of its price. Every engine runs in a process of its own.
A refusing engine stays in the table, with its reason below.

COLUMNS FOR ONE FABRIC

  VERDICT        proven, or what the judge found wrong
  VLs            virtual lanes; "own": a reply must use the SL of its own path, not of its request
  HOPS           mean number of links from the first switch on; 1 between hosts of one switch
  EBB            effective bisection bandwidth, one way: the mean of 1/congestion over random
                 bisections, the same for every engine (--runs, --seed); by link rates if they differ
  SHIFT          largest congestion in a round of all-to-all by shifts, mean of the rounds; 1 is full rate
  ROUTE s        seconds for all stages of routing
  MB             peak memory of the engine's process for reading and routing (--json also has
                 the peak with judge and simulation)

COLUMNS FOR SEVERAL FABRICS

Besides EBB, SHIFT and VLs:

  SWITCHES       number of switches; BETWEEN: cables between them; LEFT: their unused ports
  DIAM           links between the two switches farthest apart
  PORTS/HOST     switch ports bought for each host, a server of any number of ports
  PER EBB        PORTS/HOST divided by EBB: switch ports for each host at full rate
  COST           with --prices; PER HOST and PER EBB are then costs

MORE TABLES

--verbose adds a table of the proof and the paths:

  REACHABLE      all pairs of end ports that are connected reach each other
  NO DEADLOCK    for all traffic, for traffic of hosts only, or no
  LIDs           number of LIDs assigned
  MINIMAL        all pairs use shortest paths, only pairs of hosts do, or no
  PATHS/CHANNEL  pairs of hosts on a link between switches: maximum/mean
  JUDGE s        seconds for the proof

--yardstick adds two tables of congestion:

  EBB, BOUND     EBB as above, and the most that any routing can reach on these bisections
  SHIFTS         all-to-all by shifts in the order of leaves: sum over the rounds of the largest
                 congestion; DOUBLING: the same for recursive doubling or halving
  PERMUTATION    largest congestion of random permutations: median, and 99th percentile
  PAIRS/CHANNEL  most pairs on one link: of hosts, and of all end ports
  LEAST          pairs of hosts on the busiest link under the best possible routing, even one that
                 splits pairs; "-" for large networks
  DARK           links between switches that no pair of hosts uses

--app PROGRAM adds a table of applications (weft simulate app), by flows, with a rank on each host in
order of the leaves: the time, and how many times as long it is as on one switch for all hosts.

PRICES

` + bill.Help + `

` + cli.BetweenHelp + `

The subnets are routed by --engines (default auto), and each row is a method of --between: LAYERS
of lanes, HOPS between subnets, EBB and SHIFT as means of the bandwidth of a flow.`

func compareCmd() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare FABRIC...",
		Short: "compare engines on a fabric, or compare several fabrics",
		Long:  compareHelp,
		Example: `  weft compare examples/sx6036.ibnetdiscover
  weft compare 'rlft(36,2)|fail(links=20,seed=1)' --sort ebb
  weft compare 'tree(40,2000)' 'dragonfly(20,10,10,groups=10,hosts=2000)' 'torus(7x8x8,hosts=5,width=5)'
  weft compare 'tree(36,500)' 'tree(36,500,ratio=2)' --prices prices.txt
  weft compare 'rlft(8,3)' --app 'training(tensor=4,pipeline=4)' --app 'alltoall(size=1MiB)'
  weft compare 'torus(4x4,hosts=2)' --engines updn,dor --json`,
		Args: cli.Arguments("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.ContainsFunc(args, opt.fabric.Several) {
				return opt.runBetween(cmd, args)
			}
			if err := opt.between.Refuse(cmd); err != nil {
				return err
			}
			return opt.run(cmd, args)
		},
	}
	opt.fabric.Add(cmd)
	opt.fabric.AddRoles(cmd)
	opt.routing.Add(cmd)
	opt.between.AddCompared(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed `N` of random bisections, and of engines that draw at random"
	opt.form.Add(cmd)
	pricesFlag(cmd, &opt.prices)
	f := cmd.Flags()
	f.StringArrayVarP(&opt.engines, "engines", "e", nil, "`ENGINES` to compare, a,b,c or all; can be repeated (default: all; auto for several fabrics)")
	f.IntVarP(&opt.runs, "runs", "n", 0, "number `N` of random bisections (default: 1000, fewer from 5,000 hosts on)")
	f.BoolVar(&opt.yardstick, "yardstick", false, "also measure all-to-all, recursive doubling, permutations and pair loads")
	f.StringArrayVar(&opt.apps, "app", nil, "also run `PROGRAM` of weft simulate app on each Plan; can be repeated")
	cli.SendsFlag(cmd, &opt.sends)
	f.StringVar(&opt.sort, "sort", "engine", "`ORDER` of rows: engine (as listed), ebb, vls, seconds or memory")
	return cmd
}

func (o *compareOptions) run(cmd *cobra.Command, fabrics []string) error {
	engines := strings.Join(o.engines, ",")
	if engines == "" {
		engines = "all"
		if len(fabrics) > 1 {
			engines = engine.Auto
		}
	}
	chain, err := engine.Parse(engines, o.routing.Options)
	if err != nil {
		return err
	}
	if err := o.validate(fabrics); err != nil {
		return err
	}
	prices, err := readPrices(o.prices)
	if err != nil {
		return err
	}
	var stdin bytes.Buffer // for the processes of the engines
	cmd.SetIn(io.TeeReader(cmd.InOrStdin(), &stdin))
	columns := compare.Columns{Fabrics: len(fabrics) > 1, Priced: prices != nil, Memory: true, All: o.form.All}
	for _, step := range chain {
		columns.Engines = append(columns.Engines, step.Engine.Name)
	}
	out := &compare.Comparisons{Fabrics: []*compare.Comparison{}}
	c := comparing{o: o, cmd: cmd, chain: chain, prices: prices, stdin: &stdin, alone: len(fabrics)*len(chain) > 1}
	if !o.form.JSON {
		c.table = compare.NewTable(cmd.OutOrStdout(), columns)
	}
	var graphs []*fabric.Graph
	for _, arg := range fabrics {
		g, counted, err := c.open(arg)
		if err != nil {
			return err
		}
		if err := errors.Join(chain.CheckSwitches(g), cli.WarnKinds(cmd, g, o.routing.Kinds)); err != nil {
			return err
		}
		graphs, out.Fabrics = append(graphs, g), append(out.Fabrics, counted)
	}
	for i, arg := range fabrics {
		if err = c.fabric(arg, graphs[i], out.Fabrics[i]); err != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(o.answer(cmd.OutOrStdout(), out, len(fabrics)), err)
}

// validate checks the options before anything is opened.
func (o *compareOptions) validate(fabrics []string) error {
	if err := compare.CheckOrder(o.sort); err != nil {
		return fmt.Errorf("--sort %w", err)
	}
	if o.runs < 0 || o.runs > flows.MaxRuns {
		return fmt.Errorf("--runs %d: want at least 1 and at most %d", o.runs, flows.MaxRuns)
	}
	first := slices.Index(fabrics, "-")
	if first >= 0 && slices.Contains(fabrics[first+1:], "-") {
		return errors.New("standard input can be only one of the FABRICs")
	}
	return o.routing.Check()
}

// answer prints the recommendation, or everything as JSON.
func (o *compareOptions) answer(w io.Writer, out *compare.Comparisons, fabrics int) error {
	if fabrics == 1 && len(out.Fabrics) == 1 {
		c := out.Fabrics[0]
		c.Recommend()
		if o.form.JSON {
			return cli.PrintJSON(w, c)
		}
		if len(c.Engines) < 2 {
			return nil
		}
		return c.Best.Write(w)
	}
	out.Recommend()
	if o.form.JSON {
		return cli.PrintJSON(w, out)
	}
	return out.Best.Write(w)
}

// comparing is a running comparison.
type comparing struct {
	o      *compareOptions
	cmd    *cobra.Command
	chain  route.Chain
	prices *bill.Prices
	stdin  *bytes.Buffer
	table  *compare.Table // nil for JSON
	alone  bool           // each engine runs in a process of its own
}

// open reads a fabric and counts the parts to be bought.
func (c *comparing) open(arg string) (*fabric.Graph, *compare.Comparison, error) {
	src, err := c.o.fabric.Open(c.cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	g := src.Fabric.Compile()
	if err := compare.CheckApps(c.o.apps, g); err != nil {
		return nil, nil, err
	}
	var out *compare.Comparison
	err = cli.WithProgress(c.cmd, "counting "+arg, func(ctx context.Context) (err error) {
		out, err = compare.New(ctx, src.Fabric, g, c.prices)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	out.Seed, out.Runs = c.o.routing.Seed, c.o.runs
	if out.Runs == 0 {
		out.Runs = study.UsualRuns(g.NumHosts)
	}
	return g, out, nil
}

// fabric compares the engines on one fabric. It keeps finished rows if it ends with an error.
func (c *comparing) fabric(arg string, g *fabric.Graph, out *compare.Comparison) (err error) {
	if c.table != nil {
		if err := c.table.Begin(out); err != nil {
			return err
		}
	}
	sorted := c.o.sort != "engine"
	for i, step := range c.chain {
		what := "comparing " + step.Engine.Name
		if len(c.chain) > 1 {
			what += fmt.Sprintf(" (%d of %d)", i+1, len(c.chain))
		}
		var row *compare.Row
		err = cli.WithProgress(c.cmd, what, func(ctx context.Context) (err error) {
			row, err = c.engine(ctx, g, arg, step, out.Runs)
			return err
		})
		if err != nil {
			break
		}
		out.Engines = append(out.Engines, *row)
		if c.table != nil && !sorted {
			if err = c.table.Add(row); err != nil {
				break
			}
		}
	}
	out.Sort(c.o.sort)
	if c.table == nil {
		return err
	}
	for i := range out.Engines {
		if sorted {
			err = errors.Join(err, c.table.Add(&out.Engines[i]))
		}
	}
	return errors.Join(err, c.table.End())
}

// engine computes a row, in a process of its own if there are several rows.
func (c *comparing) engine(ctx context.Context, g *fabric.Graph, arg string, step route.Step, runs int) (*compare.Row, error) {
	if c.alone {
		return c.o.alone(ctx, arg, step, runs, c.stdin.Bytes())
	}
	row, err := compare.NewRow(ctx, g, step, &c.o.routing.Request, compare.Figures{Runs: runs, Yardstick: c.o.yardstick, Apps: c.o.apps, Sends: c.o.sends}, cli.PeakRSS)
	if err == nil {
		row.PeakRSS = cli.PeakRSS()
	}
	return row, err
}

// alone runs weft compare in a new process for one engine, to measure its memory.
func (o *compareOptions) alone(ctx context.Context, arg string, step route.Step, runs int, stdin []byte) (*compare.Row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"compare", "--json", "--quiet", "--sends", o.sends.String(), "--ibnl", o.fabric.IBNL, "--roles", o.fabric.Roles, "--runs", fmt.Sprint(runs),
		fmt.Sprintf("--yardstick=%t", o.yardstick), fmt.Sprintf("--partial=%t", o.fabric.Partial),
	}, o.routing.Args(step)...)
	for _, program := range o.apps {
		args = append(args, "--app", program)
	}
	var out compare.Comparison
	err = runJSON(ctx, &out, stdin, self, append(args, "--", arg)...)
	if killed, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return &compare.Row{Engine: step.Engine.Name, Refused: &study.Refusal{Engine: step.Engine.Name, Reason: "its process ended by " + killed.String()}}, nil
	}
	if err == nil && len(out.Engines) != 1 {
		err = fmt.Errorf("%s: the process of engine %s printed no row", arg, step.Engine.Name)
	}
	if err != nil {
		return nil, err
	}
	return &out.Engines[0], nil
}

// stopDelay is the time that an interrupted process has to stop.
const stopDelay = 5 * time.Second

// runJSON runs weft and reads its JSON output. If it fails, its message is the error; an
// *exec.ExitError means that a signal ended it without a message.
func runJSON(ctx context.Context, v any, stdin []byte, program string, args ...string) error {
	var stdout, stderr bytes.Buffer
	p := exec.CommandContext(ctx, program, args...)
	p.Stdin, p.Stdout, p.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = stopDelay
	err := p.Run()
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case failed && exit.Exited():
		return cli.ExitWith(exit.ExitCode(), errors.New(strings.TrimPrefix(strings.TrimSpace(stderr.String()), "weft: ")))
	case err != nil:
		return err
	}
	return json.Unmarshal(stdout.Bytes(), v)
}
