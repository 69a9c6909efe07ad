package main

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
	"weft/sim/packet"
	"weft/study/packets"
	"weft/study/routing"
)

// packetOptions are the options of weft simulate packet.
type packetOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	between cli.BetweenFlags
	chain   string
	files   routing.TableFiles
	packets packets.Request
	delays  hardwareTimes
	message string
	bursts  string
	cc      string
	outputs packetOutputs
	asJSON  bool
}

// hardwareTimes are the durations of the hardware as people give them.
type hardwareTimes struct {
	switchLatency, cableDelay, headOfQueue time.Duration
	inject, drain                          float64 // Gbit/s
}

func (o *packetOptions) add(cmd *cobra.Command) {
	o.fabric.Add(cmd)
	o.fabric.AddRoles(cmd)
	o.routing.Add(cmd)
	o.between.Add(cmd)
	cmd.Flags().Lookup("seed").Usage = "seed of the first run, and of engines that draw at random"
	cli.JSONFlag(cmd, &o.asJSON)
	cli.ChainFlag(cmd, &o.chain)
	f, r := cmd.Flags(), &o.packets
	r.Hardware = packet.Default()
	f.StringVar(&o.files.Plan, "plan", "", "Plan that weft route -o wrote, instead of an engine")
	f.StringVar(&o.files.LFTs, "lfts", "", "forwarding tables of another subnet manager, instead of an engine")
	cli.LaneFileFlags(cmd, &o.files)
	f.StringVarP(&r.Pattern, "pattern", "p", packets.Uniform, "uniform, b_eff, or a traffic pattern NAME or NAME:ARG (weft simulate flow --patterns lists them)")
	f.StringVar(&r.File, "pattern-file", "", "file of flows: a line SOURCE DESTINATION each; a line round begins the next round")
	f.StringVar(&r.Messages, "messages", "", "file of messages: a line TIME SOURCE DESTINATION BYTES each, as 12.5us 0 17 65536")
	f.StringVar(&r.Streams, "streams", "", "file of streams: a line SOURCE DESTINATION each, with any of rate=GBIT/S, bytes=N, level=NAME, start=TIME, stop=TIME behind it; without rate= they make no pause")
	f.StringVar(&r.Order, "order", "auto", "how ranks are put on hosts: random in every run, natural (by GUID), leaf (by switch and port), or auto (as --patterns says)")
	f.IntVar(&r.Ranks, "ranks", 0, "number of ranks (default: one for each host port)")
	f.IntVarP(&r.Seeds, "seeds", "n", 3, "runs of each load, each with a seed of its own")
	f.Float64SliceVar(&r.Loads, "load", nil, "offered load, as a share of what a host's link carries; several for a row each (default: without pause)")
	f.StringVar(&o.bursts, "bursts", "", "hosts send at the rate of their link for a while and are silent for a while: on=20us,off=80us; drawn=no for lengths that are all the same; off may follow from --load")
	f.BoolVar(&r.Once, "once", false, "every flow is one message; the run ends with the last (so always where a pattern has several rounds)")
	f.StringVar(&o.message, "message", "", "bytes of a message, or LEAST-MOST for sizes drawn between the two (default: an MTU; 65536 where each flow is one message; 2000000 for the bandwidths of b_eff)")
	f.DurationVar(&r.Duration, "duration", 200*time.Microsecond, "time of the network that is measured; the longest time with --once")
	f.DurationVar(&r.Warmup, "warmup", 50*time.Microsecond, "time of the network before that")
	f.IntVar(&r.Hardware.MTU, "mtu", r.Hardware.MTU, "largest payload of a packet in bytes")
	f.IntVar(&r.Hardware.Headers, "headers", r.Hardware.Headers, "bytes of a packet besides its payload")
	f.IntVar(&r.Hardware.Buffer, "buffer", r.Hardware.Buffer, "bytes of each input buffer, for each VL")
	f.DurationVar(&o.delays.switchLatency, "switch-latency", ns(r.Hardware.SwitchLatency), "time from the first byte in to the first byte out of a switch")
	f.DurationVar(&o.delays.cableDelay, "cable-delay", ns(r.Hardware.CableDelay), "time of a cable; 5ns a metre")
	f.Float64Var(&o.delays.inject, "inject", 0, "most that a host node sends, in Gbit/s (default: what its links carry)")
	f.Float64Var(&o.delays.drain, "drain-rate", 0, "most that a host node takes, in Gbit/s (default: what its links carry)")
	f.BoolVar(&r.Hardware.OneQueue, "one-queue", false, "the first packet of an input buffer keeps all others in it waiting; else there is a queue for each output")
	f.BoolVar(&r.Hardware.OldestFirst, "oldest-first", false, "the packet that came first goes first, in place of a turn for each input port")
	f.DurationVar(&o.delays.headOfQueue, "head-of-queue", 0, "drop a packet that has been the first of its queue in a switch for this long (default: never)")
	f.StringVar(&o.cc, "cc", "", "congestion control: on, or some of threshold=15,rate=0,size=0,victims=no,increase=1,limit=127,least=0,step=0.25,timer=30.72us")
	f.IntVar(&r.HotSpots.Groups, "hot-spots", 0, "with pattern uniform: hosts to which a share of the messages goes, one for each group of ranks")
	f.Float64Var(&r.HotSpots.Share, "hot-share", 0.05, "that share")
	f.StringVar(&r.Changes.File, "changes", "", "file of what happens to the network meanwhile: a line TIME down PART, TIME up PART or TIME repair each")
	f.DurationVar(&r.Changes.BlockTime, "block-time", 20*time.Microsecond, "with --changes: time from one block of a forwarding table that a repair writes to the next")
	o.outputs.add(f, &r.Steps)
}

