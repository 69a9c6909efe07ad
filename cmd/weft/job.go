package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/ask"
	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/jobs"
	"weft/fabric/source"
	"weft/planner"
	"weft/sm/service/client"
	"weft/study/job"
	"weft/study/routing"
)

// jobOptions are the options of weft job.
type jobOptions struct {
	fabric   cli.FabricFlags
	routing  cli.RouteFlags
	chain    string
	files    routing.TableFiles
	form     cli.Form
	nodes    string
	id       string
	beside   []string
	place    int
	free     string
	programs []string
	counters []string
	from     string
}

// jobHelp is the text of weft job --help.
const jobHelp = `Predict what a job of a cluster gets from its network, and which nodes would suit it.

Input is a FABRIC, its routing (--plan or --lfts; without them it is routed now), the nodes of the
job, and the other jobs. Four lines of output say how fast the job's nodes reach each other, how much
other jobs slow it down, which of its cables need a look, and which free nodes would be better. -v
prints every figure and the list of nodes of each choice.

--place N is the question of a scheduler: which free nodes to give to a job of N nodes. Each row is
one choice, with its cost to the job and to the other jobs.

JOBS

` + jobs.Forms + `

--beside takes such a FILE, "-" for standard input, or NAME=NODES; it can be repeated. --job ID asks
about one of these jobs. A job that has exactly the nodes of --nodes is that job, and not one beside
it. Nodes that no job has are free, unless --free names the free ones.

CHOICES OF NODES

  as given       the nodes that the job has
  whole leaves   leaf switches, and of those pods, without another job first
  fewest leaves  as few leaf switches as possible
  spread         round robin over all leaf switches with free nodes
  random:SEED    drawn (--seed)

A pod is a group of leaf switches that share a switch above.

THE FIGURES

  alone        time of an exchange without other jobs, in times of an ideal network: one on which
               only the hosts' own ports limit it
  slow-down    time beside the other jobs, divided by the time alone; 1.000 if no other job uses a
               cable of this one
  time         alone times slow-down
  bisections   effective bisection bandwidth (EBB): the share of a port's speed that nodes get when
               each sends to a partner drawn at random
  shifts       exchange round by round: in round i each node sends to the i-th one after it
  operations   collective operations alone on these nodes, by flows (weft simulate app)

In an exchange each node sends the same amount to every other node of its job at once. All jobs are
taken to exchange all the time, so slow-downs are those of jobs that do nothing but communicate.
They serve to compare: against packets their order is right in nine of ten pairs of jobs that differ
by more than 5 %. Jobs that go in rounds, and run out of step, lose more.

CABLES

Sick cables are those that weft show lists for the file, such as slow ones. --counters adds errors
and waiting from files of port counters. --from SOCKET asks a running weft sm: for cables with errors
and for hot ones, of whose rate 70 % and more is in use; without a FABRIC, also for the subnet and its
Plan.`

