package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile/site"
	"weft/fabric/source"
)

// fabricFlags are the options of every command that takes a FABRIC.
type fabricFlags struct {
	ibnl  string
	dir   string // of files
	roles string // with addRoles
	quiet bool
	// partial says that files may lack a part of the network.
	partial bool
	// disputed says that lines of files may tell different cables of one port, none of which is then taken.
	disputed bool
}

func (f *fabricFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ibnl, "ibnl", "", "directory of .ibnl system definitions for topo files (default: ibnl beside the file)")
	cmd.Flags().BoolVar(&f.partial, "partial", false, "take a file of which a part is missing: it ends early, nodes did not answer, or lines contradict each other; also a file of forwarding tables that lacks switches")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not print warnings about odd input")
}

// addRoles adds the file that gives switches their roles, for commands that route or
// look at trees.
func (f *fabricFlags) addRoles(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.roles, "roles", "", "file of the roles of switches in a tree, a line for each: GUID or description, then root, middle, leaf or none; it overrules what the fabric says")
}

// warningsShown limits the warnings of one file that are printed in full.
const warningsShown = 10

// open reads the FABRIC argument and prints what is odd about it on stderr. An input
// that does not end, or a large formula, does not keep the command from being
// interrupted.
func (f *fabricFlags) open(cmd *cobra.Command, arg string) (*source.Source, error) {
	var src *source.Source
	err := leavable(func() (err error) {
		src, err = source.Open(arg, source.Options{IBNL: f.ibnl, Stdin: cmd.InOrStdin(), Dir: f.dir, Partial: f.partial, Disputed: f.disputed})
		return err
	})(cmd.Context())
	if err != nil {
		return nil, err
	}
	if err := f.giveRoles(src); err != nil {
		return nil, err
	}
	if f.quiet {
		return src, nil
	}
	for i, w := range src.Warnings {
		if i == warningsShown {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: and %d more (weft show --warnings prints all)\n", len(src.Warnings)-i)
			break
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
	}
	return src, nil
}

// giveRoles gives switches the roles of the file; those that are not there are warnings.
func (f *fabricFlags) giveRoles(src *source.Source) error {
	if f.roles == "" {
		return nil
	}
	data, err := os.ReadFile(f.roles)
	if err != nil {
		return err
	}
	warnings, err := site.ReadRoles(f.roles, data, src.Fabric)
	src.Warnings = slices.Concat(warnings, src.Warnings)
	return err
}

// graph reads the FABRIC argument for those that only need what algorithms see.
func (f *fabricFlags) graph(cmd *cobra.Command, arg string) (*fabric.Graph, error) {
	src, err := f.open(cmd, arg)
	if err != nil {
		return nil, err
	}
	return src.Fabric.Compile(), nil
}
