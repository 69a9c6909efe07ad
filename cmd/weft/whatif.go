package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/internal/fold"
	"weft/internal/spelling"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/study/routing"
	"weft/study/several"
	"weft/study/whatif"
)

// whatifOptions are the options of weft whatif.
type whatifOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	between cli.BetweenFlags
	chain   string
	files   routing.TableFiles
	changes []whatif.Change
	each    string
	top     int
	runs    int
	window  int
	trip    time.Duration
	asJSON  bool
}

// changeFlag collects changes in the order of the command line.
type changeFlag struct {
	kind string
	to   *[]whatif.Change
}

func (c *changeFlag) String() string { return "" }
func (c *changeFlag) Type() string   { return "PART" }

// Set implements pflag.Value.
func (c *changeFlag) Set(text string) error {
	*c.to = append(*c.to, whatif.Change{Kind: c.kind, What: text})
	return nil
}

// whatifHelp is the text of weft whatif --help.
const whatifHelp = `Predict what happens to the traffic if parts of a fabric fail, are drained, added or moved.

Input is a FABRIC, the routing that it runs (--plan or --lfts; without them it is routed now), and a
change. The first line of output answers whether the change is safe. Then come reachability and
bandwidth in three cases: with the present tables, after a repair that changes as few entries as
possible, and after a fresh routing. Repair and fresh routing keep the LIDs, except for
Plans of explicit paths (weft route --paths), which may need others.

Exit status 1: not safe. Servers are cut off, pairs of host ports have no path left, or the rest can
deadlock. A server that keeps some of its ports is degraded, which is no reason for a no. Pairs in
different planes, which share servers but no cable, are not lost.

CHANGES

  --fail PART              a node, a server with all its adapters, or a cable; or links=N, switches=N,
                           servers=N or share=0.05 with seed=N
  --drain PART             take a switch, server or cable out of use; it stays up until no path uses it
  --add NAME               add a leaf switch with servers, cabled like the others; NAME,like=LEAF
  --add 'pod NAME'         add a pod: of rails, its leaf switches and servers with all their ports; of
                           a tree of three levels, all that is below the roots
  --add 'group NAME'       add a group of a Dragonfly or a full mesh, cabled to all groups
  --add 'server NAME'      add a server where leaf switches have free ports
  --move 'HOST to SWITCH'  move a host, or the end of a cable: NODE[PORT] to SWITCH[PORT]

What is added is like what the network has, whatever its switches are called: weft finds leaves,
pods and groups by their cables, and says what can be added if there is no such part. Where leaves
share servers, as in rails and planes, a leaf is added in each. Everything that stands keeps its
cables, so switches above need free ports (see the suffix radix).

All can be repeated, and happen together. Arguments of formula suffixes work too (weft gen --list):
--fail 'links=10,seed=3', --fail 'server=n12'.

--each link, switch, spine, leaf or server fails each of these parts in turn, and ranks them by damage.
Every part is repaired, judged and measured by itself. The time this takes is printed first; it
grows with the number of parts and the square of the hosts (2,800 cables of 1,356 hosts: about 40
seconds on two cores). Ctrl-C stops and prints the results so far.

The write time is that of the changed blocks of forwarding tables: --window blocks in flight, each
answered within --round-trip. The time until the manager notices the change is not included.

NAMES OF PARTS

` + fabric.NameHelp + `

` + cli.BetweenHelp + `

` + several.ChangesHelp + ` The subnets are routed now, and routed
again between each other after the change; changed subnets are repaired. Losses count pairs of end
ports in different subnets, and inside changed subnets.`

