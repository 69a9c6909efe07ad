package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/cmd/weft/cli"
	"weft/study/app"
	"weft/study/flows"
	"weft/study/routing"
)

// appOptions are the options of weft simulate app.
type appOptions struct {
	fabric    cli.FabricFlags
	routing   cli.RouteFlags
	chain     string
	files     routing.TableFiles
	ideal     string
	costs     string
	byFlows   bool
	placement string
	ranksOn   string
	memory    string
	sends     machine.SendOrder
	write     string
	svg, csv  string
	asJSON    bool
}

// appHelp is the text of weft simulate app --help.
const appHelp = `Run an application on a fabric and say when each rank ends.

PROGRAM is a file with a GOAL schedule, as text, binary or compressed with gzip; a Chakra trace, by
the name of its first file, PREFIX.0.et; or in one line a collective operation, the communication of
an HPC code, or a training step. FABRIC is routed by an engine, or by existing tables (--plan, --lfts).
With --ideal there is no FABRIC.

NETWORKS

  packets  the usual one: packets, credits and lanes of the Plan, as weft simulate packet
  --flows  fast: each message is a flow, and all flows share links fairly (max-min); right on
           average, but a job of many rounds on shared links may differ by up to 41 % from packets
  --ideal  no fabric: the LogGOPS model, whose times equal LogGOPSim's to the nanosecond

COSTS

--ideal and --costs take a list such as L=1000,o=200,g=0,G=1,O=0,S=65536: latency, time of a
processor for a message, least time between messages, network time a byte, processor time a byte,
all in nanoseconds; and the size in bytes above which a send waits for its receive. On a fabric the
network decides latency and rate: L and G have no effect there.

ORDER OF SENDS

  pair    the usual one, as adapters do: messages to one rank leave one after the other, as on one
          queue pair, and queue pairs share the port
  port    all messages of a port leave one after the other, as in the LogGOPS model
  shared  all messages of a port share its rate, those to one rank too

OPERATIONS

NAME(ALGORITHM,ranks=N,size=BYTES). Without ALGORITHM weft takes one by size and says why; without
ranks= every place of the fabric is a rank.

  allreduce      ring, doubling, halving; size= is the whole vector
  reducescatter  ring; size= is the whole vector
  allgather      ring, doubling, bruck; size= is the block of a rank
  alltoall       pairwise, shift, bruck, atonce; size= is the block of a pair
  broadcast, reduce  binomial; size= is the whole vector
  barrier        dissemination

  halo           3d, 2d; exchange with both neighbours in each dimension of a torus of ranks;
                 size= is a face
  fft            pencils; an all-to-all in each row of a grid of ranks, then in each column; size= is
                 the block of a pair
  sweep          corner; 16 blocks go from one corner of a grid to the other; size= is a face
  checkpoint     blocks; all ranks but the last storage=N write size= bytes to those

Of allreduce there are also tree (two binary trees, each for half of the vector) and rails, of
alltoall rails, of broadcast scatter (and an all-gather). Rails is for group=N ranks of a server in a
row: they exchange in the server, and rank i of all servers along rail i. With --ranks-on ports and
--placement rail it is the usual one. steps=N repeats an operation; calc=TIME lets each rank compute
before each round.

TRAINING STEPS

training(data=D,tensor=T,pipeline=C,expert=E,layers=N,hidden=H,tokens=B,micro=M,top=K,tflops=F) is a
step of a transformer on D x T x C ranks, tensor fastest, then data, then pipeline. Left out are
tensor, pipeline and expert 1, layers 32, hidden 4096, tokens 4096 of each of 8 micro-batches, 2
experts of a token, 400 TFLOP/s of a rank; data= takes the places that are left. For each kind of
communication weft says how long it takes, and how long a rank computes nothing because of it
(exposed); of the pipeline also the bubble that is there even if messages take no time.

SEVERAL PROGRAMS

Several PROGRAMs run at once: the first takes the first places of the order, and so on. PROGRAM@2ms
starts after 2 ms. Each is also run alone, on the same places, and on one switch for all hosts:

  slow-down       its time with the others, divided by its time alone
  cost of places  its time alone, divided by that on one switch

PLACEMENT

  leaf         fill leaf by leaf
  spread       round robin over the leaves
  rail         server by server, and the ports of each in order of their rails
  random:SEED  drawn
  file:NAME    lines RANK NODE, or RANK NODE PORT; ranks count through all programs
  slurm:NODES  the nodes of a list such as n[001-004,010]; all ranks of a node first, slurm-cyclic:
               round robin, slurm-plane=N: round robin with N ranks at a time

THE FIGURES

  end        when the last rank ends
  bandwidth  size divided by time, and the bus bandwidth of nccl-tests
  ideal      the same program on one switch for all hosts, and how many times as long this run takes
  busiest    the links with the largest share of their rate in use (packets: headers included)

A schedule that cannot end is an error: it names the messages without receives, the receives
without messages, and operations that wait for each other, by rank, label and line of the text.`

