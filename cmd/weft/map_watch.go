package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/mapping/change"
	"weft/mapping/job"
)

// watch maps a network again and again while events happen to it.
func (m *mapFlags) watch(ctx context.Context, cmd *cobra.Command, network string) error {
	for _, name := range []string{"output", "svg", "routes", "algorithm", "depth", "retries"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not go with --events, which surveys the network again and again", name)
		}
	}
	src, err := m.fabric.open(cmd, network)
	if err != nil {
		return err
	}
	events, err := readEvents(m.out.events)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	report, err := job.Watch(ctx, src.Fabric, events, &m.job, func(r *job.RoundReport) error {
		if !m.asJSON {
			printRound(w, r)
		}
		return cmd.Context().Err()
	})
	if err != nil {
		return located(err, network, src.Fabric)
	}
	switch {
	case m.asJSON:
		if err := printJSON(w, report); err != nil {
			return err
		}
	case report.End != "":
		fmt.Fprintln(w, "no more maps:", strings.TrimPrefix(report.End, "mapping: "))
	}
	if !report.OK() {
		return answerNo
	}
	return nil
}

// readEvents reads a file of events.
func readEvents(name string) ([]change.Event, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return change.ReadEvents(name, file)
}

// printRound prints one map of a network that changes.
func printRound(w io.Writer, r *job.RoundReport) {
	verdict := "right"
	switch {
	case !r.Certain:
		verdict = fmt.Sprintf("UNCERTAIN at %d places", len(r.InDoubt))
	case !r.Isomorphic && r.During:
		verdict = "outdated: the network changed meanwhile"
	case !r.Isomorphic:
		verdict = "WRONG: " + r.Difference
	}
	begin := time.Duration(r.BeginMS * float64(time.Millisecond)).Round(time.Millisecond / 10)
	fmt.Fprintf(w, "%v  by %s: %d probes, %.1f ms: %d hosts, %d switches, %d wires: %s\n", begin, r.Mapper, r.Probes, r.EndMS-r.BeginMS, r.Hosts, r.Switches, r.Wires, verdict)
	for _, c := range r.Changes {
		fmt.Fprintln(w, "    "+c)
	}
	for i, d := range r.InDoubt {
		if i == doubtsShown {
			fmt.Fprintf(w, "    and %d more places in doubt (--json prints all)\n", len(r.InDoubt)-i)
			break
		}
		fmt.Fprintln(w, "    in doubt: "+d.Where)
	}
}