// ns is a time of the network as people give it.
func ns(t packet.Time) time.Duration { return time.Duration(t / packet.Nanosecond) }

// isRate reports a rate in Gbit/s that can be simulated.
func isRate(gbps float64) bool { return gbps >= .001 && gbps <= 2e6 }

// set checks the options and puts them into the request.
func (o *packetOptions) set(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
		return err
	}
	switch {
	case changed("pattern") && o.packets.File != "":
		return errors.New("give --pattern or --pattern-file, not both")
	case o.packets.Messages != "" && (changed("pattern") || o.packets.File != "" || changed("once") || changed("message")):
		return errors.New("--messages says all of the traffic: leave out --pattern, --pattern-file, --once and --message")
	case o.packets.Streams != "" && (changed("pattern") || o.packets.File != "" || o.packets.Messages != "" || changed("once")):
		return errors.New("--streams says who sends to whom: leave out --pattern, --pattern-file, --messages and --once")
	case o.packets.IsBEff() && (changed("seeds") || changed("duration") || changed("warmup")):
		return errors.New("--pattern b_eff:RINGS,PAIRS says how much is run: leave out --seeds, --duration and --warmup")
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
	if err := o.packets.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	h := &o.packets.Hardware
	h.SwitchLatency, h.CableDelay = packet.Time(o.delays.switchLatency)*packet.Nanosecond, packet.Time(o.delays.cableDelay)*packet.Nanosecond
	h.HeadOfQueue = packet.Time(o.delays.headOfQueue) * packet.Nanosecond
	h.Inject, h.Drain = int32(o.delays.inject*1000), int32(o.delays.drain*1000)
	if h.Congestion, err = packet.ParseCongestionControl(o.cc); err != nil {
		return fmt.Errorf("--cc: %w", err)
	}
	if err := h.Validate(); err != nil {
		return err
	}
	return o.routing.SetChain(o.chain)
}