// appExample holds commands to try.
const appExample = `  weft simulate app 'rlft(8,3)' 'allreduce(ring,size=64MiB)' --flows
  weft simulate app fabric.txt step.goal -e ftree
  weft simulate app --ideal L=2500,o=1500,g=1000,G=6,S=65535 step.goal --json
  weft simulate app 'fat648' 'alltoall(size=64KiB)' --flows --placement random:1
  weft simulate app 'rlft(8,3)' 'training(tensor=4,pipeline=4)' --flows
  weft simulate app 'rail(8,16,4)' 'allreduce(size=1GiB)' --flows --ranks-on ports --placement rail
  weft simulate app 'rlft(8,3)' 'allreduce(ranks=64,size=64MiB)' 'checkpoint(ranks=64,storage=8,size=16MiB)@1ms' --flows --placement spread`

func simulateAppCmd() *cobra.Command {
	var o appOptions
	cmd := &cobra.Command{
		Use:     "app [FABRIC] PROGRAM...",
		Short:   "applications in time: schedules and collective operations",
		Long:    appHelp,
		Example: appExample,
		Args:    cobra.MinimumNArgs(1),
		RunE:    o.runAny,
	}
	o.add(cmd)
	return cmd
}

func (o *appOptions) add(cmd *cobra.Command) {
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	cli.JSONFlag(cmd, &o.asJSON)
	cli.ChainFlag(cmd, &o.chain)
	f := cmd.Flags()
	f.StringVar(&o.files.Plan, "plan", "", "use the Plan in `FILE` (weft route -o)")
	f.StringVar(&o.files.LFTs, "lfts", "", "use the forwarding tables in `FILE`, of another subnet manager")
	f.StringVar(&o.ideal, "ideal", "", "run on the ideal network with these `COSTS`, without a fabric")
	f.StringVar(&o.costs, "costs", "", "`COSTS` of messages on a fabric, such as o=200,S=65536")
	f.BoolVar(&o.byFlows, "flows", false, "carry messages as flows in place of packets")
	f.StringVar(&o.placement, "placement", "leaf", "`ORDER` of ranks: leaf, spread, rail, random:SEED, file:NAME or slurm:NODES (see PLACEMENT)")
	f.StringVar(&o.ranksOn, "ranks-on", "servers", "`WHAT` a rank is: servers, a server with all its ports; or ports, a host port")
	f.StringVar(&o.write, "write-goal", "", "write PROGRAM to `FILE` as a schedule: binary if its name ends with .bin, else text")
	f.StringVar(&o.svg, "svg", "", "draw to `FILE` what ranks and links do over time")
	f.StringVar(&o.csv, "csv", "", "write to `FILE` what ranks and links do over time")
	f.StringVar(&o.memory, "memory", "500ns,200", "exchange between ranks of one server: `LATENCY,GBIT/S`")
	cli.SendsFlag(cmd, &o.sends)
}

// runAny runs the program of the arguments on a fabric or on the ideal network.
func (o *appOptions) runAny(cmd *cobra.Command, args []string) error {
	switch ideal := cmd.Flags().Changed("ideal"); {
	case ideal && len(args) != 1:
		return errors.New("--ideal has no fabric: give PROGRAM alone")
	case ideal && besideIdeal(cmd) != "":
		return fmt.Errorf("--ideal has no fabric: --%s has no effect with it, leave it out", besideIdeal(cmd))
	case ideal:
		return o.runIdeal(cmd, args[0])
	case len(args) < 2:
		return errors.New("give FABRIC and PROGRAM, or PROGRAM and --ideal")
	}
	return o.run(cmd, args[0], args[1:])
}

