package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/emulator"
	"weft/emulator/control"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
)

// emulateFlags are the options of weft emulate.
type emulateFlags struct {
	subnet  emulator.Options
	server  ibsimd.Options
	umad    umadFlags
	roles   bool
	control string
	faults  []string
	verbose bool
}

func emulateCmd() *cobra.Command {
	var (
		fab   fabricFlags
		flags emulateFlags
	)
	cmd := &cobra.Command{
		Use:   "emulate FABRIC",
		Short: "serve a fabric as a live subnet that real InfiniBand programs attach to",
		Long: `Serve a fabric as a live subnet: every node has its management agents, links have
states, and datagrams go where the tables lead that a subnet manager has written.

Programs attach as they do to ibsim: with the preload library libumad2sim of
package libumad2sim0, for which ibsim-run sets the environment. SIM_HOST names the
node to attach to (GUID or description); without it that is the first CA.

With --umad the port named by --at is served as a umad device too, for programs
without preload; root is needed, and /dev/fuse.

With --control the subnet can be looked at and disturbed while it runs:
weft emulate control, or HTTP over the socket.

It ends with Ctrl-C.`,
		Example: `  weft emulate 'rlft(8,2)' --control /tmp/subnet.sock
  ibsim-run opensm -o -f -
  weft emulate control /tmp/subnet.sock link "leaf 1" 1 down
  curl --unix-socket /tmp/subnet.sock http://weft/state`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.subnet.Training < 0 {
				return fmt.Errorf("--training %v: want a time of at least 0", flags.subnet.Training)
			}
			src, err := fab.open(cmd, args[0])
			if err != nil {
				return err
			}
			if flags.roles {
				flags.subnet.Roles = emulator.RolesByDistance(src.Fabric)
			}
			start := time.Now()
			if flags.verbose {
				flags.subnet.Log = func(now time.Duration, event string) {
					fmt.Fprintf(cmd.ErrOrStderr(), "%10.6f %s\n", now.Seconds(), event)
				}
				flags.server.Log = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
			}
			subnet, err := emulator.New(src.Fabric, flags.subnet)
			if err != nil {
				return err
			}
			for _, f := range flags.faults {
				if err := subnet.Do(f); err != nil {
					return fmt.Errorf("--fault %q: %w", f, err)
				}
			}
			nodes := len(src.Fabric.Nodes)
			l := live.New(subnet, func() time.Duration { return time.Since(start) })
			defer l.Close()
			return flags.serve(cmd, l, nodes)
		},
	}
	fab.add(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.control, "control", "", "path of a Unix socket for weft emulate control (made with mode 0600)")
	f.StringVar(&flags.server.Base, "name", simName(), "name under which clients find the subnet: their IBSIM_SOCKNAME")
	f.StringVar(&flags.server.Dir, "dir", "", "directory for the Unix sockets; empty: abstract names, as libumad2sim wants them")
	f.StringVar(&flags.server.UDP, "udp", "", "serve over UDP at this address (127.0.0.1:7070), not over Unix sockets")
	flags.umad.add(cmd)
	f.StringArrayVar(&flags.faults, "fault", nil, "command to execute at the start (weft emulate control --help)")
	f.Uint64Var(&flags.subnet.Seed, "seed", 1, "seed of losses and delays")
	f.BoolVar(&flags.subnet.KeepLIDs, "keep-lids", false, "start with the LIDs that the fabric names")
	f.BoolVar(&flags.roles, "roles", false, "let switches tell their role in a tree by the vendor attribute SwitchRole")
	f.DurationVar(&flags.subnet.Training, "training", 0, "time that a link takes from Polling to Init")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print what happens to links, nodes, traps and clients on stderr")
	cmd.AddCommand(emulateControlCmd())
	return cmd
}

// simName is the name that ibsim and its clients use.
func simName() string {
	if name := os.Getenv("IBSIM_SOCKNAME"); name != "" {
		return name
	}
	return "sim"
}

// serve serves the subnet until the command is interrupted.
func (e *emulateFlags) serve(cmd *cobra.Command, l *live.Live, nodes int) error {
	server, err := ibsimd.Listen(l, e.server)
	if err != nil {
		return &exitError{exitCannot, err}
	}
	defer server.Close()
	if e.control != "" {
		stop, err := serveControl(e.control, l)
		if err != nil {
			return &exitError{exitCannot, err}
		}
		defer stop()
	}
	unmount, err := e.umad.mount(cmd.ErrOrStderr(), l)
	if err != nil {
		return err
	}
	defer unmount()
	where := "IBSIM_SOCKNAME=" + e.server.Base
	if e.server.UDP != "" {
		where = "UDP " + e.server.UDP
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d nodes up, %s; Ctrl-C ends it\n", nodes, where)
	<-cmd.Context().Done()
	return nil
}

// serveControl serves the control socket; stop ends that and removes it.
func serveControl(path string, l *live.Live) (stop func(), err error) {
	// The socket must not be open to others before its mode is set.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".control.*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(dir)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists: is another subnet running? Remove it if not", path)
	}
	private := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: private})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Rename(private, path)
	}
	if err != nil {
		_ = listener.Close()
		os.Remove(private)
		return nil, err
	}
	server := &http.Server{Handler: control.Handler(l), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) //nolint:errcheck // ends with ErrServerClosed
	return func() {
		_ = server.Close()
		os.Remove(path)
	}, nil
}

func emulateControlCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "control SOCKET (COMMAND | state | lfts | sl2vl | fabric | help)",
		Short: "look at a subnet that weft emulate serves, and disturb it",
		Long: "Send a command to weft emulate --control SOCKET, or print what it shows:\n" +
			"state (JSON), lfts (as opensm-lfts.dump), sl2vl, fabric (as ibnetdiscover).\n\nCommands:\n\n" + emulator.CommandHelp,
		Example: `  weft emulate control /tmp/subnet.sock node "leaf 1" reboot 2s
  weft emulate control /tmp/subnet.sock lfts > lfts.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("give a SOCKET and a COMMAND (weft emulate control --help)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return controlRequest(cmd.Context(), cmd.OutOrStdout(), args[0], joinWords(args[1:]))
		},
	}
}

// joinWords is a command of the words that the shell has parted. What it took the quotes
// of gets them back; a command that is one word has its own.
func joinWords(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	quoted := slices.Clone(words)
	for i, w := range words {
		if strings.ContainsAny(w, " \t") && !strings.Contains(w, `"`) {
			quoted[i] = `"` + w + `"`
		}
	}
	return strings.Join(quoted, " ")
}

// controlRequest sends one command or question.
func controlRequest(ctx context.Context, out io.Writer, socket, text string) error {
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}}
	defer client.CloseIdleConnections()
	method, path, body := http.MethodPost, "/do", io.Reader(strings.NewReader(text))
	switch text {
	case "state", "lfts", "sl2vl", "fabric", "help":
		method, path, body = http.MethodGet, "/"+text, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://weft"+path, body)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("no subnet answers at %s: %w", socket, failure.Err)
	}
	if err != nil {
		return &exitError{exitCannot, err}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		return errors.New(strings.TrimSpace(string(said)))
	}
	_, err = io.Copy(out, resp.Body)
	return err
}
