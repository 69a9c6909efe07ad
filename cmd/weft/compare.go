package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/route/job"
	"weft/study"
)

// compareOptions are the options of weft compare, beside those of routing.
type compareOptions struct {
	fabric  fabricFlags
	routing routeFlags
	engines string
	runs    int
	all     bool
	sort    string
	asJSON  bool
}

func compareCmd() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare FABRIC",
		Short: "route a fabric with several engines and compare the results",
		Long: `Route a fabric with several engines, each in a process of its own, and compare the
results in one table:

  REACHABLE      every pair of end ports that a path joins is delivered
  VERDICT        what the judge says: proven, or what is wrong
  NO DEADLOCK    for all traffic, for that of hosts only, or not
  VLs            lanes; own: each reply must travel on the SL of its own path, not of its request
  HOPS           links from the first switch on: 1 between two hosts of one switch
  MINIMAL        every pair takes a shortest path; or only pairs of hosts do; or no
  PATHS/CHANNEL  pairs of hosts on each channel between switches
  EBB            effective bisection bandwidth, one way: the mean of 1/congestion over
                 random bisections, the same ones for every engine (--runs, --seed), by
                 the rates of links where these differ
  ROUTE s        all stages of routing; JUDGE s is the proof
  MB             peak memory of the engine's process, fabric read and routed
                 (--json also gives that with judge and simulation)

--yardstick adds a second table:

  EBB, BOUND     as above, and what no routing can exceed on these bisections
  SHIFTS         all-to-all by shifts in the order of leaves: sum over the rounds of the
                 largest congestion; likewise DOUBLING, recursive doubling or halving
  PERMUTATION    largest congestion of random permutations: median, 99 of 100
  PAIRS/CHANNEL  largest number of pairs on a channel: of hosts, and of all end ports
  LEAST          pairs of hosts on the busiest channel under the best routing possible, even
                 one that splits pairs; - for large networks
  DARK           channels between switches without any pair of hosts

An engine that refuses is in the table with its reason below it.`,
		Example: `  weft compare examples/sx6036.ibnetdiscover
  weft compare 'rlft(36,2)|fail(links=20,seed=1)' --sort ebb
  weft compare 'torus(4x4,hosts=2)' --engines updn,dor --json`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error { return opt.run(cmd, args[0]) },
	}
	opt.fabric.add(cmd)
	opt.fabric.addRoles(cmd)
	opt.routing.add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed of random bisections, and of engines that draw at random"
	jsonFlag(cmd, &opt.asJSON)
	f := cmd.Flags()
	f.StringVarP(&opt.engines, "engines", "e", "all", "engines to compare, a,b,c or all")
	f.IntVarP(&opt.runs, "runs", "n", 0, "random bisections (default: 1000, fewer from 5,000 hosts on)")
	f.BoolVar(&opt.all, "yardstick", false, "measure all-to-all, recursive doubling, permutations and pair loads too")
	f.StringVar(&opt.sort, "sort", "engine", "order of rows: engine (as listed), ebb, vls, seconds or memory")
	return cmd
}

func (o *compareOptions) run(cmd *cobra.Command, arg string) error {
	chain, err := job.ParseEngines(o.engines, o.routing.options)
	if err != nil {
		return err
	}
	if err := study.CheckOrder(o.sort); err != nil {
		return fmt.Errorf("--sort %w", err)
	}
	if o.runs < 0 || o.runs > study.MaxRuns {
		return fmt.Errorf("--runs %d: want at least 1 and at most %d", o.runs, study.MaxRuns)
	}
	if err := o.routing.validate(); err != nil {
		return err
	}
	var stdin bytes.Buffer // for the processes of the engines
	cmd.SetIn(io.TeeReader(cmd.InOrStdin(), &stdin))
	g, err := o.fabric.graph(cmd, arg)
	if err != nil {
		return err
	}
	out := study.Comparison{Fabric: g.Name, Runs: o.runs, Direction: "one way", Seed: o.routing.Seed}
	if out.Runs == 0 {
		out.Runs = study.UsualRuns(g.NumHosts)
	}
	table, err := o.table(cmd, chain)
	if err != nil {
		return err
	}
	for i, step := range chain {
		what := "comparing " + step.Engine.Name
		if len(chain) > 1 {
			what += fmt.Sprintf(" (%d of %d)", i+1, len(chain))
		}
		err := withProgress(cmd, what, func(ctx context.Context) error {
			if len(chain) > 1 {
				rows, err := o.alone(ctx, arg, step, out.Runs, stdin.Bytes())
				out.Engines = append(out.Engines, rows...)
				return errors.Join(err, addRows(table, rows))
			}
			row, err := study.CompareEngine(ctx, g, step, &o.routing.Request, study.Figures{Runs: out.Runs, Yardstick: o.all}, peakRSS)
			if err == nil {
				row.PeakRSS = peakRSS()
				out.Engines = append(out.Engines, *row)
				err = addRows(table, out.Engines)
			}
			return err
		})
		if err != nil {
			if table != nil {
				err = errors.Join(err, table.End())
			}
			return err
		}
	}
	if table != nil {
		return table.End()
	}
	out.Sort(o.sort)
	return answer(cmd.OutOrStdout(), &out, o.asJSON)
}

// table begins a table whose rows are printed as they come; it is nil where they must be sorted first,
// or are printed as JSON.
func (o *compareOptions) table(cmd *cobra.Command, chain job.Chain) (*study.ComparedTable, error) {
	if o.asJSON || o.sort != "engine" {
		return nil, nil
	}
	var names []string
	for _, step := range chain {
		names = append(names, step.Engine.Name)
	}
	return study.NewComparedTable(cmd.OutOrStdout(), names, true)
}

// addRows prints rows of a table, if there is one.
func addRows(table *study.ComparedTable, rows []study.Compared) error {
	for i := range rows {
		if table == nil {
			break
		}
		if err := table.Add(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// alone runs weft compare once more for one engine, so that the memory it takes is its
// own.
func (o *compareOptions) alone(ctx context.Context, arg string, step job.Step, runs int, stdin []byte) ([]study.Compared, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"compare", "--json", "--quiet", "--ibnl", o.fabric.ibnl, "--roles", o.fabric.roles, "--runs", fmt.Sprint(runs),
		fmt.Sprintf("--yardstick=%t", o.all),
	}, o.routing.args(step)...)
	var out study.Comparison
	err = runJSON(ctx, &out, stdin, self, append(args, "--", arg)...)
	if killed, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return []study.Compared{{Engine: step.Engine.Name, Refused: &study.Refusal{Engine: step.Engine.Name, Reason: "its process ended by " + killed.String()}}}, nil
	}
	return out.Engines, err
}

// args are the arguments that say the same to another process, for one engine.
func (r *routeFlags) args(step job.Step) []string {
	args := []string{
		"--engines", step.Engine.Name,
		"--lmc", fmt.Sprint(r.LIDs.LMC), fmt.Sprintf("--fresh-lids=%t", r.LIDs.Fresh), "--vls", fmt.Sprint(r.MaxVLs),
		"--seed", fmt.Sprint(r.Seed), "--jobs", fmt.Sprint(r.Workers),
	}
	args = append(args, r.kinds.args()...)
	for _, name := range slices.Sorted(maps.Keys(step.Options)) {
		args = append(args, "--option", name+"="+step.Options[name])
	}
	return args
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
		return &exitError{exit.ExitCode(), errors.New(strings.TrimPrefix(strings.TrimSpace(stderr.String()), "weft: "))}
	case err != nil:
		return err
	}
	return json.Unmarshal(stdout.Bytes(), v)
}
