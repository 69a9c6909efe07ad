package simulate

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
		Short: "measure the packets lost when a cable, a switch or the manager fails",
		Long: `Measure what a fault costs the traffic of a subnet that weft sm manages.

Input is a FABRIC and a fault: --fail names a cable by one of its ports, which is pulled for good, or
a switch, which is off for --down and comes back empty. --takeover kills the master at that moment,
and a standby takes over. Output is the number of packets lost over time, by cause, and the cost of
writing the new tables.

Devices, manager and packets share one virtual time. Every host sends messages to random hosts. The
manager learns of the fault by traps and sweeps, repairs the routing, and writes tables while packets
are under way. An SMP takes --hop for each link. A Plan takes --planning: measure this for a network
of your size. Hosts do not ask for their paths again: they keep their service levels while tables
change. The same seed gives the same run.`,
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
	f.StringVar(&o.fail, "fail", "", "`PART` that fails: a cable by one of its ports, NODE[PORT], or a switch")
	f.DurationVar(&u.Fault.Down, "down", 100*time.Millisecond, "time that a failing switch is off")
	f.BoolVar(&u.Fault.Kill, "takeover", false, "the master manager dies at the same moment, and a standby takes over")
	f.Float64Var(&u.Load, "load", 0.1, "traffic of each host, as a share `X` of the rate of its links")
	f.Int64Var(&u.Bytes, "message", 2048, "size of a message in `BYTES`")
	f.DurationVar(&u.Before, "before", 10*time.Millisecond, "time with traffic before the fault")
	f.DurationVar(&u.After, "after", 150*time.Millisecond, "time with traffic after the fault")
	f.DurationVar(&u.Step, "step", time.Millisecond, "interval in which losses are counted")
	f.DurationVar(&u.Planning, "planning", 5*time.Millisecond, "time that a Plan and its proof take")
	f.DurationVar(&u.Hop, "hop", time.Microsecond, "time that an SMP takes for each link")
	f.DurationVar(&u.Watch.Interval, "interval", u.Watch.Interval, "time between two sweeps of all switches by the manager")
	f.DurationVar(&u.Watch.Quiet, "quiet-time", u.Watch.Quiet, "time without further changes that the manager waits for before a repair that follows another one")
	return cmd
}

// run simulates.
func (o *outageOptions) run(cmd *cobra.Command, arg string) error {
	if o.fail == "" && !o.setup.Fault.Kill {
		return errors.New("no fault is given: use --fail with a cable or a switch, or --takeover")
	}
	if err := o.routing.SetChain(o.chain); err != nil {
		return err
	}
	if o.fabric.Several(arg) {
		return errors.New("weft simulate outage works with a single subnet; for routers and managers that fail among several subnets use weft simulate packet SUBNETS --changes FILE")
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
