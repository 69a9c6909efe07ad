package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/planner"
	"weft/sim/congestion"
	"weft/sim/packet"
	"weft/study/packets"
	"weft/study/routing"
)

// packetOptions are the options of weft simulate packet.
type packetOptions struct {
	fabric   cli.FabricFlags
	routing  cli.RouteFlags
	between  cli.BetweenFlags
	chain    string
	files    routing.TableFiles
	packets  packets.Request
	delays   hardwareTimes
	message  string
	bursts   string
	farShare float64
	cc       string
	outputs  packetOutputs
	asJSON   bool
}

// hardwareTimes holds times and rates of the hardware in the units of the flags.
type hardwareTimes struct {
	switchLatency, cableDelay, headOfQueue time.Duration
	inject, drain                          float64 // Gbit/s
}

func (o *packetOptions) add(cmd *cobra.Command) {
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.between.Add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed `N` of the first run, and of engines that draw at random"
	cli.JSONFlag(cmd, &o.asJSON)
	cli.ChainFlag(cmd, &o.chain)
	f, r := cmd.Flags(), &o.packets
	r.Hardware = packet.Default()
	f.StringVar(&o.files.Plan, "plan", "", "use the Plan in `FILE` (weft route -o)")
	f.StringVar(&o.files.LFTs, "lfts", "", "use the forwarding tables in `FILE`, of another subnet manager")
	cli.LaneFileFlags(cmd, &o.files)
	f.StringVarP(&r.Pattern, "pattern", "p", packets.Uniform, "traffic `PATTERN`: uniform, b_eff, or NAME or NAME:ARG (weft simulate flow --patterns lists them)")
	f.StringVar(&r.File, "pattern-file", "", "`FILE` with flows: one line SOURCE DESTINATION for each; a line \"round\" begins the next round")
	f.StringVar(&r.Messages, "messages", "", "`FILE` with messages: one line TIME SOURCE DESTINATION BYTES for each, such as 12.5us 0 17 65536")
	f.StringVar(&r.Streams, "streams", "", "`FILE` with streams: one line SOURCE DESTINATION for each, followed by any of rate=GBIT/S, bytes=N, level=NAME, start=TIME, stop=TIME; without rate= at full speed")
	f.StringVar(&r.Order, "order", "auto", "`ORDER` of ranks on hosts: random in every run, natural (by GUID), leaf (by switch and port), or auto (see weft simulate flow --patterns)")
	f.IntVar(&r.Ranks, "ranks", 0, "number `N` of ranks (default: one for each host port, or server)")
	f.StringVar(&r.RanksOn, "ranks-on", "ports", "`WHAT` a rank is: ports, a host port; or servers, a server, which sends a message on every rail that its peer has too, port i to port i")
	f.IntVarP(&r.Seeds, "seeds", "n", 3, "number `N` of runs for each load, each with a seed of its own")
	f.Float64SliceVar(&r.Loads, "load", nil, "offered load as a share `X` of the rate of a host's link; several for one row each (default: no pauses)")
	f.StringVar(&o.bursts, "bursts", "", "alternate sending at link rate and silence: `on=20us,off=80us`; drawn=no for lengths that do not vary; off can follow from --load")
	f.BoolVar(&r.Once, "once", false, "send one message for each flow; the run ends with the last (always so if a pattern has several rounds)")
	f.StringVar(&o.message, "message", "", "`BYTES` of a message, or LEAST-MOST for random sizes (default: one MTU; 65536 if each flow is one message; 2000000 for the bandwidths of b_eff)")
	f.DurationVar(&r.Duration, "duration", 200*time.Microsecond, "simulated time that is measured; with --once the longest simulated time")
	f.DurationVar(&r.Warmup, "warmup", 50*time.Microsecond, "simulated time before the measurement")
	f.IntVar(&r.Hardware.MTU, "mtu", r.Hardware.MTU, "largest payload of a packet in `BYTES`")
	f.IntVar(&r.Hardware.Headers, "headers", r.Hardware.Headers, "`BYTES` of a packet besides its payload")
	f.IntVar(&r.Hardware.Buffer, "buffer", r.Hardware.Buffer, "`BYTES` of each input buffer, for each VL")
	f.DurationVar(&o.delays.switchLatency, "switch-latency", ns(r.Hardware.SwitchLatency), "time from the first byte into a switch to the first byte out")
	f.DurationVar(&o.delays.cableDelay, "cable-delay", ns(r.Hardware.CableDelay), "delay of a cable; 5ns for each metre")
	f.Float64Var(&o.delays.inject, "inject", 0, "highest rate in `GBIT/S` at which a host sends (default: the rate of its links)")
	f.Float64Var(&o.delays.drain, "drain-rate", 0, "highest rate in `GBIT/S` at which a host receives (default: the rate of its links)")
	f.BoolVar(&r.Hardware.OneQueue, "one-queue", false, "one queue in each input buffer, so that its first packet blocks all others; otherwise one queue for each output")
	f.BoolVar(&r.Hardware.OldestFirst, "oldest-first", false, "serve the oldest packet first, instead of input ports in turn")
	f.DurationVar(&o.delays.headOfQueue, "head-of-queue", 0, "drop a packet that has been first in its queue in a switch for this time (default: never)")
	f.StringVar(&o.cc, "cc", "", "congestion control: on, or `SETTINGS` among threshold=15,rate=0,size=0,victims=no,increase=1,limit=127,least=0,step=0.25,timer=30.72us")
	f.IntVar(&r.HotSpots.Groups, "hot-spots", 0, "with pattern uniform: split the ranks into `N` groups; the first rank of each group is its hot-spot and receives extra messages from it")
	f.Float64Var(&r.HotSpots.Share, "hot-share", 0.05, "with --hot-spots: share `X` of the messages that goes to them")
	f.Float64Var(&o.farShare, "far-share", 0, "with several subnets and pattern uniform: share `X` of the messages that goes to other subnets, 0 to 1 (default: any other host is as likely)")
	f.StringVar(&r.Changes.File, "changes", "", "`FILE` with changes of the network during the run: lines TIME down PART, TIME up PART or TIME repair")
	f.DurationVar(&r.Changes.BlockTime, "block-time", 20*time.Microsecond, "with --changes: time between two blocks of a forwarding table that a repair writes")
	o.outputs.add(f, &r.Steps)
}

