package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/planner"
	"weft/route/engine"
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
	chain   string
	form    cli.Form
	splits  string // directory for split graphs
	noCheck bool
	measure bool
}

// routeHelp tells what weft route --help says.
const routeHelp = `Route a fabric, let the judge prove the result, and write it to files.

` + engine.ChainHelp + `

--paths computes explicit paths between all hosts; --names then gives them as few LIDs as
hold them. --engine separate (path-selection+color-l) and --engine renaming
(updn-shortest+renaming) are two such pairs. Some defaults are ours and not the letter of the
paper: weft route --engines says which, and what the letter is. For separate it is
-O remove=drawn -O degree=shrinking.

--paths also takes those of an engine, on its lanes (--paths dfsssp), or those of a file: a
table of paths as --write-paths writes it, several a pair if need be, a Plan, or forwarding
tables of another subnet manager, with --choice if hosts send to some LIDs only. A file that has
no path for some pairs of hosts is refused; -O gaps=fill gives them ways of our own, which do not
count as read. A table of paths keeps their order, on which --names greedy depends; a Plan keeps
their lanes.

-O goal=k proves the least LIDs that paths use, not the least power of 2. --names ilp asks
an installed solver of linear programmes for the fewest; where its time runs out, the best
answer found so far is used, and the report says how many LIDs are needed at least.

--paths smart -O balance=programme asks it for the balance of paths, which smart approximates otherwise.

--kind, --kinds, --cn-guids and --io-guids name kinds of hosts (input-output nodes, rails of
GPUs ...). The paths to each kind are balanced by themselves, which can cost bandwidth of
all hosts together. Aggregation nodes of switches (SHARP) are reached, and are no hosts.

` + cli.KeepHelp + `

` + cli.BetweenHelp + `
Each subnet is routed by --engine, or by its own --engine-of, and then --between them. All
packets stay on the lanes of one layer where the judge proves that for all subnets together;
or else pairs of subnets get layers of lanes of their own.

Exit status 1: the Plan is not proven: the judge found a fault or a possible deadlock, or
something is unknown. The files are written all the same.`

func routeCmd() *cobra.Command {
	var (
		o    routeOptions
		list bool
	)
	cmd := &cobra.Command{
		Use:   "route FABRIC",
		Short: "route a fabric and prove the routing",
		Long:  routeHelp,
		Example: `  weft route examples/psmn-x5.ibnetdiscover -o psmn.plan
  weft route 'torus(4x4x4,hosts=1)' --engine dor,updn --json
  weft route 'irregular(switches=16,hosts=128)' --paths path-selection --names color-l
  weft route 'irregular(switches=16,hosts=64)' --paths updn-shortest --names ilp --solver cbc --solver-time 60s
  weft route fabric.txt --paths dfsssp --names color-l --write-paths paths.txt --write-splits splits
  weft route fabric.txt --paths paths.txt --names exact -O goal=k -v
  weft route fabric.txt --paths tables.dump --choice choice.txt --names color-l
  weft route fabric.txt --yardstick
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
	f.StringVarP(&o.files.Plan, "output", "o", "", "write the Plan to this file (weft check --plan reads it); of several subnets to this directory, with a mapping file for each")
	f.StringVar(&o.files.LFTs, "lfts", "", "write forwarding tables for OpenSM's file engine (opensm -R file -U FILE); with --sl and --sl2vl also those of several lanes")
	f.StringVar(&o.files.FDBs, "fdbs", "", "write forwarding tables as opensm.fdbs, with hop counts")
	f.StringVar(&o.files.Dump, "dump", "", "write forwarding tables as dump_fts prints them")
	f.StringVar(&o.files.Random, "random", "", "write random forwarding tables: LID, LMC and port of every entry")
	f.StringVar(&o.files.PathTable, "write-paths", "", "write the paths between all hosts as text, which --paths reads")
	f.StringVar(&o.files.Choice, "write-choice", "", "write as text by which LIDs each host sends to each other")
	f.StringVar(&o.splits, "write-splits", "", "write to this directory which paths to each host split, as graphs that weft lids reads")
	f.StringVar(&o.files.SLs, "sl", "", "write the service levels of all paths (weft check --sl reads them)")
	f.StringVar(&o.files.SL2VLs, "sl2vl", "", "write SL2VL tables as opensm-sl2vl.dump")
	o.form.Add(cmd)
	cli.ChainFlag(cmd, &o.chain)
	o.stages.Add(cmd)
	o.keep.Add(cmd)
	f.BoolVar(&list, "engines", false, "list the engines with their options")
	f.BoolVar(&o.measure, "yardstick", false, "measure what the routes deliver, as weft compare --yardstick does")
	f.BoolVar(&o.noCheck, "no-check", false, "do not judge the result")
	return cmd
}

// run routes a fabric, judges and writes what came of it.
func (o *routeOptions) run(cmd *cobra.Command, arg string) error {
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
	paths := o.files.Paths()
	files, err := cli.OpenOutputs(cmd, paths...)
	if err != nil {
		return err
	}
	defer files.Drop()
	r, err := cli.RouteFabric(cmd, g, &o.routing.Request)
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
	return proven(r)
}

// report judges a routing, unless that is not wanted, and says what is asked of it.
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
	if o.measure {
		err = cli.WithProgress(cmd, "measuring", func(ctx context.Context) error { return out.Measure(ctx, g, r, &o.routing.Request) })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// writeSplits writes split graphs to the directory asked for.
func (o *routeOptions) writeSplits(ctx context.Context, g *fabric.Graph, r *planner.Result) error {
	if err := os.MkdirAll(o.splits, 0o755); err != nil {
		return err
	}
	return routing.WriteSplits(ctx, g, r.Plan, func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(o.splits, name), data, 0o644)
	})
}

// change compares the Plan with the one that was kept, and if Plans are judged the mixture
// of both, and what a repair delivers.
func (o *routeOptions) change(cmd *cobra.Command, g *fabric.Graph, r *planner.Result) (c *routing.Change, err error) {
	kept := o.keep.Kept
	changes := kept.Changes(g, r.Plan)
	if o.noCheck {
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
