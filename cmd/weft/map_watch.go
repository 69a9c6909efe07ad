package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/mapping"
	"weft/mapping/change"
	"weft/mapping/survey"
)

// watchReport is what `weft map --events --json` prints.
type watchReport struct {
	Mode   string        `json:"mode"`
	Rounds []roundReport `json:"rounds"`
	// End says why there are no more rounds, if not for the end of the events.
	End string `json:"end,omitempty"`
}

// roundReport is one map of a network that changes.
type roundReport struct {
	BeginMS    float64    `json:"begin_modelled_ms"`
	EndMS      float64    `json:"end_modelled_ms"`
	Mapper     string     `json:"mapper"`
	Probes     int        `json:"probes"`
	Hosts      int        `json:"hosts"`
	Switches   int        `json:"switches"`
	Wires      int        `json:"wires"`
	Certain    bool       `json:"certain"`
	Changes    []string   `json:"changes"`
	During     bool       `json:"changed_meanwhile"`
	Isomorphic bool       `json:"isomorphic"`
	Difference string     `json:"difference,omitempty"`
	InDoubt    []mapDoubt `json:"in_doubt,omitempty"`
}

// watch maps a network again and again while things happen to it.
func (m *mapFlags) watch(ctx context.Context, cmd *cobra.Command, arg string, asJSON bool) error {
	if err := m.check(cmd); err != nil {
		return err
	}
	for _, name := range []string{"output", "svg", "routes", "algorithm", "depth", "retries"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not go with --events, which surveys the network again and again", name)
		}
	}
	if m.mode == "parallel" {
		return errors.New("--events goes with --mode master and election")
	}
	if m.every <= 0 {
		return errors.New("--every is a time above 0")
	}
	opt, epochs, err := m.timeline(cmd, arg)
	if err != nil {
		return err
	}
	report := watchReport{Mode: m.mode, Rounds: []roundReport{}}
	right := true
	err = change.Watch(ctx, epochs, opt, func(r *change.Round) error {
		rep := roundOf(r)
		report.Rounds = append(report.Rounds, rep)
		// A map of a network that changed meanwhile cannot be blamed.
		right = right && rep.Certain && (rep.Isomorphic || r.During)
		if asJSON {
			return cmd.Context().Err()
		}
		rep.print(cmd)
		return cmd.Context().Err()
	})
	if errors.Is(err, change.ErrCutOff) {
		report.End, right, err = err.Error(), false, nil
		if !asJSON {
			fmt.Fprintln(cmd.OutOrStdout(), "no more maps:", strings.TrimPrefix(report.End, "mapping: "))
		}
	}
	if err == nil && asJSON {
		err = printJSON(cmd.OutOrStdout(), &report)
	}
	if err == nil && !right {
		return answerNo
	}
	return err
}

// timeline reads the network and what happens to it.
func (m *mapFlags) timeline(cmd *cobra.Command, arg string) (*change.WatchOptions, []change.Epoch, error) {
	rule, err := mapping.ParseCollision(m.collision)
	if err != nil {
		return nil, nil, err
	}
	src, err := m.fabric.open(cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(m.events)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	events, err := change.ReadEvents(m.events, file)
	if err != nil {
		return nil, nil, err
	}
	epochs, err := change.Timeline(src.Fabric, events)
	if err != nil {
		return nil, nil, located(err, arg, src.Fabric)
	}
	n := epochs[0].Network
	if err := enough(n, arg); err != nil {
		return nil, nil, err
	}
	opt := &change.WatchOptions{
		Rule: rule, Hardware: m.hardware(), Conditions: mapping.Conditions{Traffic: m.traffic, Seed: m.seed},
		Survey: survey.Options{Worst: m.worst, Limit: m.limit}, Election: m.mode == "election", Every: m.every,
	}
	if !m.traffic.Quiet() {
		opt.Survey.Error = m.err
	}
	host := int32(n.NumHosts() - 1)
	if m.mapper != "" {
		if host, err = n.HostByName(m.mapper); err != nil {
			return nil, nil, err
		}
	}
	opt.Mapper = n.Hosts[host].ID
	return opt, epochs, nil
}

func roundOf(r *change.Round) roundReport {
	rep := roundReport{
		BeginMS: milliseconds(r.Begin), EndMS: milliseconds(r.End), Mapper: r.By.Name, Probes: r.Result.Probes.Total().Sent,
		Certain: r.Result.Certain(), Changes: []string{}, During: r.During, Isomorphic: r.Differs == nil, InDoubt: doubts(r.Result),
	}
	if n := r.Result.Map; n != nil {
		rep.Hosts, rep.Switches, rep.Wires = n.NumHosts(), n.NumSwitches(), n.NumWires()
	}
	for _, c := range r.Changes {
		rep.Changes = append(rep.Changes, c.String())
	}
	if r.Differs != nil {
		rep.Difference = r.Differs.Error()
	}
	return rep
}

// print prints a round.
func (r *roundReport) print(cmd *cobra.Command) {
	w := cmd.OutOrStdout()
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
