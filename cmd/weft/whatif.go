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

// changeFlag collects changes of one kind in the order in which they were given.
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

func whatifCmd() *cobra.Command {
	var o whatifOptions
	cmd := &cobra.Command{
		Use:   "whatif FABRIC",
		Short: "what a failure, maintenance or an extension would do, before it is done",
		Long: `Say what happens if parts fail, are drained, added or moved: under the tables that the
switches have (--plan, --lfts, or routed now), after a repair that changes as few entries as
it can, and after a fresh routing. Both keep the LIDs (explicit paths, --paths, may need
others). The first line answers whether it may be done; the exit status is 1 where it may
not: hosts are cut off, pairs of hosts have no way left, or what is left can deadlock.

` + fabric.NameHelp + `

  --fail PART    a node or a cable; or links=N, switches=N, share=0.05 with seed=N
  --drain PART   a switch or a cable that stays up until the tables lead around it
  --add NAME     a leaf switch like the others, with its hosts, cabled as they are; NAME,like=LEAF
  --move 'HOST to SWITCH'   a host, or the end of a cable: NODE[PORT] to SWITCH[PORT]

All of them may be given several times, and happen together. What the suffixes of a
formula take (weft gen --list) goes here too: --fail 'links=10,seed=3'.

--each link, switch, spine or leaf lets each of these fail by itself, and ranks what hurts
most; Ctrl-C prints what was tried so far. Every part is repaired, judged and measured by
itself: what it costs is said before it starts, and grows with the parts and with the square
of the hosts (2,800 cables of 1,356 hosts: some 40 seconds on two cores).

The time to write counts blocks of forwarding tables, --window of them in flight, each
answered within --round-trip. It leaves out how long a manager takes to notice.

` + cli.BetweenHelp + `
` + several.ChangesHelp + `
They are routed now, and after the change routed again between the subnets; subnets that
change are repaired. What is lost counts pairs of end ports in different subnets, and
inside those that change.`,
		Example: `  weft whatif fabric.txt --lfts opensm-lfts.dump --fail 'spine 3'
  weft whatif examples/psmn-x5.ibnetdiscover --fail 'links=3,seed=1'
  weft whatif 'rlft(8,2)' --drain 'spine 3'
  weft whatif 'rlft(8,2)|radix(10)' --add 'rack 9'
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
	f.StringVar(&o.files.Plan, "plan", "", "Plan that the fabric runs, which weft route -o wrote")
	f.StringVar(&o.files.LFTs, "lfts", "", "forwarding tables that the fabric has: opensm-lfts.dump, opensm.fdbs or dump_fts output")
	cli.LaneFileFlags(cmd, &o.files)
	f.Var(&changeFlag{"fail", &o.changes}, "fail", "what fails; may be given several times")
	f.Var(&changeFlag{"drain", &o.changes}, "drain", "what is taken out of use; may be given several times")
	f.Var(&changeFlag{"add", &o.changes}, "add", "name of a leaf switch to add; may be given several times")
	f.Var(&changeFlag{"move", &o.changes}, "move", "what is moved and where to; may be given several times")
	f.StringVar(&o.each, "each", "", "let each link, switch, spine or leaf fail by itself; of several subnets also each router")
	f.IntVar(&o.top, "top", 20, "with --each: rows to print, 0 for all")
	f.IntVarP(&o.runs, "runs", "n", 0, "random bisections (default: as many as suit the size)")
	f.IntVar(&o.window, "window", whatif.UsualPace.Window, "management datagrams in flight while tables are written")
	f.DurationVar(&o.trip, "round-trip", time.Duration(whatif.UsualPace.RoundTrip*float64(time.Second)), "time from a management datagram to its answer")
}

// validate checks the options; kinds are the parts that --each takes.
func (o *whatifOptions) validate(cmd *cobra.Command, kinds []string) error {
	switch {
	case o.files.Given() && o.routing.LIDs.Fresh:
		return errors.New("give --fresh-lids, or tables with --plan or --lfts, not both")
	case o.each == "" && len(o.changes) == 0:
		return errors.New("say what happens: --fail, --drain, --add, --move or --each (see weft whatif --help)")
	case o.each != "" && len(o.changes) > 0:
		return errors.New("--each lets each part fail by itself: leave out --fail, --drain, --add and --move")
	case o.each != "" && !slices.Contains(kinds, o.each):
		return fmt.Errorf("--each %s: want one of %s%s", o.each, strings.Join(kinds, ", "), spelling.Hint(o.each, kinds))
	case o.runs < 0 || o.top < 0:
		return errors.New("--runs and --top are not negative")
	case o.window < 1 || o.trip <= 0:
		return errors.New("--window is at least 1, --round-trip more than 0")
	}
	if o.each == "" && cmd.Flags().Changed("top") {
		return errors.New("--top limits the rows of --each: give --each link, switch, spine or leaf too, or leave out --top")
	}
	if o.files != (routing.TableFiles{}) {
		return o.files.Validate()
	}
	return nil
}

// pace says how fast tables are written.
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
	// A name that is wrong is told before routing takes its time.
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
	err = cli.WithProgress(cmd, "measuring today", func(ctx context.Context) (err error) {
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

// ask asks about the changes, or lets each part of a kind fail, and prints what comes of it. ask returns the answer, and whether it is yes.
func (o *whatifOptions) ask(cmd *cobra.Command, today campaigner, parts int, ask func(context.Context) (cli.Document, bool, error)) error {
	if o.each != "" {
		if err := o.announce(cmd, today, parts); err != nil {
			return err
		}
		return o.campaign(cmd, today)
	}
	var a cli.Document
	var yes bool
	err := cli.WithProgress(cmd, "asking", func(ctx context.Context) (err error) {
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

// campaigner lets each part of a kind fail: a fabric, or a network of subnets.
type campaigner interface {
	Each(ctx context.Context, kind string) (*whatif.Campaign, error)
	TryOne(ctx context.Context, kind string) error
}

// announce says how long a campaign over so many parts will take, by what one of them takes.
func (o *whatifOptions) announce(cmd *cobra.Command, today campaigner, parts int) error {
	begun := time.Now()
	err := cli.WithProgress(cmd, "trying one "+o.each, func(ctx context.Context) error { return today.TryOne(ctx, o.each) })
	if err != nil {
		return err
	}
	if text := forecast(parts, o.routing.Workers, time.Since(begun)); text != "" && !o.fabric.Quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: "+fold.Text(len("weft: "), fmt.Sprintf("trying each %s takes about %s; Ctrl-C prints what was tried so far", o.each, text)))
	}
	return nil
}

// forecast says how long a campaign over some parts takes on some cores, of which each takes as long as one did on one; ""
// where that is not worth a word.
func forecast(parts, cores int, one time.Duration) string {
	total := time.Duration(parts) * one / time.Duration(max(cores, 1))
	if total < time.Minute {
		return ""
	}
	return fmt.Sprintf("%d min for %d of them", int(math.Ceil(total.Minutes())), parts)
}

// plan reads the tables, or routes. A fresh routing is then made by the engine of the Plan, or
// by auto where it refuses.
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
			return nil, fmt.Errorf("--lmc %d: hosts have LMC %d in the tables of %s, and figures of another LMC count other pairs: leave out --lmc, or leave out the tables", o.routing.LIDs.LMC, has, cmp.Or(o.files.Plan, o.files.LFTs))
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

// campaign lets every part of a kind fail by itself. What was tried is printed also where it is
// interrupted.
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