func jobCmd() *cobra.Command {
	var o jobOptions
	cmd := &cobra.Command{
		Use:   "job [FABRIC]",
		Short: "predict what a job gets from the network beside others, and choose its nodes",
		Long:  jobHelp,
		Example: `  weft job fabric.txt --nodes 'node[001-064]' --beside jobs.txt
  squeue -h -t R -o '%i %u %N' | weft job fabric.txt --plan fabric.plan --job 4711 --beside -
  weft job fabric.txt --place 64 --beside jobs.txt --free "$(sinfo -h -t idle -o %N)"
  weft job --from /run/weft/sm.sock --nodes 'node[001-064]'
  weft job 'rlft(8,3)' --nodes 'host[0-15]' --beside 'other=host[16-40]'`,
		Args: cobra.MaximumNArgs(1),
		RunE: o.run,
	}
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.form.Add(cmd)
	cli.ChainFlag(cmd, &o.chain)
	cli.LaneFileFlags(cmd, &o.files)
	f := cmd.Flags()
	f.StringVar(&o.files.Plan, "plan", "", "Plan `FILE` that the fabric runs (weft route -o)")
	f.StringVar(&o.files.LFTs, "lfts", "", "`FILE` with the forwarding tables that the fabric runs: opensm-lfts.dump, opensm.fdbs or output of dump_fts")
	f.StringVar(&o.nodes, "nodes", "", "`NODES` of the job, as Slurm lists them: node[001-064]")
	f.StringVar(&o.id, "job", "", "`ID` of the job, one of --beside")
	f.StringArrayVar(&o.beside, "beside", nil, "other `JOBS`: a file, - for standard input, or NAME=NODES; can be repeated")
	f.IntVar(&o.place, "place", 0, "choose nodes for a job of `N` nodes")
	f.StringVar(&o.free, "free", "", "free `NODES` to choose from, a list or a file with lists (default: all that no job has)")
	f.StringArrayVar(&o.programs, "app", nil, "collective operation as a `PROGRAM` of weft simulate app, one rank a node; can be repeated (default: an all-reduce and an all-to-all)")
	f.StringArrayVar(&o.counters, "counters", nil, "`FILE` with port counters, as weft show --counters takes it; can be repeated")
	f.StringVar(&o.from, "from", "", "`SOCKET` of a running weft sm to ask for hot and sick cables")
	return cmd
}

// validate checks the options.
func (o *jobOptions) validate(cmd *cobra.Command, args []string) error {
	asked := 0
	for _, flag := range []string{"nodes", "job", "place"} {
		if cmd.Flags().Changed(flag) {
			asked++
		}
	}
	switch {
	case asked != 1:
		return errors.New("give one of --nodes NODES, --job ID and --place N")
	case len(args) == 0 && o.from == "":
		return errors.New("give FABRIC, or --from SOCKET of a running weft sm")
	case len(args) == 0 && o.files.Given():
		return errors.New("--plan and --lfts need FABRIC: without it the manager's Plan is used")
	case o.place < 0 || o.place == 0 && cmd.Flags().Changed("place"):
		return errors.New("--place must be at least 2")
	case o.id != "" && len(o.beside) == 0:
		return errors.New("--job needs --beside JOBS, which has the job")
	}
	if o.files.Given() {
		return o.files.Validate()
	}
	return nil
}

func (o *jobOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.validate(cmd, args); err != nil {
		return err
	}
	if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
		return err
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	req := &job.Request{Programs: o.programs, Seed: o.routing.Seed, Workers: o.routing.Workers}
	plan, arg, err := o.askManager(cmd, req, args)
	if err != nil {
		return err
	}
	src, err := o.fabric.Open(cmd, arg)
	if err != nil {
		return err
	}
	g := src.Fabric.Compile()
	if err := o.read(cmd, src, g, req); err != nil {
		return err
	}
	r, err := o.route(cmd, g, plan)
	if err != nil {
		return err
	}
	return o.answer(cmd, g, r, req)
}

// answer answers the question, and prints the answer.
func (o *jobOptions) answer(cmd *cobra.Command, g *fabric.Graph, r *planner.Result, req *job.Request) error {
	if o.place > 0 {
		var t *job.Table
		err := cli.WithProgress(cmd, "comparing nodes", func(ctx context.Context) (err error) {
			t, err = job.Place(ctx, g, r, o.place, req)
			return err
		})
		if err != nil {
			return err
		}
		return cli.Answer(cmd.OutOrStdout(), t, o.form.JSON)
	}
	var j *job.Job
	err := cli.WithProgress(cmd, "measuring the job", func(ctx context.Context) (err error) {
		j, err = job.Ask(ctx, g, r, req)
		return err
	})
	if err != nil {
		return err
	}
	return o.form.Answer(cmd.OutOrStdout(), j)
}

