package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/batch"
	"weft/fabric/netfile/site"
)

// slurmFlags holds the options of the Slurm format.
type slurmFlags struct{ spines, root string }

// read reads the files. names comes from the node name map.
func (s *slurmFlags) read(names map[fabric.GUID]string) (opt batch.SlurmOptions, err error) {
	opt.Root, opt.Names = s.root, names
	if s.spines != "" {
		data, err := os.ReadFile(s.spines)
		if err != nil {
			return opt, err
		}
		if opt.Spines, err = site.ReadGUIDs(s.spines, data); err != nil {
			return opt, err
		}
	}
	return opt, nil
}

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

func convertCmd() *cobra.Command {
	var (
		flags  cli.FabricFlags
		slurm  slurmFlags
		format string
		out    string
	)
	cmd := &cobra.Command{
		Use:   "convert FABRIC",
		Short: "convert a fabric to another file format",
		Long: "Convert a fabric to another file format.\n\nInput is a FABRIC; its format is recognised by its content. Output is a file in the format of --to.\n\n" +
			"FORMATS THAT ARE WRITTEN\n\n" + listFormats(netfile.Writable()) +
			"\nFORMATS THAT ARE READ\n\n" + listFormats(netfile.Readable()),
		Example: `  weft convert examples/psmn-x5.ibnetdiscover --to dot | dot -Tsvg > psmn.svg
  weft convert subnet.lst --to ibnetdiscover -o net
  weft convert fabric.txt --to slurm --node-map names.map -o topology.conf`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slurm != (slurmFlags{}) && format != "slurm" {
				return errors.New("--spines and --root need --to slurm")
			}
			src, err := flags.Open(cmd, args[0])
			if err != nil {
				return err
			}
			names, err := flags.NameMap()
			if err != nil {
				return err
			}
			opt, err := slurm.read(names)
			if err != nil {
				return err
			}
			return writeFabric(cmd, src.Fabric, format, out, opt)
		},
	}
	flags.Add(cmd)
	formatFlag(cmd, &format, "to", "")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	cmd.Flags().StringVar(&slurm.spines, "spines", "", "slurm: `FILE` with the GUIDs of switches that are never leaves, one a line")
	cmd.Flags().StringVar(&slurm.root, "root", "", "slurm: `NAME` of a switch to add above all others, so that a job can span them")
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
