package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/site"
	"weft/sm"
	"weft/sm/round"
	"weft/sm/terms"
)

// discoverFlags are the flags of weft discover.
type discoverFlags struct {
	wires  cli.WireFlags
	found  string // files
	roles  string
	asJSON bool
}

func discoverCmd() *cobra.Command {
	var d discoverFlags
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "discover a live subnet and write it to a file",
		Long: `Discover a live subnet and write it as ibnetdiscover does. Nothing is written to any node.

Input is a port of this machine (--transport). weft asks every node by directed routes for its type
and its cables. Output is the fabric, a FABRIC for other commands. Problems, such as a node that does
not answer, two nodes with one GUID, or a cable moved meanwhile, are printed on standard error, and
the rest of the fabric is written.

Exit status: 0 complete; 1 something was left out; 3 there is no subnet.

` + cli.TransportHelp,
		Example: `  weft discover --transport umad:mlx5_0/1 -o fabric.txt
  weft discover --transport ibsim --json`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	d.wires.Add(cmd)
	cli.JSONFlag(cmd, &d.asJSON)
	cmd.Flags().StringVar(&d.roles, "write-roles", "", "ask switches for their roles in a tree (vendor attribute SwitchRole) and write them to `FILE`, for weft route --roles")
	cmd.Flags().StringVarP(&d.found, "output", "o", "", "write the fabric to `FILE` (default: standard output, unless --json)")
	return cmd
}

// run discovers the subnet.
func (d *discoverFlags) run(cmd *cobra.Command) error {
	if d.found == "" && !d.asJSON {
		d.found = "-"
	}
	answer, err := cli.AnswerTo(cmd, d.found, d.roles)
	if err != nil {
		return err
	}
	runner := sm.Runner{Config: terms.Config{ReadOnly: true, AskRoles: d.roles != "", Keys: terms.Keys{One: d.wires.MKey}}, Clock: cli.Clock()}
	runner.Note = func(i terms.Incident) { fmt.Fprintf(cmd.ErrOrStderr(), "weft: %s: %s\n", i.Kind, i.Text) }
	if runner.Wire, err = d.wires.Config(); err != nil {
		return err
	}
	if runner.Config.Names, err = d.wires.Fabric.NameMap(); err != nil {
		return err
	}
	files, err := cli.OpenOutputs(cmd, d.found, d.roles)
	if err != nil {
		return err
	}
	t, err := d.wires.Open(cmd, false)
	if err != nil {
		files.Drop()
		return err
	}
	var result *round.Result
	failure := cli.WithProgress(cmd, "discovering", func(ctx context.Context) (err error) {
		result, err = runner.Run(ctx, t)
		return cli.Interrupted(ctx, err)
	})
	f, r := result.Fabric(), result.Report
	failure = errors.Join(failure, files.WriteAll([]func(io.Writer) error{
		cli.Unless(f == nil, func(w io.Writer) error { return discovery.WriteIBNetDiscover(w, f) }),
		cli.Unless(f == nil, func(w io.Writer) error { return site.WriteRoles(w, f) }),
	}))
	if d.asJSON {
		failure = errors.Join(failure, cli.PrintJSON(answer, r.DiscoveryJSON()))
	}
	switch {
	case failure != nil:
		return failure
	case r.State == terms.Failed:
		return cli.Cannot(fmt.Errorf("--transport %s: the port does not answer", d.wires.Transport))
	case len(r.Incidents) > 0:
		return cli.AnswerNo
	}
	return nil
}
