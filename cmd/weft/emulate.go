package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/emulator/control"
	"weft/emulator/service"
	"weft/intersubnet"
)

// emulateLong is the text of weft emulate --help.
const emulateLong = `Emulate a live InfiniBand subnet that real programs can attach to, such as OpenSM or ibnetdiscover.

Input is a FABRIC. Every node gets its management agents, links have states, and datagrams follow
the forwarding tables that a subnet manager writes. The command prints how to attach, and runs until
Ctrl-C.

ATTACHING PROGRAMS

Programs attach as to ibsim, with the preload library libumad2sim (package libumad2sim0); ibsim-run
sets its environment. SIM_HOST names the node to attach to, by GUID or description (default: the
first CA).

--umad DIR also serves the ports of --at as umad devices, for programs without a preload library.
This needs root and /dev/fuse. weft uses them with --umad-dev DIR/dev/infiniband
--umad-sys DIR/sys/class. For other programs, bind both over the paths of the machine in a private
mount namespace:

  unshare -m sh -c 'mkdir -p /dev/infiniband
    mount --bind DIR/dev/infiniband /dev/infiniband
    mount --bind DIR/sys/class /sys/class
    ibnetdiscover'

FAULTS

--control PATH lets you inspect the subnet and inject faults while it runs, by weft emulate control
or by HTTP over the socket.

SEVERAL SUBNETS

FABRIC may be several subnets joined by routers (weft gen --help). The name of each subnet is added
to the socket name (--name sim: sim-s0, sim-s1), to the path of the control socket, and as a
directory to that of --umad. --at and --fault begin with the subnet (s1:host 3). Routers forward as
the managers tell them (weft sm --exchange), or by the Plan of --plan DIR from weft route -o. A weft
sm in each subnet then keeps its part of that Plan:

  weft route 'subnets(2,rlft(4,2),routers=2)' -o DIR
  weft emulate 'subnets(2,rlft(4,2),routers=2)' --plan DIR --umad UMAD
  weft sm --keep DIR/subnet-1.plan --routers DIR/subnet-1.mapping \
    --gid-prefix fec0000000000002 \
    --umad-dev UMAD/s1/dev/infiniband --umad-sys UMAD/s1/sys/class`

func emulateCmd() *cobra.Command {
	var (
		fab     cli.FabricFlags
		o       service.Options
		plan    string
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "emulate FABRIC",
		Short: "emulate a live subnet that real InfiniBand programs attach to",
		Long:  emulateLong,
		Example: `  weft emulate 'rlft(8,2)' --control /tmp/subnet.sock
  ibsim-run opensm -o -f -
  weft emulate control /tmp/subnet.sock link "leaf 1" 1 down
  curl --unix-socket /tmp/subnet.sock http://weft/state`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if verbose {
				o.Subnet.Log = func(now time.Duration, event string) {
					fmt.Fprintf(cmd.ErrOrStderr(), "%10.6f %s\n", now.Seconds(), event)
				}
				o.Ibsim.Log = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
			}
			o.Clock = cli.Clock()
			s, err := newService(cmd, &fab, args[0], plan, o)
			if err != nil {
				return err
			}
			return serve(cmd, s)
		},
	}
	fab.Add(cmd)
	emulateFlags(cmd, &o)
	cmd.Flags().StringVar(&plan, "plan", "", "with several subnets: directory `DIR` of Plans that routers forward by, from weft route -o (default: as the managers tell them)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print events of links, nodes, traps and clients on standard error")
	cmd.AddCommand(emulateControlCmd())
	return cmd
}

// newService creates the emulator of a fabric or of several subnets.
func newService(cmd *cobra.Command, fab *cli.FabricFlags, arg, plan string, o service.Options) (*service.Service, error) {
	if fab.Several(arg) {
		n, err := fab.Network(cmd, arg)
		if err != nil {
			return nil, err
		}
		var p *intersubnet.Plan
		if plan != "" {
			if p, err = cli.LoadBetween(plan, n); err != nil {
				return nil, fmt.Errorf("--plan: %w", err)
			}
		}
		return service.NewNetwork(n, p, o)
	}
	if plan != "" {
		return nil, errors.New("--plan is for several subnets, and FABRIC is a single one")
	}
	src, err := fab.Open(cmd, arg)
	if err != nil {
		return nil, err
	}
	return service.New(src.Fabric, o)
}

// emulateFlags adds the options of weft emulate.
func emulateFlags(cmd *cobra.Command, o *service.Options) {
	f := cmd.Flags()
	f.StringVar(&o.Control, "control", "", "Unix socket `PATH` for weft emulate control, created with mode 0600")
	f.StringVar(&o.Ibsim.Base, "name", cmp.Or(os.Getenv("IBSIM_SOCKNAME"), "sim"), "`NAME` under which clients find the subnet, their IBSIM_SOCKNAME")
	f.StringVar(&o.Ibsim.Dir, "dir", "", "`DIR` for the Unix sockets (default: abstract names, as libumad2sim wants them)")
	f.StringVar(&o.Ibsim.UDP, "udp", "", "serve over UDP at `ADDRESS` (such as 127.0.0.1:7070) instead of Unix sockets")
	f.StringVar(&o.Umad.Dir, "umad", "", "mount umad devices and their sysfs in `DIR`, by FUSE")
	f.StringArrayVar(&o.Umad.At, "at", nil, "port `NODE[/PORT]` that becomes a umad device; can be repeated (default: the first CA port)")
	f.StringArrayVar(&o.Faults, "fault", nil, "`COMMAND` to run at the start (see weft emulate control --help); can be repeated")
	f.Uint64Var(&o.Subnet.Seed, "seed", 1, "seed `N` of random losses and delays")
	f.BoolVar(&o.Subnet.KeepLIDs, "keep-lids", false, "start with the LIDs in FABRIC")
	f.BoolVar(&o.RolesByDistance, "roles", false, "switches report their role in a tree by the vendor attribute SwitchRole")
	f.DurationVar(&o.Subnet.Training, "training", 0, "time that a link takes from Polling to Init")
}

// serve runs the emulator until the command is interrupted.
func serve(cmd *cobra.Command, s *service.Service) error {
	defer func() {
		if err := s.Close(); err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), err)
		}
	}()
	if err := s.Serve(); err != nil {
		return cli.Cannot(err)
	}
	if devices := s.Devices(); devices != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), devices)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s; Ctrl-C ends it\n", s.Where())
	<-cmd.Context().Done()
	return nil
}

func emulateControlCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "control SOCKET (COMMAND | state | lfts | sl2vl | fabric | help)",
		Short: "inspect an emulated subnet or inject faults",
		Long: "Inspect a subnet that weft emulate --control SOCKET serves, or inject a fault into it.\n\n" +
			"Input is the SOCKET and a command. Commands that only show something print it.\n\n" + control.Help,
		Example: `  weft emulate control /tmp/subnet.sock node "leaf 1" reboot 2s
  weft emulate control /tmp/subnet.sock lfts > lfts.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("give a SOCKET and a COMMAND (weft emulate control --help)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := control.Request(cmd.Context(), args[0], args[1:], cmd.OutOrStdout())
			if _, ok := errors.AsType[*control.NoAnswer](err); ok {
				return cli.Cannot(err)
			}
			return err
		},
	}
}