// ns converts a simulated time to a duration.
func ns(t packet.Time) time.Duration { return time.Duration(t / packet.Nanosecond) }

// isRate reports whether a rate in Gbit/s can be simulated.
func isRate(gbps float64) bool { return gbps >= .001 && gbps <= 2e6 }

// set checks the options and copies them into the request.
func (o *packetOptions) set(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
		return err
	}
	switch {
	case changed("pattern") && o.packets.File != "":
		return errors.New("give --pattern or --pattern-file, not both")
	case o.packets.Messages != "" && (changed("pattern") || o.packets.File != "" || changed("once") || changed("message")):
		return errors.New("--messages defines all traffic: leave out --pattern, --pattern-file, --once and --message")
	case o.packets.Streams != "" && (changed("pattern") && !o.packets.IsBEff() || o.packets.File != "" || o.packets.Messages != "" || changed("once")):
		return errors.New("--streams defines who sends to whom: leave out --pattern (but for b_eff), --pattern-file, --messages and --once")
	case o.packets.IsBEff() && (changed("seeds") || changed("duration") || changed("warmup")):
		return errors.New("--pattern b_eff:RINGS,PAIRS defines the runs: leave out --seeds, --duration and --warmup")
	case changed("inject") && !isRate(o.delays.inject) || changed("drain-rate") && !isRate(o.delays.drain):
		return errors.New("--inject and --drain-rate: want a rate from 0.001 to 2000000 Gbit/s")
	}
	if o.files != (routing.TableFiles{}) {
		if err := o.files.Validate(); err != nil {
			return err
		}
	}
	if err := o.outputs.set(&o.packets); err != nil {
		return err
	}
	var err error
	if changed("message") {
		if o.packets.Message, err = packets.ParseMessageSize(o.message); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	if o.packets.Bursts, err = packet.ParseBursts(o.bursts); err != nil {
		return fmt.Errorf("--bursts: %w", err)
	}
	if changed("far-share") {
		o.packets.FarShare = &o.farShare
	}
	if err := o.packets.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	h := &o.packets.Hardware
	h.SwitchLatency, h.CableDelay = packet.Time(o.delays.switchLatency)*packet.Nanosecond, packet.Time(o.delays.cableDelay)*packet.Nanosecond
	h.HeadOfQueue = packet.Time(o.delays.headOfQueue) * packet.Nanosecond
	h.Inject, h.Drain = int32(o.delays.inject*1000), int32(o.delays.drain*1000)
	if h.Congestion, err = congestion.Parse(o.cc); err != nil {
		return fmt.Errorf("--cc: %w", err)
	}
	if err := h.Validate(); err != nil {
		return err
	}
	return o.routing.SetChain(o.chain)
}

