package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/otherfiles"
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
	servers        bool
	other          string // the FABRIC of --diff
	picture        pictureFlags
	counters       []string
}

// showHelp is the text of weft show --help.
const showHelp = `Summarise a fabric and list its suspicious cables; or draw it, or compare it with another fabric.

Input is a FABRIC. Output is a report of hosts, switches, links, diameter and suspicious cables.
--tree adds a description as a fat-tree, --servers a list of machines, --svg a picture. --diff OTHER
lists what changed since the FABRIC OTHER instead; the exit status is then 1 if anything changed.

COMPARISONS

Of files in two formats weft show --diff compares what both tell; what one of them does not tell is
no change. ibdiagnet2.net_dump and ibnetdiscover -p know hosts by the GUIDs of their ports. UFM's NDT
and topology files of ibutils have no GUIDs: cables are compared by the names of their ends, which a
node name map (--node-map) can bring together. An NDT tells the cables of the devices that it names.

Files of forwarding tables (opensm.fdbs, ibdiagnet2.fdbs, opensm-lfts.dump, output of dump_fts) are
compared entry by entry, and lists of subnet managers (ibdiagnet2.sm) manager by manager. Alone they
are counted.

SUSPICIOUS CABLES

A cable is suspicious if it is:

  slow          slower than both of its ends allow, or than the cables beside it
  contradicted  in a port for which lines of the file name different cables; none of them is used,
                and other commands refuse such a file without --partial
  disputed      reported with different widths or speeds by its two ends, or at a port for which
                lines of the file give different LIDs or GUIDs
  missing       expected by the pattern of the network, in the ports given if they can be told
  crossed       plugged into the port of another cable, and that one into its port
  extra         outside the pattern of the network

The pattern (tree, mesh, torus, HyperX, Dragonfly, Dragonfly+) is the one that most cables follow.
The cables of servers with several ports are compared with the rails: a port on another rail than
its place, or at the switch of other servers, is crossed or extra.
--counters also lists cables with errors, and cables on which packets waited or were discarded.

FAT-TREES

--tree describes the fabric as the engine ftree sees it: levels, roots, leaves, parallel and
horizontal links, separate cores. It prints the formula (rlft, pgft) of this tree, or of the tree
with its missing parts. The role of a switch comes from --roles, else from the fabric, else from
its position.

SERVERS, RAILS AND PLANES

A server is a machine with one or several CAs. CAs belong together if their descriptions begin with
one host name ("n12 mlx5_0", "n12 mlx5_1"), or if they have one system image GUID. Names that
firmware or installers give to every machine do not count.

A plane is a part of the switch network that no switch cable joins to the rest. A rail is the set of
host ports of one place in every server that are on switches of their own. The place is the port
number, the adapter in the description, or the order of GUIDs; where it contradicts the cables,
wiring alone decides. A host port on another rail than its place is listed: its cable may be swapped.

PICTURES

--svg draws trees in levels with the leaves at the bottom; meshes, tori and HyperX networks as
grids; Dragonflies and full meshes on a circle. Large networks are folded: a pod becomes one box
with a cell for each switch, and its cables one line with their number. One line through many boxes
stands for the cables between all of them. A server with several ports is a box with its ports, or
shares one with all servers in the same place. Each rail has a colour. Planes stand side by side
above their servers. Parts that are down or drained are drawn in their place and marked; cables that
are failed, missing, odd or the hottest are above the others. With --engine, --plan or --lfts the
colour of a cable is its load over all pairs of hosts; with --colour lanes it is the set of virtual
lanes in use.

` + cli.BetweenHelp

