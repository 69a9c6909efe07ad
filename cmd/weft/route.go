package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/jobs"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/joblanes"
	"weft/study/routing"
)

// routeOptions are the options of weft route.
type routeOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	files   routing.Outputs
	stages  cli.PathSetFlags
	keep    cli.KeepFlags
	between cli.BetweenFlags
	jobs    cli.JobFile
	mix     []jobs.Job // read from it
	chain   string
	form    cli.Form
	splits  string // directory for split graphs
	noCheck bool
	copies  int // of the lanes for jobs
	measure bool
}

// routeHelp is the text of weft route --help.
const routeHelp = `Compute a routing for a fabric, prove it, and write its forwarding tables.

Input is a FABRIC and an engine, by default the one that delivers the most bandwidth. Output is a
report: which engine was used and why, the proof that every LID is reached without loops and
deadlocks, hops and loads. -o writes the Plan (LIDs, tables, lanes) that weft check, weft whatif
and weft sm read; --lfts writes tables that OpenSM loads.

Exit status 1: the Plan is not proven. The judge found a fault or a possible deadlock, or something
is unknown. The files are written all the same.

CHOOSING AN ENGINE

` + engine.ChainHelp + `

--effort low takes the first engine whose Plan is proven. --effort most tries all engines, also where
one is known to be the best, and measures them in more bisections; it takes ten times the work and
more. If you interrupt engine auto (Ctrl-C), the best proven Plan so far is written and reported, if
there is one. The exit status is 3 all the same: the job was not finished.

KINDS OF HOSTS

--kind, --kinds, --cn-guids and --io-guids define groups of hosts, such as storage servers or the
rails of GPUs. The paths to each group are balanced by themselves, which can cost bandwidth of all
hosts together. SHARP aggregation nodes in switches are reached but do not count as hosts.

JOBS

--jobs FILE names jobs and their nodes. After the engine, paths between nodes of the same job move to
links where they meet fewer others: of other jobs, and of their own in random traffic and in all-to-all
by shifts. Nodes count in the order of the file. No LID, SL or lane changes, no path grows, and no job
gets more pairs on its most loaded channel. The report has the pairs of each job on its channels, its
bandwidth while no other job runs (EBB and SHIFTS are 1 on one switch), the channels it shares with
others, and the share of channels that no pair of the same job uses.

--job-lanes N then copies the lanes of the paths, up to N times with the paths' own, as far as the VLs
and SLs allow, and spreads jobs that share channels over the copies. Packets that wait for a hot spot
in one job then do not block another job's. Only pairs of hosts of one job leave the lanes of the
paths. Hosts must ask the manager for path records, or be given the job's SL. The links' buffers are
divided among all VLs: few copies can slow jobs down (docs/jobs.md). The report adds to each job its
SLs, its VLs, and the channels on which other jobs have the same VL (ON VL).

` + jobs.Forms + `

EXPLICIT PATHS

--paths NAME first computes explicit paths between all hosts; --names NAME then assigns them as few
LIDs as possible. --engine separate is the pair path-selection+color-l, and --engine renaming is
updn-shortest+renaming. Some defaults differ from the papers; weft route --engines lists the
differences. As in the paper, separate is -O remove=drawn -O degree=shrinking.

--paths also takes an engine, whose paths keep their lanes (--paths dfsssp), or a file: a table of
paths from --write-paths, possibly with several paths for each pair; a Plan, whose paths keep their
lanes; or forwarding tables of another subnet manager, with --choice if hosts send to some LIDs
only. A file without a path for some pairs of hosts is refused; -O gaps=fill computes these paths
and does not count them as read. --names greedy depends on the order of the paths in a table.

-O goal=k proves the smallest number of LIDs that the paths use, not the smallest power of 2.
--names ilp asks an installed integer-programming solver for the minimum. If its time runs out, the
best answer so far is used, and the report gives a lower bound. --paths smart
-O balance=programme has the solver balance the paths, which smart otherwise approximates.

` + cli.KeepHelp + `

` + cli.BetweenHelp + `

Each subnet is routed by --engine, or by its own --engine-of, and then --between the subnets.
All packets share one set of lanes if the judge proves that this cannot deadlock over all subnets;
otherwise pairs of subnets get lanes of their own.`