// askManager asks a running manager for hot and sick cables and, without a FABRIC, for its subnet
// and its Plan. It returns that Plan, and the FABRIC to open.
func (o *jobOptions) askManager(cmd *cobra.Command, req *job.Request, args []string) (plan []byte, arg string, err error) {
	if len(args) > 0 {
		arg = args[0]
	}
	if o.from == "" {
		return nil, arg, nil
	}
	ctx := cmd.Context()
	err = ask.WithManager(o.from, func(c *client.Client) error {
		report, err := c.Links(ctx)
		if err != nil {
			return err
		}
		req.Odd, req.Counters = report.Odd, true
		for i := range report.Hot {
			h := &report.Hot[i]
			req.Hot = append(req.Hot, job.Hot{From: h.From, To: h.To, Gbps: h.Gbps, Share: h.Share})
		}
		if arg != "" {
			return nil
		}
		subnet, err := c.Fabric(ctx)
		if err != nil {
			return err
		}
		arg = "-"
		cmd.SetIn(bytes.NewReader(subnet))
		plans, err := c.Plans(ctx)
		if err != nil {
			return fmt.Errorf("the manager has no Plan to send, which needs its --state; give FABRIC and --plan: %w", err)
		}
		if len(plans.Plans) == 0 {
			return errors.New("the manager has no Plan yet")
		}
		plan, err = c.PlanFile(ctx, plans.Plans[len(plans.Plans)-1].Version)
		return err
	})
	return plan, arg, err
}

// route reads the tables, or routes.
func (o *jobOptions) route(cmd *cobra.Command, g *fabric.Graph, plan []byte) (*planner.Result, error) {
	if plan == nil {
		return cli.ReadOrRoute(cmd, g, &o.files, &o.routing.Request)
	}
	files := routing.TableFiles{Plan: "the manager's Plan"}
	p, warnings, err := files.Load(g, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(plan)), nil })
	cli.Warn(cmd, warnings)
	return &planner.Result{Plan: p}, err
}

// read reads the jobs, the free nodes and the counters.
func (o *jobOptions) read(cmd *cobra.Command, src *source.Source, g *fabric.Graph, req *job.Request) (err error) {
	find := jobs.NewFinder(g)
	for _, text := range o.beside {
		some, err := readJobs(cmd, find, text)
		if err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
		req.Beside = append(req.Beside, some...)
	}
	if err := o.which(find, req); err != nil {
		return err
	}
	if o.free != "" {
		list := o.free
		if data, err := os.ReadFile(o.free); err == nil {
			list = strings.Join(strings.Fields(string(data)), ",")
		}
		if req.Free, err = find.Find(list); err != nil {
			return fmt.Errorf("--free: %w", err)
		}
	}
	if o.from != "" {
		return nil
	}
	report := cables.Of(src.Fabric, g, src.Warnings)
	if len(o.counters) > 0 {
		ports, err := readCounters(cmd, o.counters)
		if err != nil {
			return err
		}
		report.AddCounters(src.Fabric, ports)
	}
	req.Odd, req.Counters = report.Cables, len(o.counters) > 0
	return nil
}

// which finds the job that is asked about.
func (o *jobOptions) which(find *jobs.Finder, req *job.Request) (err error) {
	switch {
	case o.id != "":
		i := slices.IndexFunc(req.Beside, func(j jobs.Job) bool { return j.Name == o.id })
		if i < 0 {
			return fmt.Errorf("--job %s: no such job in --beside", o.id)
		}
		req.Job = req.Beside[i]
	case o.nodes != "":
		req.Job.Name = "this job"
		if req.Job.Hosts, err = find.Find(o.nodes); err != nil {
			return fmt.Errorf("--nodes: %w", err)
		}
	}
	return nil
}

// readJobs reads jobs from a file, standard input, or NAME=NODES.
func readJobs(cmd *cobra.Command, find *jobs.Finder, text string) ([]jobs.Job, error) {
	if text == "-" {
		data, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, err
		}
		return find.Read("standard input", data)
	}
	data, err := os.ReadFile(text)
	if err == nil {
		return find.Read(text, data)
	}
	name, nodes, ok := strings.Cut(text, "=")
	if !ok {
		return nil, err
	}
	hosts, err := find.Find(nodes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return []jobs.Job{{Name: name, Hosts: hosts}}, nil
}
