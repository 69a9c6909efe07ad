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
	Names string // a node name map
	Quiet bool
	// partial accepts files that lack a part of the network.
	Partial bool
	// disputed accepts files whose lines name different cables for one port; none of these is used.
	Disputed bool
}

// Add adds the flags.
func (f *FabricFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.IBNL, "ibnl", "", "for topo files: directory `DIR` of .ibnl system definitions (default: ibnl beside the file)")
	cmd.Flags().StringVar(&f.Names, "node-map", "", "`FILE` with names of nodes, one line for each: GUID, then the name, as OpenSM's node-name-map; they replace the descriptions")
	cmd.Flags().BoolVar(&f.Partial, "partial", false, "accept an incomplete file: it ends early, nodes did not answer, lines contradict each other, or forwarding tables lack switches")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "do not print warnings about odd input")
}

// AddRoles adds the flag for the file of switch roles, for commands that route or examine trees.
func (f *FabricFlags) AddRoles(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Roles, "roles", "", "`FILE` with the roles of switches in a tree, one line for each: GUID or description, then root, middle, leaf or none; wins over the fabric")
}

// warningsShown is the largest number of warnings of a file that are printed in full.
const warningsShown = 10

// Open reads the FABRIC argument and prints warnings on stderr. Ctrl-C also interrupts it while it
// waits for input or expands a large formula.
func (f *FabricFlags) Open(cmd *cobra.Command, arg string) (*source.Source, error) {
	var src *source.Source
	err := Leavable(func() (err error) {
		src, err = source.Open(arg, source.Options{IBNL: f.IBNL, Stdin: cmd.InOrStdin(), Dir: f.Dir, Partial: f.Partial, Disputed: f.Disputed})
		return err
	})(cmd.Context())
	if err != nil {
		return nil, err
	}
	if err := f.giveNames(src); err != nil {
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

// NameMap reads the node name map; nil if there is none.
func (f *FabricFlags) NameMap() (map[fabric.GUID]string, error) {
	if f.Names == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.Names)
	if err != nil {
		return nil, err
	}
	return site.ReadNames(f.Names, data)
}

// giveNames renames the nodes that the node name map lists.
func (f *FabricFlags) giveNames(src *source.Source) error {
	names, err := f.NameMap()
	if err == nil && names != nil {
		src.Warnings = slices.Concat(site.Rename(src.Fabric, f.Names, names), src.Warnings)
	}
	return err
}

// giveRoles sets the roles of switches from the file, and warns of unknown switches.
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

// Graph reads the FABRIC argument as a graph.
func (f *FabricFlags) Graph(cmd *cobra.Command, arg string) (*fabric.Graph, error) {
	src, err := f.Open(cmd, arg)
	if err != nil {
		return nil, err
	}
	return src.Fabric.Compile(), nil
}
