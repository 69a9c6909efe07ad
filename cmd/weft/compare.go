package main

import (
	"bytes"
	"cmp"
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

	"weft/fabric"
	"weft/route"
	"weft/route/job"
	"weft/route/quality"
	"weft/sim/flow"
	"weft/traffic"
)

// comparison is one row of `weft compare`: an engine's Plan with what the judge and
// the flow simulator say of it, or the reason why there is none.
type comparison struct {
	Engine  string        `json:"engine"`
	Refused string        `json:"refused,omitempty"`
	LIDs    int           `json:"lids,omitempty"`
	VLs     int           `json:"vls,omitempty"`
	EBB     *flow.Summary `json:"ebb,omitempty"`
	Seconds float64       `json:"seconds,omitempty"` // routing alone
	Stages  []job.Stage   `json:"stages,omitempty"`
	Judged  float64       `json:"judge_seconds,omitempty"`
	Counted float64       `json:"ebb_seconds,omitempty"`
	// Memory of a process of the engine's own, if it has one: when it had read the
	// fabric and routed it, and in the end.
	RouteRSS float64         `json:"route_rss_mb,omitempty"`
	PeakRSS  float64         `json:"peak_rss_mb,omitempty"`
	Check    *quality.Report `json:"check,omitempty"`
}

// comparisons are what `weft compare --json` prints.
type comparisons struct {
	Fabric    string       `json:"fabric"`
	Runs      int          `json:"runs"` // random bisections of each ebb
	Direction string       `json:"ebb_direction"`
	Seed      uint64       `json:"seed"`
	Engines   []comparison `json:"engines"`
}

// comparing are the options of weft compare, beside those of routing.
type comparing struct {
	fabric  fabricFlags
	routing routeFlags
	engines string
	runs    int
	sort    string
	asJSON  bool
}

