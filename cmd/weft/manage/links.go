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
		Short: "show busy and faulty links, by the counters that the running manager reads",
		Long: `Show busy and faulty links, by the port counters that the running manager reads.

The manager must run with --counters INTERVAL. Output are three lists, worst first: error counters that
grow too fast, the busiest links, and suspicious cables. Rates are between the last two readings;
the counts of cables are since the manager began to read.

Exit status: 0 shown; 3 no manager answers at --socket, or it has not read counters yet.`,
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
	cmd.Flags().BoolVar(&all, "all", false, "print all lines of each list, not 10")
	return cmd
}
