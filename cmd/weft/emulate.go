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

// emulateLong is the help of weft emulate.
const emulateLong = `Serve a fabric as a live subnet: every node has its management agents, links have
states, and datagrams go where the tables lead that a subnet manager has written.

Programs attach as they do to ibsim: with the preload library libumad2sim of
package libumad2sim0, for which ibsim-run sets the environment. SIM_HOST names the
node to attach to (GUID or description); without it that is the first CA.

With --umad DIR the port named by --at is served as a umad device too, for programs
without preload; root is needed, and /dev/fuse. weft itself finds it with --umad-dev
DIR/dev/infiniband --umad-sys DIR/sys/class. For unmodified programs bind the two over
those of the machine, in a mount namespace of its own:

  unshare -m sh -c 'mkdir -p /dev/infiniband
    mount --bind DIR/dev/infiniband /dev/infiniband
    mount --bind DIR/sys/class /sys/class
    ibnetdiscover'

FABRIC may be several subnets that routers join. Each has its name behind that of the
sockets (--name sim: sim-s0, sim-s1), behind the path of the control socket, and as a
directory below that of --umad; --at and --fault name the subnet first (s1:host 3). The
routers forward as the managers tell them (weft sm --exchange), or with --plan DIR by the
Plan that weft route -o wrote; let a weft sm in each subnet keep its part of that:

  weft route 'subnets(2,rlft(4,2),routers=2)' -o DIR
  weft emulate 'subnets(2,rlft(4,2),routers=2)' --plan DIR --umad UMAD
  weft sm --keep DIR/subnet-1.plan --routers DIR/subnet-1.mapping \\
    --gid-prefix fec0000000000002 \\
    --umad-dev UMAD/s1/dev/infiniband --umad-sys UMAD/s1/sys/class

With --control the subnet can be inspected and given faults while it runs:
weft emulate control, or HTTP over the socket.

It ends with Ctrl-C.`

func emulateCmd() *cobra.Command {
	var (
		fab     cli.FabricFlags
		o       service.Options
		plan    string
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "emulate FABRIC",
		Short: "serve a fabric as a live subnet that real InfiniBand programs attach to",
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
	cmd.Flags().StringVar(&plan, "plan", "", "with several subnets: the directory of Plans that routers forward by, which weft route -o wrote (default: as managers tell them)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print what happens to links, nodes, traps and clients on stderr")
	cmd.AddCommand(emulateControlCmd())
	return cmd
}

// newService starts a fabric, or several subnets.
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
		return nil, errors.New("--plan goes with several subnets, and FABRIC is one")
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
	f.StringVar(&o.Control, "control", "", "path of a Unix socket for weft emulate control (made with mode 0600)")
	f.StringVar(&o.Ibsim.Base, "name", cmp.Or(os.Getenv("IBSIM_SOCKNAME"), "sim"), "name under which clients find the subnet: their IBSIM_SOCKNAME")
	f.StringVar(&o.Ibsim.Dir, "dir", "", "directory for the Unix sockets; empty: abstract names, as libumad2sim wants them")
	f.StringVar(&o.Ibsim.UDP, "udp", "", "serve over UDP at this address (127.0.0.1:7070), not over Unix sockets")
	f.StringVar(&o.Umad.Dir, "umad", "", "directory to mount umad devices and their sysfs at, by FUSE")
	f.StringArrayVar(&o.Umad.At, "at", nil, "NODE[/PORT] that a umad device stands for; may be given several times (default: the first CA port)")
	f.StringArrayVar(&o.Faults, "fault", nil, "command to execute at the start (weft emulate control --help)")
	f.Uint64Var(&o.Subnet.Seed, "seed", 1, "seed of losses and delays")
	f.BoolVar(&o.Subnet.KeepLIDs, "keep-lids", false, "start with the LIDs that the fabric names")
	f.BoolVar(&o.RolesByDistance, "roles", false, "let switches tell their role in a tree by the vendor attribute SwitchRole")
	f.DurationVar(&o.Subnet.Training, "training", 0, "time that a link takes from Polling to Init")
}

// serve serves a subnet until the command is interrupted.
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
		Short: "inspect a subnet that weft emulate serves, or give it faults",
		Long: "Send a command to weft emulate --control SOCKET, or print what it shows:\n" +
			control.Help,
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
