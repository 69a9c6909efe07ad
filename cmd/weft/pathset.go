package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/route/engine/pathset"
	"weft/route/names"
	"weft/route/paths"
)

// pathSetFlags choose an engine of two stages, instead of --engine.
type pathSetFlags struct {
	paths, names string
	solver       solverFlags
}

func (p *pathSetFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.paths, "paths", "", "compute paths for themselves, by this computation (weft route --engines lists them)")
	f.StringVar(&p.names, "names", "color-l", "with --paths: give the paths LIDs by this assignment")
	p.solver.add(cmd)
}

// chain is the engine of both stages, PATHS+NAMES, or the chain asked for.
func (p *pathSetFlags) chain(cmd *cobra.Command, chain string) (string, error) {
	switch f := cmd.Flags(); {
	case p.paths == "" && f.Changed("names"):
		return "", errors.New("--names needs --paths")
	case p.paths == "":
		return chain, nil
	case f.Changed("engine"):
		return "", errors.New("--paths and --engine exclude each other")
	}
	return p.paths + "+" + p.names, nil
}

// stageEntry is what `weft route --engines --json` prints of a path computation or a
// LID assignment.
type stageEntry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Paper   string `json:"paper"`
	Cost    string `json:"cost"`

	Options []optionEntry `json:"options,omitempty"`
}

func pathEntries() (entries []stageEntry) {
	for _, a := range paths.All() {
		entries = append(entries, stageEntry{a.Name, a.Summary, a.Paper, a.Cost, optionEntries(pathset.Options(a))})
	}
	return entries
}

func nameEntries() (entries []stageEntry) {
	for _, s := range names.Schemes() {
		entries = append(entries, stageEntry{s.Name, s.Summary, s.Paper, s.Cost, nil})
	}
	return entries
}

// listStages prints what --paths and --names take.
func listStages(w io.Writer) error {
	for _, part := range []struct {
		title   string
		entries []stageEntry
	}{
		{"Path computations (--paths, or --engine PATHS+NAMES):", pathEntries()},
		{"LID assignments (--names):", nameEntries()},
	} {
		if _, err := fmt.Fprintf(w, "\n%s\n", part.title); err != nil {
			return err
		}
		for _, e := range part.entries {
			if _, err := fmt.Fprintf(w, "\n%s: %s\n  paper  %s\n  cost   %s\n", e.Name, e.Summary, e.Paper, e.Cost); err != nil {
				return err
			}
			writeOptions(w, e.Options)
		}
	}
	return nil
}