func whatifCmd() *cobra.Command {
	var o whatifOptions
	cmd := &cobra.Command{
		Use:   "whatif FABRIC",
		Short: "predict what a failure, maintenance or an extension does to the traffic",
		Long:  whatifHelp,
		Example: `  weft whatif fabric.txt --lfts opensm-lfts.dump --fail 'spine 3'
  weft whatif examples/psmn-x5.ibnetdiscover --fail 'links=3,seed=1'
  weft whatif 'rlft(8,2)' --drain 'spine 3'
  weft whatif 'rlft(8,2)|radix(10)' --add 'rack 9'
  weft whatif 'rail(8,4,2,spines=2)|radix(40)' --add 'pod 2'
  weft whatif 'rail(8,4,2,spines=2)' --fail 'server=host 3'
  weft whatif 'rlft(8,2)|without(hosts=4)' --move 'host 9 to leaf 1'
  weft whatif 'rlft(8,2)' --each spine --top 5
  weft whatif 'subnets(2,rlft(8,2),routers=4)' --fail 'router 1'
  weft whatif 'subnets(2,rlft(8,2),routers=4)' --drain 's0: spine 3'
  weft whatif 'subnets(2,rlft(8,2),routers=4)' --each switch --top 5`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
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
	return cmd
}

func (o *whatifOptions) add(cmd *cobra.Command) {
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.between.Add(cmd)
	cli.ChainFlag(cmd, &o.chain)
	cli.JSONFlag(cmd, &o.asJSON)
	f := cmd.Flags()
	f.StringVar(&o.files.Plan, "plan", "", "Plan `FILE` that the fabric runs (weft route -o)")
	f.StringVar(&o.files.LFTs, "lfts", "", "`FILE` with the forwarding tables that the fabric runs: opensm-lfts.dump, opensm.fdbs or output of dump_fts")
	cli.LaneFileFlags(cmd, &o.files)
	f.Var(&changeFlag{"fail", &o.changes}, "fail", "part that fails; can be repeated")
	f.Var(&changeFlag{"drain", &o.changes}, "drain", "part that is taken out of use; can be repeated")
	f.Var(&changeFlag{"add", &o.changes}, "add", "leaf switch, pod, group or server to add; can be repeated")
	f.Var(&changeFlag{"move", &o.changes}, "move", "host or cable end to move, and where to; can be repeated")
	f.StringVar(&o.each, "each", "", "fail each part of this `KIND` in turn: link, switch, spine, leaf or server; with several subnets also router")
	f.IntVar(&o.top, "top", 20, "with --each: print `N` rows, 0 for all")
	f.IntVarP(&o.runs, "runs", "n", 0, "number `N` of random bisections (default: depends on the size)")
	f.IntVar(&o.window, "window", whatif.UsualPace.Window, "number `N` of management datagrams in flight while tables are written")
	f.DurationVar(&o.trip, "round-trip", time.Duration(whatif.UsualPace.RoundTrip*float64(time.Second)), "time from a management datagram to its answer")
}

// validate checks the options; kinds are the values of --each.
func (o *whatifOptions) validate(cmd *cobra.Command, kinds []string) error {
	switch {
	case o.files.Given() && o.routing.LIDs.Fresh:
		return errors.New("give --fresh-lids, or tables with --plan or --lfts, not both")
	case o.each == "" && len(o.changes) == 0:
		return errors.New("no change is given: use --fail, --drain, --add, --move or --each (see weft whatif --help)")
	case o.each != "" && len(o.changes) > 0:
		return errors.New("--each fails one part at a time: leave out --fail, --drain, --add and --move")
	case o.each != "" && !slices.Contains(kinds, o.each):
		return fmt.Errorf("--each %s: want one of %s%s", o.each, strings.Join(kinds, ", "), spelling.Hint(o.each, kinds))
	case o.runs < 0 || o.top < 0:
		return errors.New("--runs and --top must be 0 or more")
	case o.window < 1 || o.trip <= 0:
		return errors.New("--window must be at least 1, --round-trip more than 0")
	}
	if o.each == "" && cmd.Flags().Changed("top") {
		return errors.New("--top needs --each link, switch, spine, leaf or server")
	}
	if o.files != (routing.TableFiles{}) {
		return o.files.Validate()
	}
	return nil
}

// pace returns how fast tables are written.
func (o *whatifOptions) pace() whatif.Pace {
	return whatif.Pace{RoundTrip: o.trip.Seconds(), Window: o.window}
}

// run answers one question, or runs a campaign.
func (o *whatifOptions) run(cmd *cobra.Command, arg string) error {
	if err := o.validate(cmd, whatif.Kinds); err != nil {
		return err
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	src, err := o.fabric.Open(cmd, arg)
	if err != nil {
		return err
	}
	parts := 0 // that fail one after the other
	// Report a wrong name before the routing takes its time.
	if o.each != "" {
		if parts, err = whatif.CountEach(src.Fabric, o.each); err != nil {
			return fmt.Errorf("--each %w", err)
		}
	} else if _, err := whatif.Apply(src.Fabric, o.changes); err != nil {
		return err
	}
	plan, err := o.plan(cmd, src.Fabric)
	if err != nil {
		return err
	}
	var today *whatif.Today
	err = cli.WithProgress(cmd, "measuring the present routing", func(ctx context.Context) (err error) {
		today, err = whatif.New(ctx, src.Fabric, plan, whatif.Options{
			Request: o.routing.Request, Runs: o.runs, Pace: o.pace(),
		})
		return err
	})
	if err != nil {
		return err
	}
	return o.ask(cmd, today, parts, func(ctx context.Context) (cli.Document, bool, error) {
		a, err := today.Ask(ctx, o.changes)
		if err != nil {
			return nil, false, err
		}
		return a, a.OK, nil
	})
}

// ask predicts the changes, or runs the campaign of --each, and prints the result. The function ask
// returns the answer and whether it is yes.
func (o *whatifOptions) ask(cmd *cobra.Command, today campaigner, parts int, ask func(context.Context) (cli.Document, bool, error)) error {
	if o.each != "" {
		if err := o.announce(cmd, today, parts); err != nil {
			return err
		}
		return o.campaign(cmd, today)
	}
	var a cli.Document
	var yes bool
	err := cli.WithProgress(cmd, "comparing repair with fresh routing", func(ctx context.Context) (err error) {
		a, yes, err = ask(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err := cli.Answer(cmd.OutOrStdout(), a, o.asJSON); err != nil || yes {
		return err
	}
	return cli.AnswerNo
}

// campaigner fails each part of a kind in turn, in a fabric or in several subnets.
type campaigner interface {
	Each(ctx context.Context, kind string) (*whatif.Campaign, error)
	TryOne(ctx context.Context, kind string) error
}

// announce prints the expected duration of a campaign, measured with one part.
func (o *whatifOptions) announce(cmd *cobra.Command, today campaigner, parts int) error {
	begun := time.Now()
	err := cli.WithProgress(cmd, "trying one "+o.each, func(ctx context.Context) error { return today.TryOne(ctx, o.each) })
	if err != nil {
		return err
	}
	if text := forecast(parts, o.routing.Workers, time.Since(begun)); text != "" && !o.fabric.Quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: "+fold.Text(len("weft: "), fmt.Sprintf("trying each %s takes about %s; Ctrl-C stops and prints the results so far", o.each, text)))
	}
	return nil
}

// forecast returns the expected duration of a campaign on some cores, if one part takes the time
// one on one core; "" if it is short.
func forecast(parts, cores int, one time.Duration) string {
	total := time.Duration(parts) * one / time.Duration(max(cores, 1))
	if total < time.Minute {
		return ""
	}
	return fmt.Sprintf("%d min for all %d", int(math.Ceil(total.Minutes())), parts)
}

// plan reads the tables, or routes. Fresh routings then use the engine of the Plan, or auto if it
// refuses.
func (o *whatifOptions) plan(cmd *cobra.Command, f *fabric.Fabric) (*route.Plan, error) {
	g := f.Compile()
	if !o.files.Given() {
		r, err := cli.RouteFabric(cmd, g, &o.routing.Request)
		if err != nil {
			return nil, err
		}
		return r.Plan, nil
	}
	r, err := cli.LoadTables(cmd, g, &o.files)
	if err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("lmc") {
		if has := planner.Keep(r.Plan, g).HostLMC(); has != o.routing.LIDs.LMC {
			return nil, fmt.Errorf("--lmc %d: hosts have LMC %d in %s, and results with another LMC could not be compared: leave out --lmc, or leave out the tables", o.routing.LIDs.LMC, has, cmp.Or(o.files.Plan, o.files.LFTs))
		}
	}
	if o.files.Plan != "" && !cmd.Flags().Changed("engine") {
		chain, err := engine.ChainOf(&r.Plan.Recipe, o.routing.Options)
		if err != nil {
			return nil, fmt.Errorf("--plan %s: %w", o.files.Plan, err)
		}
		o.routing.Chain = slices.Concat(chain, o.routing.Chain)
	}
	return r.Plan, nil
}

// campaign fails each part of a kind in turn. If interrupted, it prints the results so far.
func (o *whatifOptions) campaign(cmd *cobra.Command, today campaigner) error {
	var c *whatif.Campaign
	stopped := cli.WithProgress(cmd, "trying each "+o.each, func(ctx context.Context) (err error) {
		c, err = today.Each(ctx, o.each)
		return err
	})
	if c == nil {
		if stopped != nil && cmd.Context().Err() == nil {
			return fmt.Errorf("--each %w", stopped)
		}
		return stopped
	}
	var err error
	if o.asJSON {
		err = cli.PrintJSON(cmd.OutOrStdout(), c)
	} else {
		err = c.Write(cmd.OutOrStdout(), o.top)
	}
	return errors.Join(stopped, err)
}
