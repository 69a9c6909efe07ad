package manage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/service"
	"weft/sm/service/client"
	"weft/sm/terms"
)

// serve serves what is asked of the manager over its socket, until it is ended.
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
		servers.Go(func() { r.served(service.Serve(ctx, l, r.service.Handler())) })
	}
	if s.service.api.address != "" {
		l, err := s.service.api.listen()
		if err != nil {
			end()
			return nil, cli.Cannot(fmt.Errorf("--api: %w", err))
		}
		r.api = l
		servers.Go(func() { r.served(service.Serve(ctx, l, l.guard.Protect(r.service.Handler()))) })
	}
	if s.service.metrics != "" {
		l, err := listenTCP(s.service.metrics)
		if err != nil {
			end()
			return nil, cli.Cannot(fmt.Errorf("--metrics: %w", err))
		}
		servers.Go(func() { r.served(service.Serve(ctx, l, service.Local(l.Addr(), r.service.Metrics()))) })
	}
	servers.Go(func() { r.watchdog(ctx) })
	return end, nil
}

// listenTCP listens at HOST:PORT; without a HOST only this machine reaches it.
func listenTCP(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s: want HOST:PORT, or :PORT for this machine alone", address)
	}
	return net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
}

// served tells of a server that has failed.
func (r *serving) served(err error) {
	if err != nil {
		r.tell(terms.Incident{Kind: terms.ServerFailed, Text: err.Error()})
	}
}

// socketFlag adds --socket to a command that asks a manager that runs.
func socketFlag(cmd *cobra.Command, socket *string) {
	cmd.Flags().StringVar(socket, "socket", service.UsualSocket, "Unix socket of the manager (its --socket)")
}

// withManager asks the manager at a socket.
func withManager(socket string, ask func(c *client.Client) error) error {
	c := client.Unix(socket)
	defer c.Close()
	err := ask(c)
	if _, ok := errors.AsType[*cli.ExitError](err); err == nil || ok {
		return err
	}
	return cli.Cannot(err)
}

func smStatusCmd() *cobra.Command {
	var socket string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "what a manager that runs is and does",
		Long: `Print what a manager that runs (weft sm --socket PATH) is and does: whether it is the
master, what is in force and proven, the round that is under way or was the last, what
it will do next, what it has asked and what was in the way of the last round.

Exit status: 0; 3 where no manager answers.`,
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
	cmd := &cobra.Command{
		Use:   "events",
		Short: "the log of a manager that runs",
		Long: `Print the lines of the log that a manager that runs (weft sm --socket PATH) still has; with
--follow also those to come, until it ends. weft sm --codes explains the codes.`,
		Example: "  weft sm events --follow\n  weft sm events --since 120 --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error { return printEvents(cmd, c, since, follow, asJSON) })
		},
	}
	socketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	f := cmd.Flags()
	f.Lookup("json").Usage = "print a JSON object for each line"
	f.BoolVarP(&follow, "follow", "f", false, "go on with the lines to come")
	f.Uint64Var(&since, "since", 0, "only lines behind this number (number in the JSON)")
	return cmd
}

// printEvents prints lines as they come, and says where some are missing.
func printEvents(cmd *cobra.Command, c *client.Client, since uint64, follow, asJSON bool) error {
	out := smLog{to: cmd.OutOrStdout(), asJSON: asJSON}
	err := c.Events(cmd.Context(), client.Position{Number: since}, follow, func(_ client.Position, line *terms.LogLine) error {
		if line.Number > since+1 {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: %d lines before this one are not kept any more\n", line.Number-since-1)
		}
		since = line.Number
		out.write(line)
		return nil
	})
	if cmd.Context().Err() != nil { // Ctrl-C ends --follow
		return nil
	}
	return err
}

// smDrainCmd makes a command that drains something, or no longer.
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

const drainHelp = `Have a manager that runs (weft sm --socket PATH) take a switch or a cable out of use, as for
work on it. A drained switch serves its own hosts and lets no other traffic through; a drained
cable stays up and carries nothing. NAME is a switch by its name or GUID, or one of its
ports, as in 'leaf 3[20]'. What would leave two switches without a way to each other is
refused. Paths are moved by the next round (weft sm events shows it); with --state it
holds after a restart too. weft sm status lists what is drained.

Exit status: 0; 3 where it is refused, or no manager answers.`

const undrainHelp = `Have a manager that runs (weft sm --socket PATH) use a switch or a cable again that was
drained, or a link that is in quarantine since it went up and down too often. NAME is as for
weft sm drain, or as weft sm status lists it. What the configuration drains (--drain) is used
again too, until that is changed.

Exit status: 0; 3 where it is refused, or no manager answers.`

// smAskCmd makes a command that asks something of a manager that runs.
func smAskCmd(name, short string, ask func(*client.Client, context.Context) (*service.Asked, error)) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Long: "Ask a manager that runs (weft sm --socket PATH) to " + short[len("have a manager that runs "):] + `. It does so as soon as no
round is under way; weft sm events shows how that goes. A manager that stands by refuses.`,
		Example: "  weft sm " + name,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error {
				asked, err := ask(c, cmd.Context())
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), "asked for", asked.Asked)
				}
				return err
			})
		},
	}
	socketFlag(cmd, &socket)
	return cmd
}
