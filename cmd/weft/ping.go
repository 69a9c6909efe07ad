package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/subnets"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/ping"
)

// pingFlags are the flags of weft ping.
type pingFlags struct {
	wires    cli.WireFlags
	count    int
	interval time.Duration
}

func pingCmd() *cobra.Command {
	var p pingFlags
	cmd := &cobra.Command{
		Use:   "ping GID",
		Short: "test the path to a host, in this subnet or another",
		Long: `Test the path to a GID: ask the subnet manager for the path, then send requests to the port with that
GID.

Input is a GID and a port of this machine (--transport). weft queries subnet administration (SA) for
the path record, then sends requests to the performance agent of the port. A path into another
subnet leads to a router port, and the request carries a global route header. Output is the path and
the time of each answer.

Exit status: 0 all requests were answered; 1 some were not; 3 there is no path.

` + cli.TransportHelp + `

ibsim carries no global route headers: for GIDs of other subnets use umad.`,
		Example: `  weft ping fec0:0:0:2:200:148:0:101
  weft ping fec0::2:200:148:0:101 --count 5 --transport umad:mlx5_0/1`,
		Args: cli.OneArgument("GID"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args[0]) },
	}
	p.wires.Add(cmd)
	f := cmd.Flags()
	f.IntVarP(&p.count, "count", "c", 1, "send `N` requests")
	f.DurationVar(&p.interval, "every", time.Second, "time between two requests")
	return cmd
}

func (p *pingFlags) run(cmd *cobra.Command, arg string) error {
	gid, err := subnets.ParseGID(arg)
	if err != nil {
		return err
	}
	if p.count < 1 || p.interval < 0 {
		return errors.New("--count must be at least 1, --every at least 0")
	}
	cfg, err := p.wires.Config()
	if err != nil {
		return err
	}
	t, err := p.wires.Open(cmd, false)
	if err != nil {
		return err
	}
	r := wire.New(t, wire.Options{Config: cfg, Now: cli.Clock()})
	defer func() { _ = r.Close(context.Background()) }() // nothing is under way
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	path, err := ping.Find(ctx, r, mad.MakeGID(uint64(gid.Prefix), uint64(gid.GUID)))
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	way := fmt.Sprintf("to LID %d on SL %d", path.LID, path.SL)
	if path.Routed() {
		way = fmt.Sprintf("through the router at LID %d on SL %d, hop limit %d", path.LID, path.SL, path.HopLimit)
		if strings.HasPrefix(p.wires.Transport, "ibsim") {
			return cli.Cannot(fmt.Errorf("the path to %s leads %s, and ibsim carries no global route headers: use umad", gid, way))
		}
	}
	fmt.Fprintf(out, "%s: %s\n", gid, way)
	lost := 0
	for i := range p.count {
		if i > 0 {
			if err := pause(ctx, p.interval); err != nil {
				return err
			}
		}
		begun := time.Now()
		if err := ping.Ask(ctx, r, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			lost++
			fmt.Fprintf(out, "%d: %v\n", i+1, err)
			continue
		}
		fmt.Fprintf(out, "%d: answered in %.2f ms\n", i+1, time.Since(begun).Seconds()*1e3)
	}
	if lost > 0 {
		return cli.AnswerNo
	}
	return nil
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