func routeCmd() *cobra.Command {
	var (
		o    routeOptions
		list bool
	)
	cmd := &cobra.Command{
		Use:   "route FABRIC",
		Short: "compute a routing, prove it, and write its tables",
		Long:  routeHelp,
		Example: `  weft route examples/psmn-x5.ibnetdiscover -o psmn.plan
  weft route 'torus(4x4x4,hosts=1)' --engine dor,updn --json
  weft route 'irregular(switches=16,hosts=128)' --paths path-selection --names color-l
  weft route 'irregular(switches=16,hosts=64)' --paths updn-shortest --names ilp --solver cbc --solver-time 60s
  weft route fabric.txt --paths dfsssp --names color-l --write-paths paths.txt --write-splits splits
  weft route fabric.txt --paths paths.txt --names exact -O goal=k -v
  weft route fabric.txt --paths tables.dump --choice choice.txt --names color-l
  weft route fabric.txt --yardstick
  weft route 'rlft(36,2)' --engine ftree --jobs jobs.txt
  weft route 'rlft(36,2)' --engine ftree --jobs jobs.txt --job-lanes 8
  weft route today.txt --keep yesterday.plan -o today.plan
  weft route fabric.txt --kind 'io=oss*' --kind 'io=mds*'
  weft route 'subnets(3,racks72,routers=18,cables=4)' --between isfr -o plans
  weft route fabric.txt --engine updn -O 'roots=spine-1;spine-2' --lfts lfts.dump`,
		Args: cli.ArgumentOrList("FABRIC", "engines", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return cli.Answer(cmd.OutOrStdout(), routing.ListEngines(), o.form.JSON)
			}
			if o.fabric.Several(args[0]) {
				if err := o.jobs.Refuse(); err != nil {
					return err
				}
				return o.runBetween(cmd, args[0])
			}
			if err := o.between.Refuse(cmd); err != nil {
				return err
			}
			return o.run(cmd, args[0])
		},
	}
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.between.Add(cmd)
	f := cmd.Flags()
	o.addOutputs(f)
	o.form.Add(cmd)
	o.jobs.Add(cmd)
	f.IntVar(&o.copies, "job-lanes", 0, "give the jobs of --jobs FILE up to `N` copies of the lanes, 2 to 15; 0: they share the lanes of the paths")
	cli.ChainFlag(cmd, &o.chain)
	f.Var(&o.routing.Effort, "effort", "how much engine auto tries: `EFFORT` is low, usual or most")
	o.stages.Add(cmd)
	o.keep.Add(cmd)
	f.BoolVar(&list, "engines", false, "list the engines and their options")
	f.BoolVar(&o.measure, "yardstick", false, "measure the bandwidth that the routes deliver, as weft compare --yardstick")
	f.BoolVar(&o.noCheck, "no-check", false, "do not judge the result")
	return cmd
}

// addOutputs adds the options that name files to write.
func (o *routeOptions) addOutputs(f *pflag.FlagSet) {
	f.StringVarP(&o.files.Plan, "output", "o", "", "write the Plan to `FILE`, for weft check --plan and others; with several subnets a directory of Plans and mapping files")
	f.StringVar(&o.files.LFTs, "lfts", "", "write forwarding tables to `FILE` for OpenSM's file engine (opensm -R file -U FILE); with --sl and --sl2vl for several lanes too")
	f.StringVar(&o.files.FDBs, "fdbs", "", "write forwarding tables to `FILE` as opensm.fdbs, with hop counts")
	f.StringVar(&o.files.Dump, "dump", "", "write forwarding tables to `FILE` as dump_fts prints them")
	f.StringVar(&o.files.Random, "random", "", "write the routes to `FILE` in the format of random forwarding tables, for switches without linear ones: LID, LMC and port of every entry")
	f.StringVar(&o.files.PathTable, "write-paths", "", "write the paths between all hosts to `FILE` as text, for --paths")
	f.StringVar(&o.files.Choice, "write-choice", "", "write to `FILE` the destination LID that each host uses for each peer")
	f.StringVar(&o.splits, "write-splits", "", "write to directory `DIR` which paths to each host conflict, as graphs for weft lids")
	f.StringVar(&o.files.SLs, "sl", "", "write the service levels of all paths to `FILE` (weft check --sl)")
	f.StringVar(&o.files.SL2VLs, "sl2vl", "", "write SL2VL tables to `FILE` as opensm-sl2vl.dump")
}

