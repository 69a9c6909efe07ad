package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/batch"
)

// formatFlag adds the option for the output format.
func formatFlag(cmd *cobra.Command, format *string, name, usage string) {
	cmd.Flags().StringVar(format, name, "ibnetdiscover", usage+"`FORMAT`, one of: "+netfile.Names(netfile.Writable()))
	var names []string
	for _, f := range netfile.Writable() {
		names = append(names, f.Name+"\t"+f.Summary)
	}
	if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag was added above
	}
}

// listFormats lists formats for a help text.
func listFormats(list []netfile.Format) string {
	var text strings.Builder
	for _, f := range list {
		fmt.Fprintf(&text, "  %-14s %s (.%s)\n", f.Name, f.Summary, f.Ending)
	}
	return text.String()
}

// slurmHelp is about Slurm's files.
const slurmHelp = `
SLURM'S FILES

topology.conf holds a tree of switches (--to slurm), or a block for each switch with hosts
(slurm-block, for Slurm 23.11 and later). topology.yaml (slurm-yaml, for Slurm 25.05 and later) holds
several topologies; Slurm then ignores topology.conf. Slurm knows hosts by their names in slurm.conf:
give a node name map if the descriptions of adapters do not begin with these, and --hosts if the
fabric has hosts that Slurm does not know. Slurm does not start with a block of unknown hosts.

Slurm takes a host at one switch of a topology. Of a host with several ports:

  rails   that share spines: the hosts of a pod are on one switch of each rail, so the first rail
          stands for all of them; the switches of the others are left out
  planes  without a cable between them: topology.yaml has a topology for each, plane0, plane1 and so
          on; a partition names its own (Topology=plane1 in slurm.conf). topology.conf has room for
          one: a host is in the plane with the most hosts, or only --plane N is listed. Names of
          planes are those of weft show --servers
  others  at the switch of its first port
`

// graphHelp is about formats that lack what InfiniBand needs, or hold one kind of network.
const graphHelp = `
GRAPHS AND SIMULATORS

GraphML read: the attribute type, kind or role of a node names a host (host, server, CA) or a switch
(switch, leaf, spine). If none names a host, nodes with one cable are hosts. Missing GUIDs and port
numbers count up in the order of the file: switches from 0x200000, hosts from 0x100000. A port GUID
is the node GUID plus the port number. Models of topograph are read in the same way.

GraphML written keeps types, GUIDs, ports, descriptions, widths and speeds. A model of topograph is a
tree of one plane: a switch stands for all that reach the same hosts. htsim's file holds the sizes of
a whole fat-tree, and any other network is refused. Files for ns-3 (as HPCC's programs read it) and
OMNeT++ hold every network. All cables have the same delay there, since a fabric has no lengths.
`

func convertCmd() *cobra.Command {
	var (
		flags  cli.FabricFlags
		slurm  cli.SlurmFlags
		format string
		out    string
	)
	cmd := &cobra.Command{
		Use:   "convert FABRIC",
		Short: "convert a fabric to another file format",
		Long: "Convert a fabric to another file format.\n\nInput is a FABRIC; its format is recognised by its content. Output is a file in the format of --to.\n\n" +
			"FORMATS THAT ARE WRITTEN\n\n" + listFormats(netfile.Writable()) +
			"\nFORMATS THAT ARE READ\n\n" + listFormats(netfile.Readable()) + graphHelp + slurmHelp,
		Example: `  weft convert examples/psmn-x5.ibnetdiscover --to dot | dot -Tsvg > psmn.svg
  weft convert subnet.lst --to ibnetdiscover -o net
  weft convert fabric.txt --to slurm --node-map names.map -o topology.conf
  weft convert fabric.txt --to slurm-yaml --hosts 'n[001-128]' -o topology.yaml
  weft convert network.graphml --to ned -o network.ned`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slurm.Given() && !strings.HasPrefix(format, "slurm") {
				return errors.New("--spines, --root, --hosts, --plane and --block-sizes need --to slurm, slurm-block or slurm-yaml")
			}
			src, err := flags.Open(cmd, args[0])
			if err != nil {
				return err
			}
			names, err := flags.NameMap()
			if err != nil {
				return err
			}
			opt, err := slurm.Read(names)
			if err != nil {
				return err
			}
			return writeFabric(cmd, src.Fabric, format, out, opt)
		},
	}
	flags.Add(cmd)
	formatFlag(cmd, &format, "to", "")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	slurm.Add(cmd, "", "slurm: ")
	return cmd
}

// writeFabric writes a fabric to a file, or to stdout if out is empty.
func writeFabric(cmd *cobra.Command, f *fabric.Fabric, format, out string, slurm batch.SlurmOptions) error {
	to, err := netfile.FindWritable(format)
	if err != nil {
		return err
	}
	return cli.Output(cmd, out, func(w io.Writer) error {
		warnings, err := to.Write(w, f, netfile.Options{Slurm: slurm})
		for _, note := range warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", note)
		}
		return err
	})
}