// packetHelp tells what weft simulate packet --help says.
const packetHelp = `Let the packets of a traffic pattern pass the network of a routing, with the links,
buffers, credits and virtual lanes that the hardware has, and measure what arrives
and how long it takes. Switches are virtual cut-through; a packet leaves when the
link is free and the next input buffer has room for all of it.

A pattern of one round goes on without pause, or with --load as messages at random
times, and is measured for --duration after --warmup. Patterns of several rounds, and
all with --once, send one message for each flow: every rank goes on to its next round
when all of its messages have arrived, whatever others do.

With --bursts a host sends its messages at the rate of its link for a while, then is
silent for a while, by turns; the load is the share of the time that it sends.

GBIT/S is the payload that a sending rank gets through, SHARE the same as a share of
what its link carries, SLOWEST what the rank takes that takes least, FAIR Jain's index
over the ranks that are sent to (1: all take the same). Latency is that of packets, from
the first byte sent to the last byte taken, in microseconds. +-95% is half the width of
the confidence interval of the mean: over the seeds, by Student's t, or where there is
one run alone by the means of 20 parts of its time.

--cc switches congestion control on: switches mark packets where more waits than a
threshold, and sources that are told so wait after each packet of the flow, by an
index that every notice raises and the timer lowers: index 1 waits step times as long
as a packet takes, higher ones ever more.

--pattern b_eff or b_eff:RINGS,PAIRS is the latency and bandwidth benchmark of HPC
Challenge, with its figures: ping-pongs of 8 and of 2000000 bytes between pairs of
ranks, one pair after the other; then rings, in natural order and in random ones, in
which all ranks exchange messages with both neighbours. The mean of random rings is
the geometric one. The usual 30 rings of latency and 10 of bandwidth can be given as
one number, and the most pairs of each size (10000 and 100).

--messages FILE sends messages at given times; ENDS is when the last has arrived.
--streams FILE has streams of messages instead, each with its rate of payload and its
times, which count from the end of the warm-up; --flows has what each got. level=NAME
puts a stream on a level of service of the Plan (--levels).

--changes FILE lets switches and cables fail and return while packets pass, at times
after the warm-up: "20us down spine 1", "90us up spine 1", "40us down leaf 1[5]". At
"50us repair" the manager writes the tables that go around what is down then, one block
after the other; when all is up again, those of the start. A repair begins when the one
before is through. What is lost by it is counted by reason; --over-time shows the pause.

A deadlock ends a run, but not with --head-of-queue, which drops what waits; its cycle is
printed, and the exit status is 1. The same seed gives the same figures on any number of
cores.

` + cli.BetweenHelp + `
Routers are switches of the simulation that rewrite headers.

` + packets.BetweenChangesHelp

func simulatePacketCmd() *cobra.Command {
	var o packetOptions
	cmd := &cobra.Command{
		Use:   "packet FABRIC",
		Short: "packets in time: throughput, latency, credits, lanes, deadlocks",
		Long:  packetHelp,
		Example: `  weft simulate packet 'rlft(36,2)' --load 0.2,0.4,0.6,0.8,1 --csv load.csv
  weft simulate packet 'rlft(36,2)' --engine updn --load 0.2,0.5,0.8 --json > updn.json
  weft simulate packet 'rlft(36,2)' --load 0.2,0.5,0.8 --svg load.svg --beside updn.json
  weft simulate packet 'rlft(36,2)' --hot-spots 1 --load 0.8 --over-time steps.csv,steps.svg
  weft simulate packet 'rlft(36,2)' --hot-spots 1 --cc on
  weft simulate packet 'rlft(8,2)' --changes faults.txt --over-time pause.svg --hosts hosts.tsv
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

// run routes or reads tables, and simulates.
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

// simulate has packets pass a network on the paths of a routing, which is made when all files that are written are open.
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
	var out *packets.Simulation
	begun := time.Now()
	err = cli.WithProgress(cmd, "simulating", func(ctx context.Context) (err error) {
		out, err = packets.Simulate(ctx, g, r, &o.packets)
		return err
	})
	if err != nil {
		return err
	}
	out.Seconds = time.Since(begun).Seconds()
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
