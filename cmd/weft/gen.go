package main

import (
	"github.com/spf13/cobra"

	"weft/fabric/gen"
	"weft/fabric/netfile"
)

func genCmd() *cobra.Command {
	var (
		list   bool
		asJSON bool
		out    string
		format string
	)
	cmd := &cobra.Command{
		Use:   "gen FORMULA",
		Short: "write the fabric of a formula to a file",
		Example: `  weft gen --list
  weft gen 'rlft(36,2)' -o tree.ibnetdiscover
  weft gen 'fat648|fail(links=5,seed=1)' --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listFormulas(cmd, asJSON)
			}
			f, err := gen.Parse(args[0])
			if err != nil {
				return err
			}
			return writeFabric(cmd, f, format, out, netfile.SlurmOptions{})
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().Lookup("json").Usage = "with --list: print one JSON object"
	cmd.Flags().BoolVar(&list, "list", false, "list the formulas, the named systems and the degrading suffixes")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: standard output)")
	cmd.Flags().StringVar(&format, "format", "ibnetdiscover", "one of: "+writerNames())
	return cmd
}

func listFormulas(cmd *cobra.Command, asJSON bool) error {
	entries := append(gen.Catalogue(), gen.Suffixes()...)
	if asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"formulas": entries})
	}
	rows := [][]string{{"FORMULA", "WHAT", "EXAMPLE"}}
	for _, e := range entries {
		rows = append(rows, []string{e.Name + e.Args, e.What, e.Example})
	}
	return table(cmd.OutOrStdout(), rows)
}
