package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile/site"
	"weft/fabric/source"
)

// FabricFlags are the options of every command that takes a FABRIC.
type FabricFlags struct {
	IBNL  string
	Dir   string // of files
	Roles string // with AddRoles
	Quiet bool
	// partial says that files may lack a part of the network.
	Partial bool
	// disputed says that lines of files may tell different cables of one port, none of which is then taken.
	Disputed bool
}

// Add adds the flags.
func (f *FabricFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.IBNL, "ibnl", "", "for topo files: directory `DIR` of .ibnl system definitions (default: ibnl beside the file)")
	cmd.Flags().BoolVar(&f.Partial, "partial", false, "accept an incomplete file: it ends early, nodes did not answer, lines contradict each other, or forwarding tables lack switches")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "do not print warnings about odd input")
}

// AddRoles adds the file that gives switches their roles, for commands that route or
// look at trees.
func (f *FabricFlags) AddRoles(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Roles, "roles", "", "`FILE` with the roles of switches in a tree, one line for each: GUID or description, then root, middle, leaf or none; wins over the fabric")
}

// warningsShown limits the warnings of one file that are printed in full.
const warningsShown = 10

// Open reads the FABRIC argument and prints what is odd about it on stderr. An input
// that does not end, or a large formula, does not keep the command from being
// interrupted.
func (f *FabricFlags) Open(cmd *cobra.Command, arg string) (*source.Source, error) {
	var src *source.Source
	err := Leavable(func() (err error) {
		src, err = source.Open(arg, source.Options{IBNL: f.IBNL, Stdin: cmd.InOrStdin(), Dir: f.Dir, Partial: f.Partial, Disputed: f.Disputed})
		return err
	})(cmd.Context())
	if err != nil {
		return nil, err
	}
	if err := f.giveRoles(src); err != nil {
		return nil, err
	}
	if f.Quiet {
		return src, nil
	}
	for i, w := range src.Warnings {
		if i == warningsShown {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: and %d more (weft show --warnings lists all)\n", len(src.Warnings)-i)
			break
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
	}
	return src, nil
}

// giveRoles gives switches the roles of the file; those that are not there are warnings.
func (f *FabricFlags) giveRoles(src *source.Source) error {
	if f.Roles == "" {
		return nil
	}
	data, err := os.ReadFile(f.Roles)
	if err != nil {
		return err
	}
	warnings, err := site.ReadRoles(f.Roles, data, src.Fabric)
	src.Warnings = slices.Concat(warnings, src.Warnings)
	return err
}

// Graph reads the FABRIC argument for those that only need what algorithms see.
func (f *FabricFlags) Graph(cmd *cobra.Command, arg string) (*fabric.Graph, error) {
	src, err := f.Open(cmd, arg)
	if err != nil {
		return nil, err
	}
	return src.Fabric.Compile(), nil
}