// besideIdeal returns an option that was given and has no effect with --ideal, or nothing.
func besideIdeal(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "ideal", "write-goal", "json", "jobs", "quiet":
		default:
			name = f.Name
		}
	})
	return name
}

func (o *appOptions) runIdeal(cmd *cobra.Command, arg string) error {
	costs, err := app.ParseCosts(o.ideal, machine.Usual)
	if err != nil {
		return fmt.Errorf("--ideal: %w", err)
	}
	p, err := app.Open(arg, collective.Defaults{})
	if err != nil {
		return err
	}
	if err := o.writeGoal(cmd, p); err != nil {
		return err
	}
	return o.answer(cmd, func(ctx context.Context, _ app.News) (*app.Run, error) { return app.Ideal(ctx, p, costs) })
}

// request reads the options of a run on a fabric.
func (o *appOptions) request() (*app.Request, error) {
	costs, err := app.ParseCosts(o.costs, machine.Usual)
	if err != nil {
		return nil, fmt.Errorf("--costs: %w", err)
	}
	if err := flows.CheckRanksOn(o.ranksOn); err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	memory, err := places.ParseMemory(o.memory)
	if err != nil {
		return nil, fmt.Errorf("--memory: %w", err)
	}
	req := app.Usual()
	req.Costs, req.Packets, req.OnPorts, req.Memory, req.Sends, req.Workers = costs, !o.byFlows, o.onPorts(), memory, o.sends, o.routing.Workers
	req.Record = o.svg != "" || o.csv != ""
	return &req, req.SetPlacement(o.placement)
}

func (o *appOptions) run(cmd *cobra.Command, arg string, programs []string) error {
	if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
		return err
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	req, err := o.request()
	if err != nil {
		return err
	}
	g, err := o.fabric.Graph(cmd, arg)
	if err != nil {
		return err
	}
	if req.Jobs, err = app.OpenAll(programs, app.DefaultsOf(g, o.onPorts(), o.placement)); err != nil {
		return err
	}
	if o.write != "" && len(req.Jobs) > 1 {
		return errors.New("--write-goal writes one PROGRAM: give one")
	}
	if err := o.writeGoal(cmd, req.Jobs[0]); err != nil {
		return err
	}
	r, err := cli.ReadOrRoute(cmd, g, &o.files, &o.routing.Request)
	if err != nil {
		return err
	}
	return o.answer(cmd, func(ctx context.Context, news app.News) (*app.Run, error) {
		req.News = news
		return app.On(ctx, g, r, req)
	})
}

// answer runs a simulation and prints its figures.
func (o *appOptions) answer(cmd *cobra.Command, simulate func(context.Context, app.News) (*app.Run, error)) error {
	to, err := cli.AnswerTo(cmd, o.svg, o.csv, o.write)
	if err != nil {
		return err
	}
	begun := time.Now()
	var out *app.Run
	err = cli.WithResults(cmd, "simulating", func(ctx context.Context, step, tell func(string)) (err error) {
		out, err = simulate(ctx, app.News{Now: step, Result: tell})
		return err
	})
	if err != nil {
		return err
	}
	out.Seconds = time.Since(begun).Seconds()
	if o.svg != "" {
		if err := cli.Output(cmd, o.svg, out.Pictures.WriteSVG); err != nil {
			return err
		}
	}
	if o.csv != "" {
		if err := cli.Output(cmd, o.csv, out.Pictures.WriteCSV); err != nil {
			return err
		}
	}
	return cli.Answer(to, out, o.asJSON)
}

// writeGoal writes the program to the file that was asked for.
func (o *appOptions) writeGoal(cmd *cobra.Command, p *app.Program) error {
	if o.write == "" {
		return nil
	}
	return cli.Output(cmd, o.write, func(w io.Writer) error { return p.Write(w, strings.HasSuffix(o.write, ".bin")) })
}

// onPorts reports whether a rank is a host port.
func (o *appOptions) onPorts() bool { return o.ranksOn != flows.OnServers }