func showCmd() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show FABRIC",
		Short: "summarise a fabric, list suspicious cables, draw it, or compare two fabrics",
		Long:  showHelp,
		Example: `  weft show examples/psmn-x5.ibnetdiscover
  weft show 'torus(8x8x8,hosts=1)|fail(links=10,seed=3)'
  weft show today.txt --diff yesterday.txt
  weft show today.txt --diff plan.ndt
  weft show ibdiagnet2.fdbs --diff opensm.fdbs
  weft show 'rlft(36,2)|fail(links=10,seed=3)' --tree
  weft show 'rail(4,8,2)' --servers
  weft show fabric.txt --counters errors.txt
  weft show examples/psmn-x5.ibnetdiscover --svg psmn.svg --engine updn
  weft show 'subnets(rlft(36,2),torus(4x4x4),routers=4)'
  weft show 'dragonfly(4,2,2)' --svg lanes.svg --engine lash --colour lanes`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(args[0]); err != nil {
				return err
			}
			alone := flags.picture.svg == "" && !flags.tree && !flags.servers && !flags.warnings && len(flags.counters) == 0
			if handled, err := otherfiles.Show(cmd, args[0], flags.other, flags.form, alone); handled {
				return err
			}
			return flags.run(cmd, args[0])
		},
	}
	flags.Add(cmd)
	flags.Disputed = true // lists them
	flags.AddRoles(cmd)
	flags.picture.add(cmd)
	cmd.Flags().BoolVar(&flags.tree, "tree", false, "describe the fabric as a fat-tree, and what is missing from it")
	cmd.Flags().BoolVar(&flags.servers, "servers", false, "list the servers: what they are known by, and the switch, rail and plane of each port")
	flags.form.Add(cmd)
	cmd.Flags().BoolVar(&flags.warnings, "warnings", false, "list everything odd in the input file")
	cmd.Flags().StringArrayVar(&flags.counters, "counters", nil, "`FILE` with port counters, from perfquery, ibqueryerrors or ibdiagnet2.db_csv; can be repeated")
	cmd.Flags().StringVar(&flags.other, "diff", "", "list what changed since this other `FABRIC`; exit status 1 if anything did")
	return cmd
}

// validate returns an error for options that do not go together.
func (flags *showFlags) validate(arg string) error {
	switch {
	case flags.other != "" && (flags.picture.svg != "" || flags.tree || flags.servers || flags.warnings || len(flags.counters) > 0):
		return errors.New("--diff cannot be combined with --tree, --servers, --warnings, --counters or --svg")
	case flags.other == "-" && arg == "-":
		return errors.New("standard input can be only one of the FABRICs")
	case flags.picture.svg == "-" && (flags.form.JSON || flags.tree || flags.servers || flags.warnings):
		return errors.New("--svg - prints nothing but the picture: name a file, or leave out --json, --tree, --servers and --warnings")
	}
	return nil
}

// run shows a fabric: several subnets, the changes since another one, or a picture and the counts.
func (flags *showFlags) run(cmd *cobra.Command, arg string) error {
	if flags.Several(arg) {
		if err := cli.RefuseOne(cmd); err != nil {
			return err
		}
		n, err := flags.Network(cmd, arg)
		if err != nil {
			return err
		}
		return flags.form.Answer(cmd.OutOrStdout(), several.NewNetwork(n))
	}
	flags.Quiet = flags.Quiet || flags.warnings || flags.form.JSON
	opened, err := flags.Open(cmd, arg)
	if err != nil {
		return err
	}
	if flags.other != "" {
		return showDiff(cmd, flags, opened)
	}
	src := show.Inspect(opened)
	if err := flags.picture.draw(cmd, src); err != nil || flags.picture.alone() {
		return err
	}
	return showFabric(cmd, flags, src)
}

// showFabric prints the description of a fabric.
func showFabric(cmd *cobra.Command, flags *showFlags, src *show.Inspected) error {
	counters, err := readCounters(cmd, flags.counters)
	if err != nil {
		return err
	}
	var report *show.Fabric
	err = cli.WithProgress(cmd, "measuring the diameter", func(ctx context.Context) (err error) {
		report, err = show.NewFabric(ctx, src, show.Options{Tree: flags.tree, Servers: flags.servers, Counters: counters})
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
func readCounters(cmd *cobra.Command, files []string) (all []counters.Port, err error) {
	for _, name := range files {
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

// showDiff lists the changes since the fabric of --diff.
func showDiff(cmd *cobra.Command, flags *showFlags, to *source.Source) error {
	from, err := flags.Open(cmd, flags.other)
	if err != nil {
		return err
	}
	diff, err := summary.Compare(from, to)
	if err != nil {
		return err
	}
	if err := cli.Answer(cmd.OutOrStdout(), diff, flags.form.JSON); err != nil || diff.Equal {
		return err
	}
	return cli.AnswerNo
}
