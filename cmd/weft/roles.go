package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
)

// rolesFlag is the file that gives switches their roles.
type rolesFlag string

func (r *rolesFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(r), "roles", "", "file of the roles of switches in a tree, a line for each: GUID or description, then root, middle, leaf or none; it overrules what the fabric says")
}

// give gives the roles to a fabric; switches that are not there are warnings.
func (r rolesFlag) give(cmd *cobra.Command, f *fabric.Fabric) error {
	if r == "" {
		return nil
	}
	data, err := os.ReadFile(string(r))
	if err != nil {
		return err
	}
	warnings, err := netfile.ReadRoles(string(r), data, f)
	for i, w := range warnings {
		if i == warningsShown {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: and %d more\n", len(warnings)-i)
			break
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
	}
	return err
}
