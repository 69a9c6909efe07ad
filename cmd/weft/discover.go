package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/fabric/netfile"
	"weft/sm"
)

// discoverFlags are the flags of weft discover.
type discoverFlags struct {
	wires  wireFlags
	found  string // files
	roles  string
	asJSON bool
}

func discoverCmd() *cobra.Command {
	var d discoverFlags
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
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	d.wires.add(cmd)
	jsonFlag(cmd, &d.asJSON)
	cmd.Flags().StringVar(&d.roles, "write-roles", "", "ask switches for their roles in a tree (vendor attribute SwitchRole), and write them to this file (weft route --roles reads it)")
	cmd.Flags().StringVarP(&d.found, "output", "o", "", "write the fabric to this file (default: standard output, unless --json)")
	return cmd
}

// run discovers the subnet.
func (d *discoverFlags) run(cmd *cobra.Command) error {
	if d.found == "" && !d.asJSON {
		d.found = "-"
	}
	answer, err := answerTo(cmd, d.found, d.roles)
	if err != nil {
		return err
	}
	runner := sm.Runner{Config: sm.Config{ReadOnly: true, AskRoles: d.roles != "", Keys: sm.Keys{One: d.wires.mKey}}, Clock: clock()}
	runner.Note = func(i sm.Incident) { fmt.Fprintf(cmd.ErrOrStderr(), "weft: %s: %s\n", i.Kind, i.Text) }
	if runner.Wire, err = d.wires.config(); err != nil {
		return err
	}
	files, err := openOutputs(cmd, d.found, d.roles)
	if err != nil {
		return err
	}
	t, err := d.wires.open(cmd, false)
	if err != nil {
		files.drop()
		return err
	}
	var result *sm.Result
	failure := withProgress(cmd, "discovering", func(ctx context.Context) (err error) {
		result, err = runner.Run(ctx, t)
		return interrupted(ctx, err)
	})
	f, r := result.Fabric(), result.Report
	failure = errors.Join(failure, files.writeAll([]func(io.Writer) error{
		unless(f == nil, func(w io.Writer) error { return netfile.WriteIBNetDiscover(w, f) }),
		unless(f == nil, func(w io.Writer) error { return netfile.WriteRoles(w, f) }),
	}))
	if d.asJSON {
		failure = errors.Join(failure, printJSON(answer, r.DiscoveryJSON()))
	}
	switch {
	case failure != nil:
		return failure
	case r.State == sm.Failed:
		return &exitError{exitCannot, fmt.Errorf("--transport %s: the port does not answer", d.wires.transport)}
	case len(r.Incidents) > 0:
		return answerNo
	}
	return nil
}
