package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile/counters"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/study/several"
	"weft/study/show"
)

// showFlags are the options of weft show.
type showFlags struct {
	cli.FabricFlags
	form           cli.Form
	warnings, tree bool
	other          string // the FABRIC of --diff
	picture        pictureFlags
	counters       []string
}

// showHelp tells what weft show --help says.
const showHelp = `Count what is in a fabric and list the cables that somebody should look at, or list
what changed since another fabric.

Odd cables are: slow, with fewer bits per second than both ends or the cables beside do;
contradicted, of which lines of the file tell different ones in one port, so that neither
is taken (other commands refuse such a file without --partial); disputed, of which the two
ends tell different widths or speeds, or lines different LIDs or GUIDs of a port; missing from the pattern of
a tree, mesh, torus, HyperX, Dragonfly or Dragonfly+, with the ports in which they should
be where that can be told;
crossed, two that are plugged in where the other should be; extra, beside the pattern. The
pattern is what most cables follow. With --counters also those with errors, and those for
which packets waited or were discarded.

With --tree also describe it as a fat-tree, as the engine ftree recognises it: levels,
roots, leaves, parallel and horizontal links, separate cores, the formula (rlft, pgft)
that gives exactly this tree, or would with what is missing.
Switches have the role that --roles gives them, or else the one that the fabric says, or
else the one that follows from their place.

With --svg draw it: trees in levels, leaves at the bottom; meshes, tori and HyperX
networks as grids; Dragonflies and full meshes on a circle. What is too much for one
picture is folded: a pod becomes one box with a cell for each switch, its cables one
line. What is down or drained is drawn in its place, and marked. With an engine, a Plan
or forwarding tables cables have the colour of their load over all pairs of hosts, or
with --colour lanes of the virtual lanes that packets use on them.

` + cli.BetweenHelp

func showCmd() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show FABRIC",
		Short: "count what is in a fabric, describe it as a fat-tree, or compare it with another",
		Long:  showHelp,
		Example: `  weft show examples/psmn-x5.ibnetdiscover
  weft show 'torus(8x8x8,hosts=1)|fail(links=10,seed=3)'
  weft show today.txt --diff yesterday.txt
  weft show 'rlft(36,2)|fail(links=10,seed=3)' --tree
  weft show fabric.txt --counters errors.txt
  weft show examples/psmn-x5.ibnetdiscover --svg psmn.svg --engine updn
  weft show 'subnets(rlft(36,2),torus(4x4x4),routers=4)'
  weft show 'dragonfly(4,2,2)' --svg lanes.svg --engine lash --colour lanes`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.other != "" && (flags.picture.svg != "" || flags.tree || flags.warnings || len(flags.counters) > 0) {
				return errors.New("--diff goes with none of --tree, --warnings, --counters and --svg")
			}
			if flags.other == "-" && args[0] == "-" {
				return errors.New("standard input holds one FABRIC, not two")
			}
			if flags.picture.svg == "-" && (flags.form.JSON || flags.tree || flags.warnings) {
				return errors.New("--svg - is all that is printed: name a file, or leave out the rest")
			}
			if flags.Several(args[0]) {
				if err := cli.RefuseOne(cmd); err != nil {
					return err
				}
				n, err := flags.Network(cmd, args[0])
				if err != nil {
					return err
				}
				return flags.form.Answer(cmd.OutOrStdout(), several.NewNetwork(n))
			}
			flags.Quiet = flags.Quiet || flags.warnings || flags.form.JSON
			src, err := flags.Open(cmd, args[0])
			if err != nil {
				return err
			}
			if flags.other != "" {
				return showDiff(cmd, &flags, src.Fabric)
			}
			if err := flags.picture.draw(cmd, src); err != nil || flags.picture.alone() {
				return err
			}
			return showFabric(cmd, &flags, src)
		},
	}
	flags.Add(cmd)
	flags.Disputed = true // lists them
	flags.AddRoles(cmd)
	flags.picture.add(cmd)
	cmd.Flags().BoolVar(&flags.tree, "tree", false, "say what the fabric is as a fat-tree, and what is missing from it")
	flags.form.Add(cmd)
	cmd.Flags().BoolVar(&flags.warnings, "warnings", false, "list everything odd that the file holds")
	cmd.Flags().StringArrayVar(&flags.counters, "counters", nil, "file of port counters, printed by perfquery or ibqueryerrors; may be given several times")
	cmd.Flags().StringVar(&flags.other, "diff", "", "list what changed since this other FABRIC; exit 1 if anything did")
	return cmd
}

// showFabric prints what a fabric holds.
func showFabric(cmd *cobra.Command, flags *showFlags, src *source.Source) error {
	counters, err := readCounters(cmd, flags)
	if err != nil {
		return err
	}
	var report *show.Fabric
	err = cli.WithProgress(cmd, "measuring the diameter", func(ctx context.Context) (err error) {
		report, err = show.NewFabric(ctx, src, flags.tree, counters)
		return err
	})
	if err != nil {
		return err
	}
	if err := flags.form.Answer(cmd.OutOrStdout(), report); err != nil || flags.form.JSON || !flags.warnings {
		return err
	}
	for _, w := range report.Warnings {
		fmt.Fprintln(cmd.OutOrStdout(), "warning:", w)
	}
	return nil
}

// readCounters reads the files of port counters.
func readCounters(cmd *cobra.Command, flags *showFlags) (all []counters.Port, err error) {
	for _, name := range flags.counters {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		ports, warnings, err := counters.Read(name, data)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
		}
		all = append(all, ports...)
	}
	return all, nil
}

// showDiff lists what must change in the fabric of --diff to get to.
func showDiff(cmd *cobra.Command, flags *showFlags, to *fabric.Fabric) error {
	from, err := flags.Open(cmd, flags.other)
	if err != nil {
		return err
	}
	diff := summary.Compare(from.Fabric, to)
	if err := cli.Answer(cmd.OutOrStdout(), diff, flags.form.JSON); err != nil || diff.Equal {
		return err
	}
	return cli.AnswerNo
}
