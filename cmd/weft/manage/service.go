package manage

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/ask"
	"weft/internal/endpoints"
	"weft/sm/service"
	"weft/sm/service/client"
	"weft/sm/terms"
	"weft/ui"
)

// serve starts the servers of socket, API and metrics; end stops them.
func (r *serving) serve(s *smFlags) (end func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.cmd.Context())) // also while the manager ends
	var servers sync.WaitGroup
	end = func() {
		r.service.End()
		cancel()
		servers.Wait()
	}
	if s.service.socket != "" {
		l, err := service.Listen(s.service.socket)
		if err != nil {
			end()
			return nil, cli.Cannot(fmt.Errorf("--socket: %w", err))
		}
		servers.Go(func() { r.served(endpoints.Serve(ctx, l, r.service.Handler())) })
	}
	if s.service.api.address != "" {
		l, err := s.service.api.listen()
		if err != nil {
			end()
			return nil, cli.Cannot(fmt.Errorf("--api: %w", err))
		}
		r.api = l
		r.certificate.use(s.service.api.cert, l.cert.Load())
		servers.Go(func() { r.served(endpoints.Serve(ctx, l, l.guard.Protect(r.service.Handler(), ui.Handler()))) })
	}
	if s.service.metrics != "" {
		l, err := listenTCP(s.service.metrics) // stayer has checked the form of the address
		if err != nil {
			end()
			return nil, cli.Cannot(fmt.Errorf("--metrics: %w", err))
		}
		servers.Go(func() { r.served(endpoints.Serve(ctx, l, endpoints.Local(l.Addr(), r.service.Metrics()))) })
	}
	servers.Go(func() { r.watchdog(ctx) })
	servers.Go(func() { r.certificate.watch(ctx, r.tell) })
	return end, nil
}

// listenTCP listens at HOST:PORT; without HOST only this machine can connect.
func listenTCP(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s: want HOST:PORT, or :PORT for this machine only", address)
	}
	return net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
}

// served logs the failure of a server.
func (r *serving) served(err error) {
	if err != nil {
		r.tell(terms.Incident{Kind: terms.ServerFailed, Text: err.Error()})
	}
}

// socketFlag adds --socket to a command that asks a running manager.
func socketFlag(cmd *cobra.Command, socket *string) {
	ask.SocketFlag(cmd, socket)
}

// withManager calls ask with a client of the manager at a socket.
func withManager(socket string, do func(c *client.Client) error) error {
	return ask.WithManager(socket, do)
}

func smStatusCmd() *cobra.Command {
	var socket string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show the status of the running manager",
		Long: `Show the status of the running manager.

Output: whether it is master or standby, the routing in force and its proof, the current or last
round, the next steps, the number of requests sent, and problems of the last round.

Exit status: 0 shown; 3 no manager answers at --socket.`,
		Example: "  weft sm status\n  weft sm status --socket /run/weft/sm.sock --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error {
				s, err := c.Status(cmd.Context())
				if err != nil {
					return err
				}
				return cli.Answer(cmd.OutOrStdout(), s, asJSON)
			})
		},
	}
	socketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

func smEventsCmd() *cobra.Command {
	var socket string
	var asJSON, follow bool
	var since uint64
	var severity string
	cmd := &cobra.Command{
		Use:   "events",
		Short: "show the log of the running manager",
		Long: `Show the log of the running manager: the lines that it still holds, one for each event.

Each line has the time, a code and a text; weft sm --codes explains the codes and gives their
severities. --severity notice leaves out what the manager does by itself. --follow waits for new
lines until the manager ends.`,
		Example: "  weft sm events --follow\n  weft sm events --severity warning\n  weft sm events --since 120 --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			least, err := terms.ParseSeverity(severity)
			if err != nil {
				return fmt.Errorf("--severity: %w", err)
			}
			return withManager(socket, func(c *client.Client) error { return printEvents(cmd, c, since, follow, least, asJSON) })
		},
	}
	socketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	f := cmd.Flags()
	f.Lookup("json").Usage = "print one JSON object for each line"
	f.BoolVarP(&follow, "follow", "f", false, "wait for new lines")
	f.StringVar(&severity, "severity", terms.Info.String(), "only lines of this `SEVERITY` or a more urgent one: error, warning, notice, info")
	f.Uint64Var(&since, "since", 0, "only lines after line number `N`, not a time; --json prints the numbers")
	return cmd
}

// printEvents prints log lines as they come, and notes missing ones.
func printEvents(cmd *cobra.Command, c *client.Client, since uint64, follow bool, least terms.Severity, asJSON bool) error {
	out := smLog{to: cmd.OutOrStdout(), asJSON: asJSON}
	err := c.Events(cmd.Context(), client.Position{Number: since}, follow, func(_ client.Position, line *terms.LogLine) error {
		if line.Number > since+1 {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: %d earlier lines are no longer kept\n", line.Number-since-1)
		}
		if since = line.Number; line.Kind.Severity() <= least {
			out.write(line)
		}
		return nil
	})
	if cmd.Context().Err() != nil { // Ctrl-C ends --follow
		return nil
	}
	return err
}

// smDrainCmd returns weft sm drain or undrain.
func smDrainCmd(name, short, long string, ask func(*client.Client, context.Context, string) (*service.Asked, error)) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:     name + " NAME",
		Short:   short,
		Long:    long,
		Example: "  weft sm " + name + " 'spine 1'\n  weft sm " + name + " 'leaf 3[20]'",
		Args:    cli.OneArgument("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withManager(socket, func(c *client.Client) error {
				asked, err := ask(c, cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asked.Warning != "" {
					fmt.Fprintln(cmd.ErrOrStderr(), "weft:", asked.Warning)
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), asked.Asked)
				return err
			})
		},
	}
	socketFlag(cmd, &socket)
	return cmd
}

const drainHelp = `Take a switch or a cable out of use, for maintenance.

NAME is a switch, by name or GUID, or a cable by one of its ports, such as 'leaf 3[20]'. The running
manager moves all paths away in its next round (weft sm events shows it). A drained switch then serves
only its own hosts; a drained cable stays up and carries nothing. A drain that would cut two
switches off from each other is refused. With --state it survives a restart. weft sm status lists
drained parts; weft sm undrain ends a drain.

Exit status: 0 accepted; 3 refused, or no manager answers at --socket.`

const undrainHelp = `Use a drained part again, a link in quarantine, or a disabled port.

NAME is a part as for weft sm drain, or as weft sm status lists it. A link is in quarantine after
going down and up too often. A disabled switch port is enabled: weft disables ports that send too much
(--babbling-port disable). A part drained by the configuration (--drain) is used too, until the
configuration changes.

Exit status: 0 accepted; 3 refused, or no manager answers at --socket.`

// smAskCmd returns a command that sends a request without arguments to a running manager.
func smAskCmd(name, short string, ask func(*client.Client, context.Context) (*service.Asked, error)) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Long: strings.ToUpper(short[:1]) + short[1:] + `.

It starts when the current round is finished; weft sm events shows the progress. A standby manager
refuses.

Exit status: 0 accepted; 3 refused, or no manager answers at --socket.`,
		Example: "  weft sm " + name,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error {
				asked, err := ask(c, cmd.Context())
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), "requested:", asked.Asked)
				}
				return err
			})
		},
	}
	socketFlag(cmd, &socket)
	return cmd
}
