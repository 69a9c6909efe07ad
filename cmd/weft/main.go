// Command weft is a subnet manager and routing laboratory for lossless switched
// networks. One file per command; each parses, calls and prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/study/routing"
)

func main() {
	collectLater()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// collectLater has the garbage collector begin at 32 MB in place of 4, unless the environment says otherwise
// (GOGC): most commands never reach that. From then on all is as usual.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of 4 MB
	type marker struct{ _ *int }
	runtime.AddCleanup(new(marker), func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// run is the program: it returns the exit status.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot(args...)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeAll(root)
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(coloured(out))
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return cli.ExitYes
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "interrupted"
	}
	if text != cli.ExitSilence {
		fmt.Fprintln(errOut, "weft:", text)
	}
	return statusOf(err)
}

// statusOf finds the exit status of an error. What is not known to be a refusal is
// bad usage or bad input.
func statusOf(err error) int {
	if exit, ok := errors.AsType[*cli.ExitError](err); ok {
		return exit.Status
	}
	if routing.CouldNot(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return cli.ExitCannot
	}
	return cli.ExitBad
}

// commands makes the commands, by name.
var commands = map[string]func() *cobra.Command{
	"show": showCmd, "gen": genCmd, "convert": convertCmd, "route": routeCmd, "check": checkCmd, "compare": compareCmd,
	"suggest": suggestCmd, "whatif": whatifCmd, "simulate": simulateCmd, "demo": demoCmd, "emulate": emulateCmd,
	"discover": discoverCmd, "sm": manage.Command, "ping": pingCmd, "lab": labCmd, "lids": lidsCmd, "map": mapCmd, "version": versionCmd, "man": manCmd,
}

// newRoot makes the program's command with the subcommand that args begin with, or with all of them if args do not begin
// with the name of one that needs no other.
func newRoot(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "subnet manager and routing laboratory for lossless switched networks",
		Long: `weft gives an InfiniBand fabric LIDs, routes and virtual lanes, and proves them
before a switch is told.

Every command that takes a FABRIC takes one string: a file (` + netfile.Names(netfile.Readable()) + `;
the format is recognised, see weft convert --help), "-" for standard input, or a formula
such as 'rlft(36,2)' (weft gen --list). Any of them may be changed:
'fabric.txt|fail(links=10,seed=3)', 'fabric.txt|drain(switch=spine 3)'.

` + fabric.NameHelp + `

A file to be written that is called "-" is standard output; the report then goes to
standard error.

Exit status: 0 yes; 1 the answer is no; 2 bad usage or input; 3 could not.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Version = cli.Version
	root.SetFlagErrorFunc(cli.FlagError)
	if len(args) > 0 && args[0] != "man" && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]]())
	} else {
		for _, command := range commands {
			root.AddCommand(command())
		}
	}
	foldHelp(root)
	return root
}
