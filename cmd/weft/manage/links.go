package manage

import (
	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/service/client"
)

func smLinksCmd() *cobra.Command {
	var socket string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "links",
		Short: "links that are hot or odd, by the counters that a manager that runs reads",
		Long: `Print what a manager that runs (weft sm --socket PATH --counters INTERVAL) has read of the
counters of all ports: counters that grow faster than they should, the links that are used
most, and the cables that somebody should look at, the worst first. Rates are those of
the last two readings; counts of cables are those since the manager has begun to read.

Exit status: 0; 3 where no manager answers, or it has read no counters yet.`,
		Example: "  weft sm links\n  weft sm links --all\n  weft sm links --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withManager(socket, func(c *client.Client) error {
				r, err := c.Links(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return cli.PrintJSON(cmd.OutOrStdout(), r)
				}
				most := 10
				if all {
					most = 1000
				}
				return r.Write(cmd.OutOrStdout(), most)
			})
		},
	}
	socketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&all, "all", false, "all lines of each list, not 10")
	return cmd
}