// run routes a fabric, judges the result and writes it.
func (o *routeOptions) run(cmd *cobra.Command, arg string) error {
	if n := o.copies; n < 0 || n == 1 || n > int(route.DropVL) || n > 0 && !o.jobs.Given() {
		return fmt.Errorf("--job-lanes %d: want 2 to %d copies of the lanes, and --jobs FILE; 0 for none", n, route.DropVL)
	}
	chain, err := o.stages.Chain(cmd, o.chain)
	if err != nil {
		return err
	}
	if err := o.keep.SetChain(cmd, chain, &o.routing); err != nil {
		return err
	}
	if err := o.stages.Equip(cmd, o.routing.Chain); err != nil {
		return err
	}
	to, err := cli.AnswerTo(cmd, o.files.Paths()...)
	if err != nil {
		return err
	}
	g, err := o.fabric.Graph(cmd, arg)
	if err != nil {
		return err
	}
	if err := o.keep.Hold(cmd, g, &o.routing); err != nil {
		return err
	}
	if err := o.stages.Give(cmd, o.routing.Chain); err != nil {
		return err
	}
	if err := o.readJobs(g); err != nil {
		return err
	}
	paths := o.files.Paths()
	files, err := cli.OpenOutputs(cmd, paths...)
	if err != nil {
		return err
	}
	defer files.Drop()
	r, err := o.routeUntilInterrupted(cmd, g)
	if err != nil {
		return err
	}
	out, err := o.report(cmd, g, r)
	if err != nil {
		return err
	}
	cli.Warn(cmd, o.files.Warnings(r.Plan))
	unwritten := o.files.Write(g, r.Plan, func(path string, write func(io.Writer) error) error {
		return files[slices.Index(paths, path)].Write(write)
	})
	if o.splits != "" {
		unwritten = errors.Join(unwritten, o.writeSplits(cmd.Context(), g, r))
	}
	if err := o.form.Answer(to, out); err != nil || unwritten != nil {
		return errors.Join(unwritten, err)
	}
	if isInterrupted(r) {
		return cli.Cannot(errors.New("interrupted: this is the best proven Plan so far, and other engines may be better"))
	}
	return proven(r)
}

// readJobs reads the jobs that paths are to move for, and that are to get lanes.
func (o *routeOptions) readJobs(g *fabric.Graph) (err error) {
	o.mix, err = o.jobs.Read(g)
	for i := range o.mix {
		o.routing.Jobs = append(o.routing.Jobs, o.mix[i].Hosts)
	}
	if o.copies > 0 {
		o.routing.JobLanes = &joblanes.Request{Hosts: o.routing.Jobs, Copies: o.copies, MaxVLs: o.routing.MaxVLs}
	}
	return err
}

// routeUntilInterrupted routes a fabric. After the first interrupt auto gives the best proven Plan
// so far, and the rest of the command is carried out: the next interrupt ends the process.
func (o *routeOptions) routeUntilInterrupted(cmd *cobra.Command, g *fabric.Graph) (*planner.Result, error) {
	ctx := cmd.Context()
	req := o.routing.Request
	req.Enough = ctx.Done()
	cmd.SetContext(context.WithoutCancel(ctx))
	r, err := cli.RouteFabric(cmd, g, &req)
	if err == nil && isInterrupted(r) {
		o.measure = false
		return r, nil
	}
	cmd.SetContext(ctx)
	return r, err
}

// isInterrupted reports whether a Plan is the best that auto had when it was interrupted.
func isInterrupted(r *planner.Result) bool { return r.Choice != nil && r.Choice.Interrupted }

// report judges a routing, unless --no-check is given, and returns the requested report.
func (o *routeOptions) report(cmd *cobra.Command, g *fabric.Graph, r *planner.Result) (out *routing.Route, err error) {
	if !o.noCheck {
		err = cli.WithProgress(cmd, "judging", func(ctx context.Context) error { return r.Judge(ctx, g, &o.routing.Request) })
		if err != nil {
			return nil, err
		}
	}
	out = routing.New(g, r, cli.PeakRSS())
	out.Solver = o.stages.Solving.Report()
	if o.keep.Kept != nil {
		if out.Change, err = o.change(cmd, g, r); err != nil {
			return nil, err
		}
	}
	if o.jobs.Given() {
		if out.Jobs, err = cli.MeasureJobs(cmd, g, r, o.mix, &o.routing.Request); err != nil {
			return nil, err
		}
	}
	if o.measure {
		err = cli.WithProgress(cmd, "measuring", func(ctx context.Context) error { return out.Measure(ctx, g, r, &o.routing.Request) })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// writeSplits writes graphs of conflicting paths to the requested directory.
func (o *routeOptions) writeSplits(ctx context.Context, g *fabric.Graph, r *planner.Result) error {
	if err := os.MkdirAll(o.splits, 0o755); err != nil {
		return err
	}
	return routing.WriteSplits(ctx, g, r.Plan, func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(o.splits, name), data, 0o644)
	})
}

// change compares the Plan with the kept one. If Plans are judged, it also judges the mixture of
// both, and measures a repair.
func (o *routeOptions) change(cmd *cobra.Command, g *fabric.Graph, r *planner.Result) (c *routing.Change, err error) {
	kept := o.keep.Kept
	changes := kept.Changes(g, r.Plan)
	if o.noCheck || isInterrupted(r) {
		return routing.NewChange(o.keep.Path, g, changes, r, nil, nil), nil
	}
	err = cli.WithProgress(cmd, "comparing", func(ctx context.Context) error {
		mixture, err := kept.Mixture(ctx, g, r.Plan, o.routing.Workers)
		if err != nil {
			return err
		}
		balance, err := routing.NewBalance(ctx, g, &o.routing.Request, r)
		c = routing.NewChange(o.keep.Path, g, changes, r, mixture, balance)
		return err
	})
	return c, err
}
