// Command weft is a subnet manager and routing laboratory for lossless switched networks. Most
// commands are one file here; each parses, calls and prints. Package manage has weft sm, package
// demo has weft demo. A new command joins commands and taskOf in main.go.
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
	"weft/cmd/weft/fewest"
	"weft/cmd/weft/manage"
	"weft/cmd/weft/simulate"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/study/routing"
)

func main() {
	collectLater()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// collectLater delays the first garbage collection to a heap of 32 MB instead of 4 MB, unless GOGC
// is set. Most commands never reach it. Later collections are as usual.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of 4 MB
	type marker struct{ _ *int }
	runtime.AddCleanup(new(marker), func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// run runs the program and returns the exit status.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot(args...)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeAll(root)
		plainUsage(root)
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
		fmt.Fprintln(errOut, cli.ErrorPrefix()+"weft:", strings.ReplaceAll(text, "\n", "\n"+cli.ErrorPrefix()))
	}
	return statusOf(err)
}

// statusOf returns the exit status of an error. Unknown errors count as bad usage or input.
func statusOf(err error) int {
	if exit, ok := errors.AsType[*cli.ExitError](err); ok {
		return exit.Status
	}
	if routing.CouldNot(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return cli.ExitCannot
	}
	return cli.ExitBad
}

// commands holds the constructors of all commands, by name.
var commands = map[string]func() *cobra.Command{
	"show": showCmd, "gen": genCmd, "convert": convertCmd, "route": routeCmd, "check": checkCmd, "compare": compareCmd,
	"suggest": suggestCmd, "whatif": whatifCmd, "simulate": simulate.Command, "job": jobCmd, "demo": demoCmd, "emulate": emulateCmd,
	"discover": discoverCmd, "sm": manage.Command, "ping": pingCmd, "ui": uiCmd, "lab": labCmd, "lids": fewest.LIDs, "lanes": fewest.Lanes, "map": mapCmd, "version": versionCmd, "man": manCmd,
}

// commandTasks group the commands on the help page of weft.
var commandTasks = []*cobra.Group{
	{ID: "fabric", Title: "Look at a network:"},
	{ID: "routing", Title: "Route it and judge routings:"},
	{ID: "subnet", Title: "Run a subnet:"},
	{ID: "design", Title: "Design and research:"},
	{ID: "other", Title: "Other commands:"},
}

// taskOf is the group of each command.
var taskOf = map[string]string{
	"show": "fabric", "ui": "fabric", "convert": "fabric", "gen": "fabric", "discover": "fabric",
	"route": "routing", "check": "routing", "compare": "routing", "whatif": "routing", "simulate": "routing", "job": "routing",
	"sm": "subnet", "ping": "subnet", "emulate": "subnet",
	"suggest": "design", "lab": "design", "lids": "design", "lanes": "design", "map": "design",
	"demo": "other", "version": "other", "man": "other",
}

// newRoot returns the root command. If args begin with a command that needs no other one, it has
// only this subcommand, otherwise all.
func newRoot(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "subnet manager and routing laboratory for InfiniBand and other lossless networks",
		Long: `weft routes InfiniBand fabrics, proves that a routing reaches every host and cannot deadlock, and
manages live subnets with it.

Most commands take a FABRIC and print a report, or one JSON object with --json. FABRIC is one of:

  FILE     a network in one of the formats ` + netfile.Names(netfile.Readable()) + `; the format is recognised (weft convert --help)
  -        such a file from standard input
  FORMULA  a generated network, such as 'rlft(36,2)' (weft gen --list)

Suffixes change it: 'fabric.txt|fail(links=10,seed=3)' fails ten links, and
'fabric.txt|drain(switch=spine 3)' drains a switch.

Start with weft demo.

NAMES OF NODES, PORTS AND CABLES

` + fabric.NameHelp + `

OUTPUT FILES AND EXIT STATUS

"-" as the name of an output file is standard output; the report then goes to standard error.

Exit status: 0 yes, or done; 1 the answer is no, for example a routing that is not proven; 2 wrong
usage or input; 3 the work could not be done.`,
		Example: `  weft show examples/psmn-x5.ibnetdiscover
  weft route 'rlft(36,2)' -o tree.plan
  weft sm --once --transport 'emulate:rlft(36,2)'`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Version = cli.Version
	root.AddGroup(commandTasks...)
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	root.SetFlagErrorFunc(cli.FlagError)
	add := func(name string) {
		cmd := commands[name]()
		cmd.GroupID = taskOf[name]
		root.AddCommand(cmd)
	}
	if len(args) > 0 && args[0] != "man" && commands[args[0]] != nil {
		add(args[0])
	} else {
		for name := range commands {
			add(name)
		}
	}
	foldHelp(root)
	return root
}
