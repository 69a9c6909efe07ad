package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
)

// slurmFlags name the files that the Slurm writer may use.
type slurmFlags struct{ names, spines, root string }

// read reads the files.
func (s *slurmFlags) read() (opt netfile.SlurmOptions, err error) {
	opt.Root = s.root
	if s.names != "" {
		data, err := os.ReadFile(s.names)
		if err != nil {
			return opt, err
		}
		if opt.Names, err = netfile.ReadNames(s.names, data); err != nil {
			return opt, err
		}
	}
	if s.spines != "" {
		data, err := os.ReadFile(s.spines)
		if err != nil {
			return opt, err
		}
		if opt.Spines, err = netfile.ReadGUIDs(s.spines, data); err != nil {
			return opt, err
		}
	}
	return opt, nil
}

// writer is a format that a fabric can be written in.
type writer struct {
	name, what string
	write      func(io.Writer, *fabric.Fabric, netfile.SlurmOptions) ([]netfile.Warning, error)
}

var writers = []writer{
	{"ibnetdiscover", "ibnetdiscover output, which ibsim loads", plain(netfile.WriteIBNetDiscover)},
	{"json", "weft's own format: everything that is known", plain(netfile.WriteJSON)},
	{"dot", "Graphviz", plain(netfile.WriteDot)},
	{"slurm", "topology.conf of Slurm's topology/tree", netfile.WriteSlurm},
}

// plain is a writer without options or warnings.
func plain(write func(io.Writer, *fabric.Fabric) error) func(io.Writer, *fabric.Fabric, netfile.SlurmOptions) ([]netfile.Warning, error) {
	return func(w io.Writer, f *fabric.Fabric, _ netfile.SlurmOptions) ([]netfile.Warning, error) {
		return nil, write(w, f)
	}
}

func writerNames() string {
	var names []string
	for _, w := range writers {
		names = append(names, w.name)
	}
	return strings.Join(names, ", ")
}

func convertCmd() *cobra.Command {
	var (
		flags  fabricFlags
		slurm  slurmFlags
		format string
		out    string
	)
	cmd := &cobra.Command{
		Use:   "convert FABRIC",
		Short: "write a fabric in another format",
		Long: "Write a fabric in another format:\n" + func() string {
			var text strings.Builder
			for _, w := range writers {
				fmt.Fprintf(&text, "  %-14s %s\n", w.name, w.what)
			}
			return text.String()
		}(),
		Example: `  weft convert examples/psmn-x5.ibnetdiscover --to dot | dot -Tsvg > psmn.svg
  weft convert subnet.lst --to ibnetdiscover -o net
  weft convert fabric.txt --to slurm --node-map names.map -o topology.conf`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slurm != (slurmFlags{}) && format != "slurm" {
				return errors.New("--node-map, --spines and --root go with --to slurm")
			}
			src, err := flags.open(cmd, args[0])
			if err != nil {
				return err
			}
			opt, err := slurm.read()
			if err != nil {
				return err
			}
			return writeFabric(cmd, src.Fabric, format, out, opt)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&format, "to", "ibnetdiscover", "one of: "+writerNames())
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: standard output)")
	cmd.Flags().StringVar(&slurm.names, "node-map", "", "slurm: file with lines \"GUID name\" that rename nodes and switches")
	cmd.Flags().StringVar(&slurm.spines, "spines", "", "slurm: file that lists switches which are never leaves, a GUID a line")
	cmd.Flags().StringVar(&slurm.root, "root", "", "slurm: name of a switch to put above all others, so that a job may span them")
	return cmd
}

func writeFabric(cmd *cobra.Command, f *fabric.Fabric, format, out string, slurm netfile.SlurmOptions) error {
	i := slices.IndexFunc(writers, func(w writer) bool { return w.name == format })
	if i < 0 {
		return fmt.Errorf("no format is called %q (one of: %s)", format, writerNames())
	}
	return output(cmd, out, func(w io.Writer) error {
		warnings, err := writers[i].write(w, f, slurm)
		for _, note := range warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", note)
		}
		return err
	})
}
