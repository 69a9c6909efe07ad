package main

import (
	"errors"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/netfile/batch"
	"weft/fabric/source"
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
		Long:  "Write the fabric of a formula to a file.\n\n" + cli.BetweenHelp + "\nThey are written as such a file.",
		Example: `  weft gen --list
  weft gen 'rlft(36,2)' -o tree.ibnetdiscover
  weft gen 'fat648|fail(links=5,seed=1)' --format json
  weft gen 'subnets(rlft(36,2),torus(4x4x4),routers=4)' -o net.subnets`,
		Args: cli.ArgumentOrList("FORMULA", "list", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return cli.Answer(cmd.OutOrStdout(), source.ListFormulas(), asJSON)
			}
			if asJSON {
				return errors.New("--json goes with --list; --format json writes a fabric as JSON")
			}
			if new(cli.FabricFlags).Several(args[0]) {
				return writeSubnets(cmd, args[0], out)
			}
			var src *source.Source
			if err := cli.Leavable(func() (err error) {
				src, err = source.Generate(args[0])
				return err
			})(cmd.Context()); err != nil {
				return err
			}
			return writeFabric(cmd, src.Fabric, format, out, batch.SlurmOptions{})
		},
	}
	cli.JSONFlag(cmd, &asJSON)
	cmd.Flags().Lookup("json").Usage = "with --list: print one JSON object"
	cmd.Flags().BoolVar(&list, "list", false, "list the formulas, the named systems and the degrading suffixes")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: standard output)")
	formatFlag(cmd, &format, "format", "")
	return cmd
}