// packetHelp is the text of weft simulate packet --help.
const packetHelp = `Simulate packets in time on a routed fabric: throughput, latency, and deadlocks.

Input is a FABRIC, an engine or existing tables (--plan, --lfts), and traffic. Output is a table
with throughput and latency, one row for each --load. If the packets deadlock, the run ends, the
cycle is printed, and the exit status is 1. The same seed gives the same figures on any number of
cores.

The simulation has links, input buffers, credits and virtual lanes like the hardware. Switches are
virtual cut-through: a packet leaves when the link is free and the next input buffer has room for
all of it.

COLUMNS

  GBIT/S    payload that a sending rank gets through
  SHARE     the same as a share of the rate of its link
  SLOWEST   payload of the rank that receives least
  FAIR      Jain's fairness index over the receiving ranks; 1: all receive the same
  US MEAN   mean latency of packets in microseconds, from the first byte sent to the last byte
            received; P99: 99th percentile; MAX: largest
  LOST      packets that were lost
  +-95%     half the width of the confidence interval of the mean: over the seeds by Student's t,
            or for a single run over the means of 20 parts of its time
  ENDS      with --messages: when the last message has arrived

TRAFFIC

A pattern of one round is sent without pause, or with --load as messages at random times. It is
measured for --duration after --warmup. A pattern of several rounds, or any with --once, sends one
message for each flow: a rank starts its next round when all its messages of the round have arrived,
whatever the others do.

--bursts alternates sending at link rate with silence; the load is the share of the time in which a
host sends.

--messages FILE sends messages at given times. --streams FILE sends streams, each with a rate of
payload and times that count from the end of the warm-up; --flows writes what arrived, one row for
each pair of ports: streams between the same two ports share a row. level=NAME puts a stream on a
level of service of the Plan (--levels). Both files may name switches too: port 0 of a switch sends
and receives at the rate of a 1x SDR link.

--pattern b_eff, or b_eff:RINGS,PAIRS, is the latency and bandwidth benchmark of HPC Challenge:
ping-pongs of 8 and of 2000000 bytes between pairs of ranks, one pair after the other; then rings in
natural and in random order, where all ranks exchange messages with both neighbours. The mean over
random rings is geometric. RINGS is one number in place of the usual 30 rings for latency and 10 for
bandwidth. PAIRS limits the pairs of each size (usually 10000 and 100). --streams FILE puts streams
beside the benchmark, such as hot-spots; they run alone for the first 200 us.

` + ranksHelp + `

CONGESTION CONTROL

--cc on makes switches mark packets when more than a threshold waits. A source that is notified
waits after each packet of the flow. An index sets the length of this wait. Each notice raises the
index, and a timer lowers it. At index 1 a source waits "step" times the duration of a packet; at
higher indices it waits longer.

FAULTS DURING THE RUN

--changes FILE fails and restores switches and cables, at times after the warm-up: "20us down
spine 1", "90us up spine 1", "40us down leaf 1[5]". At "50us repair" the manager writes, block by
block, tables around whatever is down then, or the original tables if all is up again. A
repair begins when the previous one is finished. Lost packets are counted by cause; --over-time shows
the gap. --head-of-queue drops waiting packets, so that a deadlock resolves and does not end the run.

` + cli.BetweenHelp + `

Routers are simulated as switches that rewrite headers.

` + packets.BetweenChangesHelp

