package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/sim/packet"
	"weft/sm/outage"
	"weft/sm/terms"
)

// outageOptions are the options of weft simulate outage.
type outageOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	chain   string
	setup   outage.Setup
	fail    string // a switch or a cable
	asJSON  bool
}

func simulateOutageCmd() *cobra.Command {
	var o outageOptions
	cmd := &cobra.Command{
		Use:   "outage FABRIC",
		Short: "what a pulled cable, a restarted switch or a dead manager costs the traffic",
		Long: `Let something fail in a subnet that weft sm manages and that carries traffic: the devices,
the manager and the packets in one virtual time. Every host sends messages to hosts drawn at
random. The manager learns of the fault by traps and sweeps, repairs the routing, and writes tables
while packets are under way; what is lost until then is counted, and so is what the
writing itself costs.

--fail names a cable by one of its ports, which is pulled for good, or a switch, which is off
for --down and comes back empty. With --takeover there is a second manager that stands by, and
the master dies at the same moment. SMPs take --hop for each link, and a Plan takes
--planning: measure what it takes for a network of that size. Hosts do not ask for their paths
again: they keep their service levels while tables change. The same seed gives the same run.`,
		Example: `  weft simulate outage 'rlft(8,2)' --fail 'leaf 1[5]'
  weft simulate outage 'rlft(8,2)' --fail 'spine 1' --down 200ms --after 400ms
  weft simulate outage 'rlft(8,2)' --fail 'leaf 1[5]' --takeover --interval 100ms --after 2s --load 0.02
  weft simulate outage 'rlft(8,2)' --fail 'leaf 1[5]' --engine updn --json`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	o.fabric.Add(cmd)
	o.routing.Add(cmd)
	cli.ChainFlag(cmd, &o.chain)
	cli.JSONFlag(cmd, &o.asJSON)
	f, u := cmd.Flags(), &o.setup
	u.Packet, u.Watch = packet.Default(), terms.UsualWatch
	f.StringVar(&o.fail, "fail", "", "the cable in this port (NODE[PORT]), or this switch")
	f.DurationVar(&u.Fault.Down, "down", 100*time.Millisecond, "how long a switch that fails is off")
	f.BoolVar(&u.Fault.Kill, "takeover", false, "the master dies at the same moment, and another manager takes the subnet")
	f.Float64Var(&u.Load, "load", 0.1, "what hosts send, as a share of what their links carry")
	f.Int64Var(&u.Bytes, "message", 2048, "bytes of a message")
	f.DurationVar(&u.Before, "before", 10*time.Millisecond, "traffic before the fault")
	f.DurationVar(&u.After, "after", 150*time.Millisecond, "and after it")
	f.DurationVar(&u.Step, "step", time.Millisecond, "steps of time in which losses are counted")
	f.DurationVar(&u.Planning, "planning", 5*time.Millisecond, "time that a Plan and its proof take")
	f.DurationVar(&u.Hop, "hop", time.Microsecond, "time that an SMP takes for each link")
	f.DurationVar(&u.Watch.Interval, "interval", u.Watch.Interval, "time between two looks of the manager at all switches")
	f.DurationVar(&u.Watch.Quiet, "quiet-time", u.Watch.Quiet, "time without another change that a repair waits for which follows another one")
	return cmd
}

// run simulates.
func (o *outageOptions) run(cmd *cobra.Command, arg string) error {
	if o.fail == "" && !o.setup.Fault.Kill {
		return errors.New("--fail: want a cable or a switch that fails, or --takeover")
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	if o.fabric.Several(arg) {
		return errors.New("outage follows the manager of one subnet, cable by cable; a router or a manager of several subnets that fails under traffic: weft simulate packet SUBNETS --changes FILE")
	}
	src, err := o.fabric.Open(cmd, arg)
	if err != nil {
		return err
	}
	u := &o.setup
	u.Fabric, u.Routing, u.Seed = src.Fabric, o.routing.Request, o.routing.Seed
	u.Routing.Now = nil
	u.Managers = 1
	if u.Fault.Kill {
		u.Managers = 2
	}
	u.Fault.Pull, u.Fault.Reboot = fabric.NoLink, -1
	if o.fail != "" {
		part, err := src.Fabric.FindPart(o.fail)
		if err != nil {
			return fmt.Errorf("--fail: %w", err)
		}
		if u.Fault.Pull = part.Link; part.Link == fabric.NoLink {
			u.Fault.Reboot = part.Switch
		}
	}
	var r *outage.Result
	err = cli.WithProgress(cmd, "simulating", func(ctx context.Context) (err error) {
		r, err = outage.Run(ctx, u)
		return err
	})
	if err != nil {
		return err
	}
	return cli.Answer(cmd.OutOrStdout(), r.Report(u), o.asJSON)
}
