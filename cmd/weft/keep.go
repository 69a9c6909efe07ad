package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/route"
	"weft/route/job"
)

// keepFlags name the Plan that a subnet runs now.
type keepFlags struct {
	path string
	kept *job.Kept // nil without one
}

const keepHelp = `--keep OLD-PLAN routes a fabric that has changed - hosts, links or switches added or
lost - for a subnet that runs the old Plan: end ports are known by their GUIDs and keep
their LIDs wherever the new paths allow it, each source keeps the LIDs that it sends to,
and LIDs of ports that are gone wait for them as long as there are others. The engine,
its options and the LMC are those of the old Plan unless they are given (the seed is 1, as
ever). The report says what moves, and what must be written to the switches.`

func (k *keepFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.path, "keep", "", "keep the LIDs of this Plan (written by -o), and report what changes")
}

// setChain sets the chain that was asked for, or takes over that of the Plan to be kept.
func (k *keepFlags) setChain(cmd *cobra.Command, chain string, routing *routeFlags) error {
	if k.path == "" {
		return routing.setChain(chain)
	}
	f, err := os.Open(k.path)
	if err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	defer f.Close()
	if k.kept, err = job.ReadKept(f); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.path, err)
	}
	if flags := cmd.Flags(); flags.Changed("engine") || flags.Changed("paths") {
		return routing.setChain(chain)
	}
	if routing.Chain, err = k.kept.Chain(routing.options); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.path, err)
	}
	return routing.validate()
}

// hold makes the engines keep the LIDs, and the LMC unless another one was asked for.
func (k *keepFlags) hold(cmd *cobra.Command, g *fabric.Graph, routing *routeFlags) error {
	if k.kept == nil {
		return nil
	}
	if err := k.kept.Hold(g, &routing.Request); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.path, err)
	}
	if cmd.Flags().Changed("lmc") {
		routing.HeldLMC = 0
	}
	return nil
}

// changeOutput is what `weft route --keep` reports.
type changeOutput struct {
	Since string `json:"since"` // the Plan
	*route.Change
	switches int // in all
}

// compare reports what a new Plan changes, nil if nothing was to be kept.
func (k *keepFlags) compare(g *fabric.Graph, plan *route.Plan) *changeOutput {
	if k.kept == nil {
		return nil
	}
	return &changeOutput{k.path, k.kept.Changes(g, plan), g.NumSwitches}
}

// changesShown is how many moved ports, and switches to be written to, are listed.
const changesShown = 10

func (c *changeOutput) write(w io.Writer) error {
	rows := [][]string{{"since " + c.Since, "kept", "moved", "new", "gone"}}
	row := func(what string, t route.Tally) {
		rows = append(rows, []string{what, count(t.Kept), count(t.Moved), count(t.New), count(t.Gone)})
	}
	row("end ports", c.Ports)
	row("LIDs", c.LIDs)
	if c.Pairs != nil {
		row("pairs of hosts", *c.Pairs)
	}
	row("forwarding entries", c.Entries)
	if err := table(w, rows); err != nil {
		return err
	}
	for i, p := range c.Moved {
		if i == changesShown {
			fmt.Fprintf(w, "  and %s more ports (--json lists all)\n", count(len(c.Moved)-i))
			break
		}
		fmt.Fprintf(w, "  %s moves from LID %d to %d\n", p.Name, p.From, p.To)
	}
	fmt.Fprintf(w, "to write: %s of %s switches, %s blocks of %d entries\n",
		count(len(c.Switches)), count(c.switches), count(c.Blocks), route.BlockSize)
	if len(c.Switches) == 0 {
		return nil
	}
	most := slices.SortedStableFunc(slices.Values(c.Switches), func(a, b route.SwitchChange) int {
		return cmp.Compare(b.Entries.Changed(), a.Entries.Changed())
	})
	rows = [][]string{{"  switch", "entries", "blocks"}}
	for i := range most[:min(len(most), changesShown)] {
		s := &most[i]
		rows = append(rows, []string{fmt.Sprintf("  %q (%s)", s.Name, s.GUID), count(s.Entries.Changed()), count(s.Blocks)})
	}
	if more := len(most) - changesShown; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("  and %s more (--json lists all)", count(more))})
	}
	return table(w, rows)
}
