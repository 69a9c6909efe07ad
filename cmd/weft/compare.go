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

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/bill"
	"weft/route"
	"weft/route/engine"
	"weft/study"
	"weft/study/compare"
	"weft/study/flows"
)

// compareOptions are the options of weft compare, beside those of routing.
type compareOptions struct {
	fabric    cli.FabricFlags
	routing   cli.RouteFlags
	between   cli.BetweenFlags
	engines   []string
	runs      int
	yardstick bool
	sort      string
	prices    string
	form      cli.Form
}

// compareHelp tells what weft compare --help says.
const compareHelp = `Route a fabric by several engines, each in a process of its own, or several fabrics by
the best engine of each (--engines names others), and compare the results. Rows are
printed as they come; Ctrl-C ends the work, and the recommendation is by the rows that
are there. What is bought for a fabric stands above its rows.

One fabric:

  VERDICT        what the judge says: proven, or what is wrong
  VLs            lanes; own: each reply must travel on the SL of its own path, not of its request
  HOPS           links from the first switch on, on average: 1 between two hosts of one switch
  EBB            effective bisection bandwidth, one way: the mean of 1/congestion over
                 random bisections, the same ones for every engine (--runs, --seed), by
                 the rates of links where these differ
  SHIFT          largest congestion of a round of all-to-all by shifts, on average: 1 is full rate
  ROUTE s        all stages of routing
  MB             peak memory of the engine's process, fabric read and routed
                 (--json also gives that with judge and simulation)

Several fabrics have these, beside EBB, SHIFT and VLs:

  SWITCHES       BETWEEN: cables between them; LEFT: their ports without a cable
  DIAM           channels between the two switches farthest apart
  PORTS/HOST     ports of switches that are bought for a host
  PER EBB        the same for each host that gets its full rate: PORTS/HOST divided by EBB
  COST           with --prices; PER HOST and PER EBB are costs then

--verbose adds a second table, for one fabric and several (there in place of what is bought, and
with the reason of auto):

  REACHABLE      every pair of end ports that a path joins is delivered
  NO DEADLOCK    for all traffic, for that of hosts only, or not
  LIDs           that are assigned
  MINIMAL        every pair takes a shortest path; or only pairs of hosts do; or no
  PATHS/CHANNEL  pairs of hosts on a channel between switches: most/mean
  JUDGE s        the proof

--yardstick adds two tables:

  EBB, BOUND     as above, and what no routing can exceed on these bisections
  SHIFTS         all-to-all by shifts in the order of leaves: sum over the rounds of the
                 largest congestion; likewise DOUBLING, recursive doubling or halving
  PERMUTATION    largest congestion of random permutations: median, 99 of 100
  PAIRS/CHANNEL  largest number of pairs on a channel: of hosts, and of all end ports
  LEAST          pairs of hosts on the busiest channel under the best routing possible, even
                 one that splits pairs; - for large networks
  DARK           channels between switches without any pair of hosts

An engine that refuses is in the table with its reason below it.

The recommendation is, for one fabric, the engine that auto would choose of those that are
proven; for several, the one that delivers the most in bisections and all-to-all together,
or one that delivers nearly as much for nine tenths of its price or less.

--prices FILE: ` + bill.Help + `

` + cli.BetweenHelp + `
They are routed by --engines (auto), and rows are ways to route --between them: LAYERS of
lanes, HOPS between subnets, EBB and SHIFT as means of the bandwidth of a flow.`

func compareCmd() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare FABRIC...",
		Short: "set engines on a fabric, or several fabrics, beside each other",
		Long:  compareHelp,
		Example: `  weft compare examples/sx6036.ibnetdiscover
  weft compare 'rlft(36,2)|fail(links=20,seed=1)' --sort ebb
  weft compare 'tree(40,2000)' 'dragonfly(20,10,10,groups=10,hosts=2000)' 'torus(7x8x8,hosts=5,width=5)'
  weft compare 'tree(36,500)' 'tree(36,500,ratio=2)' --prices prices.txt
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
	cmd.Flags().Lookup("seed").Usage = "seed of random bisections, and of engines that draw at random"
	opt.form.Add(cmd)
	pricesFlag(cmd, &opt.prices)
	f := cmd.Flags()
	f.StringArrayVarP(&opt.engines, "engines", "e", nil, "engines to compare, a,b,c or all; may be given several times (default: all; auto for several fabrics)")
	f.IntVarP(&opt.runs, "runs", "n", 0, "random bisections (default: 1000, fewer from 5,000 hosts on)")
	f.BoolVar(&opt.yardstick, "yardstick", false, "measure all-to-all, recursive doubling, permutations and pair loads too")
	f.StringVar(&opt.sort, "sort", "engine", "order of rows: engine (as listed), ebb, vls, seconds or memory")
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
		return errors.New("standard input holds one FABRIC, not two")
	}
	return o.routing.Check()
}

// answer prints what follows from the rows: the recommendation, or all of it as JSON.
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

// comparing is a comparison under way.
type comparing struct {
	o      *compareOptions
	cmd    *cobra.Command
	chain  route.Chain
	prices *bill.Prices
	stdin  *bytes.Buffer
	table  *compare.Table // nil for JSON
	alone  bool           // each engine runs in a process of its own
}

// open reads a fabric and counts what is bought for it.
func (c *comparing) open(arg string) (*fabric.Graph, *compare.Comparison, error) {
	src, err := c.o.fabric.Open(c.cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	g := src.Fabric.Compile()
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

// fabric compares the engines on one fabric. The rows that it has stay when it ends with an error.
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

// engine makes a row, in a process of its own where there are several.
func (c *comparing) engine(ctx context.Context, g *fabric.Graph, arg string, step route.Step, runs int) (*compare.Row, error) {
	if c.alone {
		return c.o.alone(ctx, arg, step, runs, c.stdin.Bytes())
	}
	row, err := compare.NewRow(ctx, g, step, &c.o.routing.Request, compare.Figures{Runs: runs, Yardstick: c.o.yardstick}, cli.PeakRSS)
	if err == nil {
		row.PeakRSS = cli.PeakRSS()
	}
	return row, err
}

// alone runs weft compare once more for one engine, so that the memory it takes is its
// own.
func (o *compareOptions) alone(ctx context.Context, arg string, step route.Step, runs int, stdin []byte) (*compare.Row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"compare", "--json", "--quiet", "--ibnl", o.fabric.IBNL, "--roles", o.fabric.Roles, "--runs", fmt.Sprint(runs),
		fmt.Sprintf("--yardstick=%t", o.yardstick), fmt.Sprintf("--partial=%t", o.fabric.Partial),
	}, o.routing.Args(step)...)
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

// stopDelay is the time that a process has to stop when it is told to.
const stopDelay = 5 * time.Second

// runJSON runs a program of ours and reads the JSON that it prints. What the program
// has to say when it fails is the error; an *exec.ExitError means that it could not
// say anything, because a signal ended it.
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