func compareCmd() *cobra.Command {
	var opt comparing
	cmd := &cobra.Command{
		Use:   "compare FABRIC",
		Short: "route a fabric with several engines and compare what comes of it",
		Long: `Route a fabric with several engines, each in a process of its own, and compare what
comes of it in one table:

  REACHABLE      every pair of end ports that has a way is delivered
  VERDICT        what the judge says: proven, or what is wrong
  NO DEADLOCK    for all traffic, for that of hosts only, or not
  HOPS           links from the first switch on: 1 between two hosts of one switch
  MINIMAL        every pair goes a shortest way, that of hosts only, or not
  PATHS/CHANNEL  pairs of hosts on each channel between switches
  EBB            effective bisection bandwidth, one way: the mean of 1/congestion over
                 random bisections, the same ones for every engine (--runs, --seed)
  ROUTE s        all stages of routing; JUDGE s is the proof
  MB             peak memory of the engine's process, fabric read and routed
                 (--json also gives that with judge and simulation)

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
	cmd.Flags().Lookup("seed").Usage = "seed of random bisections, and of engines that draw lots"
	jsonFlag(cmd, &opt.asJSON)
	f := cmd.Flags()
	f.StringVarP(&opt.engines, "engines", "e", "all", "engines to compare, a,b,c or all")
	f.IntVarP(&opt.runs, "runs", "n", 0, "random bisections (default: 1000, fewer from 5,000 hosts on)")
	f.StringVar(&opt.sort, "sort", "engine", "order of rows: engine (as listed), ebb, vls, seconds or memory")
	return cmd
}

// orders are the ways to sort rows, best first.
var orders = map[string]func(a, b comparison) int{
	"engine":  func(_, _ comparison) int { return 0 },
	"ebb":     func(a, b comparison) int { return cmp.Compare(b.ebb(), a.ebb()) },
	"vls":     func(a, b comparison) int { return cmp.Compare(a.VLs, b.VLs) },
	"seconds": func(a, b comparison) int { return cmp.Compare(a.Seconds, b.Seconds) },
	"memory":  func(a, b comparison) int { return cmp.Compare(a.RouteRSS, b.RouteRSS) },
}

func (c *comparison) ebb() float64 {
	if c.EBB == nil {
		return 0
	}
	return c.EBB.Mean
}

func (o *comparing) run(cmd *cobra.Command, arg string) error {
	chain, err := job.ParseEngines(o.engines, o.routing.options)
	if err != nil {
		return err
	}
	order, known := orders[o.sort]
	switch {
	case !known:
		return fmt.Errorf("--sort %q: want engine, ebb, vls, seconds or memory", o.sort)
	case o.runs < 0 || o.runs > maxRuns:
		return fmt.Errorf("--runs %d: want at least 1 and at most %d", o.runs, maxRuns)
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
	out := comparisons{Fabric: g.Name, Runs: o.runs, Direction: "one way", Seed: o.routing.Seed}
	if out.Runs == 0 {
		out.Runs = usualRuns(g.NumHosts)
	}
	if len(chain) == 1 {
		out.Engines, err = compareEngines(cmd, g, chain, &o.routing, out.Runs)
	} else {
		out.Engines, err = o.eachAlone(cmd, arg, chain, out.Runs, stdin.Bytes())
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(out.Engines, func(a, b comparison) int {
		return cmp.Or(cmp.Compare(len(min(a.Refused, "r")), len(min(b.Refused, "r"))), order(a, b))
	})
	if o.asJSON {
		return printJSON(cmd.OutOrStdout(), out)
	}
	return writeComparison(cmd.OutOrStdout(), out.Engines)
}

// usualRuns is so many random bisections that they take about a second on a core.
func usualRuns(hosts int) int { return min(max(5_000_000/max(hosts, 1), 100), 1000) }

// eachAlone runs weft compare once more for each engine, so that the memory it takes
// is its own.
func (o *comparing) eachAlone(cmd *cobra.Command, arg string, chain job.Chain, runs int, stdin []byte) ([]comparison, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var rows []comparison
	for i, step := range chain {
		spec := step.Engine
		args := append([]string{
			"compare", "--json", "--quiet", "--ibnl", o.fabric.ibnl, "--roles", o.fabric.roles,
			"--runs", fmt.Sprint(runs),
		}, o.routing.args(step)...)
		var out comparisons
		err := withProgress(cmd, fmt.Sprintf("comparing %s (%d of %d)", spec.Name, i+1, len(chain)), func(ctx context.Context) error {
			return runJSON(ctx, &out, stdin, self, append(args, "--", arg)...)
		})
		if killed := (*exec.ExitError)(nil); errors.As(err, &killed) && cmd.Context().Err() == nil {
			out.Engines, err = []comparison{{Engine: spec.Name, Refused: spec.Name + ": its process ended by " + killed.String()}}, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, out.Engines...)
	}
	return rows, nil
}

// stopDelay is how long a process may take to stop when it is told to.
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

// compareEngines routes, judges and simulates with each engine in turn, in this
// process.
func compareEngines(cmd *cobra.Command, g *fabric.Graph, chain job.Chain, flags *routeFlags, runs int) ([]comparison, error) {
	var rows []comparison
	for _, step := range chain {
		row := comparison{Engine: step.Engine.Name}
		err := withProgress(cmd, "comparing "+step.Engine.Name, func(ctx context.Context) error {
			return row.fill(ctx, g, step, flags, runs)
		})
		if refusal, refused := errors.AsType[*route.Refusal](err); refused {
			row.Refused = refusal.Error()
		} else if err != nil {
			return nil, err
		}
		if len(chain) == 1 {
			row.PeakRSS = peakRSS()
		} else {
			row.RouteRSS = 0
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (c *comparison) fill(ctx context.Context, g *fabric.Graph, step job.Step, flags *routeFlags, runs int) error {
	req := flags.Request
	req.Chain = job.Chain{step}
	r, err := job.Route(ctx, g, &req)
	if err != nil {
		return err
	}
	c.LIDs, c.VLs, c.Seconds, c.Stages, c.RouteRSS = r.Plan.Ends.Total(), r.Plan.VLs, r.Seconds, r.Stages, peakRSS()
	if err := r.Judge(ctx, g, &req); err != nil {
		return err
	}
	c.Check, c.Judged = r.Report, r.Judged
	c.Counted, err = timed(func() (err error) {
		c.EBB, err = bisections(ctx, g, r.Plan, flags, runs)
		return err
	})
	return err
}

// bisections is the effective bisection bandwidth, one way.
func bisections(ctx context.Context, g *fabric.Graph, plan *route.Plan, flags *routeFlags, runs int) (*flow.Summary, error) {
	n, err := flow.New(ctx, g, plan, flags.Workers)
	if err != nil {
		return nil, err
	}
	p, err := traffic.Parse("bisect", len(n.Hosts))
	if err != nil {
		return nil, err
	}
	result, err := n.Run(ctx, p, flow.Options{Runs: runs, Seed: flags.Seed, Shuffle: true, Workers: flags.Workers})
	if err != nil {
		return nil, err
	}
	return &result.Bandwidth, nil
}
