package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/fabric/netfile"
	"weft/sm"
)

func discoverCmd() *cobra.Command {
	var (
		wires  wireFlags
		out    string
		roles  string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "find out what a subnet is, by directed routes",
		Long: `Ask every node of a subnet, by directed routes, what it is and where its cables
lead, and write the fabric as ibnetdiscover does. Nothing is written to any node.

` + transportHelp + `

What is odd (a node that does not answer, two nodes with one GUID, a cable moved
meanwhile) is said on stderr, and the rest of the fabric is written.

Exit status: 0 all was found; 1 something was left out; 3 there is no subnet.`,
		Example: `  weft discover --transport umad:mlx5_0/1 -o fabric.txt
  weft discover --transport ibsim --json`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" && !asJSON {
				out = "-"
			}
			answer, err := answerTo(cmd, out, roles)
			if err != nil {
				return err
			}
			runner := sm.Runner{Config: sm.Config{ReadOnly: true, AskRoles: roles != "", MKey: wires.mKey}, Clock: clock(), Note: noteTo(cmd)}
			if runner.Wire, err = wires.config(); err != nil {
				return err
			}
			t, err := wires.open(cmd, false)
			if err != nil {
				return err
			}
			var core *sm.Core
			err = withProgress(cmd, "discovering", func(ctx context.Context) (err error) {
				core, err = runner.Run(ctx, t)
				return interrupted(ctx, err)
			})
			report := core.Report()
			if f := core.Fabric(); f != nil && out != "" {
				if err := output(cmd, out, func(w io.Writer) error { return netfile.WriteIBNetDiscover(w, f) }); err != nil {
					return err
				}
			}
			if f := core.Fabric(); f != nil && roles != "" {
				if err := output(cmd, roles, func(w io.Writer) error { return netfile.WriteRoles(w, f) }); err != nil {
					return err
				}
			}
			if asJSON {
				if err := printJSON(answer, report); err != nil {
					return err
				}
			}
			switch {
			case err != nil:
				return err
			case report.State == sm.Failed:
				return &exitError{exitCannot, fmt.Errorf("--transport %s: the port does not answer", wires.transport)}
			case len(report.Incidents) > 0:
				return answerNo
			}
			return nil
		},
	}
	wires.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&roles, "write-roles", "", "ask switches for their roles in a tree (vendor attribute SwitchRole), and write them to this file (weft route --roles reads it)")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the fabric to this file (default: standard output, unless --json)")
	return cmd
}

// noteTo prints incidents on stderr as they come.
func noteTo(cmd *cobra.Command) func(sm.Incident) {
	return func(i sm.Incident) {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: %s: %s\n", i.Kind, i.Text)
	}
}
