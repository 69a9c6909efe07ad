package main

import (
	"errors"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/netfile/batch"
	"weft/fabric/source"
)

// genHelp is the text of weft gen --help.
const genHelp = `Generate a network from a formula and write it to a file.

Input is a FORMULA: a topology with its sizes, such as 'rlft(36,2)', or a named system, with
suffixes that fail, drain, add or move parts. --list shows all of them. Output is the fabric in the
format of --format.

` + cli.BetweenHelp + `

With several subnets, FORMULA may also be a file "weft subnets 1". Output is such a file; --format is
refused.`

func genCmd() *cobra.Command {
	var (
		list   bool
		asJSON bool
		out    string
		format string
	)
	cmd := &cobra.Command{
		Use:   "gen FORMULA",
		Short: "write a generated network to a file",
		Long:  genHelp,
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
				return errors.New("--json needs --list; --format json writes a fabric as JSON")
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
	cmd.Flags().BoolVar(&list, "list", false, "list the formulas, named systems and suffixes")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	formatFlag(cmd, &format, "format", "")
	return cmd
}