func simulatePacketCmd() *cobra.Command {
	var o packetOptions
	cmd := &cobra.Command{
		Use:   "packet FABRIC",
		Short: "simulate packets in time: throughput, latency, deadlocks",
		Long:  packetHelp,
		Example: `  weft simulate packet 'rlft(36,2)' --load 0.2,0.4,0.6,0.8,1 --csv load.csv
  weft simulate packet 'rlft(36,2)' --engine updn --load 0.2,0.5,0.8 --json > updn.json
  weft simulate packet 'rlft(36,2)' --load 0.2,0.5,0.8 --svg load.svg --beside updn.json
  weft simulate packet 'rlft(36,2)' --hot-spots 1 --load 0.8 --over-time steps.csv,steps.svg
  weft simulate packet 'rlft(36,2)' --hot-spots 1 --cc on
  weft simulate packet 'tree(18,96,ratio=2)' --hot-spots 1 --engine ftree,lanes=victims,vls=2
  weft simulate packet 'rlft(8,2)' --changes faults.txt --over-time pause.svg --hosts hosts.tsv
  weft simulate packet 'rlft(8,2)' --pattern b_eff:4,20 --streams hot-spots.txt
  weft simulate packet 'rlft(8,2)' --streams victim.txt --flows flows.tsv --vls 2
  weft simulate packet 'rlft(36,2)' --bursts on=20us --load 0.3,0.6
  weft simulate packet racks648 --pattern b_eff:30,100 --order leaf --message 200000
  weft simulate packet 'rlft(36,2)' --pattern storage:8 --order leaf --message 84-2048
  weft simulate packet subnet.lst --plan my.plan --pattern bisect --seeds 10
  weft simulate packet fabric.txt --pattern recdbl --order leaf --message 4096 --json
  weft simulate packet 'torus(4x4,hosts=2)' --engine minhop --pattern rand --buffer 4096`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	o.add(cmd)
	return cmd
}

// run routes the fabric or reads tables, and simulates.
func (o *packetOptions) run(cmd *cobra.Command, arg string) error {
	if err := o.set(cmd); err != nil {
		return err
	}
	var err error
	if file := cmp.Or(o.packets.File, o.packets.Messages, o.packets.Streams); file != "" {
		if o.packets.Text, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	if file := o.packets.Changes.File; file != "" {
		if o.packets.Changes.Text, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	if o.fabric.Several(arg) {
		return o.runBetween(cmd, arg)
	}
	if o.packets.FarShare != nil {
		return errors.New("--far-share is for several subnets, and FABRIC is a single one")
	}
	if err := o.between.Refuse(cmd); err != nil {
		return err
	}
	src, err := o.fabric.Open(cmd, arg)
	if err != nil {
		return err
	}
	g := src.Fabric.Compile()
	o.packets.Changes.Fabric, o.packets.Changes.Routing = src.Fabric, &o.routing.Request
	if !o.files.Given() {
		if err := o.packets.Check(g); err != nil {
			return err
		}
	}
	return o.simulate(cmd, g, func() (*planner.Result, error) { return cli.ReadOrRoute(cmd, g, &o.files, &o.routing.Request) })
}

// simulate sends packets along the paths of a routing. It opens all output files before it routes.
func (o *packetOptions) simulate(cmd *cobra.Command, g *fabric.Graph, routing func() (*planner.Result, error)) error {
	to, err := cli.AnswerTo(cmd, o.outputs.paths()...)
	if err != nil {
		return err
	}
	earlier, err := o.outputs.earlier()
	if err != nil {
		return err
	}
	files, err := cli.OpenOutputs(cmd, o.outputs.paths()...)
	if err != nil {
		return err
	}
	defer files.Drop()
	r, err := routing()
	if err != nil {
		return err
	}
	o.packets.Seed, o.packets.Workers = o.routing.Seed, o.routing.Workers
	out, seconds, err := timed(cmd, func(ctx context.Context) (*packets.Simulation, error) {
		return packets.Simulate(ctx, g, r, &o.packets)
	})
	if err != nil {
		return err
	}
	out.Seconds = seconds
	cli.Warn(cmd, out.Warnings())
	if err := files.WriteAll(o.outputs.writers(out, earlier)); err != nil {
		return err
	}
	if err := cli.Answer(to, out, o.asJSON); err != nil {
		return err
	}
	if out.Deadlocked() {
		return cli.AnswerNo
	}
	return nil
}
