package ask

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/service/client"
)

// LinksCmd returns weft sm links.
func LinksCmd() *cobra.Command {
	var socket string
	var at string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "links",
		Short: "show busy and faulty links, by the counters that the running manager reads",
		Long: `Show busy and faulty links, by the port counters that the running manager reads.

The manager must run with --counters INTERVAL. Output are three lists, worst first: error counters that
grow too fast, the busiest links, and suspicious cables. Rates are between the last two readings;
the counts of cables are since the manager began to read.

--at TIME asks what was hot at a moment of the last hour: the busiest links, the longest waits and
the errors of the readings that cover the moment. TIME is in UTC, like the times of the log: 14:05,
14:05:30, or 2026-11-29T14:05:00Z. The manager keeps the history with --counters and --state.

Exit status: 0 shown; 3 no manager answers at --socket, it has not read counters yet, or it has no
reading of TIME.`,
		Example: "  weft sm links\n  weft sm links --at 14:05\n  weft sm links --all\n  weft sm links --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			moment, err := parseTime(at, time.Now())
			if err != nil {
				return fmt.Errorf("--at %s: %w", at, err)
			}
			most := 10
			if all {
				most = 1000
			}
			return WithManager(socket, func(c *client.Client) error {
				var r interface {
					Write(w io.Writer, most int) error
				}
				if at == "" {
					r, err = c.Links(cmd.Context())
				} else {
					r, err = c.At(cmd.Context(), moment)
				}
				if err != nil {
					return err
				}
				if asJSON {
					return cli.PrintJSON(cmd.OutOrStdout(), r)
				}
				return r.Write(cmd.OutOrStdout(), most)
			})
		},
	}
	SocketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&all, "all", false, "print all lines of each list, not 10")
	cmd.Flags().StringVar(&at, "at", "", "what was hot at this `TIME` of the last hour, in UTC: 14:05, 14:05:30 or 2026-11-29T14:05:00Z")
	return cmd
}

// parseTime reads a moment: a date and time, or the last such time of the day in UTC.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, form := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		now = now.UTC()
		t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		if t.After(now) {
			t = t.AddDate(0, 0, -1)
		}
		return t, nil
	}
	return time.Time{}, errors.New("want a time in UTC such as 14:05, 14:05:30 or 2026-11-29T14:05:00Z")
}
