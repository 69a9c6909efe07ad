package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/fabric"
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
		Args: oneOrList("FORMULA", "list", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listFormulas(cmd, asJSON)
			}
			if asJSON {
				return errors.New("--json goes with --list; --format json writes a fabric as JSON")
			}
			var f *fabric.Fabric
			if err := leavable(func() (err error) {
				f, err = gen.Parse(args[0])
				return err
			})(cmd.Context()); err != nil {
				return err
			}
			return writeFabric(cmd, f, format, out, netfile.SlurmOptions{})
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().Lookup("json").Usage = "with --list: print one JSON object"
	cmd.Flags().BoolVar(&list, "list", false, "list the formulas, the named systems and the degrading suffixes")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: standard output)")
	formatFlag(cmd, &format, "format", "")
	return cmd
}

func listFormulas(cmd *cobra.Command, asJSON bool) error {
	entries := append(gen.Catalogue(), gen.Suffixes()...)
	if asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"formulas": entries})
	}
	for _, e := range entries {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n  %s\n  as in %s\n", e.Name+e.Args, e.What, e.Example)
	}
	return nil
}
